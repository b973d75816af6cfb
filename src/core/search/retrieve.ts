import { inSlices, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import type { SearchableNote, SearchFilter, SearchHit } from '../catalog/note-search';
import type { NoteRecord } from '../catalog/record';
import { wingKey } from '../catalog/wings';
import type { Brain } from '../operation/context';
import type { VectorFilter } from '../ports/ports';
import type { Hall, Wing } from '../vocabulary/address';
import { isStale } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import { isWriter } from '../vocabulary/provenance';

/** Cormack, Clarke, Büttcher 2009; the specification fixes it. */
export const RRF_K = 60;

/** A note of either list with what both say of it; ranks count from 1. */
interface Fused {
  readonly path: VaultPath;
  /** The sum of 1 / (RRF_K + rank) over the lists that hold the note. */
  readonly score: number;
  readonly ranks: { readonly bm25?: number; readonly vector?: number };
}

/**
 * Reciprocal rank fusion of two lists, each best first and without repeats. A list that does not hold a note adds nothing.
 * Best first; of equal scores the one that BM25 ranks better, then by path: a total order.
 */
export function fuse(bm25: readonly VaultPath[], vector: readonly VaultPath[]): Fused[] {
  const lexical = rankOf(bm25);
  const near = rankOf(vector);
  const fused = [...new Set([...bm25, ...vector])].map((path): Fused => {
    const [byWords, byMeaning] = [lexical.get(path), near.get(path)];
    return {
      path,
      score: reciprocal(byWords) + reciprocal(byMeaning),
      ranks: {
        ...(byWords !== undefined && { bm25: byWords }),
        ...(byMeaning !== undefined && { vector: byMeaning }),
      },
    };
  });
  return fused.sort(
    (a, b) =>
      b.score - a.score ||
      (a.ranks.bm25 ?? Number.MAX_SAFE_INTEGER) - (b.ranks.bm25 ?? Number.MAX_SAFE_INTEGER) ||
      compareText(a.path, b.path),
  );
}

function rankOf(list: readonly VaultPath[]): Map<VaultPath, number> {
  return new Map(list.map((path, index) => [path, index + 1]));
}

function reciprocal(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (RRF_K + rank);
}

/** What a search may ask of where a note comes from and how fresh it is. What is left out asks nothing. */
interface TrustFilter {
  /** As the note's front matter has it; a note that does not say is neither. */
  readonly sourceType?: 'internal' | 'external' | undefined;
  /** As `isWriter` tells it: "laptop" finds "laptop (claude)" and what a model made for either. */
  readonly writtenBy?: string | undefined;
  /** The door that the note came in by. */
  readonly origin?: string | undefined;
  /** `raw` also asks for raw notes. */
  readonly status?: SearchableNote['status'] | undefined;
  /** True leaves out notes that are past their half-life. */
  readonly notStale?: boolean | undefined;
}

/** The filter as a test of one note, or null when it lets every note pass. */
function trusted(filter: TrustFilter, now: Date): ((note: NoteRecord) => boolean) | null {
  const { sourceType, writtenBy, origin, status, notStale = false } = filter;
  const asked = [sourceType, writtenBy, origin, status].some((value) => value !== undefined);
  if (!asked && !notStale) return null;
  return ({ frontmatter, status: own, written_by: writer, origin: door }) =>
    (sourceType === undefined || frontmatter.source_type === sourceType) &&
    (writtenBy === undefined || isWriter(writer, writtenBy)) &&
    (origin === undefined || door === origin) &&
    (status === undefined || own === status) &&
    (!notStale || !isStale(frontmatter, now));
}

/** So many notes are looked at in one step. */
const NOTES_PER_STEP = 256;

/** What the table of vectors can tell by itself, and what is quoted in the query. */
interface Limits {
  readonly query: string;
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
}

/**
 * What a search is limited to, as the table of vectors can tell it: wing and hall by the path, everything else by the list of
 * the notes that pass or, when that is shorter, of those that do not. So no note that passes is crowded out by one that
 * does not. What is quoted must stand in a note, however near its meaning is. A little of the vault in each step.
 */
function* vectorFilterSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  { query, wing, hall }: Limits,
  accept: ((note: NoteRecord) => boolean) | null,
): Steps<VectorFilter> {
  const holders = yield* catalog.words.phraseHolders(query);
  const passes = (note: NoteRecord) => (accept?.(note) ?? true) && (holders?.has(note.path) ?? true);
  return {
    ...(wing !== undefined && {
      prefixes: spellings(catalog, wing).map(
        (name) => `wiki/${name}/${hall === undefined ? '' : `${hall}/`}`,
      ),
    }),
    ...(wing === undefined && hall !== undefined && { hall }),
    ...((accept !== null || holders !== null) && (yield* listSteps(catalog, passes))),
  };
}

/** Every folder that is this wing: "Home Lab" for `home-lab`. */
function spellings(catalog: Brain['catalog'], wing: Wing): Wing[] {
  const key = wingKey(wing) ?? wing;
  const same = catalog.wings().filter((name) => wingKey(name) === key);
  return [...new Set([catalog.wingSpelling(wing), ...same])];
}

