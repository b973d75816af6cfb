import { isSha, type Sha } from '../base/hash';
import { isRecord } from '../base/json';
import { compareText } from '../base/text';
import { parseTime, type Timestamp, timestamp } from '../base/time';
import type { Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { appendLines, valuesOf } from './lines';

const FOLDER = 'snoozed';

/** A note that was put off: until when, and in which version. A line without `until` ends it. */
interface Snooze {
  readonly path: VaultPath;
  readonly hash: Sha;
  readonly until: Timestamp | null;
  readonly at: Timestamp;
}

/** The queued notes that were put off: read from the files of all devices, written to the file of this one. */
export class Snoozes {
  #revision = 0;
  /** What was parsed last: every listing of the queue asks for it. */
  #parsed = { text: '', last: new Map<VaultPath, Snooze>() };

  constructor(private readonly ports: Pick<Store, 'state' | 'clock' | 'device'>) {}

  /** A number that grows whenever a note is put off or woken here: the vault itself does not change then. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns a function that tells until when a queued note is put off; null for one that is not, or has changed since. */
  async untilOf(): Promise<
    (note: { readonly path: VaultPath; readonly content_hash: Sha }) => Timestamp | null
  > {
    const { state, clock } = this.ports;
    const files = await state.list(FOLDER);
    const text = (await Promise.all(files.map((file) => state.read(file)))).join('\n');
    if (text !== this.#parsed.text) this.#parsed = { text, last: lastSnoozes(text) };
    const { last } = this.#parsed;
    const now = timestamp(clock.now());
    return ({ path, content_hash: hash }) => {
      const snooze = last.get(path);
      if (snooze === undefined || snooze.hash !== hash || snooze.until === null) return null;
      return snooze.until > now ? snooze.until : null;
    };
  }

  /** Puts a note off, or wakes it. */
  async add(snooze: Snooze): Promise<void> {
    const { state, device } = this.ports;
    await appendLines(state, `${FOLDER}/${device}.jsonl`, [snooze], false);
    this.#revision += 1;
  }
}

/** Returns the last snooze of each note. */
function lastSnoozes(text: string): Map<VaultPath, Snooze> {
  const last = new Map<VaultPath, Snooze>();
  for (const snooze of valuesOf(text, snoozeIn))
    if (compareText(last.get(snooze.path)?.at ?? '', snooze.at) <= 0) last.set(snooze.path, snooze);
  return last;
}

/** Returns the snooze in a line. The note of a torn one is not put off. */
function snoozeIn(value: unknown): Snooze | null {
  if (!isRecord(value)) return null;
  const { path, hash, until, at } = value;
  const isTimed = (until === null || parseTime(until) !== null) && parseTime(at) !== null;
  if (typeof path !== 'string' || !isSha(hash) || !isTimed || typeof at !== 'string') return null;
  return { path: vaultPath(path), hash, until: typeof until === 'string' ? until : null, at };
}
