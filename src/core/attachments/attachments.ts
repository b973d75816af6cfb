import { StopController } from '../base/concurrency';
import { BrainError, type ErrorCode } from '../base/errors';
import { type Sha, sha256Steps } from '../base/hash';
import type { Unsubscribe } from '../base/host';
import { isRecord, parsedJson } from '../base/json';
import { apart, inSlices, type Pacing } from '../base/steps';
import { compareText, damagedText } from '../base/text';
import type { Catalog } from '../catalog/catalog';
import { type DocumentReader, MAX_FILE_BYTES } from '../documents/ports';
import type { Field } from '../fulltext/reader';
import { SearchIndex } from '../fulltext/search-index';
import { canvasText, isCanvas } from '../links/canvas';
import { FACTS } from '../markdown/facts';
import { sameStat, type Store } from '../ports/ports';
import { fileName, type VaultPath } from '../vocabulary/paths';
import { type KeptFile, KeptTexts } from './kept';
import { type AttachmentText, isAttachment, partsOf } from './parts';

/** The choice of the owner, below `.brain/`. It goes with the vault from device to device. */
const CHOICE = 'attachments.json';
/** The largest canvas (bytes): it is parsed at once. */
const MAX_CANVAS = 2 * 1024 * 1024;
/** The words that are searched, of all files together (UTF-16 units). */
const MAX_WORDS = 64 * 1024 * 1024;
const OVER = 'The words of the other PDF files and canvases are as many as are searched.';
/** The ends of the process while it reads one file after which the file is passed over. */
const MAX_ENDS = 2;
/** The longest rest after a file (ms); a rest is as long as the reading took. */
const MAX_REST_MS = 5000;

/** A part of an attachment in the index. */
export interface IndexedPart {
  /** The path of the file and the number of the part, by which equal parts are ordered. */
  readonly path: string;
  readonly file: VaultPath;
  readonly page: number | undefined;
  readonly at: number;
}

function pathOfPart(file: VaultPath, at: number): string {
  return `${file}\0${String(at).padStart(6, '0')}`;
}

/** Returns the path of the file of a part. */
export function fileOfPart(path: string): string {
  return path.slice(0, path.indexOf('\0'));
}

/** The state of the attachments, for people. */
export interface AttachmentsState {
  /** `unasked` until the owner has decided. */
  readonly choice: 'on' | 'off' | 'unasked';
  /** True when the setting decides. */
  readonly isSet: boolean;
  /** The files that are searched. */
  readonly pdfs: number;
  readonly canvases: number;
  /** The files that could not be read, with the reason, sorted by path. */
  readonly unread: readonly { readonly path: VaultPath; readonly reason: string }[];
  /** The files that wait to be read. */
  readonly waiting: number;
}

type Ports = Pick<Store, 'vault' | 'state' | 'log' | 'clock'> &
  Pacing & {
    readonly catalog: Pick<Catalog, 'taken' | 'covers' | 'pathsBelow'>;
    readonly documents: Pick<DocumentReader, 'read'>;
    readonly version: string;
    /** The folder of this device below `.brain/`. */
    readonly local: string;
    /** What the setting says; undefined when the choice of the owner counts. */
    readonly setting: boolean | undefined;
  };

/** The errors that another try cannot mend while the file stays as it is. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'unsupported_type',
  'no_text',
  'too_large',
  'too_entangled',
]);

/**
 * The words of the PDF files and canvases of a vault. They are taken in the background, one file at a time, and kept on this device
 * by the hash of the file, so that no file is read twice.
 */
export class Attachments {
  readonly kept: KeptTexts;
  #index = new SearchIndex<IndexedPart>();
  /** The files whose words are in the index, and those that could not be read. */
  readonly #files = new Map<VaultPath, KeptFile>();
  /** Of each file in the index the number of its parts, and its length. */
  readonly #sizes = new Map<VaultPath, { readonly parts: number; readonly length: number }>();
  /** The files as a former run kept them. */
  #former: ReadonlyMap<VaultPath, KeptFile> | null = null;
  /** The files that were read and whose words are not searched, because those of the others are as many as may be. */
  readonly #over = new Set<VaultPath>();
  readonly #waiting = new Set<VaultPath>();
  readonly #listeners = new Set<() => void>();
  readonly #stop = new StopController();
  #choice: boolean | null = null;
  #length = 0;
  /** True when the kept list is not that of the files. */
  #isChanged = false;
  #isEmpty = false;

  /** @param most the words that are searched (UTF-16 units) */
  constructor(
    readonly ports: Ports,
    private readonly most = MAX_WORDS,
  ) {
    this.kept = new KeptTexts(ports.state, ports.version, ports.local);
  }

  get index(): SearchIndex<IndexedPart> {
    return this.#index;
  }

