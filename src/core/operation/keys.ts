import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, sha256, utf8Length } from '../base/hash';
import { asciiJson, isRecord } from '../base/json';
import { damagedText } from '../base/text';
import type { Past } from '../past/past';
import type { StateStore, Store } from '../ports/ports';
import type { NoteChange } from '../storage/change-log';
import { KEY_HEADER } from './descriptors';
import { appendLines, LINE_FEED, parseLine } from '../storage/lines';
import type { Plan } from '../storage/plan';
import { vaultPath } from '../vocabulary/paths';

/** A key is kept for a day (ms). */
const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest answer that is kept (bytes of its JSON). */
const MAX_ANSWER = 64 * 1024;
/** How often a server looks for the answer of another one that has made the change, and the pause between two looks (ms). */
const LOOKS = 20;
/** The length of the log of a day beyond which it gets no answers any more, and what of it is parsed at a time (bytes). */
const MAX_LOG = 16 << 20;
const PIECE = 1 << 19;
const PAUSE_MS = 100;

/**
 * Returns the idempotency key of a call; undefined without any.
 * @throws BrainError `invalid_field`
 */
export function readKey(sent: unknown): string | undefined {
  if (sent === undefined || (typeof sent === 'string' && /^[!-~]{1,128}$/.test(sent))) return sent;
  throw new BrainError(
    'invalid_field',
    'An idempotency key has 1 to 128 visible ASCII characters, without spaces. Make a new one for each change, such as a UUID, and send it again only with the same call.',
    { field: KEY_HEADER },
  );
}

