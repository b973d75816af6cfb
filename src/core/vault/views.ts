import { actsForOwner, allows, type Caller, type TokenLimits } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha } from '../base/hash';
import type { Progress } from '../base/steps';
import { compareText } from '../base/text';
import { AlikeNotes } from '../catalog/alike';
import type { Catalog } from '../catalog/catalog';
import type { Inbox, Reach, SourceFile, SourceFiles, SourceFolder } from '../documents/ports';
import type { HybridRetrieval } from '../embeddings/retrieval';
import { embeddedRecords } from '../embeddings/roots';
import { inMemory } from '../fulltext/lexical-index';
import { recordedRootEdits } from '../notes/root';
import { VersionCounts } from '../notes/versions';
import type { Brain } from '../operation/context';
import type { PastReader } from '../past/past';
import { Reviews } from '../past/review';
import type { FileEntry, FileStat, StateStore, VectorFilter, VaultStore } from '../ports/ports';
import { recordedAdditions } from '../sources/additions';
import { Ledger } from '../storage/ledger';
import { isPersonStamp, isWriter, stampName } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import { inputPath, type VaultPath, vaultPath } from '../vocabulary/paths';
import { CallerLimits, isLimited } from '../vocabulary/token-limits';
import { mapAsSeen } from '../wings/refresh';

/**
 * The views of a vault: for each list of read paths a brain that tells of these files alone, and for a caller that may not read one
 * of what it wrote itself. It shares the catalog and the search index with the vault, and counts only what its callers may see, so
 * no answer and no score depends on another note. A view takes a bit for each note and the counts of some thousand terms, so all are kept.
 */
export class Views {
  /** By the name of the writer, null for a caller who may read, and the list of read paths. */
  readonly #views = new Map<string, Brain>();

  constructor(private readonly whole: Brain) {}

  /** Returns the brain for a caller. */
  of(caller: Caller): Brain {
    const { limits = {}, name } = caller;
    const { whole } = this;
    const { human, origin, client } = caller;
    const acting = { by: { name, human, origin, ...(client !== undefined && { client }) } };
    const own = { pace: whole.pace.of(name), acting };
    const writer = allows(caller, 'read') ? null : stampName(caller);
    const hidden = actsForOwner(caller) ? [] : [...whole.privateFolders].sort(compareText);
    if (writer === null && !isLimited(limits) && hidden.length === 0) return { ...whole, ...own };
    const owns = writer === null ? null : (path: string) => isWrittenBy(whole, path, writer);
    const limited = { ...own, limits: new CallerLimits(limits, name, owns, hidden) };
    if (!limited.limits.hidesNotes) return { ...whole, ...limited };
    const { read } = limits;
    const key = JSON.stringify([writer, read === undefined ? null : [...read].sort(compareText), hidden]);
    let view = this.#views.get(key);
    const seen: TokenLimits = read === undefined ? {} : { read };
    if (view === undefined)
      this.#views.set(key, (view = this.#open(new CallerLimits(seen, '', owns, hidden))));
    return { ...view, ...limited };
  }

  #open(limits: CallerLimits): Brain {
    const { whole } = this;
    const catalog = whole.catalog.seenBy((path) => limits.sees(path));
    const mapOf = (path: VaultPath, text: string): string => mapAsSeen({ catalog }, path, text);
    // The position of the whole tells of changes to every note.
    const servers = { ...whole.servers, feed: null };
    const reader = async () => (await whole.past.read()).seenBy((path) => limits.sees(path));
    const past = { read: reader, recent: reader };
    const state = new SeenState({ ...whole, past }, catalog);
    return {
      ...whole,
      servers,
      whole,
      limits,
      catalog,
      index: inMemory(catalog.words, whole.pace),
      alike: new AlikeNotes(),
      vault: new SeenVault(whole.vault, limits, mapOf),
      state,
      past,
      reviews: new Reviews(whole.past, whole.vault, whole.log, (path) => limits.sees(path)),
      // This state asks the versions of the whole, which must not wait for those of the view.
      versions: new VersionCounts(),
      ledger: new Ledger({ ...whole, state }),
      attachments: whole.attachments.seenBy((path) => limits.sees(path)),
      ...(whole.sources && { sources: new SeenSources(whole.sources, limits) }),
      hybrid: whole.hybrid && seenVectors(whole, whole.hybrid, catalog),
      inbox: NO_INBOX,
      recovery: { finished: [], undone: [], attention: [] },
      auditEnds: new Map(),
      hostChecks: async () => [],
      reading: () => whole.reading() && readingOf(catalog),
    };
  }
}

