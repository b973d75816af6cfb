import type { FileStat } from '../ports';
import type { VaultPath } from '../rules/paths';
import type { RetriedFile } from './inbox-port';
import type { Trouble } from './take-file';

/** A file is whole when its time and size have stood still for so long, in milliseconds. */
const STILL_MS = 2000;
/**
 * Waits before a file is tried again, in milliseconds: a converter that starts, one that is restarted, a network that is
 * gone. After the last one a file has failed for good; one that the service had no time for waits as long as that again.
 */
const RETRY_WAITS = [10_000, 60_000, 300_000];

/** A file that was heard of just now is looked at a little later: mostly others come with it. */
const MIN_WAIT_MS = 50;

/** What is known of a file that is to be taken. */
interface Drop {
  readonly stat: FileStat | null;
  /** Since when it has looked like that, in milliseconds since the epoch. */
  readonly since: number;
  readonly attempts: number;
  /** How many of the attempts count: whether the service has time says nothing of the file. */
  readonly failures: number;
  /** Not to be tried before. */
  readonly due: number;
  readonly trouble: Pick<Trouble, 'code' | 'message'> | null;
}

const UNSEEN: Drop = { stat: null, since: 0, attempts: 0, failures: 0, due: 0, trouble: null };

/** The files that are to be taken, until each stands still and its time has come. Times are those of the host's clock. */
export class Drops {
  readonly #drops = new Map<VaultPath, Drop>();

  get size(): number {
    return this.#drops.size;
  }

  has(path: VaultPath): boolean {
    return this.#drops.has(path);
  }

  /** Every path, sorted. */
  paths(): VaultPath[] {
    return [...this.#drops.keys()].sort();
  }

  /** Takes a file up; one that is here already keeps what is known of it. */
  add(path: VaultPath): void {
    if (!this.#drops.has(path)) this.#drops.set(path, UNSEEN);
  }

  delete(path: VaultPath): void {
    this.#drops.delete(path);
  }

  /** Says how a file looks now; true when it has looked so for long enough, and is not to be waited for otherwise. */
  look(path: VaultPath, stat: FileStat, now: number): boolean {
    const drop = this.#drops.get(path) ?? UNSEEN;
    if (drop.stat === null || drop.stat.mtime !== stat.mtime || drop.stat.size !== stat.size) {
      this.#drops.set(path, { ...UNSEEN, stat, since: now });
      return false;
    }
    // A clock that was set back must not make an endless wait.
    if (now < drop.since) this.#drops.set(path, { ...drop, since: now, due: 0 });
    return now - drop.since >= STILL_MS && now >= drop.due;
  }

  /** How often a file has been tried, this time included. */
  attempt(path: VaultPath): number {
    return (this.#drops.get(path)?.attempts ?? 0) + 1;
  }

  /**
   * Notes that a file has failed for a reason that may pass; false when it has been tried often enough. Because the service was
   * busy it never has.
   */
  failed(
    path: VaultPath,
    { code, message, fault }: Pick<Trouble, 'code' | 'message'> & { readonly fault: 'outside' | 'busy' },
    now: number,
  ): boolean {
    const drop = this.#drops.get(path) ?? UNSEEN;
    const { attempts, failures } = drop;
    const wait = fault === 'busy' ? (RETRY_WAITS[attempts] ?? RETRY_WAITS.at(-1)) : RETRY_WAITS[failures];
    if (wait === undefined) return false;
    this.#drops.set(path, {
      ...drop,
      attempts: attempts + 1,
      failures: failures + (fault === 'busy' ? 0 : 1),
      due: now + wait,
      trouble: { code, message },
    });
    return true;
  }

  /** The files that have failed and are tried again, by path. */
  retries(): RetriedFile[] {
    return this.paths().flatMap((path) => {
      const drop = this.#drops.get(path);
      if (drop === undefined || drop.trouble === null) return [];
      return [{ path, attempts: drop.attempts, at: new Date(drop.due), ...drop.trouble }];
    });
  }

  /** Milliseconds until it is worth to look again. */
  patience(now: number): number {
    let patience = Infinity;
    for (const { stat, since, due } of this.#drops.values()) {
      const still = stat === null ? 0 : since + STILL_MS - now;
      patience = Math.min(patience, Math.max(still, due - now));
    }
    // Files may change while they are waited for, and clocks be set.
    return Math.min(STILL_MS, Math.max(MIN_WAIT_MS, patience));
  }
}