  /** Returns what is known of a file that was read. */
  file(path: VaultPath): KeptFile | undefined {
    return this.#files.get(path);
  }

  get isOn(): boolean {
    return this.ports.setting ?? this.#choice ?? false;
  }

  /** Returns the state of the files whose paths pass. */
  stateOf(passes: (path: VaultPath) => boolean): AttachmentsState {
    const { setting } = this.ports;
    const chosen = setting ?? this.#choice;
    const unread: { path: VaultPath; reason: string }[] = [];
    const counts = { pdfs: 0, canvases: 0 };
    for (const [path, { fault }] of this.#files) {
      if (!passes(path)) continue;
      const reason = this.#over.has(path) ? OVER : fault;
      if (reason !== undefined) unread.push({ path, reason });
      else counts[isCanvas(path) ? 'canvases' : 'pdfs'] += 1;
    }
    unread.sort((a, b) => compareText(a.path, b.path));
    return {
      choice: chosen === null ? 'unasked' : chosen ? 'on' : 'off',
      isSet: setting !== undefined,
      ...counts,
      unread,
      waiting: [...this.#waiting].filter(passes).length,
    };
  }

  /** Returns the paths of all attachments of the vault, whether they are read or not. */
  paths(): VaultPath[] {
    return this.ports.catalog.pathsBelow('').filter(isAttachment);
  }

  /**
   * Reads what the owner has chosen.
   * @param isFirst true at the first start of the service in a vault, whose attachments are searched unless the setting says otherwise
   */
  async open(isFirst: boolean): Promise<void> {
    await this.recall();
    if (this.#choice === null && isFirst && this.ports.setting === undefined) await this.choose(true);
  }

  /** Reads the choice again, which may have been made on another device or server. */
  async recall(): Promise<void> {
    const choice = parsedJson((await this.ports.state.read(CHOICE)) ?? '');
    if (!isRecord(choice) || typeof choice.read !== 'boolean' || choice.read === this.#choice) return;
    this.#choice = choice.read;
    this.touchAll();
  }

  /** Keeps the choice of the owner for this vault. The setting, where there is one, counts more. */
  async choose(read: boolean): Promise<void> {
    await this.ports.state.write(CHOICE, `${JSON.stringify({ read })}\n`);
    this.#choice = read;
    this.touchAll();
  }

  /** Calls `listener` when there is work for `settle`, until unsubscribed. */
  onWork(listener: () => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes that something happened to a file. */
  touch(path: VaultPath): void {
    if (!this.isOn || !isAttachment(path)) return;
    this.#waiting.add(path);
    this.#wake();
  }

  /** Notes every attachment of the vault, and those that are known and may be gone. */
  touchAll(): void {
    for (const path of this.isOn ? [...this.paths(), ...this.#files.keys()] : []) this.#waiting.add(path);
    this.#wake();
  }

  /** Forgets which files could not be read, so that they are read again. */
  async tryAgain(): Promise<void> {
    for (const [path, { fault }] of [...this.#files]) {
      if (fault === undefined) continue;
      this.#files.delete(path);
      this.#waiting.add(path);
    }
    this.#former = new Map();
    await this.kept.ended();
    this.#wake();
  }

  /** Stops the reading, for good. */
  close(): void {
    this.#stop.stop();
  }

  /** Takes the words of the files that changed, one after the other. Resolves when none waits, or when it was stopped. */
  async settle(): Promise<void> {
    if (!this.isOn) {
      await this.#empty();
      return;
    }
    this.#isEmpty = false;
    this.#former ??= await this.kept.files();
    const later = new Set<VaultPath>();
    for (const path of this.#waiting) {
      this.#waiting.delete(path);
      try {
        await this.#look(path);
      } catch (error) {
        later.add(path);
        if (this.#stop.stopped || this.ports.pace.isStopped) break;
        // A disk or a database that is away comes back.
        this.ports.log.warn('attachments.read', { path, message: String(error) });
      }
      if (this.#stop.stopped || !this.isOn) break;
    }
    const isDone = this.#waiting.size === 0 && later.size === 0;
    for (const path of later) this.#waiting.add(path);
    this.#index.releaseBuffers();
    if (!isDone) return;
    if (this.#isChanged || [...this.#former.keys()].some((path) => !this.#files.has(path))) {
      await this.kept.keep(this.#files);
      this.#former = new Map();
      this.#isChanged = false;
    }
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Forgets all words, in memory and on the disk. */
  async #empty(): Promise<void> {
    if (this.#isEmpty) return;
    this.#index = new SearchIndex<IndexedPart>();
    this.#files.clear();
    this.#sizes.clear();
    this.#over.clear();
    this.#waiting.clear();
    this.#length = 0;
    this.#former = null;
    await this.kept.clear();
    this.#isEmpty = true;
  }

  async #look(path: VaultPath): Promise<void> {
    const { vault, catalog, clock, pace, sleep } = this.ports;
    const stat = catalog.taken(path) === path && catalog.covers(path) ? await vault.stat(path) : null;
    if (stat === null) {
      this.#drop(path);
      return;
    }
    const known = this.#files.get(path) ?? this.#former?.get(path);
    if (known !== undefined && sameStat(known.stat, stat)) {
      if (this.#files.has(path) && !this.#over.has(path)) return;
      const text = known.hash === undefined ? null : await this.kept.text(known.hash);
      if (text !== null || known.fault !== undefined) {
        await this.#put(path, known, text);
        return;
      }
    }
    const most = isCanvas(path) ? MAX_CANVAS : MAX_FILE_BYTES;
    if (stat.size > most) {
      await this.#put(path, { stat, fault: `It is larger than ${most / 1024 / 1024} MiB.` }, null);
      return;
    }
    const began = clock.now().getTime();
    const bytes = await vault.readBytes(path, most);
    if (bytes === null) {
      this.#drop(path);
      return;
    }
    const hash = await inSlices(sha256Steps(bytes), pace);
    const read = await this.#read(path, hash, bytes);
    const isRead = typeof read !== 'string';
    await this.#put(path, { stat, hash, ...(!isRead && { fault: read }) }, isRead ? read : null);
    const rest = Math.min(MAX_REST_MS, clock.now().getTime() - began);
    if (rest > 0) await sleep(rest);
  }

  /** Resolves with the words of a file, or with the reason why it has none. */
  async #read(path: VaultPath, hash: Sha, bytes: Uint8Array<ArrayBuffer>): Promise<AttachmentText | string> {
    const known = [...this.#files.values(), ...(this.#former?.values() ?? [])];
    const fault = known.find((file) => file.hash === hash && file.fault !== undefined)?.fault;
    const kept = fault ?? (await this.kept.text(hash));
    if (kept !== null) return kept;
    const ends = await this.kept.ends(hash);
    if (ends >= MAX_ENDS) return 'The service has ended twice while it read it.';
    await this.kept.begin(hash, ends + 1);
    try {
      const text = isCanvas(path) ? readCanvas(bytes) : await this.#readDocument(path, bytes);
      await this.kept.keepText(hash, text);
      return text;
    } catch (error) {
      if (error instanceof BrainError && LASTING.has(error.code)) return reasonOf(error, fileName(path));
      throw error;
    } finally {
      await this.kept.ended();
    }
  }

  async #readDocument(path: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<AttachmentText> {
    const file = { name: fileName(path), bytes };
    const { markdown, pages = [] } = await this.ports.documents.read(file, this.#stop);
    return { markdown, pages };
  }

  /** Puts a file into the index; `text` is null for one without words. */
  async #put(path: VaultPath, file: KeptFile, text: AttachmentText | null): Promise<void> {
    this.#drop(path);
    this.#isChanged ||= file !== this.#former?.get(path);
    this.#files.set(path, file);
    if (text === null) return;
    if (this.#length + text.markdown.length > this.most) {
      this.#over.add(path);
      return;
    }
    const { pace } = this.ports;
    const index = this.#index;
    const name: Field = { kind: 'name', text: fileName(path) };
    const parts = partsOf(text);
    this.#sizes.set(path, { parts: parts.length, length: text.markdown.length });
    this.#length += text.markdown.length;
    for (const [at, { from, to, page }] of parts.entries()) {
      const { searchText } = await inSlices(apart(FACTS, text.markdown.slice(from, to)), pace);
      const fields: Field[] = [name, { kind: 'text', text: searchText }];
      const document = await inSlices(index.prepareSteps(fields), pace);
      await pace.run(() => index.put({ path: pathOfPart(path, at), file: path, page, at }, document));
    }
  }

  #drop(path: VaultPath): void {
    const { parts, length } = this.#sizes.get(path) ?? { parts: 0, length: 0 };
    for (let at = 0; at < parts; at += 1) this.#index.drop(pathOfPart(path, at));
    this.#sizes.delete(path);
    this.#length -= length;
    this.#over.delete(path);
    for (const other of length > 0 ? this.#over : []) this.#waiting.add(other);
    if (this.#files.delete(path)) this.#isChanged = true;
  }
}

/** Returns what an error says of a file, without its name. The rest of the message is for who wants to ingest the file. */
function reasonOf({ message }: BrainError, name: string): string {
  const said = message.startsWith(name) ? `It${message.slice(name.length)}` : message;
  return said.replace(/(?<=\.)\s[^]*/, '');
}

/** @throws BrainError `unsupported_type` when it is no canvas */
function readCanvas(bytes: Uint8Array): AttachmentText {
  const markdown = canvasText(damagedText(bytes));
  if (markdown === null) throw new BrainError('unsupported_type', 'It is no canvas.');
  return { markdown, pages: [] };
}