/** Returns a text that two inputs share when they ask for the same: the order of keys and a false switch make no difference. */
export function canonical(input: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(input).filter(([, value]) => value !== false);
  return JSON.stringify(Object.fromEntries(given), (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** A call with a key. */
interface KeyedCall {
  /** Stands for the caller, the operation and the key. */
  readonly id: string;
  /** The hash of the input. */
  readonly input: string;
  /** The hash of what the caller may read. */
  readonly sees: string;
  /**
   * Returns the notes that this call has changed as far as the caller may see them now.
   * @throws BrainError `forbidden_scope` when it may no longer write there
   */
  readonly seen: (notes: readonly ChangedNote[]) => readonly ChangedNote[];
  /** Returns false for an answer that is not kept: the call was stopped, and a repeated one goes on. */
  readonly isFinal: (answer: unknown) => boolean;
  /** Resolves false for a kept answer that no longer leads anywhere, so that the call runs again. */
  readonly holds: (answer: unknown) => Promise<boolean>;
}

export type ChangedNote = Pick<NoteChange, 'path' | 'after'>;

/** Records that a plan is about to be made with this answer, before it is made or, where changes are made together, with it. */
export type Intend = (answer: unknown, plan: Plan, state: StateStore, at: number) => Promise<void>;

/** What is kept of a call: its intent, or with `isDone` its outcome. */
interface KeptCall extends Pick<KeyedCall, 'id' | 'input' | 'sees'> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The time that the log gives the first change of an intent (ms since the epoch). */
  readonly changed?: number;
  /** Identifies the run, among those of all servers. */
  readonly run: string;
  readonly isDone: boolean;
  /** The first note that the change is to write: a change of one file may have no line in the log yet when it is cut. */
  readonly wrote?: ChangedNote;
  /** Absent when it is too long. */
  readonly answer?: unknown;
}

/** The calls with a key that are kept. */
interface KeptCalls {
  /** True when an intent becomes durable together with its change. */
  readonly isTogether: boolean;
  find(id: string): Promise<KeptCall | null>;
  /** Keeps a call, durably. @throws Taken when another server has kept it */
  keep(call: KeptCall, state?: StateStore): Promise<void>;
}

type KeyPorts = Pick<Store, 'vault' | 'state' | 'clock' | 'device' | 'log'> & {
  readonly past: Pick<Past, 'read'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** The error of a call whose key another server used meanwhile. */
class Taken extends Error {}

/** Makes the change of a call with a key once, however often the call is repeated within a day. */
export class Keys {
  readonly #kept: KeptCalls;
  readonly #running = new Map<string, Promise<unknown>>();
  /** Outcomes that could not be kept. */
  readonly #late = new Map<string, KeptCall>();

  constructor(private readonly ports: KeyPorts) {
    this.#kept = ports.state.replace === undefined ? new KeyLog(ports) : new KeyRows(ports);
  }

  /**
   * Runs a call, or returns the answer of the former one with this key. A call during the former one waits for it. Errors of `run`
   * are passed on and not kept.
   * @throws BrainError `key_reused` when the key belongs to another input, or when only the change is known and not its answer
   */
  async once<T>(
    call: KeyedCall,
    run: (intend: Intend) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isReplayed: boolean }> {
    for (;;) {
      const former = this.#running.get(call.id);
      if (former === undefined) break;
      await former;
    }
    const outcome = this.#settle(call, run);
    const end = (): boolean => this.#running.delete(call.id);
    this.#running.set(call.id, outcome.then(end, end));
    return outcome;
  }

  async #settle<T>(
    call: KeyedCall,
    run: (intend: Intend) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isReplayed: boolean }> {
    for (let looks = 0; ; looks += 1) {
      const kept = this.#late.get(call.id) ?? (await this.#kept.find(call.id));
      const changed = kept && (await this.#changedBy(kept));
      if (kept === null || changed === null) {
        const own = bytesToHex(randomBytes(8));
        try {
          return { answer: await this.#run(call, own, run), isReplayed: false };
        } catch (error) {
          // What another server has done with this key may be the reason.
          if (!this.#kept.isTogether) throw error;
          const other = await this.#kept.find(call.id);
          if (other === null || other.run === own) throw error;
          continue;
        }
      }
      if (kept.input !== call.input) throw keyReused();
      if (!kept.isDone && this.#kept.isTogether && looks < LOOKS) {
        await this.ports.sleep(PAUSE_MS);
        continue;
      }
      const notes = call.seen(changed);
      if (kept.answer === undefined || kept.sees !== call.sees) throw madeBefore(notes);
      if (changed.length === 0 && !(await call.holds(kept.answer)))
        return { answer: await this.#run(call, kept.run, run), isReplayed: false };
      // The input is the same, and so is the operation, whose answer it is.
      return { answer: kept.answer as T, isReplayed: true };
    }
  }

  /** Returns the notes that a call has changed; null when it was cut before its change. */
  async #changedBy({ id, at, changed, isDone, wrote }: KeptCall): Promise<readonly ChangedNote[] | null> {
    const past = await this.ports.past.read();
    // An older change is that of a call whose key was free again, or of another call that wrote the same text.
    const from = isDone || this.#kept.isTogether ? at - DAY_MS : (changed ?? at);
    const changes = (await past.withKey(id)).filter((change) => change.at >= from);
    if (changes.length > 0) return changes.flatMap(({ notes }) => notes);
    if (isDone || this.#kept.isTogether) return [];
    if (wrote?.after === undefined || wrote.after === null) return null;
    const text = await this.ports.vault.read(wrote.path);
    const isThere = text !== null && sha256(text) === wrote.after;
    const later = isThere ? [] : await past.naming(wrote.after);
    const wasThere = later.some(
      (change) => change.at >= from && change.notes.some(({ before }) => before === wrote.after),
    );
    return isThere || wasThere ? [wrote] : null;
  }

  async #run<T>(call: KeyedCall, run: string, work: (intend: Intend) => Promise<T>): Promise<T> {
    const { id, input, sees } = call;
    const kept = (answer: unknown, isDone: boolean): KeptCall => {
      const isShort = utf8Length(JSON.stringify(answer)) <= MAX_ANSWER;
      const at = this.ports.clock.now().getTime();
      return { id, at, input, sees, run, isDone, ...(isShort && { answer }) };
    };
    // A call may make several changes, or try one again.
    let first: number | undefined;
    const answer = await work((planned, plan, state, at) =>
      this.#kept.keep({ ...kept(planned, false), changed: (first ??= at), ...writtenBy(plan) }, state),
    );
    if (!call.isFinal(answer)) return answer;
    const outcome = kept(answer, true);
    try {
      await this.#kept.keep(outcome);
    } catch (error) {
      if (error instanceof Taken) throw error;
      // The change is made, so the caller gets its answer.
      this.#late.set(id, outcome);
      this.ports.log.error('keys.keep', { message: String(error) });
    }
    return answer;
  }
}

/** Returns what a plan writes first, when that is another text than before. */
function writtenBy({ steps }: Plan): Pick<KeptCall, 'wrote'> {
  const [first] = steps;
  if (first === undefined || first.kind === 'remove') return {};
  const after = sha256(first.text);
  return first.kind === 'edit' && first.before === after ? {} : { wrote: { path: first.path, after } };
}

function keyReused(): BrainError {
  return new BrainError(
    'key_reused',
    'This idempotency key belongs to a call with another input. Nothing was changed now. Make a new key for this call.',
    { made: false },
  );
}

/** Returns the error of a repeated call whose change was made, and whose answer is not kept or is for other rights. */
function madeBefore(notes: readonly ChangedNote[]): BrainError {
  const shown = notes.slice(0, 20).map(({ path, after }) => ({ path, content_hash: after }));
  const where = shown.length === 0 ? '' : ` It changed ${shown.map(({ path }) => path).join(', ')}.`;
  return new BrainError(
    'key_reused',
    `The call with this idempotency key was done, and nothing was changed now.${where} Its answer cannot be given again: read what you need.`,
    { made: true, notes: shown },
  );
}

/** Returns the day of a time (ms since the epoch): `2026-11-30`. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the call in a parsed line; null for what is no such line. */
function callIn(value: unknown): KeptCall | null {
  if (!isRecord(value)) return null;
  const { id, at, input, sees, run, done, wrote, answer, changed } = value;
  if (typeof id !== 'string' || typeof at !== 'number' || typeof input !== 'string') return null;
  if (typeof sees !== 'string' || typeof run !== 'string') return null;
  const [path, after] = (Array.isArray(wrote) ? wrote : []) as unknown[]; // The elements are checked below.
  return {
    ...{ id, at, input, sees, run, isDone: done === true },
    ...(typeof changed === 'number' && { changed }),
    ...(typeof path === 'string' && isSha(after) && { wrote: { path: vaultPath(path), after } }),
    ...(answer !== undefined && { answer }),
  };
}

function lineOf({ isDone, wrote, ...call }: KeptCall): object {
  return { ...call, ...(isDone && { done: true }), ...(wrote && { wrote: [wrote.path, wrote.after] }) };
}

/** Where a line is: its file, and its bytes in it. */
interface Place {
  readonly file: string;
  readonly from: number;
  readonly length: number;
}

/** The calls of a vault that one server holds: a log of this device for each day. In memory is where the last line of a key is. */
class KeyLog implements KeptCalls {
  readonly isTogether = false;
  readonly #places = new Map<string, Place>();
  /** The length of the log of today (bytes). */
  #length = 0;
  /** The day of the logs that have been read; empty when they must be read. */
  #day = '';
  #turn: Promise<unknown> = Promise.resolve();
  /** The append that has not begun: calls that come until then share it. */
  #next: { readonly calls: KeptCall[]; readonly done: Promise<void> } | null = null;

  constructor(private readonly ports: KeyPorts) {}

  async find(id: string): Promise<KeptCall | null> {
    const { state, clock } = this.ports;
    if (this.#day !== this.#today()) await this.#inTurn(() => this.#read());
    const place = this.#places.get(id);
    if (place === undefined) return null;
    const bytes = await state.readPart(place.file, place.from, place.from + place.length);
    const call = bytes && callIn(parseLine(damagedText(bytes)));
    if (call?.id !== id) {
      this.#day = '';
      throw new Error(`${place.file} is no longer what was read.`);
    }
    return call.at + DAY_MS > clock.now().getTime() ? call : null;
  }

  keep(call: KeptCall): Promise<void> {
    if (this.#next === null) {
      const calls: KeptCall[] = [];
      this.#next = { calls, done: this.#inTurn(() => this.#append(calls)) };
    }
    // Beyond the room of a day a repeated call is told what was done, and not its answer.
    const { answer: _, ...bare } = call;
    this.#next.calls.push(this.#length > MAX_LOG ? bare : call);
    return this.#next.done;
  }

  async #append(calls: readonly KeptCall[]): Promise<void> {
    this.#next = null;
    await this.#read();
    const lines = calls.map(lineOf);
    const file = this.#fileOf(this.#day);
    let from = this.#length + 1;
    try {
      this.#length += await appendLines(this.ports.state, file, lines, true);
    } catch (error) {
      // A part of the lines may be there.
      this.#day = '';
      throw error;
    }
    for (const [index, line] of lines.entries()) {
      const { length } = asciiJson(line);
      this.#places.set(calls[index]?.id ?? '', { file, from, length });
      from += length + 1;
    }
  }

  /** Reads the logs of today and yesterday, when they are not known, and removes older ones. */
  async #read(): Promise<void> {
    const { state, device, clock } = this.ports;
    const today = this.#today();
    if (this.#day === today) return;
    const yesterday = dayOf(clock.now().getTime() - DAY_MS);
    this.#places.clear();
    this.#length = 0;
    for (const file of await state.list(`local.${device}`)) {
      const day = /\/keys\.(\d{4}-\d\d-\d\d)\.jsonl$/.exec(file)?.[1];
      if (day === undefined) continue;
      if (day < yesterday) await state.remove(file, false);
      else await this.#readLog(file, day === today);
    }
    this.#day = today;
  }

  async #readLog(file: string, isToday: boolean): Promise<void> {
    const bytes = (await this.ports.state.readBytes(file)) ?? new Uint8Array();
    for (let [from, piece] = [0, 0]; from < bytes.length;) {
      if (from - piece > PIECE) {
        piece = from;
        await this.ports.sleep(0);
      }
      const feed = bytes.indexOf(LINE_FEED, from);
      const end = feed < 0 ? bytes.length : feed;
      const call = callIn(parseLine(damagedText(bytes.subarray(from, end))));
      if (call !== null) this.#places.set(call.id, { file, from, length: end - from });
      from = end + 1;
    }
    if (isToday) this.#length = bytes.length;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined); // Who asked gets the error.
    return done;
  }

  #today(): string {
    return dayOf(this.ports.clock.now().getTime());
  }

  #fileOf(day: string): string {
    return `local.${this.ports.device}/keys.${day}.jsonl`;
  }
}

/** The calls of a vault that several servers share: a file of the state for each, made in the transaction of the change. */
class KeyRows implements KeptCalls {
  readonly isTogether = true;
  #swept = '';

  constructor(private readonly ports: KeyPorts) {}

  async find(id: string): Promise<KeptCall | null> {
    const now = this.ports.clock.now().getTime();
    for (const time of [now, now - DAY_MS]) {
      const call = await this.#read(rowOf(id, time), this.ports.state);
      if (call !== null && call.at + DAY_MS > now) return call;
    }
    return null;
  }

  async keep(call: KeptCall, state = this.ports.state): Promise<void> {
    const path = rowOf(call.id, call.at);
    const text = asciiJson(lineOf(call));
    if (!(await state.create(path, text))) {
      if ((await this.#read(path, state))?.run !== call.run) throw new Taken();
      await state.write(path, text);
    }
    // Nobody waits for it.
    if (call.isDone)
      this.#sweep(dayOf(call.at), dayOf(call.at - DAY_MS)).catch((error: unknown) =>
        this.ports.log.warn('keys.sweep', { message: String(error) }),
      );
  }

  async #read(path: string, state: StateStore): Promise<KeptCall | null> {
    return callIn(parseLine((await state.read(path)) ?? ''));
  }

  /** Removes the keys of days past, once a day. */
  async #sweep(today: string, yesterday: string): Promise<void> {
    if (this.#swept === today) return;
    this.#swept = today;
    for (const path of await this.ports.state.list(ROWS))
      if (path.slice(ROWS.length + 1) < yesterday) await this.ports.state.remove(path, false);
  }
}

const ROWS = 'local.team/keys';

function rowOf(id: string, time: number): string {
  return `${ROWS}/${dayOf(time)}/${id}.json`;
}

/** Returns the id of a call: the caller, the operation and the key. */
export function idOf(
  { human, name }: Pick<Caller, 'human' | 'name'>,
  operation: string,
  key: string,
): string {
  return sha256(JSON.stringify([human, name, operation, key]));
}
