import type { VectorFilter } from '../../src/core/ports/ports';
import type { VaultPath } from '../../src/core/vocabulary/paths';
import { compareText } from '../../src/core/base/text';
import {
  type Maker,
  MakerChanged,
  StoreDown,
  type VectorRow,
  type VectorStore,
} from '../../src/core/embeddings/store';

/** The id of every vault that tests open in memory. */
export const VAULT_ID = '0123456789abcdef0123456789abcdef';

/** The maker with this model in the vault of the tests. */
export function madeBy(model: string): Maker {
  return { model, vault: VAULT_ID };
}

/** A vector store in memory that looks at every row. A test may look at its rows, and take it down and up again. */
export interface MemoryVectors extends VectorStore {
  /** The model that is noted; null when none is. */
  maker(): Promise<string | null>;
  /** The vault that is noted; null when none is. */
  vault: string | null;
  /** Who else has the lease; null when nobody has. */
  holder: string | null;
  /** What `advice` says. */
  advised: string | null;
  /** Notes another model, and no vault, without touching a row, as earlier versions did. */
  mark(maker: string | null): Promise<void>;
  readonly rows: Map<VaultPath, VectorRow>;
  /** While set, every call rejects. */
  isDown: boolean;
  /** How often `put` was called. */
  puts: number;
  /** How often `tidy` was called. */
  tidied: number;
  isClosed: boolean;
}

export function memoryVectors(): MemoryVectors {
  const rows = new Map<VaultPath, VectorRow>();
  let noted: string | null = null;
  const isMadeBy = ({ model, vault }: Maker) => {
    if (store.vault !== null && store.vault !== vault)
      throw new StoreDown('The table in memory holds the vectors of another vault.', true);
    return noted === model || (noted === null && rows.size === 0);
  };
  const note = ({ model, vault }: Maker) => {
    noted = model;
    store.vault = vault;
  };
  const up = async <T>(work: () => T): Promise<T> => {
    if (store.isDown) throw new StoreDown('The database in memory refuses connections.');
    return work();
  };
  const upFor = (maker: Maker, work: () => void): Promise<void> =>
    up(() => {
      if (!isMadeBy(maker)) throw new MakerChanged();
      work();
    });
  const store: MemoryVectors = {
    healthy: 'The database answers',
    rows,
    vault: null,
    holder: null,
    advised: null,
    isDown: false,
    puts: 0,
    tidied: 0,
    isClosed: false,
    open: () => up(() => undefined),
    maker: () => up(() => noted),
    mark: (name) =>
      up(() => {
        noted = name;
        store.vault = null;
      }),
    known: (maker) =>
      up(() => (isMadeBy(maker) ? new Map([...rows].map(([path, row]) => [path, row.updatedAt])) : null)),
    paths: () => up(() => [...rows.keys()]),
    put: (added, maker) =>
      upFor(maker, () => {
        if (added.length > 0) store.puts += 1;
        note(maker);
        for (const row of added) rows.set(row.path, row);
      }),
    touch: (moved, maker) =>
      upFor(maker, () => {
        for (const { path, updatedAt } of moved) {
          const row = rows.get(path);
          if (row !== undefined) rows.set(path, { ...row, updatedAt });
        }
      }),
    remove: (paths, maker) =>
      upFor(maker, () => {
        for (const path of paths) rows.delete(path);
      }),
    clear: (maker) =>
      up(() => {
        isMadeBy(maker);
        rows.clear();
        note(maker);
      }),
    nearest: (vector, limit, filter, maker) =>
      up(() =>
        isMadeBy(maker)
          ? [...rows.values()]
              .filter(({ path }) => passes(path, filter))
              .map((row) => ({ path: row.path, distance: 1 - cosine(row.vector, vector) }))
              .sort((a, b) => a.distance - b.distance || compareText(a.path, b.path))
              .slice(0, limit)
              .map(({ path, distance }) => ({ path, cosine: 1 - distance }))
          : null,
      ),
    count: (maker) =>
      up(() => {
        isMadeBy(maker);
        return rows.size;
      }),
    advice: () => up(() => store.advised),
    tidy: () =>
      up(() => {
        store.tidied += 1;
      }),
    lease: () => up(() => store.holder),
    close: async () => {
      store.isClosed = true;
    },
  };
  return store;
}

function passes(path: VaultPath, { prefixes, hall, only, except }: VectorFilter): boolean {
  return (
    (prefixes === undefined || prefixes.some((prefix) => path.startsWith(prefix))) &&
    (hall === undefined || path.split('/')[2] === hall) &&
    (only === undefined || only.includes(path)) &&
    (except === undefined || !except.includes(path))
  );
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [value, other] = [a[at] ?? 0, b[at] ?? 0];
    dot += value * other;
    left += value * value;
    right += other * other;
  }
  return dot / Math.sqrt(left * right);
}

/** Returns the paths of the rows that a store finds nearest, in its order; null as `nearest` does. */
export async function nearPaths(
  store: Pick<VectorStore, 'nearest'>,
  ...asked: Parameters<VectorStore['nearest']>
): Promise<VaultPath[] | null> {
  const rows = await store.nearest(...asked);
  return rows?.map(({ path }) => path) ?? null;
}
