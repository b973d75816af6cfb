import { constants } from 'node:fs';
import path from 'node:path';
import type { FileInfo, FileSystem, OpenFile } from '../../src/adapters/files/file-system';

interface FileNode {
  readonly kind: 'file';
  readonly ino: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  data: Buffer;
  /** What a loss of power leaves: the bytes at the last sync. */
  synced: Buffer;
}

interface FolderNode {
  readonly kind: 'folder';
  readonly ino: number;
  mode: number;
  entries: Map<string, Node>;
  /** What a loss of power leaves: the names at the last sync. */
  synced: Map<string, Node>;
}

type Node = FileNode | FolderNode;

/** A file system in memory that tells what has been synced from what has not. It knows no links but hard ones. */
export interface MemoryFileSystem extends FileSystem {
  /** Files with their texts, and folders with a trailing slash, below `root`. */
  image(root: string): Record<string, string>;
  /**
   * Loses what was not synced. For each name of each folder, and for the bytes of each file, `kept` says what the disk happened
   * to have written by then; by default nothing. That is less than any journaled file system promises: names of one folder
   * may come back in any mixture, and a renamed file under both of its names or under none.
   */
  losePower(kept?: () => Kept): void;
  /**
   * What another program does that saves a file: into the file that stands there, or by giving the name to another file, as
   * editors do. At once, between two calls of the service.
   */
  save(at: string, text: string, how: 'in place' | 'by renaming'): void;
  /** Another one that holds the same, synced or not. What is open here stays here. */
  clone(): MemoryFileSystem;
}

/**
 * What is left of something that was not synced. A file may also be `torn`, when half of what was added is there, or `zeroed`,
 * when it has its new length but not its new bytes; for a name both mean that it was written.
 */
export type Kept = boolean | 'torn' | 'zeroed';

/** Makes one that holds `files` (absolute path to text; a trailing slash makes a folder), all of it synced. */
export function memoryFileSystem(files: Readonly<Record<string, string>> = {}): MemoryFileSystem {
  const fs = around(undefined, 0);
  fs.add(files);
  fs.losePower(() => true);
  return fs;
}

