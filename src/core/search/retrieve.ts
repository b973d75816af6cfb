import { inSlices, sortSteps, type Steps } from '../base/steps';
import { compareText, isBlank } from '../base/text';
import { facetFilter, isSearchable, type SearchableNote } from '../catalog/note-search';
import type { NoteRecord } from '../catalog/record';
import { wingKey } from '../catalog/wings';
import { embeddedRecords, isEmbeddedStatus } from '../embeddings/roots';
import { titleKey } from '../links/resolve';
import { dateOf, isTrusted } from '../notes/trust';
import type { NearRow } from '../embeddings/store';
import type { Brain } from '../operation/context';
import type { VectorFilter } from '../ports/ports';
import type { Hall, Wing } from '../vocabulary/address';
import { isStale, isWriter } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import { stemOf, type VaultPath } from '../vocabulary/paths';
import { measuredWeight } from './comparison';
import { type Fused, fuse, mix, worthOfRank, type WordHit } from './fusion';

/** A filter by origin and freshness of notes. An absent field filters nothing. */
interface TrustFilter {
  /** The value in the front matter; a note without one matches neither. */
  readonly sourceType?: 'internal' | 'external' | undefined;
  /** A writer as for `isWriter`: "laptop" finds "laptop (claude)" and what a model made for either. */
  readonly writtenBy?: string | undefined;
  /** The door through which the note came. */
  readonly origin?: string | undefined;
  /** `raw` also includes raw notes. */
  readonly status?: SearchableNote['status'] | 'attachment' | undefined;
  /** True excludes notes past their half-life. */
  readonly notStale?: boolean | undefined;
  /** Only notes with this date or a later one (ms). */
  readonly since?: number | undefined;
  /** Only notes below this folder. */
  readonly under?: string | undefined;
  /** True for notes of the owner, and those whose present text a person has reviewed. */
  readonly reviewed?: boolean | undefined;
  /** A further test of notes. */
  readonly passes?: ((note: NoteRecord) => boolean) | undefined;
}

/** Returns the filter as a predicate, or null when every note passes. */
function trusted(filter: TrustFilter, now: Date): ((note: NoteRecord) => boolean) | null {
  const { sourceType, writtenBy, origin, status, notStale = false, since, under, passes } = filter;
  const asked = [sourceType, writtenBy, origin, status, since, under, passes].some(
    (value) => value !== undefined,
  );
  if (!asked && !notStale) return null;
  const folder = under === undefined ? '' : `${under}/`;
  return (note) => {
    const { path, frontmatter, status: own, written_by: writer, origin: door } = note;
    return (
      path.startsWith(folder) &&
      (sourceType === undefined || frontmatter.source_type === sourceType) &&
      (writtenBy === undefined || isWriter(writer, writtenBy)) &&
      (origin === undefined || door === origin) &&
      (status === undefined || own === status) &&
      (!notStale || !isStale(frontmatter, now)) &&
      (since === undefined || dateOf(note) >= since) &&
      (passes?.(note) ?? true)
    );
  };
}

/** The number of notes that are tested in one step. */
const NOTES_PER_STEP = 256;

/** The part of a search that the table of vectors can filter itself. */
interface Limits {
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
}

/**
 * Returns the filter of a search for the table of vectors: wing and hall by path where all rows are of `wiki/`, everything
 * else by the list of matching notes
 * or, if shorter, of the others. So a note that does not pass never takes the place of one that does. Works in short steps.
 * @param holders the notes with the quoted phrases of the query, which must occur in a note, however similar its meaning
 */
function* vectorFilterSteps(
  { catalog, config: { embedRoots } }: Pick<Brain, 'catalog' | 'config'>,
  { wing, hall }: Limits,
  accept: ((note: NoteRecord) => boolean) | null,
  holders: ReadonlySet<string> | null,
): Steps<VectorFilter> {
  const passes = (note: NoteRecord) => (accept?.(note) ?? true) && (holders?.has(note.path) ?? true);
  if (embedRoots === 'all') {
    // A note of the owner has its wing and hall in its front matter, not in its path.
    const isThere = placeTest({ wing, hall });
    const isLimited = accept !== null || holders !== null || wing !== undefined || hall !== undefined;
    const notes = isLimited ? embeddedRecords(catalog, embedRoots) : [];
    return isLimited ? yield* listSteps(notes, (note) => isThere(note) && passes(note)) : {};
  }
  return {
    ...(wing !== undefined && {
      prefixes: spellings(catalog, wing).map(
        (name) => `wiki/${name}/${hall === undefined ? '' : `${hall}/`}`,
      ),
    }),
    ...(wing === undefined && hall !== undefined && { hall }),
    ...((accept !== null || holders !== null) && (yield* listSteps(catalog.notes('wiki'), passes))),
  };
}