/** Returns true for a note of the service, or of a person, that says that this writer wrote it. */
function isWrittenBy({ catalog }: Pick<Brain, 'catalog'>, path: string, writer: string): boolean {
  const note = catalog.record(vaultPath(path));
  // In a note of the owner the property may say anything.
  if (note === undefined || (isOwners(note) && !isPersonStamp(writer))) return false;
  return note.status !== 'vault' && isWriter(note.frontmatter.written_by, writer);
}

/** Returns how many of the known notes of a catalog have been read. */
function readingOf(catalog: Catalog): Progress {
  const total = catalog.pathsBelow('').filter((path) => catalog.statusOf(path) !== null).length;
  return { done: catalog.noteCount, total };
}

/** Returns the error of code that wants to change the vault through a view: it must use the whole. */
function unchangeable(): never {
  throw new Error('a view of the vault changes nothing');
}

/** The files that a caller may read; every other file is absent. */
class SeenVault implements VaultStore {
  readonly atomicWrites: boolean;
  readonly create = unchangeable;
  readonly createBytes = unchangeable;
  readonly move = unchangeable;
  readonly edit = unchangeable;
  readonly remove = unchangeable;
  readonly putDerived = unchangeable;
  readonly append = unchangeable;
  readonly missingFolders = unchangeable;
  readonly removeEmptyFolders = unchangeable;
  readonly changes = unchangeable;

  /** `mapOf` returns the text of a wing's map without what the caller may not read. */
  constructor(
    private readonly vault: VaultStore,
    private readonly limits: CallerLimits,
    private readonly mapOf: (path: VaultPath, text: string) => string,
  ) {
    this.atomicWrites = vault.atomicWrites;
  }

  async *list(folder: string, skip?: (path: string) => boolean): AsyncIterable<FileEntry> {
    const { limits } = this;
    if (!limits.seesInto(folder)) return;
    const isSkipped = (path: string): boolean => skip?.(path) === true || !limits.seesInto(path);
    for await (const entry of this.vault.list(folder, isSkipped)) if (limits.sees(entry.path)) yield entry;
  }

  async stat(path: VaultPath): Promise<FileStat | null> {
    return this.limits.sees(path) ? this.vault.stat(path) : null;
  }

  async read(path: VaultPath): Promise<string | null> {
    if (!this.limits.sees(path)) return null;
    const text = await this.vault.read(path);
    return text === null ? null : this.mapOf(path, text);
  }

  async readBytes(path: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.limits.sees(path) ? this.vault.readBytes(path, maxBytes) : null;
  }

  async subfolders(folder: string): Promise<string[]> {
    if (!this.limits.seesInto(folder)) return [];
    const names = await this.vault.subfolders(folder);
    return names.filter((name) => this.limits.seesInto(folder === '' ? name : `${folder}/${name}`));
  }
}

const HISTORY = /^history\/[0-9a-f]{2}\/([0-9a-f]{64})\.md$/;

/** The service's state as far as it is about notes that a caller may read: the older versions of these notes. */
class SeenState implements StateStore {
  readonly write = unchangeable;
  readonly writeBytes = unchangeable;
  readonly create = unchangeable;
  readonly rewrite = unchangeable;
  readonly append = unchangeable;
  readonly remove = unchangeable;

  constructor(
    private readonly whole: Pick<Brain, 'state' | 'versions' | 'past'>,
    private readonly catalog: Catalog,
  ) {}

