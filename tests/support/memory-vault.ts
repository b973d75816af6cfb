import { isUtf8 } from 'node:buffer';
import { BrainError } from '../../src/core/base/errors';
import { isIgnoredName, type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';
import {
  checkStorePath,
  type FileEntry,
  type FileStat,
  tooLarge,
  type VaultChange,
  type VaultStore,
} from '../../src/core/ports/ports';
import type { Clock } from '../../src/core/base/host';
import { utf8Length } from '../../src/core/base/hash';
import { checkTextSize } from '../../src/core/vocabulary/limits';

/** A call that changes the vault, as `intercept` sees it. */
export type VaultMutation = 'create' | 'move' | 'edit' | 'remove' | 'putDerived' | 'append';

/**
 * A vault in memory. `files` is the whole of it and may be read and changed by a test; bytes that are no text stand there as
 * what a decoder makes of them.
 */
export interface MemoryVault extends VaultStore {
  readonly files: Map<string, string>;
  /** Every folder that stands, empty ones too. */
  readonly folders: Set<string>;
  /** Called before each change; what it throws is what the call rejects with, and nothing has changed. */
  intercept: (call: VaultMutation, path: VaultPath) => void;
  /** Changes a file behind the service's back (null removes it) and tells the listeners, as a watcher would. */
  outside(path: string, text: string | null): void;
  /** The same with bytes. */
  outsideBytes(path: string, bytes: Uint8Array<ArrayBuffer>): void;
  /** Gives the file a new modification time and tells the listeners. */
  touch(path: string): void;
}

/**
 * Makes a vault that holds `files` (path to text). Names are compared exactly, as on Linux. Modification times
 * come from `clock`, else from a counter, so that every change gives a new one.
 */
export function createMemoryVault(files: Readonly<Record<string, string>> = {}, clock?: Clock): MemoryVault {
  const held = new Map(Object.entries(files));
  const folders = new Set<string>();
  const times = new Map<string, number>();
  const births = new Map<string, number>();
  /** Bytes that are no UTF-8, by what a decoder makes of them: they count while that text stands. */
  const binaries = new Map<string, { readonly text: string; readonly bytes: Uint8Array<ArrayBuffer> }>();
  const listeners = new Set<(change: VaultChange) => void>();
  let ticks = Date.UTC(2026, 10, 1);

  const parents = (path: string): string[] => {
    const segments = path.split('/').slice(0, -1);
    return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  };
  const binaryAt = (path: string): Uint8Array<ArrayBuffer> | null => {
    const binary = binaries.get(path);
    return binary !== undefined && binary.text === held.get(path) ? binary.bytes : null;
  };
  const put = (path: string, text: string): void => {
    for (const folder of parents(path)) folders.add(folder);
    times.set(path, clock ? clock.now().getTime() : (ticks += 1000));
    if (!held.has(path) || !births.has(path)) births.set(path, times.get(path) ?? 0);
    held.set(path, text);
  };
  const putBytes = (path: string, bytes: Uint8Array<ArrayBuffer>): void => {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    put(path, text);
    if (!isUtf8(bytes)) binaries.set(path, { text, bytes: bytes.slice() });
  };
  const tell = (change: VaultChange): void => {
    for (const listener of listeners) listener(change);
  };
  const statOf = (path: string): FileStat | null => {
    const text = held.get(path);
    // A file that a test has set directly in `files` gets its time when it is first looked at.
    if (text !== undefined && !times.has(path)) put(path, text);
    if (text === undefined) return null;
    const size = binaryAt(path)?.length ?? utf8Length(text);
    return { mtime: times.get(path) ?? 0, size, born: births.get(path) ?? 0 };
  };
  const guard = (path: VaultPath): void => {
    if (parents(path).some((folder) => held.has(folder)) || folders.has(path)) {
      throw new BrainError('path_not_allowed', `"${path}" leads through a file, or is a folder.`);
    }
  };
  for (const [path, text] of held) put(path, text);

  const vault: MemoryVault = {
    atomicWrites: true,
    files: held,
    folders,
    intercept: () => undefined,
    async *list(folder, skip = () => false): AsyncIterable<FileEntry> {
      const prefix = folder === '' ? '' : `${folder}/`;
      for (const path of [...held.keys()]) {
        if (!path.startsWith(prefix) || path.slice(prefix.length).split('/').some(isIgnoredName)) continue;
        const names = path.slice(prefix.length).split('/');
        if (names.some((_, at) => skip(`${prefix}${names.slice(0, at + 1).join('/')}`))) continue;
        const stat = statOf(path);
        if (stat) yield { path: vaultPath(path), ...stat };
      }
    },
    stat: async (path) => statOf(path),
    read: async (path) => {
      if (binaryAt(path) !== null) throw new BrainError('unsupported_type', `${path} is not UTF-8 text.`);
      const text = held.get(path) ?? null;
      if (text !== null) checkTextSize(path, utf8Length(text));
      return text;
    },
    readBytes: async (path, maxBytes) => {
      const text = held.get(path);
      if (text === undefined) return null;
      const bytes = binaryAt(path)?.slice() ?? new TextEncoder().encode(text);
      if (bytes.length > maxBytes) throw tooLarge(path, maxBytes);
      return bytes;
    },
    create: async (path, text, meanwhile = []) => {
      vault.intercept('create', path);
      guard(path);
      if (held.has(path)) return false;
      for (const piece of meanwhile) piece();
      put(path, text);
      return true;
    },
    createBytes: async (path, bytes) => {
      vault.intercept('create', path);
      guard(path);
      if (held.has(path)) return false;
      putBytes(path, bytes);
      return true;
    },
    move: async (from, to, noted) => {
      vault.intercept('move', from);
      guard(to);
      await noted;
      const text = held.get(from);
      if (text === undefined || held.has(to)) return false;
      const binary = binaryAt(from);
      put(to, text);
      if (binary !== null) binaries.set(to, { text, bytes: binary });
      held.delete(from);
      times.delete(from);
      return true;
    },
    edit: async (path, change) => {
      const old = held.get(path);
      if (old === undefined) return false;
      checkTextSize(path, utf8Length(old));
      const text = change(old);
      if (text === null) return false;
      vault.intercept('edit', path);
      put(path, text);
      return true;
    },
    remove: async (path, expected) => {
      vault.intercept('remove', path);
      if (expected !== undefined && held.has(path) && held.get(path) !== expected) return false;
      held.delete(path);
      times.delete(path);
      return true;
    },
    putDerived: async (path, text, { was }) => {
      vault.intercept('putDerived', path);
      guard(path);
      if ((held.get(path) ?? null) !== was) return false;
      put(path, text);
      return true;
    },
    append: async (path, text) => {
      vault.intercept('append', path);
      guard(path);
      put(path, (held.get(path) ?? '') + text);
    },
    missingFolders: async (path) => parents(path).filter((folder) => !folders.has(folder)),
    subfolders: async (folder) => {
      checkStorePath(folder, false);
      const prefix = `${folder}/`;
      const below = [...folders]
        .filter((each) => each.startsWith(prefix))
        .map((each) => each.slice(prefix.length));
      return below.filter((name) => !name.includes('/') && !isIgnoredName(name));
    },
    removeEmptyFolders: async (candidates) => {
      for (const folder of [...candidates].sort((a, b) => b.length - a.length)) {
        const inside = (path: string): boolean => path.startsWith(`${folder}/`);
        if (![...held.keys(), ...folders].some(inside)) folders.delete(folder);
      }
    },
    changes: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    outside: (path, text) => {
      if (text === null) held.delete(path);
      else put(path, text);
      tell({ kind: text === null ? 'removed' : 'changed', path: vaultPath(path) });
    },
    outsideBytes: (path, bytes) => {
      putBytes(path, bytes);
      tell({ kind: 'changed', path: vaultPath(path) });
    },
    touch: (path) => {
      const text = held.get(path);
      if (text === undefined) throw new Error(`No such file in the memory vault: ${path}`);
      put(path, text);
      tell({ kind: 'changed', path: vaultPath(path) });
    },
  };
  return vault;
}