/** Returns a test whether a note is in a wing and a hall. */
function placeTest({ wing, hall }: Limits): (note: NoteRecord) => boolean {
  const key = wing === undefined ? null : (wingKey(wing) ?? wing);
  return (note) =>
    (key === null || (note.wing !== null && wingKey(note.wing) === key)) &&
    (hall === undefined || note.hall === hall);
}

/** Returns every folder name of this wing: "Home Lab" for `home-lab`. */
function spellings(catalog: Brain['catalog'], wing: Wing): Wing[] {
  const key = wingKey(wing) ?? wing;
  const same = catalog.wings().filter((name) => wingKey(name) === key);
  return [...new Set([catalog.wingSpelling(wing), ...same])];
}

function* listSteps(
  notes: readonly NoteRecord[],
  passes: (note: NoteRecord) => boolean,
): Steps<Pick<VectorFilter, 'only' | 'except'>> {
  const only: VaultPath[] = [];
  const except: VaultPath[] = [];
  for (const [at, note] of notes.entries()) {
    (passes(note) ? only : except).push(note.path);
    if (at % NOTES_PER_STEP === 0) yield;
  }
  return only.length <= except.length ? { only } : { except };
}

/** A search. Raw notes are found only when asked for; an unknown wing has no notes. */
export interface Retrieval extends TrustFilter {
  readonly query: string;
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
  readonly includeRaw?: boolean | undefined;
  readonly limit: number;
  /** True for a question that nobody waits for: its failure pauses no search by meaning. */
  readonly aside?: boolean;
}

/** A found note. Ranks count from 1; that of a list without the note is absent. */
export interface RetrievedHit {
  readonly record: SearchableNote;
  /** Comparable within one answer only: BM25 score, or that of the fusion in `hybrid` mode. */
  readonly score: number;
  readonly ranks: { readonly bm25?: number; readonly vector?: number };
  /** Terms of the query that BM25 found in the note, each with its inverse document frequency. */
  readonly terms: ReadonlyMap<string, number>;
}

export interface Retrieved {
  readonly mode: 'bm25' | 'hybrid';
  /** True when hybrid retrieval is configured but this answer comes from BM25 alone. */
  readonly degraded: boolean;
  readonly hits: readonly RetrievedHit[];
  /** The number of hits that are first because the query is a name of them. */
  readonly named: number;
  /** Returns the score that a note with a BM25 score would have in this answer if no vector were near it. */
  readonly worthOf: (words: number) => number;
}

/** The least number of candidates from each list: with ten, fusion was measurably worse than with thirty to fifty. */
const MIN_DEPTH = 50;
/** The factor of candidates from the vectors, as the specification requires. */
const VECTOR_DEPTH = 4;

/** How many more notes each further look for reviewed ones takes. */
const DEEPER = 4;

/**
 * Finds the best notes as `retrieveAny` does. What has been reviewed is known from the past of each note, so notes are asked for it best
 * first, until enough of them are reviewed.
 */
export async function retrieve(brain: Brain, retrieval: Retrieval): Promise<Retrieved> {
  if (retrieval.reviewed !== true) return retrieveAny(brain, retrieval);
  const { limit } = retrieval;
  const unseen = new Set<VaultPath>();
  // The stamps of a note that nobody took over tell that without a look into its past.
  const passes = (note: NoteRecord): boolean =>
    !unseen.has(note.path) &&
    (isOwners(note) || note.frontmatter.promoted_at !== undefined) &&
    (retrieval.passes?.(note) ?? true);
  for (let depth = limit; ; depth *= DEEPER) {
    const found = await retrieveAny(brain, { ...retrieval, passes, limit: depth });
    const hits: RetrievedHit[] = [];
    let named = 0;
    for (const [at, hit] of found.hits.entries()) {
      if (hits.length === limit) break;
      if (await isTrusted(brain, hit.record)) {
        hits.push(hit);
        if (at < found.named) named += 1;
      } else unseen.add(hit.record.path);
    }
    if (hits.length === limit || found.hits.length < depth) return { ...found, hits, named };
  }
}

/**
 * Finds the best notes for a query, best first: the notes of which it is a name, then by BM25 (ties by path), fused with the nearest
 * vectors when hybrid retrieval is configured and answers. Without any word it lists the notes that pass the filters, the last changed
 * first. All filters apply before the limit. Fails only with `starting`, when the vault is closing.
 */