function* listSteps(
  catalog: Brain['catalog'],
  passes: (note: NoteRecord) => boolean,
): Steps<Pick<VectorFilter, 'only' | 'except'>> {
  const only: VaultPath[] = [];
  const except: VaultPath[] = [];
  for (const [at, note] of catalog.notes('wiki').entries()) {
    (passes(note) ? only : except).push(note.path);
    if (at % NOTES_PER_STEP === 0) yield;
  }
  return only.length <= except.length ? { only } : { except };
}

/** What is looked for, and where. Raw notes are found only when asked for; an unknown wing has no notes. */
interface Retrieval extends TrustFilter {
  readonly query: string;
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
  readonly includeRaw?: boolean | undefined;
  readonly limit: number;
}

/** A note found. Its ranks count from 1; a list that does not hold the note is left out. */
export interface RetrievedHit {
  readonly record: SearchableNote;
  /** Comparable within one answer only: BM25 points, or the sum of reciprocal ranks in `hybrid` mode. */
  readonly score: number;
  readonly ranks: { readonly bm25?: number; readonly vector?: number };
  /** Terms of the query that BM25 found in the note, each with its inverse document frequency. */
  readonly terms: ReadonlyMap<string, number>;
}

interface Retrieved {
  readonly mode: 'bm25' | 'hybrid';
  /** True when hybrid retrieval is configured but this answer comes from BM25 alone. */
  readonly degraded: boolean;
  readonly hits: readonly RetrievedHit[];
}

/** Candidates that each side gives at least: with ten, fusion was measurably worse than with thirty to fifty. */
const MIN_DEPTH = 50;
/** So many times as many candidates come from the vectors; the specification has it so. */
const VECTOR_DEPTH = 4;

/**
 * Finds the best notes for a query, best first, ties by path: by BM25, fused with the nearest vectors when hybrid retrieval
 * is configured and answers. Every filter applies before the cut. Fails only with `starting`, when the vault is being closed.
 */
export async function retrieve(brain: Brain, retrieval: Retrieval): Promise<Retrieved> {
  const { query, limit } = retrieval;
  const accept = trusted(retrieval, brain.clock.now());
  if (brain.hybrid === null) {
    const hits = search(brain, retrieval, accept, limit);
    return { mode: 'bm25', degraded: false, hits: hits.map(lexical) };
  }
  const depth = Math.max(limit, MIN_DEPTH);
  const near = await brain.hybrid.nearest(query, VECTOR_DEPTH * depth, () =>
    inSlices(vectorFilterSteps(brain, retrieval, accept), brain.pace),
  );
  // Searched when the vectors are there, which may take seconds: both sides tell of the vault as it is then.
  const hits = search(brain, retrieval, accept, depth);
  if (near === null) return { mode: 'bm25', degraded: true, hits: hits.slice(0, limit).map(lexical) };
  const found = new Map(hits.map((hit) => [hit.record.path, hit]));
  // As if the sync had already run: a row whose note is gone, or no longer passes, takes no rank.
  const passes = withPhrases(brain, query, accept);
  const records = new Map<string, SearchableNote>();
  for (const path of near) {
    const record = brain.catalog.record(path);
    if (isInWiki(record) && (passes?.(record) ?? true)) records.set(path, record);
  }
  const fused = await onDisk(
    brain,
    hits.map(({ record }) => record.path),
    near.filter((path) => records.has(path)),
    limit,
  );
  return {
    mode: 'hybrid',
    degraded: false,
    hits: fused.flatMap(({ path, score, ranks }) => {
      const hit = found.get(path);
      const record = hit?.record ?? records.get(path);
      return record === undefined ? [] : [{ record, score, ranks, terms: hit?.terms ?? new Map() }];
    }),
  };
}

/**
 * The best of both lists fused. What only the vectors found is looked for on the disk: until an event tells of it, catalog and
 * table both know a note that has just gone. It takes no rank from the others either.
 */
async function onDisk(
  { vault }: Pick<Brain, 'vault'>,
  bm25: readonly VaultPath[],
  vector: readonly VaultPath[],
  limit: number,
): Promise<Fused[]> {
  const stands = new Set<VaultPath>(bm25);
  const gone = new Set<VaultPath>();
  for (;;) {
    const near = vector.filter((path) => !gone.has(path));
    const best = fuse(bm25, near).slice(0, limit);
    const before = gone.size;
    await Promise.all(
      best.map(async ({ path }) => {
        if (stands.has(path)) return;
        // What cannot be looked at has not gone.
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

/** What is quoted in a query must stand in a note, however near its meaning is: the index knows where. */
function withPhrases(
  { catalog }: Brain,
  query: string,
  accept: ((note: NoteRecord) => boolean) | null,
): ((note: NoteRecord) => boolean) | null {
  const holds = catalog.words.phraseTest(query);
  return holds === null ? accept : (note) => (accept?.(note) ?? true) && holds(note.path);
}

function search(
  { catalog }: Brain,
  { query, wing, hall, includeRaw = false, status }: Retrieval,
  accept: SearchFilter['accept'] | null,
  limit: number,
): SearchHit[] {
  return catalog.search(query, {
    ...(wing !== undefined && { wing }),
    ...(hall !== undefined && { hall }),
    includeRaw: includeRaw || status === 'raw',
    ...(accept && { accept }),
    limit,
  });
}

function lexical({ record, score, rank, terms }: SearchHit): RetrievedHit {
  return { record, score, ranks: { bm25: rank }, terms };
}

function isInWiki(note: NoteRecord | undefined): note is SearchableNote {
  return note?.status === 'wiki';
}
