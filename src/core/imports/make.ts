import { BrainError } from '../base/errors';
import { type Sha, sha256Steps, utf8Length } from '../base/hash';
import { apart, inSlices, type Progress, refuseStopped, type Watch } from '../base/steps';
import { compareText, utf8Text } from '../base/text';
import { extensionOf, isHarmlessKind } from '../documents/formats';
import {
  type DocumentText,
  type Expanded,
  type ExpandedFile,
  type ExportFile,
  type ImportFolder,
  MAX_FILE_BYTES,
} from '../documents/ports';
import { type OwnedValue, replaceBody, setKeys } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { changeLinkSteps } from '../gate/link-findings';
import { Exports } from '../ingest/exports';
import { withoutNotionId } from '../ingest/dialect-notion';
import { FolderLinks, type LinkedFile } from '../ingest/folder-links';
import { standingName } from '../ingest/standing-name';
import { isCanvas, retargetCards } from '../links/canvas';
import { type Followed, ledTo, movesAmong } from '../links/follow';
import { retargetProperties } from '../links/properties';
import type { FileNames } from '../links/resolve';
import { titleOf } from '../links/title';
import { isRelative, type LinkUse } from '../markdown/address';
import { FACTS } from '../markdown/facts';
import { gateBody } from '../notes/content';
import { safeText } from '../notes/properties';
import type { Brain } from '../operation/context';
import { listOf } from '../sources/source-references';
import { maxTextBytes } from '../vocabulary/limits';
import { fileName, fold, folderOf, isMarkdown, stemOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import type { MadeFile } from './report';

/** The kinds of files that stay files: data for programs, boards of Obsidian, logs and pictures. */
const DATA: ReadonlySet<string> = new Set('json jsonl ndjson yaml yml canvas log png jpg jpeg'.split(' '));
/** The files that are read at the same time. */
const AT_ONCE = 2;

/** What an import will make, before anything of it is in the vault. */
export interface Planned {
  readonly files: readonly MadeFile[];
  readonly left: readonly { readonly from: string; readonly why: string }[];
  readonly told: readonly string[];
  /** What was made harmless, or what would act, by file. */
  readonly findings: readonly { readonly from: string; readonly found: readonly string[] }[];
}

/** What the person who imports has said. */
interface Terms {
  readonly folder: VaultPath;
  /** True when what would act in the notes stays as it is. */
  readonly keep: boolean;
}

/** A file of the export while its page is being made. */
interface Draft {
  readonly file: ExpandedFile;
  /** The place of its page or of itself below the import. */
  place: string;
  path: VaultPath;
  readonly kind: 'note' | 'file';
  /** The staged bytes. */
  staged: number;
  /** The hash and the size of the file that came. */
  readonly source: Sha;
  readonly size: number;
  readonly warnings: string[];
  readonly title: string;
  readonly aliases: readonly string[];
}

/** Makes the files of an import in its folder: what came is expanded, read, linked and made harmless. Nothing is in the vault yet. */
export class Maker {
  readonly #drafts: Draft[] = [];
  readonly #left: { from: string; why: string }[] = [];
  readonly #findings: { from: string; found: string[] }[] = [];
  readonly #taken = new Set<string>();
  #next: number;

  constructor(
    private readonly brain: Brain,
    private readonly folder: ImportFolder,
    private readonly terms: Terms,
    next: number,
  ) {
    this.#next = next;
  }

  /** The number of the next file of the folder. */
  get next(): number {
    return this.#next;
  }

  /** @throws BrainError `busy` when the signal stops, `too_large` beyond the limits of an import */
  async make(came: readonly ExportFile[], watch: Watch): Promise<Planned> {
    const expanded = await this.#expand(came, watch);
    this.#left.push(...expanded.left);
    const exports = await this.#recognise(expanded.files, watch);
    const files = expanded.files.filter(({ place, from }) => {
      if (!exports.isLeftOut(place)) return true;
      this.#left.push({ from, why: 'It is a setting or a part of another file, and no note.' });
      return false;
    });
    await this.#inTurns(files, watch, 'reading', (file) => this.#draft(file, exports, watch));
    // The turns end in any order, and names must not depend on it.
    this.#drafts.sort((a, b) => compareText(a.file.place, b.file.place));
    for (const draft of this.#drafts) this.#name(draft);
    const links = await inSlices(
      FolderLinks.steps(
        this.#drafts.map((draft) => linked(draft, exports)),
        '',
      ),
      this.brain.pace,
    );
    const arriving = new Map(this.#drafts.map(({ path }) => [path, path]));
    const { after } = movesAmong(this.brain.whole.catalog, arriving);
    const made: MadeFile[] = [];
    await this.#inTurns(this.#drafts, watch, 'writing', async (draft) => {
      made.push(await this.#finish(draft, links, after));
    });
    made.sort((a, b) => compareText(a.path, b.path));
    return {
      files: made,
      left: this.#left,
      told: [...expanded.told, ...exports.told],
      findings: this.#findings,
    };
  }

  async #expand(came: readonly ExportFile[], watch: Watch): Promise<Expanded> {
    const { folder } = this;
    if (this.brain.exports === undefined) return asItCame(came);
    return this.brain.exports.expand(
      {
        came,
        read: (id, from, to) => folder.read(id, from, to),
        create: async () => {
          const id = this.#next++;
          await folder.append(id, new Uint8Array());
          return id;
        },
        append: (id, bytes) => folder.append(id, bytes),
      },
      watch,
    );
  }

  /** Recognises programs whose exports are Markdown or web pages. */
  async #recognise(files: readonly ExpandedFile[], watch: Watch): Promise<Exports> {
    const plain = files.filter(({ made }) => !made);
    const texts = plain.filter(({ place }) => /\.(?:md|markdown|csv|html?|json)$/i.test(place));
    const others = plain.filter((file) => !texts.includes(file)).map(({ place }) => place);
    return Exports.in(
      texts.map((file) => ({
        place: file.place,
        text: () =>
          /\.json$/i.test(file.place) ? Promise.resolve(null) : this.#textOf(file, watch).catch(unreadable),
      })),
      others,
      this.brain.pace,
    );
  }

  async #bytes(id: number, most: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.folder.read(id, 0, most);
  }

  /** Reads a file that becomes a note. @throws BrainError as `DocumentReader.read` */
  async #textOf(file: ExpandedFile, { signal }: Watch): Promise<DocumentText> {
    const bytes = await this.#bytes(file.id, MAX_FILE_BYTES + 1);
    const name = fileName(file.place);
    if (bytes.length > MAX_FILE_BYTES)
      throw new BrainError('too_large', `${name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
    if (isMarkdown(name)) {
      const markdown = plainText(bytes);
      // Markdown keeps its bytes, whatever its length.
      if (markdown !== null) return { markdown, converted: false, warnings: [] };
    }
    return this.brain.documents.read({ name, bytes }, signal);
  }

  /** Reads one file, and keeps what becomes of it: a note, a file beside the notes, or both. */
  async #draft(file: ExpandedFile, exports: Exports, watch: Watch): Promise<void> {
    const name = fileName(file.place);
    const { hash: source, size } = await this.folder.factsOf(file.id);
    const asFile = async (warnings: readonly string[]): Promise<void> => {
      const place = `${file.place}${await this.#ending(file)}`;
      const shared = { kind: 'file', staged: file.id, source, size, title: name, aliases: [] } as const;
      this.#add({ ...shared, file: { ...file, place }, warnings: [...warnings] });
    };
    if (!this.#becomesNote(file)) return asFile(file.warnings);
    let text: DocumentText;
    try {
      const read = await this.#textOf(file, watch);
      text = file.made ? read : await inSlices(exports.translate(file.place, read), this.brain.pace);
    } catch (error) {
      if (!(error instanceof BrainError) || error.code === 'busy' || error.code === 'starting') throw error;
      return asFile([...file.warnings, `It is kept as it is, and no note was made of it. ${error.message}`]);
    }
    const original = isMarkdown(name) ? null : name;
    const note = composed(text, original, stemOf(name));
    if (note.length > maxTextBytes('x.md'))
      return asFile([...file.warnings, 'It is too long for a note, and kept as it is.']);
    if (original !== null) await asFile([]);
    const staged = await this.#stage(note);
    const { frontmatter } = parseNote(note);
    const facts = await inSlices(apart(FACTS, note), this.brain.pace);
    const place = `${folderOf(file.place)}/${pageStem(name)}.md`.replace(/^\//, '');
    const title = titleOf(frontmatter, facts, place);
    const aliases = [...listOf(frontmatter.aliases), ...(facts.h1 === null ? [] : [facts.h1])];
    const warnings = [...file.warnings, ...text.warnings];
    this.#add({ file: { ...file, place }, kind: 'note', staged, source, size, title, aliases, warnings });
  }

  /** Returns what comes behind the name of a file that could run, or holds what would act. */
  async #ending({ id, place }: ExpandedFile): Promise<string> {
    const name = fileName(place);
    if (this.terms.keep) return '';
    if (!isHarmlessKind(name)) return '.txt';
    const standing = await standingName(this.brain, name, (most) => this.#bytes(id, most));
    return standing.slice(name.length);
  }

  /** Returns true for a file of which a note is made. */
  #becomesNote({ place, made }: ExpandedFile): boolean {
    const extension = extensionOf(place);
    if (made || isMarkdown(place)) return true;
    if (DATA.has(extension)) return false;
    return ['native', 'converter'].includes(this.brain.documents.readability(fileName(place)));
  }

  #add(draft: Omit<Draft, 'place' | 'path'>): void {
    this.#drafts.push({ ...draft, place: draft.file.place, path: vaultPath('x') });
  }

  /** Gives a file a free path below the import. */
  #name(draft: Draft): void {
    const { place } = draft.file;
    const dot = place.lastIndexOf('.') > place.lastIndexOf('/') ? place.lastIndexOf('.') : place.length;
    for (let n = 1; ; n += 1) {
      const at = n === 1 ? place : `${place.slice(0, dot)} ${n}${place.slice(dot)}`;
      if (this.#taken.has(fold(at))) continue;
      this.#taken.add(fold(at));
      draft.place = at;
      draft.path = vaultPath(`${this.terms.folder}/${at}`);
      return;
    }
  }

  /** Links a note to the others, and makes it harmless. */
  async #finish(draft: Draft, links: FolderLinks, after: FileNames): Promise<MadeFile> {
    const { file, kind, path, source, warnings } = draft;
    const shared = {
      path,
      from: file.from,
      kind,
      source,
      ...(file.program !== undefined && { program: file.program }),
      ...(warnings.length > 0 && { warnings }),
    };
    if (kind === 'file') {
      if (isCanvas(path)) draft.staged = await this.#withCards(draft);
      const isLed = draft.staged !== file.id;
      const facts = isLed ? await this.folder.factsOf(draft.staged) : { hash: source, size: draft.size };
      return { ...shared, ...facts, file: draft.staged };
    }
    const before = utf8Text(await this.#bytes(draft.staged, Infinity));
    const text = await this.#harmless(await this.#linked(before, draft, links, after), draft);
    const id = text === before ? draft.staged : await this.#stage(text);
    if (id !== draft.staged) await this.folder.remove(draft.staged);
    const hash = await inSlices(sha256Steps(text), this.brain.pace);
    return { ...shared, hash, size: utf8Length(text), file: id };
  }

  async #linked(text: string, { file, path }: Draft, links: FolderLinks, after: FileNames): Promise<string> {
    const led = (link: Pick<LinkUse, 'kind' | 'target' | 'fragment' | 'text'>): Followed | null => {
      const [goal] = links.find(link.target, file.place, isRelative(link))?.pages ?? [];
      return goal === undefined ? null : ledTo(link, goal.path, path, after);
    };
    const { body } = parseNote(text);
    const changed = await inSlices(changeLinkSteps(body, led), this.brain.pace);
    return this.brain.pace.run(() =>
      retargetProperties(changed === body ? text : replaceBody(text, changed), led),
    );
  }

  /** Makes what would act in a note harmless, or tells of it when the person keeps it. */
  async #harmless(text: string, { file, path }: Draft): Promise<string> {
    const safe = await safeText(this.brain, text, {});
    const { body } = parseNote(safe.text);
    const gated = await gateBody(this.brain, {
      body,
      from: { path, wing: null, hall: null },
      mode: 'property',
    });
    const acting = gated.refs.flatMap(({ target, reason, unlinked }) =>
      unlinked ? [`${reason ?? 'active'}: ${target}`] : [],
    );
    const found = [...new Set([...safe.warnings, ...gated.warnings, ...acting])];
    if (found.length > 0) this.#findings.push({ from: file.from, found: found.slice(0, 20) });
    if (this.terms.keep) return text;
    return gated.body === body ? safe.text : replaceBody(safe.text, gated.body);
  }

  /** Leads the cards of a board to the files of the import. */
  async #withCards({ staged }: Draft): Promise<number> {
    const bytes = await this.#bytes(staged, maxTextBytes('x.canvas') + 1);
    const text = plainText(bytes);
    if (text === null || bytes.length > maxTextBytes('x.canvas')) return staged;
    const to = new Map(this.#drafts.map(({ file, path }) => [vaultPath(file.place), path]));
    const led = await this.brain.pace.run(() => retargetCards(text, to));
    return led === text ? staged : this.#stage(led);
  }

  async #stage(text: string): Promise<number> {
    const id = this.#next++;
    await this.folder.append(id, new TextEncoder().encode(text));
    return id;
  }

  async #inTurns<T>(
    items: readonly T[],
    { signal, progress }: Watch,
    phase: Progress['phase'],
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    let next = 0;
    let done = 0;
    const turn = async (): Promise<void> => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) {
        refuseStopped(signal);
        try {
          await work(item);
        } catch (error) {
          next = items.length;
          throw error;
        }
        done += 1;
        progress?.({ done, total: items.length, phase });
      }
    };
    for (const each of await Promise.allSettled(Array.from({ length: AT_ONCE }, turn)))
      if (each.status === 'rejected') throw each.reason;
  }
}