function around(
  held: FolderNode | undefined,
  counted: number,
): MemoryFileSystem & { add(files: Readonly<Record<string, string>>): void } {
  let count = counted;
  const newFolder = (mode = 0o777): FolderNode => ({
    kind: 'folder',
    ino: (count += 1),
    mode: 0o40000 | (mode & ~0o022),
    entries: new Map(),
    synced: new Map(),
  });
  const newFile = (mode: number): FileNode => ({
    kind: 'file',
    ino: (count += 1),
    mode: 0o100000 | (mode & ~0o022),
    mtimeMs: (count += 1),
    ctimeMs: count,
    data: Buffer.alloc(0),
    synced: Buffer.alloc(0),
  });
  const top = held ?? newFolder();

  const look = (at: string): Node | undefined => {
    let node: Node | undefined = top;
    for (const segment of at.split('/').filter(Boolean)) {
      if (node === undefined) return undefined;
      if (node.kind === 'file') throw fail('ENOTDIR', at);
      node = node.entries.get(segment);
    }
    return node;
  };
  const need = (at: string): Node => look(at) ?? raise('ENOENT', at);
  const folderOf = (at: string): FolderNode => {
    const node = need(path.posix.dirname(at));
    return node.kind === 'folder' ? node : raise('ENOTDIR', at);
  };
  const place = (at: string, node: Node): void => {
    const folder = folderOf(at);
    const name = path.posix.basename(at);
    if (folder.entries.has(name)) throw fail('EEXIST', at);
    folder.entries.set(name, node);
  };
  /** Which names a file has is part of what the system keeps of it. */
  const renamed = (node: Node): void => {
    if (node.kind === 'file') node.ctimeMs = count += 1;
  };
  const openNode = (node: Node, appends: boolean): OpenFile => {
    const file = (): FileNode => (node.kind === 'file' ? node : raise('EISDIR', String(node.ino)));
    const write = (data: Buffer): void => {
      file().data = data;
      file().mtimeMs = file().ctimeMs = count += 1;
    };
    return {
      stat: async () => infoOf(node),
      read: async (buffer, offset, length, position) => {
        const part = file().data.subarray(position, position + length);
        buffer.set(part, offset);
        return { bytesRead: part.length };
      },
      write: async (buffer, offset, length) => {
        // Every file is written from its start to its end, so the position is always the end.
        write(Buffer.concat([file().data, buffer.subarray(offset, offset + length)]));
        return { bytesWritten: length };
      },
      chmod: async (mode) => {
        node.mode = (node.kind === 'file' ? 0o100000 : 0o40000) | mode;
        if (node.kind === 'file') node.ctimeMs = count += 1;
      },
      truncate: async (length) => {
        if (!appends) throw fail('EINVAL', 'truncate');
        write(file().data.subarray(0, length));
      },
      utimes: async (_, mtime) => {
        if (node.kind === 'file') node.mtimeMs = mtime * 1000;
      },
      sync: async () => {
        if (node.kind === 'file') node.synced = node.data;
        else node.synced = new Map(node.entries);
      },
      close: async () => undefined,
    };
  };

  return {
    async open(at, flags, mode = 0o666) {
      const exclusive = flags === 'wx' || (typeof flags === 'number' && (flags & constants.O_EXCL) !== 0);
      const makes = exclusive || ((flags === 'w' || flags === 'a') && look(at) === undefined);
      if (makes) place(at, newFile(mode));
      const node = need(at);
      if (flags === 'w' && node.kind === 'file') {
        node.data = Buffer.alloc(0);
        node.mtimeMs = node.ctimeMs = count += 1;
      }
      return openNode(node, typeof flags === 'number' && (flags & constants.O_APPEND) !== 0);
    },
    lstat: async (at) => infoOf(need(at)),
    realpath: async (at) => {
      need(at);
      return path.posix.normalize(at);
    },
    readdir: async (at) => {
      const node = need(at);
      if (node.kind === 'file') throw fail('ENOTDIR', at);
      return [...node.entries].map(([name, child]) => ({ name, ...kindOf(child) }));
    },
    mkdir: async (at, mode) => {
      place(at, newFolder(mode));
    },
    rmdir: async (at) => {
      const node = need(at);
      if (node.kind === 'file') throw fail('ENOTDIR', at);
      if (node.entries.size > 0) throw fail('ENOTEMPTY', at);
      folderOf(at).entries.delete(path.posix.basename(at));
    },
    link: async (from, to) => {
      place(to, need(from));
      renamed(need(from));
    },
    rename: async (from, to) => {
      const node = need(from);
      if (look(to)?.kind === 'folder') throw fail('EISDIR', to);
      renamed(node);
      folderOf(to).entries.set(path.posix.basename(to), node);
      folderOf(from).entries.delete(path.posix.basename(from));
    },
    unlink: async (at) => {
      if (need(at).kind === 'folder') throw fail('EISDIR', at);
      renamed(need(at));
      folderOf(at).entries.delete(path.posix.basename(at));
    },
    image(root) {
      const image: Record<string, string> = {};
      const add = (node: Node, at: string): void => {
        if (node.kind === 'file') {
          image[at] = node.data.toString('utf8');
          return;
        }
        if (at !== '') image[`${at}/`] = '';
        for (const [name, child] of node.entries) add(child, at === '' ? name : `${at}/${name}`);
      };
      add(need(root), '');
      return image;
    },
    losePower(kept = () => false) {
      const seen = new Set<Node>();
      const settle = (node: Node): void => {
        if (seen.has(node)) return;
        seen.add(node);
        if (node.kind === 'file') {
          if (node.data !== node.synced) node.data = leftOf(node, kept());
          node.synced = node.data;
          return;
        }
        for (const name of new Set([...node.entries.keys(), ...node.synced.keys()])) {
          const [now, before] = [node.entries.get(name), node.synced.get(name)];
          if (now === before || kept() !== false) continue;
          if (before === undefined) node.entries.delete(name);
          else node.entries.set(name, before);
        }
        node.synced = new Map(node.entries);
        for (const child of node.entries.values()) settle(child);
      };
      settle(top);
    },
    save(at, text, how) {
      const file = how === 'in place' ? look(at) : undefined;
      const node = file ?? newFile(0o644);
      if (node.kind === 'folder') throw fail('EISDIR', at);
      node.data = Buffer.from(text);
      node.mtimeMs = node.ctimeMs = count += 1;
      folderOf(at).entries.set(path.posix.basename(at), node);
    },
    clone() {
      const copies = new Map<Node, Node>();
      const copyFolder = (node: FolderNode): FolderNode => {
        const copied = { ...node };
        copies.set(node, copied);
        copied.entries = new Map([...node.entries].map(([name, child]) => [name, copy(child)]));
        copied.synced = new Map([...node.synced].map(([name, child]) => [name, copy(child)]));
        return copied;
      };
      const copy = (node: Node): Node => {
        const known = copies.get(node);
        if (known !== undefined) return known;
        if (node.kind === 'folder') return copyFolder(node);
        // Bytes are never changed in place, so that both may hold the same.
        const copied = { ...node };
        copies.set(node, copied);
        return copied;
      };
      return around(copyFolder(top), count);
    },
    add(added) {
      for (const [at, text] of Object.entries(added)) {
        let folder = top;
        for (const name of at.split('/').slice(0, -1).filter(Boolean)) {
          const node = folder.entries.get(name) ?? newFolder();
          if (node.kind === 'file') throw fail('ENOTDIR', at);
          folder.entries.set(name, node);
          folder = node;
        }
        if (!at.endsWith('/'))
          folder.entries.set(
            path.posix.basename(at),
            Object.assign(newFile(0o644), { data: Buffer.from(text) }),
          );
      }
    },
  };
}

/** The bytes of a file after a loss of power. */
function leftOf({ data, synced }: FileNode, kept: Kept): Buffer {
  if (kept === true) return data;
  if (kept === false) return synced;
  const same = data.subarray(0, synced.length).equals(synced) ? synced.length : 0;
  if (kept === 'torn') return data.subarray(0, same + Math.floor((data.length - same) / 2));
  return Buffer.concat([data.subarray(0, same), Buffer.alloc(data.length - same)]);
}

function kindOf({ kind }: Node): Pick<FileInfo, 'isFile' | 'isDirectory' | 'isSymbolicLink'> {
  return { isFile: () => kind === 'file', isDirectory: () => kind === 'folder', isSymbolicLink: () => false };
}

function infoOf(node: Node): FileInfo {
  const { ino, mode } = node;
  const times = node.kind === 'file' ? node : { mtimeMs: 0, ctimeMs: 0 };
  const size = node.kind === 'file' ? node.data.length : 0;
  const { mtimeMs, ctimeMs } = times;
  return { dev: 1, ino, mode, size, mtimeMs, ctimeMs, birthtimeMs: ino, ...kindOf(node) };
}

function fail(code: string, at: string): Error {
  return Object.assign(new Error(`${code}: ${at}`), { code });
}

function raise(code: string, at: string): never {
  throw fail(code, at);
}
