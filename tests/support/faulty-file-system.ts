import { type FileSystem, nodeFileSystem, type OpenFile } from '../../src/adapters/files/file-system';

/** What the armed call does. An `-after` kind does its work and then fails all the same. */
export type FaultKind =
  | 'crash-before' // the process dies: this call and every later one is refused
  | 'crash-after'
  | 'crash-torn' // a write has taken half, and the process dies; any other call is not made
  | 'error-before'
  | 'error-after'
  | 'error-torn' // a write has taken half and then fails, as when the disk is full; any other call is not made
  | 'short' // a write takes only half, and says so
  | 'lie'; // a write takes only half, and says that it took all

export interface Fault {
  /** Counted from 1 among the calls after `arm`. */
  readonly call: number;
  readonly kind: FaultKind;
  /** Code of the error, for the error kinds. */
  readonly code?: string;
  /** Only calls of these names count. */
  readonly only?: string | readonly string[];
  /** So many calls in a row fail; 1 when absent. */
  readonly times?: number;
  /** Another fault, so many calls after the first one. */
  readonly then?: { readonly calls: number; readonly kind: FaultKind };
}

/** The file system has died with the process; only a new one sees the disk again. */
class Crash extends Error {
  override readonly name = 'Crash';
}

export interface FaultyFileSystem extends FileSystem {
  /** Names of the calls since `arm`, with their paths. */
  readonly calls: string[];
  /** Starts counting anew; the fault happens once. Without one, calls are only counted. */
  arm(fault?: Fault): void;
  /** True when the armed fault has happened, and the one after it where there is one. */
  readonly hit: boolean;
  /** The call that met the fault first, as `calls` names it; empty when none did. Stays until the next fault is armed. */
  readonly struck: string;
  /** Told of each call before it is made, `write /vault/a.md`: someone else may be at work at that moment. */
  onCall: (call: string) => void;
  /** Closes what a crash left open. */
  abandon(): Promise<void>;
}

/** Kinds by which a write takes half of what it was given. */
const CUTTING = new Set<FaultKind>(['short', 'lie', 'error-torn', 'crash-torn']);

/** A real file system in which one call can be made to fail. */
export function faultyFileSystem(real: FileSystem = nodeFileSystem): FaultyFileSystem {
  const calls: string[] = [];
  const openFiles = new Set<OpenFile>();
  let fault: Fault | undefined;
  let counted = 0;
  let crashed = false;
  let hit = false;
  let struck = '';

  const isNow = (name: string, path: string): boolean => {
    calls.push(`${name} ${path}`);
    faulty.onCall(`${name} ${path}`);
    if (fault === undefined || (fault.only !== undefined && ![fault.only].flat().includes(name)))
      return false;
    counted += 1;
    if (fault.then !== undefined && counted === fault.call + fault.then.calls) {
      fault = { call: counted, kind: fault.then.kind };
    }
    return counted >= fault.call && counted < fault.call + (fault.times ?? 1);
  };
  const fail = (name: string): Error => {
    if (fault?.kind.startsWith('crash') === true) {
      crashed = true;
      return new Crash(`crashed at ${name}`);
    }
    const code = fault?.code ?? 'EIO';
    return Object.assign(new Error(`${code}: injected, ${name}`), { code });
  };
  const call = async <T>(name: string, path: string, run: () => Promise<T>): Promise<T> => {
    if (crashed) throw new Crash(`refused after the crash: ${name}`);
    if (!isNow(name, path)) return run();
    if (!hit) struck = `${name} ${path}`;
    hit = true;
    if (fault?.kind.endsWith('before') === true) throw fail(name);
    const isTorn = fault?.kind.endsWith('torn') === true;
    if (isTorn && name !== 'write') throw fail(name);
    const result = await run();
    if (isTorn || fault?.kind.endsWith('after') === true) throw fail(name);
    return result;
  };
  const wrap = (file: OpenFile, path: string): OpenFile => {
    openFiles.add(file);
    return {
      stat: () => call('fstat', path, () => file.stat()),
      read: (...args) => call('read', path, () => file.read(...args)),
      chmod: (mode) => call('fchmod', path, () => file.chmod(mode)),
      truncate: (length) => call('ftruncate', path, () => file.truncate(length)),
      utimes: (...times) => call('futimes', path, () => file.utimes(...times)),
      sync: () => call('fsync', path, () => file.sync()),
      write: (buffer, offset, length) => {
        const before = hit;
        return call('write', path, async () => {
          const cut = hit && !before && fault !== undefined && CUTTING.has(fault.kind) && length > 1;
          const { bytesWritten } = await file.write(buffer, offset, cut ? Math.floor(length / 2) : length);
          return { bytesWritten: cut && fault?.kind === 'lie' ? length : bytesWritten };
        });
      },
      close: async () => {
        // The system closes the files of a process that has died.
        if (openFiles.delete(file)) await file.close();
        await call('close', path, async () => undefined);
      },
    };
  };
  const faulty: FaultyFileSystem = {
    calls,
    onCall: () => undefined,
    arm(next) {
      fault = next;
      if (next !== undefined) struck = '';
      counted = 0;
      hit = false;
      crashed = false;
      calls.length = 0;
    },
    get hit() {
      return hit && fault?.then === undefined;
    },
    get struck() {
      return struck;
    },
    async abandon() {
      for (const file of openFiles) await file.close();
      openFiles.clear();
    },
    open: async (path, flags, mode) =>
      wrap(await call('open', path, () => opened(real.open(path, flags, mode))), path),
    lstat: (path) => call('lstat', path, () => real.lstat(path)),
    realpath: (path) => call('realpath', path, () => real.realpath(path)),
    readdir: (path) => call('readdir', path, () => real.readdir(path)),
    mkdir: (path, mode) => call('mkdir', path, () => real.mkdir(path, mode)),
    rmdir: (path) => call('rmdir', path, () => real.rmdir(path)),
    link: (from, to) => call('link', to, () => real.link(from, to)),
    rename: (from, to) => call('rename', to, () => real.rename(from, to)),
    unlink: (path) => call('unlink', path, () => real.unlink(path)),
  };
  return faulty;

  /** A file that was opened by a call which then fails must be closed by someone. */
  async function opened(opening: Promise<OpenFile>): Promise<OpenFile> {
    const file = await opening;
    if (hit && fault?.kind.endsWith('after') === true && counted >= fault.call) openFiles.add(file);
    return file;
  }
}

/** A file system that never waits for the disk: without a loss of power nobody can tell, and thousands of cases are quick. */
export function withoutSync(real: FileSystem): FileSystem {
  return {
    ...real,
    open: async (...args) => {
      const file = await real.open(...args);
      return {
        stat: () => file.stat(),
        read: (...at) => file.read(...at),
        write: (...at) => file.write(...at),
        chmod: (mode) => file.chmod(mode),
        truncate: (length) => file.truncate(length),
        utimes: (...times) => file.utimes(...times),
        sync: async () => undefined,
        close: () => file.close(),
      };
    },
  };
}
