import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import type { SearchableNote, SearchFilter, SearchHit } from '../catalog/note-search';
import type { Wing } from '../rules/address';
import type { Hall } from '../rules/hall';
import type { VaultPath } from '../rules/paths';
import { inSlices } from '../steps';
import { fuse, type Fused } from '../vectors/fuse';
import { type TrustFilter, trusted } from './trust-filter';
import { vectorFilterSteps } from './vector-filter';

/** What is looked for, and where. Raw notes are found only when asked for; an unknown wing has no notes. */
export interface Retrieval extends TrustFilter {
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

export interface Retrieved {
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
