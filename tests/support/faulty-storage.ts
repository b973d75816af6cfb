import type { Storage } from '../obsidian/storage/storage';

/** What the armed call does; an app that has crashed does nothing any more. */
export type StorageFault =
  | 'crash-before'
  | 'crash-after'
  | 'crash-emptied' // a write has emptied the file and written nothing
  | 'crash-torn' // a write or append has written half
  | 'error-before'
  | 'error-after'
  | 'error-torn'; // the disk is full in the middle

export interface FaultyStorage extends Storage {
  /** The storage itself, as a later run finds it. */
  readonly real: Storage;
  /**
   * Starts counting the calls that change something; the n-th one, counted from 1, meets the fault. So does one that comes
   * so many calls after it, with a fault of its own.
   */
  arm(
    call: number,
    fault: StorageFault,
    then?: { readonly calls: number; readonly fault: StorageFault },
  ): void;
  disarm(): void;
  /** True when the armed call was reached. */
  readonly hit: boolean;
  /** True when the second one was. */
  readonly hitAgain: boolean;
}

/** A storage in which one call can be made to fail, or to be the last one of the app. */
export function faultyStorage(real: Storage): FaultyStorage {
  let armed = new Map<number, StorageFault>();
  let counted = 0;
  let hits = 0;
  let crashed = false;

  async function change(
    write: ((bytes: Uint8Array) => Promise<void>) | null,
    bytes: Uint8Array,
    work: () => Promise<void>,
  ): Promise<void> {
    if (crashed) throw new Error('The app has crashed.');
    counted += 1;
    const fault = armed.get(counted);
    if (fault === undefined) return work();
    hits += 1;
    crashed = fault.startsWith('crash');
    if (fault.endsWith('after')) await work();
    if (fault.endsWith('torn')) await write?.(bytes.slice(0, bytes.length / 2));
    if (fault.endsWith('emptied')) await write?.(new Uint8Array());
    throw Object.assign(new Error(`${fault} at call ${counted}`), { code: 'ENOSPC' });
  }

  const nothing = new Uint8Array();
  return {
    real,
    basePath: real.basePath,
    caseInsensitive: real.caseInsensitive,
    stat: (path) => real.stat(path),
    list: (path) => real.list(path),
    read: (path) => real.read(path),
    write: (path, bytes, times) =>
      change(
        (part) => real.write(path, part),
        bytes,
        () => real.write(path, bytes, times),
      ),
    append: (path, bytes, times) =>
      change(
        (part) => real.append(path, part),
        bytes,
        () => real.append(path, bytes, times),
      ),
    mkdir: (path) => change(null, nothing, () => real.mkdir(path)),
    rename: (from, to) => change(null, nothing, () => real.rename(from, to)),
    remove: (path) => change(null, nothing, () => real.remove(path)),
    rmdir: (path, recursive) => change(null, nothing, () => real.rmdir(path, recursive)),
    arm(call, fault, then) {
      armed = new Map([[call, fault]]);
      if (then !== undefined) armed.set(call + then.calls, then.fault);
      counted = 0;
      hits = 0;
    },
    disarm() {
      armed.clear();
    },
    get hit() {
      return hits > 0;
    },
    get hitAgain() {
      return hits > 1;
    },
  };
}
