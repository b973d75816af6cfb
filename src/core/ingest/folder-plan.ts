import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { allows, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import type { Sha } from '../base/hash';
import { apart, inSlices, ITEMS_PER_STEP, refuseStopped, type Steps, Tally, type Watch } from '../base/steps';
import { localDate } from '../base/time';
import { CONTENT_KEY } from '../catalog/content-key';
import type { NoteRecord } from '../catalog/record';
import { extensionOf } from '../documents/formats';
import type { DocumentText } from '../documents/ports';
import { propertyLinks } from '../links/properties';
import type { LinkTargets } from '../links/resolve';
import { gateBody } from '../notes/content';
import { wingFolder } from '../notes/targets';
import type { Brain } from '../operation/context';
import { firstNumber } from '../operation/limits';
import type { Hall } from '../vocabulary/address';
import { fileName, fold, folderOf, type VaultPath } from '../vocabulary/paths';
import { aliasesOf, existingDuplicate, pageOwner, pathOf } from './batch';
import { filterSteps } from './dialect';
import { Exports } from './exports';
import { type FilePage, FolderLinks, type LinkedFile } from './folder-links';
import {
  dropPromises,
  endRun,
  isAttachmentPath,
  placeIn,
  PreparedPages,
  type Promises,
  readPromises,
  writePromises,
} from './folder-store';
import { findIngestedSource } from './known';
import { freeProcessed, hashAt, keptBefore } from './original';
import { type BatchPage, type BatchTerms, batchPage, prepare } from './pages';
import type { IngestRequest, Prepared, Siblings } from './request';
import { standingName } from './standing-name';

/** A file of a folder, as it was read. */
interface LoadedFile {
  readonly hash: Sha;
  /** With its extension. */
  readonly name: string;
  read(): Promise<DocumentText>;
}

/** The text that is kept between its reading and the draft of its pages (UTF-16 units, of all files). */
const MAX_EARLY = 8_000_000;

/** A file that comes together with others. */
export interface FileOfFolder {
  /** Its path below the folder, with `/` between the names. */
  readonly place: string;
  /** Reads the file; null when it is gone. */
  load(): Promise<LoadedFile | null>;
}

/** A file that comes with the folder and is not read, such as an image. */
export interface AttachedFile {
  readonly place: string;
  /** Its path when it is in the vault and stays there. */
  readonly stands?: VaultPath;
  /** Returns what identifies its bytes, and reads them; null when it is gone or cannot be read. Not called for one that stays. */
  load(): Promise<{
    readonly hash: Sha;
    readonly size: number;
    read(maxBytes: number): Promise<Uint8Array | null>;
  } | null>;
}

/** The options that all files of a folder share. */
interface FolderTerms extends Pick<IngestRequest, 'destination' | 'force' | 'dryRun'> {
  /** The name of the folder; links may begin with it. */
  readonly label: string;
  /** Tells the folder from others of its sender, so that a later run of it is known; '' when nothing does. */
  readonly folder: string;
  /** The number of files that are read at the same time. */
  readonly readsAtOnce: number;
  /** The files that new pages may embed or link. Each of these is promised a path among the originals, unless it stays. */
  readonly attachments?: readonly AttachedFile[];
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
}

/** A page of a file that is not ingested yet. */
interface DraftPage {
  readonly index: number;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly queued: boolean;
  readonly facts: FilePage['facts'];
  /** The targets of its links to files that are named with an extension. */
  readonly named: readonly { readonly target: string; readonly relative: boolean }[];
  readonly at: Pick<BatchPage, 'wing' | 'hall' | 'stem' | 'queued'>;
}

/** A source of the folder: two files with the same bytes are one. */
interface DraftSource {
  readonly hash: Sha;
  readonly place: string;
  /** The notes made of it before; null when it is new. */
  readonly known: readonly FilePage[] | null;
  readonly pages: readonly DraftPage[];
}

/**
 * The addresses and links of files that come together. All files are read before the first page is written, so that each link
 * between them leads to the page of its file. The addresses are promised on the disk: after a cut, a later run gives each file
 * the address to which pages of the first one link already.
 */
export class FolderPlan {
  readonly #brain: Brain;
  readonly #terms: FolderTerms;
  readonly #caller: Caller;
  readonly #sources = new Map<Sha, DraftSource>();
  readonly #hashes = new Map<string, Sha>();
  /** The paths of the new pages, by source and by the number of the page. */
  readonly #paths = new Map<Sha, Map<number, VaultPath>>();
  /** The pages that are not created, by their paths: what says the same instead, or null. */
  readonly #instead = new Map<VaultPath, FilePage | null>();
  /** The attachments that new pages embed or link, by their places; the hash is null for one that stays where it is. */
  readonly #attached = new Map<string, { readonly hash: Sha | null; readonly path: VaultPath }>();
  readonly #attachedPaths = new Set<VaultPath>();
  readonly #prepared: PreparedPages;
  readonly #id = bytesToHex(randomBytes(8));
  #exports: Exports | null = null;
  /** The files that were read to recognise the program, until their pages are drafted. */
  readonly #early = new Map<string, LoadedFile>();
  #earlySize = 0;
  /** The files whose reading was told. */
  readonly #readPlaces = new Set<string>();
  #links: FolderLinks | null = null;
  /** By the hash of a file that was edited after an earlier run had read it: the hash that it had then. */
  readonly #edited = new Map<Sha, Sha>();
  /** The pages for which paths are reserved. */
  readonly #owners: string[] = [];

  private constructor(brain: Brain, terms: FolderTerms, caller: Caller) {
    this.#brain = brain;
    this.#terms = terms;
    this.#caller = caller;
    this.#prepared = new PreparedPages(brain.whole);
  }

  /**
   * Reads the files of a folder and plans their pages; writes no page. A file that cannot be read has no plan: ingesting it tells
   * why. Files from another program are translated, and those of them that are no notes are left out.
   * @throws BrainError `busy` when the signal stops, `invalid_wing`; the error of the disk when a file cannot be got
   */
  static async make(
    brain: Brain,
    files: readonly FileOfFolder[],
    terms: FolderTerms,
    caller: Caller,
    watch: Watch,
  ): Promise<FolderPlan> {
    const plan = new FolderPlan(brain, terms, caller);
    try {
      const exports = await plan.#recognise(files, watch);
      const isNote = ({ place }: FileOfFolder): boolean => !exports.isLeftOut(place);
      await plan.#readAll(await inSlices(filterSteps(files, isNote), brain.pace), files.length, watch);
      const promised = await readPromises(brain.whole);
      await plan.#assign(promised);
      await plan.#attach(promised);
      plan.#links = await inSlices(plan.#linkSteps(), brain.pace);
      await plan.#findDuplicates(watch);
      if (plan.#instead.size > 0) plan.#links = await inSlices(plan.#linkSteps(), brain.pace);
      if (!terms.dryRun) await plan.#promise();
    } catch (error) {
      endRun(plan.#id);
      plan.#release();
      await plan.#prepared.clear();
      throw error;
    }
    return plan;
  }

  /**
   * Returns what is planned for a file; undefined when it has no plan. A file that has changed since it was read keeps the
   * addresses, to which other pages link, and is read again.
   * @param now the hash of the file when it is written, where that may be another than when it was read
   */
  of(place: string, now?: Sha): Pick<IngestRequest, 'siblings' | 'prepared' | 'translate'> | undefined {
    const hash = this.#hashes.get(place);
    if (hash === undefined) return undefined;
    const isSame = now === undefined || now === hash;
    const paths = this.#paths.get(hash);
    const siblings: Siblings = {
      batch: this.#id,
      pathOf: (index) => {
        const path = paths?.get(index);
        return path === undefined || this.#instead.has(path) ? null : path;
      },
      promises: (path) => this.#links?.promises(path) === true || this.#attachedPaths.has(path),
      targets: (queued) => this.#targets(place, queued),
    };
    return {
      siblings,
      prepared: async () => (isSame ? this.#prepared.get(hash) : null),
      translate: (text) => this.#translated(place, text),
    };
  }

  /** What the summary of the job says of the folder: from which program it comes, and what was left out. */
  get told(): readonly string[] {
    return this.#exports?.told ?? [];
  }

  /** Returns true for a file that is no note, such as a setting of the program from which the folder comes. */
  isLeftOut(place: string): boolean {
    return this.#exports?.isLeftOut(place) === true;
  }

  /** Returns the path to which links to an attachment lead; undefined when no new page has one. */
  attachedAt(place: string): VaultPath | undefined {
    return this.#attached.get(place)?.path;
  }

  /** Returns true when pages will be created of a file. */
  isNew(place: string): boolean {
    const hash = this.#hashes.get(place);
    return hash !== undefined && this.#sources.get(hash)?.known === null;
  }

  /** Drops what is held of a file that was ingested. What cannot be removed now is removed with the day's. */
  async done(place: string): Promise<void> {
    const hash = this.#hashes.get(place);
    if (hash === undefined) return;
    try {
      await this.#prepared.remove(hash);
    } catch (error) {
      this.#brain.log.warn('ingest.prepared_left', { message: String(error) });
    }
  }

  /** Drops what is held. @param isWhole true when every file was tried: then nothing that was promised is missing. */
  async close(isWhole: boolean): Promise<void> {
    endRun(this.#id);
    // The paths that a cut run has promised stay reserved: pages of it link to them.
    if (isWhole || this.#terms.dryRun) this.#release();
    await this.#prepared.clear();
    if (this.#terms.dryRun) return;
    // The lines of an earlier run that failed are waiting too.
    await this.#brain.whole.ledger.settle();
    if (!isWhole) return;
    const sources = new Set([...this.#sources.keys(), ...this.#edited.values()]);
    await dropPromises(this.#brain.whole, this.#id, sources);
  }

  /** Drops the plan before anything links to what it has promised. */
  async abandon(): Promise<void> {
    endRun(this.#id);
    this.#release();
    await this.#prepared.clear();
    if (!this.#terms.dryRun) await dropPromises(this.#brain.whole, this.#id, new Set());
  }

  #release(): void {
    const { reserved } = this.#brain.whole.catalog;
    for (const owner of this.#owners) reserved.release(owner);
  }

  #targets(place: string, queued: boolean): (targets: LinkTargets) => LinkTargets {
    return this.#links?.targets({ place, queued }) ?? ((targets) => targets);
  }

  /** Recognises the program from which the folder comes. Texts that this needs are read now, and mostly once. */
  async #recognise(files: readonly FileOfFolder[], watch: Watch): Promise<Exports> {
    const { fileTurns, pace } = this.#brain;
    const texts = files.map((file) => ({
      place: file.place,
      text: async () => {
        const text = await fileTurns.run(() => orNull(watch.signal, () => this.#earlyText(file)));
        this.#wasRead(file.place, files.length, watch);
        return text;
      },
    }));
    const others = (this.#terms.attachments ?? []).map(({ place }) => place);
    return (this.#exports = await Exports.in(texts, others, pace));
  }

  /** Reads a text, and keeps it for the draft of the file while there is room. */
  async #earlyText(file: FileOfFolder): Promise<DocumentText | null> {
    const known = this.#early.get(file.place);
    const loaded = known ?? (await file.load());
    if (loaded === null) return null;
    const reading = loaded.read();
    const size = await reading.then(
      ({ markdown }) => markdown.length,
      () => 0,
    );
    if (known === undefined && this.#earlySize + size <= MAX_EARLY) {
      this.#earlySize += size;
      this.#early.set(file.place, { hash: loaded.hash, name: loaded.name, read: () => reading });
    }
    return reading;
  }

  #wasRead(place: string, total: number, { progress }: Watch): void {
    if (this.#readPlaces.has(place)) return;
    this.#readPlaces.add(place);
    progress?.({ done: this.#readPlaces.size, total, phase: 'reading' });
  }

  async #translated(place: string, text: DocumentText): Promise<DocumentText> {
    return this.#exports === null ? text : inSlices(this.#exports.translate(place, text), this.#brain.pace);
  }

  async #readAll(files: readonly FileOfFolder[], total: number, watch: Watch): Promise<void> {
    const { signal } = watch;
    let next = 0;
    const work = async (): Promise<void> => {
      for (let file = files[next++]; file !== undefined; file = files[next++]) {
        try {
          await this.#brain.fileTurns.run(() => orNull(signal, () => this.#read(file, signal)));
        } catch (error) {
          next = files.length; // The other turns end with their file.
          throw error;
        }
        this.#wasRead(file.place, total, watch);
      }
    };
    for (const turn of await Promise.allSettled(Array.from({ length: this.#terms.readsAtOnce }, work))) {
      if (turn.status === 'rejected') throw turn.reason;
    }
  }

  async #read(file: FileOfFolder, signal: Watch['signal']): Promise<void> {
    const loaded = this.#early.get(file.place) ?? (await file.load());
    this.#early.delete(file.place);
    if (loaded === null) return;
    const { hash } = loaded;
    if (!this.#sources.has(hash)) this.#sources.set(hash, await this.#draft(file.place, loaded, signal));
    this.#hashes.set(file.place, hash);
  }

  async #draft(place: string, loaded: LoadedFile, signal: Watch['signal']): Promise<DraftSource> {
    const { hash } = loaded;
    const known = this.#terms.force ? null : await findIngestedSource(this.#brain, hash);
    if (known !== null) {
      const notes = known.pages.filter(({ status }) => status !== 'rejected');
      return { hash, place, known: notes.map(notePage), pages: [] };
    }
    const earlier = this.#brain.model === undefined ? null : await this.#prepared.earlier(hash);
    const blind = !allows(this.#caller, 'read');
    const translate = (text: DocumentText) => this.#translated(place, text);
    const request = { ...loaded, label: null, signal, translate };
    const prepared = earlier ?? (await prepare(this.#brain, request, blind));
    await this.#prepared.put(hash, prepared);
    const pages = (await this.#pagesOf(hash, prepared)).map((page) => ({
      index: page.index,
      title: page.title,
      aliases: aliasesOf(page),
      queued: page.queued,
      facts: { headings: page.facts.headings, blockIds: page.facts.blockIds },
      named: [
        page.facts.links,
        propertyLinks(page.opened.frontmatter),
        propertyLinks(page.page.frontmatter ?? {}),
      ]
        .flat()
        .filter(({ target }) => extensionOf(target) !== '')
        .map(({ kind, target }) => ({ target, relative: kind === 'image' || kind === 'mdlink' })),
      at: { wing: page.wing, hall: page.hall, stem: page.stem, queued: page.queued },
    }));
    return { hash, place, known: null, pages };
  }

  async #pagesOf(sourceHash: Sha, { by, model, pages }: Prepared): Promise<BatchPage[]> {
    const { wing, hall, destination } = this.#terms;
    const terms: BatchTerms = {
      wing: wing === undefined ? undefined : wingFolder(this.#brain, wing),
      hall,
      destination: allows(this.#caller, 'write') ? destination : 'raw',
      by,
      model,
      sourceHash,
    };
    const made: BatchPage[] = [];
    for (const [index, page] of pages.entries()) {
      made.push(await inSlices(batchPage(this.#brain, page, index, terms), this.#brain.pace));
    }
    return made;
  }

  /** Names a file of the folder for later runs; null when nothing tells the folder from others. */
  #placeOf(place: string): string | null {
    const { folder } = this.#terms;
    const { origin, name } = this.#caller;
    return folder === '' ? null : placeIn(`${origin}:${name}:${folder}`, place);
  }

  /** Finds the files that were edited since a cut run: other pages link to the addresses that it has promised for them. */
  #findEdited({ pages, places }: Promises): void {
    for (const [place, hash] of this.#hashes) {
      const before = places.get(this.#placeOf(place) ?? '');
      if (before === undefined || pages.has(hash) || this.#sources.has(before)) continue;
      if (!this.#edited.has(hash)) this.#edited.set(hash, before);
    }
  }

  /**
   * Gives each new page a free address: the one that was promised for its file, also when the file was edited since, or the next
   * number of its name.
   */
  async #assign(promised: Promises): Promise<void> {
    this.#findEdited(promised);
    const { clock, pace, whole } = this.#brain;
    const date = localDate(clock.now());
    const { reserved } = whole.catalog;
    const open: { paths: Map<number, VaultPath>; index: number; owner: string; at: DraftPage['at'] }[] = [];
    // The promised addresses go first, so that no other page of the folder gets one.
    for (const { hash, pages } of this.#sources.values()) {
      const paths = new Map<number, VaultPath>();
      this.#paths.set(hash, paths);
      const old = this.#edited.get(hash);
      for (const { index, at } of pages) {
        await pace.run(() => undefined);
        const name = pathOf(at, date, 1);
        const owner = pageOwner(hash, index, name);
        this.#owners.push(owner);
        const oldOwner = old === undefined ? null : pageOwner(old, index, name);
        const path = reserved.of(owner) ?? promised.pages.get(old ?? hash)?.get(index);
        const fits = path !== undefined && sharesFolder(path, name);
        if (fits && (await this.#take(path, owner, oldOwner))) paths.set(index, path);
        else open.push({ paths, index, owner, at });
      }
    }
    // Pages of a cut run link to paths of files that this folder may lack.
    const elsewhere = new Set<string>();
    for (const [hash, paths] of promised.pages) {
      if (!this.#sources.has(hash)) for (const path of paths.values()) elsewhere.add(fold(path));
    }
    const numbers = new Map<string, number>();
    for (const { paths, index, owner, at } of open) {
      await pace.run(() => undefined);
      const name = pathOf(at, date, 1);
      for (let number = numbers.get(name) ?? firstNumber(this.#brain, name); ; number += 1) {
        const path = pathOf(at, date, number);
        if (elsewhere.has(fold(path)) || !(await this.#take(path, owner, null))) continue;
        paths.set(index, path);
        numbers.set(name, number + 1);
        break;
      }
    }
  }

  /**
   * Reserves a path for a page unless a file or another page has it.
   * @param oldOwner the page of the file before it was edited, from which this one takes the path over
   */
  async #take(path: VaultPath, owner: string, oldOwner: string | null): Promise<boolean> {
    const { catalog, vault } = this.#brain.whole;
    const { reserved } = catalog;
    const isForOther = (): boolean =>
      reserved.isForOther(path, owner) && reserved.isForOther(path, oldOwner ?? owner);
    if (isForOther() || catalog.taken(path) !== null || (await vault.stat(path)) !== null) return false;
    // A dry run leaves the path to the page that has it.
    if (oldOwner !== null && this.#terms.dryRun) return true;
    if (oldOwner !== null && !isForOther()) reserved.release(oldOwner);
    // Another folder may have taken it meanwhile.
    return reserved.take(path, owner);
  }

  /** Gives each attachment that a new page embeds or links its path. */
  async #attach(promised: Promises): Promise<void> {
    const { attachments = [], label } = this.#terms;
    if (attachments.length === 0) return;
    const { pace } = this.#brain;
    const files = attachments.map(({ place }) => ({ place, pages: [] }));
    const links = await inSlices(FolderLinks.steps(files, label), pace);
    const linked = new Set<string>();
    for (const { place: from, pages } of this.#sources.values()) {
      for (const { target, relative } of pages.flatMap(({ named }) => named)) {
        const found = await pace.run(() => links.find(target, from, relative));
        // An attachment is named with its extension; without one the link is to a note.
        if (found !== null && extensionOf(found.place) === extensionOf(target)) linked.add(found.place);
      }
    }
    for (const attachment of attachments) {
      const { place, stands } = attachment;
      if (!linked.has(place)) continue;
      const found =
        stands === undefined ? await this.#keptAt(attachment, promised) : { hash: null, path: stands };
      if (found === null) continue;
      this.#attached.set(place, found);
      this.#attachedPaths.add(found.path);
    }
  }

  /** Returns the path of an attachment among the originals: the promised one, that of the same bytes, or a free one. */
  async #keptAt(
    attachment: AttachedFile,
    promised: Promises,
  ): Promise<{ readonly hash: Sha; readonly path: VaultPath } | null> {
    const brain = this.#brain;
    const loaded = await attachment.load();
    if (loaded === null) return null;
    const { hash } = loaded;
    const name = await standingName(brain, fileName(attachment.place), (max) => loaded.read(max));
    const owner = `attached:${hash}:${name}`;
    this.#owners.push(owner);
    const { reserved } = brain.whole.catalog;
    for (const path of promised.pages.get(hash)?.values() ?? []) {
      if (!isAttachmentPath(path) || reserved.isForOther(path, owner)) continue;
      const isUsable = (await brain.vault.stat(path)) === null || (await hashAt(brain, path)) === hash;
      if (isUsable && reserved.take(path, owner)) return { hash, path };
    }
    const path = (await keptBefore(brain, name, loaded)) ?? (await freeProcessed(brain, name, owner));
    return { hash, path };
  }

  /** Writes what is promised to the disk. */
  async #promise(): Promise<void> {
    const places = [...this.#hashes].flatMap(([place, hash]) => {
      const named = this.#placeOf(place);
      return named === null ? [] : [[named, hash] as const];
    });
    await writePromises(this.#brain.whole, this.#id, this.#promised(), places);
  }

  /** Returns the promised paths, by the hash of the source or the attachment. */
  #promised(): Map<Sha, [number, VaultPath][]> {
    const promised = this.#created();
    for (const { hash, path } of this.#attached.values()) {
      if (hash === null) continue;
      const same = promised.get(hash) ?? [];
      promised.set(hash, [...same, [same.length, path]]);
    }
    return promised;
  }

  /**
   * Finds the pages whose text a note or an earlier page has already: they are not created, and links to their files lead to
   * that note. A page that becomes a duplicate because of that is created all the same, so that no link breaks.
   */
  async #findDuplicates({ signal }: Watch): Promise<void> {
    const firsts = new Map<Sha, VaultPath>();
    for (const source of this.#sources.values()) {
      refuseStopped(signal);
      const prepared = source.pages.length === 0 ? null : await this.#prepared.get(source.hash);
      if (prepared === null) continue;
      const paths = this.#paths.get(source.hash);
      for (const page of await this.#pagesOf(source.hash, prepared)) {
        const path = paths?.get(page.index);
        if (path === undefined) continue;
        const key = await this.#keyOf(page, path, source.place);
        const first = firsts.get(key);
        const duplicate = existingDuplicate(this.#brain, page, key);
        if (first === undefined && duplicate === null) {
          firsts.set(key, path);
          continue;
        }
        const of = duplicate?.kind === 'duplicate' ? this.#brain.catalog.record(duplicate.of) : undefined;
        this.#instead.set(
          path,
          of !== undefined ? notePage(of) : duplicate === null ? firstPage(page, first) : null,
        );
      }
    }
  }

  async #keyOf(page: BatchPage, path: VaultPath, place: string): Promise<Sha> {
    const from = { path, wing: page.wing ?? null, hall: page.hall ?? null };
    const blind = !allows(this.#caller, 'read');
    const gated = await gateBody(
      this.#brain,
      { body: page.opened.body, from, mode: 'full', blind },
      this.#targets(place, page.queued),
    );
    const { pace } = this.#brain;
    return inSlices(apart(CONTENT_KEY, { body: gated.body, title: page.opened.frontmatter.title }), pace);
  }

  *#linkSteps(): Steps<FolderLinks> {
    const files: LinkedFile[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    for (const [place, hash] of this.#hashes) {
      if (tally.isFull()) yield;
      const source = this.#sources.get(hash);
      const paths = this.#paths.get(hash);
      const created = (source?.pages ?? []).flatMap(
        ({ index, title, aliases, queued, facts }): FilePage[] => {
          const path = paths?.get(index);
          if (path === undefined) return [];
          const other = this.#instead.get(path);
          if (other !== undefined) return other === null ? [] : [other];
          return [{ path, title, aliases, queued, facts }];
        },
      );
      const names = this.#exports?.names(place) ?? [];
      files.push({ place, pages: [...(source?.known ?? []), ...created], names });
    }
    for (const [place, { path }] of this.#attached) {
      files.push({
        place,
        pages: [{ path, title: fileName(place), aliases: [], queued: false, facts: null }],
      });
    }
    return yield* FolderLinks.steps(files, this.#terms.label);
  }

  /** Returns the pages that will be created, by source. */
  #created(): Map<Sha, [number, VaultPath][]> {
    const created = new Map<Sha, [number, VaultPath][]>();
    for (const [hash, paths] of this.#paths) {
      const own = [...paths].filter(([, path]) => !this.#instead.has(path));
      if (own.length > 0) created.set(hash, own);
    }
    return created;
  }
}

/**
 * Resolves with the result of work on a file; null when the file cannot be read: ingesting it tells why.
 * @throws BrainError `busy` when the signal stops, `starting` when the vault is being closed; the error of the disk
 */
async function orNull<T>(signal: Watch['signal'], work: () => Promise<T>): Promise<T | null> {
  refuseStopped(signal);
  try {
    return await work();
  } catch (error) {
    refuseStopped(signal);
    const isOfService = error instanceof BrainError && error.code === 'starting';
    if (isOfService || isOfDisk(error)) throw error;
    return null;
  }
}

/** Returns true for an error with a code of the operating system, such as `EIO`. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z\d]+$/.test(String(error.code));
}

/** Returns a note as a link target. */
function notePage({ path, title, aliases, status }: NoteRecord): FilePage {
  return { path, title, aliases, queued: status === 'raw', facts: null };
}

/** Returns the earlier page of the folder that has the text of this one. */
function firstPage({ title, queued, facts }: BatchPage, path: VaultPath | undefined): FilePage | null {
  if (path === undefined) return null;
  const { headings, blockIds } = facts;
  return { path, title, aliases: [], queued, facts: { headings, blockIds } };
}

function sharesFolder(one: VaultPath, other: VaultPath): boolean {
  return folderOf(one) === folderOf(other);
}
