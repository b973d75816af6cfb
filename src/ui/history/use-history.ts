import { useMemo, useRef, useState } from 'preact/hooks';
import type { BrainClient, CallError } from '../client';
import { useUi } from '../context';
import { useAsync } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import { compareVersions, type DiffModel } from './diff-model';
import {
  type Comparison,
  comparisonOf,
  readVersion,
  readVersions,
  type Version,
  type WholeVersion,
} from './versions';

/** The two sides of a comparison; null where nothing was there yet, or where nothing is chosen. */
export interface Compared {
  readonly older: WholeVersion | null;
  readonly newer: WholeVersion | null;
}

export interface HistoryState {
  /** Null until the first answer. */
  readonly versions: readonly Version[] | null;
  readonly selected: number;
  readonly base: number | null;
  readonly comparison: Comparison;
  readonly compared: Compared | null;
  readonly model: DiffModel | null;
  readonly error: CallError | null;
  readonly loading: boolean;
  readonly select: (index: number) => void;
  /** Compares from a version, or again from the one before when it is null. */
  readonly compareFrom: (index: number | null) => void;
  readonly reload: () => void;
}

/** Versions of long notes that are kept in memory at most. A version never changes, so a kept one is right. */
const MOST_KEPT = 40;

/**
 * The history of a note and the comparison that is looked at. The choice stays with its version while the note changes;
 * whoever looks at the present version goes on looking at the present one.
 * @param hash the version to begin with; null for the present one
 */
export function useHistory(path: string | null, hash: string | null, properties: boolean): HistoryState {
  const { client } = useUi();
  const kept = useRef(new Map<string, Promise<WholeVersion>>());
  const [chosen, setChosen] = useState<string | null>(hash);
  const [from, setFrom] = useState<string | null>(null);

  const list = useAsync(path, () => readVersions(client, path ?? ''));
  const reload = (): void => list.reload();
  useChanges(reload);

  const versions = list.value;
  const count = versions?.length ?? 0;
  const selected = Math.max(0, versions?.findIndex((version) => version.hash === chosen) ?? 0);
  const found = versions?.findIndex((version) => version.hash === from) ?? -1;
  const base = found < 0 ? null : found;
  const comparison = comparisonOf(selected, base, count);
  const [newHash, oldHash] = [versions?.[comparison.newer]?.hash, versions?.[comparison.older]?.hash];

  const pair = useAsync(
    newHash === undefined ? null : `${oldHash ?? 'nothing'} ${newHash}`,
    async (): Promise<Compared> => {
      const [older, newer] = await Promise.all([
        oldHash === undefined ? null : keepVersion(kept.current, client, oldHash),
        newHash === undefined ? null : keepVersion(kept.current, client, newHash),
      ]);
      return { older, newer };
    },
    // The old comparison stays for the moment that the next one takes; its own head says what it is.
    { keep: true },
  );
  const compared = pair.value;
  const model = useMemo(() => {
    if (compared?.newer === undefined || compared.newer === null) return null;
    return compareVersions(compared.older ?? { content: '', body: '' }, compared.newer, { properties });
  }, [compared, properties]);

  return {
    versions,
    selected,
    base,
    comparison,
    compared,
    model,
    error: list.error ?? pair.error,
    loading: list.loading || pair.loading,
    select: (index) => setChosen(index === 0 ? null : (versions?.[index]?.hash ?? null)),
    compareFrom: (index) => setFrom(index === null ? null : (versions?.[index]?.hash ?? null)),
    reload,
  };
}

function keepVersion(
  kept: Map<string, Promise<WholeVersion>>,
  client: BrainClient,
  hash: string,
): Promise<WholeVersion> {
  const known = kept.get(hash);
  if (known !== undefined) return known;
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  const reading = readVersion(client, hash).catch((error: unknown) => {
    kept.delete(hash); // a failure is not worth keeping
    throw error;
  });
  kept.set(hash, reading);
  return reading;
}