async function retrieveAny(brain: Brain, retrieval: Retrieval): Promise<Retrieved> {
  const accept = trusted(retrieval, brain.clock.now());
  if (isBlank(retrieval.query)) {
    const hits = await inSlices(listedSteps(brain, retrieval, accept), brain.pace);
    return { mode: 'bm25', degraded: false, hits, ...BY_WORDS };
  }
  const found = await retrieveByContent(brain, retrieval, accept);
  const isThere = placeTest(retrieval);
  const { includeRaw = false, status } = retrieval;
  const named = (await namedNotes(brain, retrieval.query)).filter(
    (note) =>
      (note.status !== 'raw' || includeRaw || status === 'raw') && isThere(note) && (accept?.(note) ?? true),
  );
  if (named.length === 0) return found;
  // They are searched for by themselves, because others may be better by their words; a name of signs alone has none.
  const paths = new Set(named.map(({ path }) => path));
  const alone = await search(brain, retrieval, ({ path }) => paths.has(path), named.length);
  const byWords = new Map(alone.map((hit) => [hit.record.path, hit]));
  const first = named
    .map((record) => byWords.get(record.path) ?? { record, score: 1, ranks: {}, terms: new Map() })
    .slice(0, retrieval.limit);
  // Where they are first anyway, the scores are those of the words.
  const isFirst = first.every(({ record }, at) => record.path === found.hits[at]?.record.path);
  if (isFirst) return { ...found, named: first.length };
  const known = new Map(found.hits.map((hit) => [hit.record.path, hit]));
  const best = found.hits[0]?.score ?? first[0]?.score ?? 0;
  // A name counts as much as all words of the best note.
  const hits = first.map((hit, at) => ({
    ...hit,
    ranks: {},
    ...known.get(hit.record.path),
    score: best * (2 - at / first.length),
  }));
  const others = found.hits.filter(({ record }) => !first.some((hit) => hit.record.path === record.path));
  return { ...found, hits: [...hits, ...others].slice(0, retrieval.limit), named: first.length };
}

/** The most notes of one name that are put first. */
const MAX_NAMED = 20;

/**
 * Returns the owner's and reviewed notes of which the query is a name: title, file name or alias. Case and accents do not count, but
 * names that are spelled as the query come first, then the shortest path.
 */
export async function namedNotes(brain: Brain, query: string): Promise<SearchableNote[]> {
  const key = titleKey(query);
  const tiers = key === '' || query.length > MAX_NAME ? [] : (['title', 'folded', 'alias'] as const);
  const paths = new Set(tiers.flatMap((tier) => brain.catalog.candidates(tier, key)));
  const spelled = query.trim().toLowerCase();
  const isOther = ({ title, path, aliases }: NoteRecord): number =>
    [title, stemOf(path), ...aliases].some((name) => name.toLowerCase() === spelled) ? 0 : 1;
  const notes = [...paths].flatMap((path) => brain.catalog.record(path) ?? []).filter(isSearchable);
  notes.sort(
    (a, b) => isOther(a) - isOther(b) || a.path.length - b.path.length || compareText(a.path, b.path),
  );
  const named: SearchableNote[] = [];
  for (const note of notes.slice(0, MAX_NAMED)) if (await isTrusted(brain, note)) named.push(note);
  return named;
}

/** Lists the notes that pass the filters, the last changed first. */
function* listedSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  { wing, hall, includeRaw = false, limit }: Retrieval,
  accept: ((note: NoteRecord) => boolean) | null,
): Steps<RetrievedHit[]> {
  const isThere = placeTest({ wing, hall });
  const found: SearchableNote[] = [];
  const statuses = ['wiki', 'knowledge', 'vault', ...(includeRaw ? (['raw'] as const) : [])] as const;
  let looked = 0;
  for (const note of statuses.flatMap((status) => catalog.notes(status))) {
    if ((looked += 1) % NOTES_PER_STEP === 0) yield;
    if (isSearchable(note) && isThere(note) && (accept?.(note) ?? true)) found.push(note);
  }
  const best = yield* sortSteps(found, (a, b) => dateOf(b) - dateOf(a) || compareText(a.path, b.path));
  return best.slice(0, limit).map((record) => ({ record, score: 1, ranks: {}, terms: new Map() }));
}

/** The longest name (UTF-16 units): no file name or title is longer. */
const MAX_NAME = 400;

