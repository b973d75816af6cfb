import type { VectorFilter } from '../../src/core/ports';
import type { VaultPath } from '../../src/core/rules/paths';
import { compareText } from '../../src/core/rules/text';
import { MakerChanged, StoreDown, type VectorRow, type VectorStore } from '../../src/core/vector-store';

/** A vector store in memory that looks at every row. A test may look at its rows, and take it down and up again. */
export interface MemoryVectors extends VectorStore {
  /** Who is noted as the maker; null when nobody is. */
  maker(): Promise<string | null>;
  /** Notes another one without touching a row, as no store does. */
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
  const isMadeBy = (maker: string) => noted === maker || (noted === null && rows.size === 0);
  const up = async <T>(work: () => T): Promise<T> => {
    if (store.isDown) throw new StoreDown('The database in memory refuses connections.');
    return work();
  };
  const upFor = (maker: string, work: () => void): Promise<void> =>
    up(() => {
      if (!isMadeBy(maker)) throw new MakerChanged();
      work();
    });
  const store: MemoryVectors = {
    rows,
    isDown: false,
    puts: 0,
    tidied: 0,
    isClosed: false,
    open: () => up(() => undefined),
    maker: () => up(() => noted),
    mark: (name) =>
      up(() => {
        noted = name;
      }),
    known: (maker) =>
      up(() => (isMadeBy(maker) ? new Map([...rows].map(([path, row]) => [path, row.updatedAt])) : null)),
    paths: () => up(() => [...rows.keys()]),
    put: (added, maker) =>
      upFor(maker, () => {
        store.puts += 1;
        noted = maker;
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
        rows.clear();
        noted = maker;
      }),
    nearest: (vector, limit, filter, maker) =>
      up(() =>
        isMadeBy(maker)
          ? [...rows.values()]
              .filter(({ path }) => passes(path, filter))
              .map((row) => ({ path: row.path, distance: 1 - cosine(row.vector, vector) }))
              .sort((a, b) => a.distance - b.distance || compareText(a.path, b.path))
              .slice(0, limit)
              .map(({ path }) => path)
          : null,
      ),
    count: () => up(() => rows.size),
    tidy: () =>
      up(() => {
        store.tidied += 1;
      }),
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
