import { sha256 } from '../../src/core/base/hash';
import type { StateStore } from '../../src/core/ports/ports';

/** A state store in memory; `files` and `blobs` are the whole of it and may be read and changed by a test. */
export interface MemoryState extends StateStore {
  readonly files: Map<string, string>;
  /** What was written as bytes. */
  readonly blobs: Map<string, Uint8Array<ArrayBuffer>>;
}

/** Makes a state store that holds `files` (path below `.brain/` to text). */
export function createMemoryState(files: Readonly<Record<string, string>> = {}): MemoryState {
  const held = new Map(Object.entries(files));
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  const paths = () => [...held.keys(), ...blobs.keys()];
  const readBytes = async (path: string): Promise<Uint8Array<ArrayBuffer> | null> => {
    const text = held.get(path);
    return text === undefined ? (blobs.get(path)?.slice() ?? null) : new TextEncoder().encode(text);
  };
  return {
    files: held,
    blobs,
    read: async (path) => {
      const bytes = blobs.get(path);
      return bytes === undefined ? (held.get(path) ?? null) : new TextDecoder().decode(bytes);
    },
    write: async (path, text) => {
      blobs.delete(path);
      held.set(path, text);
    },
    readBytes,
    readPart: async (path, from, to) => (await readBytes(path))?.slice(from, to) ?? null,
    writeBytes: async (path, bytes) => {
      held.delete(path);
      blobs.set(path, bytes.slice());
    },
    rewrite: async (path, change) => {
      const bytes = await readBytes(path);
      const changed = bytes && (await change(bytes));
      if (bytes === null || changed === null) return false;
      const appended = ((await readBytes(path)) ?? bytes).slice(bytes.length);
      const whole = Uint8Array.from([...changed, ...appended]);
      if (held.has(path)) held.set(path, new TextDecoder().decode(whole));
      else blobs.set(path, whole);
      return true;
    },
    create: async (path, text) => {
      if (held.has(path) || blobs.has(path)) return false;
      held.set(path, text);
      return true;
    },
    append: async (path, text) => {
      held.set(path, (held.get(path) ?? '') + text);
    },
    list: async (folder) =>
      paths()
        .filter((path) => folder === '' || path.startsWith(`${folder}/`))
        .sort(),
    async *stats(folder) {
      for (const path of paths().filter((each) => folder === '' || each.startsWith(`${folder}/`))) {
        const bytes = await readBytes(path);
        if (bytes !== null) yield { path, size: bytes.length, stamp: sha256(bytes) };
      }
    },
    folders: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const below = paths()
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
      blobs.delete(path);
    },
  };
}