async function retrieveByContent(
  brain: Brain,
  retrieval: Retrieval,
  accept: ((note: NoteRecord) => boolean) | null,
): Promise<Retrieved> {
  const { query, limit } = retrieval;
  const weight = brain.config.fusion === 'measured' ? measuredWeight(brain) : 'rrf';
  if (brain.hybrid === null || weight === 0) {
    const hits = await search(brain, retrieval, accept, limit);
    return { mode: 'bm25', degraded: false, hits, ...BY_WORDS };
  }
  const depth = Math.max(limit, MIN_DEPTH);
  const near = await brain.hybrid.nearest(
    query,
    VECTOR_DEPTH * depth,
    async () => {
      const holders = await brain.index.holders(query);
      return inSlices(vectorFilterSteps(brain, retrieval, accept, holders), brain.pace);
    },
    retrieval.aside,
  );
  // BM25 runs after the vectors have come, which may take seconds: both lists describe the same state of the vault.
  const hits = await search(brain, retrieval, accept, depth);
  if (near === null) return { mode: 'bm25', degraded: true, hits: hits.slice(0, limit), ...BY_WORDS };
  const found = new Map(hits.map((hit) => [hit.record.path, hit]));
  // A row whose note is gone or no longer passes gets no rank, as after the next sync.
  const holders = await brain.index.holders(
    query,
    near.map(({ path }) => path),
  );
  const records = new Map<string, SearchableNote>();
  for (const { path } of near) {
    const record = brain.catalog.record(path);
    if (
      record !== undefined &&
      hasVector(brain, record) &&
      (accept?.(record) ?? true) &&
      (holders?.has(path) ?? true)
    )
      records.set(path, record);
  }
  const byWords = hits.map(({ record, score }) => ({ path: record.path, score }));
  const fused = await onDisk(
    brain,
    byWords,
    near.filter(({ path }) => records.has(path)),
    limit,
    weight,
  );
  return {
    mode: 'hybrid',
    degraded: false,
    named: 0,
    worthOf:
      weight === 'rrf'
        ? (words) => worthOfRank(words, byWords)
        : (words) => words / (byWords[0]?.score ?? words),
    hits: fused.flatMap(({ path, score, ranks }) => {
      const hit = found.get(path);
      const record = hit?.record ?? records.get(path);
      return record === undefined ? [] : [{ record, score, ranks, terms: hit?.terms ?? new Map() }];
    }),
  };
}

/** What else is told of notes that were found by their words alone, before the query is looked up as a name. */
const BY_WORDS: Pick<Retrieved, 'named' | 'worthOf'> = { named: 0, worthOf: (words) => words };

/**
 * Fuses both lists, by their ranks or with a weight of meaning. Notes that only the vectors found are checked on the disk: until an event reports its removal, catalog and
 * table still have a note that is gone. Such a note takes no rank from the others.
 */
async function onDisk(
  { vault }: Pick<Brain, 'vault'>,
  bm25: readonly WordHit[],
  vector: readonly NearRow[],
  limit: number,
  weight: number | 'rrf',
): Promise<Fused[]> {
  const paths = (list: readonly { readonly path: VaultPath }[]) => list.map(({ path }) => path);
  const stands = new Set<VaultPath>(paths(bm25));
  const gone = new Set<VaultPath>();
  for (;;) {
    const near = vector.filter(({ path }) => !gone.has(path));
    const fused = weight === 'rrf' ? fuse(paths(bm25), paths(near)) : mix(bm25, near, weight);
    const best = fused.slice(0, limit);
    const before = gone.size;
    await Promise.all(
      best.map(async ({ path }) => {
        if (stands.has(path)) return;
        // A file that cannot be read is not gone.
        const isGone = await vault.stat(path).then(
          (stat) => stat === null,
          () => false,
        );
        (isGone ? gone : stands).add(path);
      }),
    );
    if (gone.size === before) return best;
  }
}

/** Finds the best notes for a query by its words alone, best first, under the filters of the search. */
export function retrieveByWords(brain: Brain, retrieval: Retrieval): Promise<RetrievedHit[]> {
  return search(brain, retrieval, trusted(retrieval, brain.clock.now()), retrieval.limit);
}

async function search(
  { index }: Pick<Brain, 'index'>,
  { query, wing, hall, includeRaw = false, status, under }: Retrieval,
  accept: ((note: NoteRecord) => boolean) | null,
  limit: number,
): Promise<RetrievedHit[]> {
  const hits = await index.best(query, {
    ...facetFilter({ wing, hall, includeRaw: includeRaw || status === 'raw' }),
    ...(under !== undefined && { under }),
    ...(accept && { accept }),
    limit,
  });
  return hits.map(({ item, score, terms }, at) => ({ record: item, score, ranks: { bm25: at + 1 }, terms }));
}

/** Returns true for a note that gets a vector; a row of any other note is left over. */
function hasVector({ config }: Pick<Brain, 'config'>, note: NoteRecord): note is SearchableNote {
  return isEmbeddedStatus(config.embedRoots, note.status);
}