  async read(path: string): Promise<string | null> {
    const version = HISTORY.exec(path)?.[1];
    if (isSha(version)) return (await this.#isOfSeenNote(version)) ? this.whole.state.read(path) : null;
    return null;
  }

  async readBytes(): Promise<null> {
    return null;
  }

  async readPart(): Promise<null> {
    return null;
  }

  async list(): Promise<string[]> {
    return [];
  }

  async *stats(): AsyncIterable<never> {}

  async folders(): Promise<string[]> {
    return [];
  }

  /** Returns true for a version in the chain of a note that the caller may read now, wherever the note was before. */
  async #isOfSeenNote(version: Sha): Promise<boolean> {
    const past = await this.whole.past.read();
    const edits = await recordedRootEdits(this.whole);
    return this.#isInChain(version, past, new Set(edits.map(({ before }) => before)));
  }

  /** `ofRoot` are the older versions of the root note. */
  async #isInChain(
    version: Sha,
    past: PastReader,
    ofRoot: ReadonlySet<Sha | undefined>,
    asked = new Set<Sha>(),
  ): Promise<boolean> {
    if (ofRoot.has(version)) return true;
    const { state, versions } = this.whole;
    for (const { frontmatter } of this.catalog.superseding()) {
      if (frontmatter.supersedes === version) return true;
      if ((await versions.past(state, frontmatter.supersedes, version)).has(version)) return true;
    }
    // A text that only got sources does not name the one before.
    asked.add(version);
    for (const { before, after } of await recordedAdditions(past, version)) {
      if (before !== version) continue;
      if (this.catalog.withHash(after) !== null) return true;
      if (!asked.has(after) && (await this.#isInChain(after, past, ofRoot, asked))) return true;
    }
    return false;
  }
}

/** The files that a caller may ingest: those of the vault that it may read. */
class SeenSources implements SourceFiles {
  constructor(
    private readonly sources: SourceFiles,
    private readonly limits: CallerLimits,
  ) {}

  async locate(path: string, reach: Reach): Promise<SourceFile | SourceFolder> {
    // The path decides before the disk is asked, so that nothing is learnt of other files.
    const plain = path.replace(/\/+$/, '');
    const meant = [inputPath(plain, undefined, () => true), inputPath(plain)].find((at) =>
      this.limits.sees(at),
    );
    if (meant === undefined) throw this.#refusal(path);
    const found = await this.sources.locate(meant, reach);
    if (found.kind === 'file' && !this.#isSeen(found)) throw this.#refusal(path);
    return found;
  }

  read(file: SourceFile): Promise<Uint8Array<ArrayBuffer>> {
    return this.sources.read(file);
  }

  async list(...asked: Parameters<SourceFiles['list']>): Promise<SourceFile[]> {
    return (await this.sources.list(...asked)).filter((file) => this.#isSeen(file));
  }

  /** A link may lead out of the folder, or out of the vault. */
  #isSeen({ path }: SourceFile): boolean {
    return path !== null && this.limits.sees(path);
  }

  #refusal(path: string): BrainError {
    return new BrainError(
      'path_not_allowed',
      `"${path}" cannot be ingested with this token. ${this.limits.description} Send the text instead.`,
    );
  }
}

/** Returns the vector search among the notes of a view. Its other members concern the whole vault. */
function seenVectors(
  { config }: Pick<Brain, 'config'>,
  hybrid: HybridRetrieval,
  catalog: Catalog,
): HybridRetrieval {
  return {
    nearest: (query, limit, filter, aside) =>
      hybrid.nearest(
        query,
        limit,
        async (): Promise<VectorFilter> => {
          const { only, ...rest } = await filter();
          return {
            ...rest,
            only: only ?? embeddedRecords(catalog, config.embedRoots).map(({ path }) => path),
          };
        },
        aside,
      ),
    get isAnswering() {
      return hybrid.isAnswering;
    },
    get failure() {
      return hybrid.failure;
    },
    sync: hybrid.sync,
    forget: unchangeable,
    checks: async () => [],
  };
}

const NO_INBOX: Inbox = {
  state: {
    state: 'off',
    reason: null,
    folder: null,
    waiting: [],
    left: [],
    retrying: [],
    running: null,
  },
  takeWaiting: async () => 0,
  quarantined: async () => [],
  retry: async () => unchangeable(),
};
