import type { Storage } from './obsidian/storage/storage';

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
  /** Starts counting the calls that change something; the n-th one, counted from 1, meets the fault. */
  arm(call: number, fault: StorageFault): void;
  disarm(): void;
  /** True when the armed call was reached. */
  readonly hit: boolean;
}

/** A storage in which one call can be made to fail, or to be the last one of the app. */
export function faultyStorage(real: Storage): FaultyStorage {
  let armed: { call: number; fault: StorageFault } | null = null;
  let counted = 0;
  let hit = false;
  let crashed = false;

  async function change(
    write: ((bytes: Uint8Array) => Promise<void>) | null,
    bytes: Uint8Array,
    work: () => Promise<void>,
  ): Promise<void> {
    if (crashed) throw new Error('The app has crashed.');
    counted += 1;
    if (armed === null || counted !== armed.call) return work();
    hit = true;
    crashed = armed.fault.startsWith('crash');
    if (armed.fault.endsWith('after')) await work();
    if (armed.fault.endsWith('torn')) await write?.(bytes.slice(0, bytes.length / 2));
    if (armed.fault.endsWith('emptied')) await write?.(new Uint8Array());
    throw Object.assign(new Error(`${armed.fault} at call ${counted}`), { code: 'ENOSPC' });
  }

  const nothing = new Uint8Array();
  return {
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
    arm(call, fault) {
      armed = { call, fault };
      counted = 0;
      hit = false;
    },
    disarm() {
      armed = null;
    },
    get hit() {
      return hit;
    },
  };
}