/** Returns files as they came, none of them unpacked. */
function asItCame(came: readonly ExportFile[]): Expanded {
  const files = came.map(({ id, place }) => ({ id, place, from: place, made: false, warnings: [] }));
  return { files, left: [], told: [] };
}

/** Returns a file as links of the others know it. */
function linked({ file, path, kind, title, aliases }: Draft, exports: Exports): LinkedFile {
  const page = { path, title, aliases: kind === 'note' ? aliases : [], queued: false, facts: null };
  const others = [file.place, ...exports.names(file.place)];
  return { place: file.place, pages: [page], names: others };
}

/** Returns the name of a page without extension: that of its file, as its owner knows it. */
function pageStem(name: string): string {
  return stemOf(withoutNotionId(name));
}

/** Returns the note of a document: its text, what it says of itself as properties, and the file that it was made of. */
function composed(
  { markdown, title, address, properties, attachments = [] }: DocumentText,
  original: string | null,
  stem: string,
): string {
  const parts = attachments.map(({ name, text }) => `\n## ${name}\n\n${text.markdown}`);
  const body = markdown + parts.join('\n');
  const values: Record<string, OwnedValue> = { ...properties };
  if (title !== undefined && title !== stem && original !== null) values.title = title;
  if (address !== undefined) values.source = address;
  if (original !== null) values.original = `[[${original}]]`;
  return Object.keys(values).length === 0 ? body : setKeys(body, values).text;
}

/** Decodes UTF-8; null for another encoding. */
function plainText(bytes: Uint8Array): string | null {
  try {
    return utf8Text(bytes);
  } catch {
    return null;
  }
}

/** Passes over a file that cannot be read, which is told when its page would be made. */
function unreadable(error: unknown): null {
  if (error instanceof BrainError && error.code !== 'busy' && error.code !== 'starting') return null;
  throw error;
}
