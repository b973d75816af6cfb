import type { VectorFilter, VectorRow, VectorStore } from '../../src/core/ports';
import { StoreDown } from '../../src/core/ports';
import type { VaultPath } from '../../src/core/rules/paths';
import { compareText } from '../../src/core/rules/text';

/** A vector store in memory that looks at every row. A test may look at its rows, and take it down and up again. */
export interface MemoryVectors extends VectorStore {
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
  let maker: string | null = null;
  const up = <T>(work: () => T): Promise<T> =>
    store.isDown
      ? Promise.reject(new StoreDown('The database in memory refuses connections.'))
      : Promise.resolve(work());
  const store: MemoryVectors = {
    rows,
    isDown: false,
    puts: 0,
    tidied: 0,
    isClosed: false,
    open: () => up(() => undefined),
    maker: () => up(() => maker),
    mark: (name) =>
      up(() => {
        maker = name;
      }),
    known: () => up(() => new Map([...rows].map(([path, row]) => [path, row.updatedAt]))),
    put: (added) =>
      up(() => {
        store.puts += 1;
        for (const row of added) rows.set(row.path, row);
      }),
    touch: (moved) =>
      up(() => {
        for (const { path, updatedAt } of moved) {
          const row = rows.get(path);
          if (row !== undefined) rows.set(path, { ...row, updatedAt });
        }
      }),
    remove: (paths) =>
      up(() => {
        for (const path of paths) rows.delete(path);
      }),
    clear: () => up(() => rows.clear()),
    nearest: (vector, limit, filter) =>
      up(() =>
        [...rows.values()]
          .filter(({ path }) => passes(path, filter))
          .map((row) => ({ path: row.path, distance: 1 - cosine(row.vector, vector) }))
          .sort((a, b) => a.distance - b.distance || compareText(a.path, b.path))
          .slice(0, limit)
          .map(({ path }) => path),
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
