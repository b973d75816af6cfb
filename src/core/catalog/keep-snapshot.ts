import type { Pacing } from '../pace';
import { MAX_STATE_BYTES, type Store } from '../ports';
import type { Knowledge } from './knowledge';
import { packSnapshot } from './snapshot';

/** After the start, what the notes are needed for comes first, in milliseconds. */
const FIRST_MS = 2_000;
/** The vault has to be quiet for so long before its snapshot is taken. */
const CALM_MS = 30_000;
/** After so many looks at a vault that is never quiet it is taken all the same. */
const MAX_LOOKS = 20;
/** At the end nobody waits longer for it; the next start then reads what the last snapshot does not know. */
const CLOSE_MS = 3_000;

export type SnapshotPorts = Pick<
  Store & Knowledge & Pacing,
  'catalog' | 'state' | 'clock' | 'log' | 'pace' | 'device'
>;

export interface SnapshotOptions {
  /** What tells the folder of the vault from others on this machine. */
  readonly place: string;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** True when the snapshot that was read tells all that the catalog knows. */
  readonly isSaved: boolean;
  /** Most bytes that are kept. */
  readonly maxBytes?: number;
}

export interface SnapshotKeeper {
  /** Takes a last snapshot when there is need, within a few seconds. */
  close(): Promise<void>;
}

/** Where the snapshot of the catalog lies in the state. */
export function snapshotPath(device: string): string {
  return `local.${device}/catalog.bin`;
}

/**
 * Keeps a snapshot of the catalog, so that the next start need not read every note: soon after the start, then whenever the
 * vault has been quiet after changes, and at the end. It is taken in slices, and given up when a change comes between them.
 * That it cannot be written is logged; nothing depends on it. Of a vault that is too large for one none is kept.
 */
export function keepSnapshot(
  brain: SnapshotPorts,
  { place, sleep, isSaved, maxBytes = MAX_STATE_BYTES }: SnapshotOptions,
): SnapshotKeeper {
  const { catalog, state, clock, log, pace, device } = brain;
  let saved = isSaved ? catalog.revision : -1;
  let stopped = false;
  let isTooLarge = false;
  let saving: Promise<void> = Promise.resolve();

  async function save(isWanted: () => boolean): Promise<void> {
    const { revision } = catalog;
    if (isTooLarge) return;
    const source = {
      taken: clock.now().getTime(),
      place,
      changed: catalog.dirty.paths(),
      records: catalog.records(),
      index: catalog.packIndex(),
    };
    const goesOn = (): boolean => catalog.revision === revision && isWanted();
    const bytes = await packSnapshot(source, { pace, goesOn, maxBytes });
    if (bytes === null || catalog.revision !== revision) return;
    if ('tooLarge' in bytes) {
      isTooLarge = true;
      const message =
        'What is known of the vault is too large to be kept, so that the next start takes longer.';
      return log.warn('catalog.snapshot_too_large', { message, bytes: bytes.tooLarge, limit: maxBytes });
    }
    await state.writeBytes(snapshotPath(device), bytes);
    saved = revision;
  }

  function saveNow(isWanted: () => boolean): Promise<void> {
    return (saving = save(isWanted).catch((error: unknown) => {
      log.warn('catalog.snapshot', { message: String(error) });
    }));
  }

  async function keep(): Promise<void> {
    await sleep(FIRST_MS);
    if (!stopped && saved !== catalog.revision) await saveNow(() => !stopped);
    for (let seen = catalog.revision, looks = 0; !stopped;) {
      await sleep(CALM_MS);
      if (stopped || catalog.revision === saved) continue;
      looks += 1;
      if (catalog.revision === seen || looks >= MAX_LOOKS) {
        await saveNow(() => !stopped);
        looks = 0;
      }
      seen = catalog.revision;
    }
  }
  void keep();

  return {
    async close() {
      stopped = true;
      await saving;
      if (saved === catalog.revision) return;
      const end = clock.now().getTime() + CLOSE_MS;
      await saveNow(() => clock.now().getTime() < end);
    },
  };
}
