import type { StateStore } from '../../src/core/ports';

/** A state store in memory; `files` is the whole of it and may be read and changed by a test. */
export interface MemoryState extends StateStore {
  readonly files: Map<string, string>;
}

/** Makes a state store that holds `files` (path below `.brain/` to text). */
export function createMemoryState(files: Readonly<Record<string, string>> = {}): MemoryState {
  const held = new Map(Object.entries(files));
  return {
    files: held,
    read: async (path) => held.get(path) ?? null,
    write: async (path, text) => {
      held.set(path, text);
    },
    create: async (path, text) => {
      if (held.has(path)) return false;
      held.set(path, text);
      return true;
    },
    append: async (path, text) => {
      held.set(path, (held.get(path) ?? '') + text);
    },
    list: async (folder) =>
      [...held.keys()].filter((path) => folder === '' || path.startsWith(`${folder}/`)).sort(),
    folders: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const below = [...held.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
      return [
        ...new Set(
          below.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))),
        ),
      ].sort();
    },
    remove: async (path) => {
      held.delete(path);
    },
  };
}
