import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import { compareText } from '../base/text';
import { type Timestamp, timestamp } from '../base/time';
import type { StateStore, Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { isTelling, type Told, toldIn } from './event-data';
import { appendLines, PIECE, valuesOf } from './lines';
import { type Decision, isOptional, type Plan, type Step } from './plan';

/** A segment is full at this length (bytes). */
const FULL = 8 << 20;

/** The version of the lines, and the lowest version of a program that reads them. Every segment begins with both. */
const HEAD = { v: 1, min_reader: 1 };

/** The most by which a line of another device may lead the clock of this one (ms). One that leads by more has a wrong clock. */
const MAX_LEAD = 86_400_000;

/** The bytes at the end of a log in which its last lines are looked for, and those at its beginning for its head. */
const END = 1 << 20;
const BEGINNING = 256;

/** Returns true for a log under another name than a device gives, whose lines may stand in another log too. */
export function isCopy(path: string): boolean {
  return path.startsWith('past/') && !SEGMENT.test(path);
}

/** The segment of a device: `past/<device>.<time of its first segment, base 36>.<number>.jsonl`. */
const SEGMENT = /^past\/([0-9a-z-]{1,32})\.([0-9a-z]+)\.(\d+)\.jsonl$/;

/** The place of a segment among those of its device. */
interface SegmentName {
  readonly device: string;
  /** The time of the first segment since the device began anew, base 36. */
  readonly epoch: string;
  readonly number: number;
}

/** Returns what the path of a segment says; null for the path of another log. */
export function segmentOf(path: string): SegmentName | null {
  const [, device, epoch = '', number] = SEGMENT.exec(path) ?? [];
  return device === undefined ? null : { device, epoch, number: Number(number) };
}

/** Compares two segments of a device by time. */
export function compareSegments(
  a: Pick<SegmentName, 'epoch' | 'number'>,
  b: Pick<SegmentName, 'epoch' | 'number'>,
): number {
  return parseInt(a.epoch, 36) - parseInt(b.epoch, 36) || a.number - b.number;
}

/** Returns the lowest version of a program that reads a log, as the line at its beginning says it; null for any other line. */
export function minReaderIn(value: unknown): number | null {
  return isRecord(value) && typeof value.min_reader === 'number' ? value.min_reader : null;
}

/**
 * Looks whether this program may write into a vault, whose other devices it would not understand otherwise.
 * @throws BrainError `not_implemented` when a segment needs a later version.
 */
export async function refuseNewer(state: Pick<StateStore, 'list' | 'readPart'>): Promise<void> {
  for (const path of (await state.list('past')).filter((each) => each.endsWith('.jsonl'))) {
    const beginning = await state.readPart(path, 0, BEGINNING);
    const [reader = 0] = valuesOf(beginning && new TextDecoder().decode(beginning), minReaderIn);
    if (reader > HEAD.v) throw newer(path);
  }
}

function newer(path: string): BrainError {
  const device = segmentOf(path)?.device;
  return new BrainError(
    'not_implemented',
    `${device === undefined ? 'Another device' : `The device ${device}`} writes the past of this vault in a newer form (${path}). Update Brain Server on this device; until then it changes nothing here.`,
  );
}

/** The part that a note has in a change: its links followed, its text went into another note, or it is what the change is about. */
type Role = 'link' | 'used' | 'main';

/** The content hashes of one note before a change (null: the note was created) and after it (null: it was removed). */
export interface NoteChange {
  readonly path: VaultPath;
  readonly before: Sha | null;
  readonly after: Sha | null;
  /** Absent in lines of earlier versions. */
  readonly role?: Role;
  /** Where the note was before the change moved it. */
  readonly from?: VaultPath;
}

/** Who changed something: the verified caller of an operation, and what it claims to be. */
interface Actor {
  readonly name: string;
  readonly human: boolean;
  readonly origin: string;
  readonly client?: string;
}

/** What is known of a change before its plan is. */
export interface Acting {
  /** Absent for a change of the service itself. */
  readonly by?: Actor;
  /** The key of the call, by which a repeated one finds this change. A change with a key is synced to its log. */
  readonly key?: string;
}

/** The name of a change, fixed before it begins, and who makes it. */
export interface ChangeEvent extends Acting {
  /** Device, run of the program and number: no two changes have the same. */
  readonly id: string;
  /** Milliseconds since the epoch, later than every change that this device has read. */
  readonly at: number;
}

/** One change of the vault by the service, as the change log records it. */
export interface LoggedChange extends Acting, Told {
  /** Absent in lines of earlier versions. */
  readonly id?: string;
  /** Milliseconds since the epoch; whole seconds in lines of earlier versions. */
  readonly at: number;
  readonly ts: Timestamp;
  /** The operation name of the plan: `update`. */
  readonly op: string;
  readonly notes: readonly NoteChange[];
  /** Who decided and why; absent for a change that is no decision, and in lines of earlier versions. */
  readonly decision?: Decision;
}

type LogPorts = Pick<Store, 'state' | 'clock' | 'device'>;
type LogState = Pick<StateStore, 'list' | 'readBytes' | 'append'>;

/** The open segment of this device. */
interface Segment {
  readonly epoch: string;
  readonly number: number;
  size: number;
}

/** Lines that are appended together. */
interface Batch {
  readonly lines: object[];
  /** Their length (UTF-16 units), with the head that may come before them. */
  length: number;
  isSynced: boolean;
  done: Promise<void>;
}

/**
 * The change log of this device, for appending. It tells texts of the service from those of people and other programs, and leads
 * from an overwritten note to its former text.
 */
export class ChangeLog {
  /** The running append. */
  #now: Promise<void> = Promise.resolve();
  /** The lines that wait for it. */
  #next: Batch | null = null;
  #segment: Promise<Segment> | null = null;
  readonly #run = bytesToHex(randomBytes(5));
  #count = 0;
  #last = 0;
  #logged = 0;
  #besideNotes = 0;
  #path: string | null = null;
  /** A segment that needs a later version. */
  #newer: string | null = null;

  constructor(private readonly ports: LogPorts) {}

  /** Takes note of the times of changes that were read, so that the next one of this device is later. */
  seen(times: Iterable<number>): void {
    const end = this.now + MAX_LEAD;
    for (const at of times) if (at < end && at > this.#last) this.#last = at;
  }

  /** Takes note of the lowest version that reads a log: this program makes no more changes when it is older. */
  needs(reader: number, path: string): void {
    if (reader > HEAD.v) this.#newer = path;
  }

  /** How many changes of this process changed no note, so that nothing else tells of them. */
  get besideNotes(): number {
    return this.#besideNotes;
  }

  /** How many changes of this process are in the log. */
  get count(): number {
    return this.#logged;
  }

  /** The segment of the last change of this process; null before the first. */
  get path(): string | null {
    return this.#path;
  }

  /** The time of the device (ms since the epoch). */
  get now(): number {
    return this.ports.clock.now().getTime();
  }

  /** Returns a name for a change that is planned. */
  nextId(): string {
    this.#count += 1;
    return `${this.ports.device}.${this.#run}.${this.#count}`;
  }

  /**
   * Returns the name and the time of a change that begins.
   * @throws BrainError `not_implemented` when another device writes what this program does not understand.
   */
  async begin(
    acting: Acting,
    id: string = this.nextId(),
    state: LogState = this.ports.state,
  ): Promise<ChangeEvent> {
    if (this.#newer !== null) throw newer(this.#newer);
    await this.#open(state);
    this.#last = Math.max(this.#last + 1, this.now);
    return { id, at: this.#last, ...acting };
  }

  /**
   * Appends a change: the hashes before and after. A power cut may lose the last changes, but none with a key, and none of what
   * nothing else tells. A change that is made together with its line is appended to the `state` of its transaction.
   */
  async add(plan: Plan, event: ChangeEvent, state?: LogState): Promise<void> {
    if (plan.steps.length === 0 && !isTelling(plan)) return;
    const line = lineOf(plan, event);
    if (plan.steps.length === 0) this.#besideNotes += 1;
    if (state !== undefined) return this.#write(state, [line], false);
    const { length } = JSON.stringify(line);
    // An append in pieces that fails may leave whole lines, whose changes would be told that they have none.
    if (this.#next !== null && this.#next.length + length > PIECE) this.#next = null;
    const batch = (this.#next ??= this.#batch());
    batch.lines.push(line);
    batch.length += length + 1;
    if (event.key !== undefined || isTelling(plan)) batch.isSynced = true;
    return batch.done;
  }

  /** Finds the segment anew with the next change: what a transaction appended may not be there. */
  rolledBack(): void {
    this.#segment = null;
  }

  /** Returns whether one of the last lines of this device has this change. */
  async has({ id }: ChangeEvent): Promise<boolean> {
    const segment = await this.#open(this.ports.state);
    const bytes = await this.ports.state.readBytes(this.#pathOf(segment));
    return bytes !== null && lastChanges(bytes).some((change) => change.id === id);
  }

  /** Begins the lines that share the next append: all that arrive during the running one. */
  #batch(): Batch {
    const head = JSON.stringify(HEAD).length + 2;
    const batch: Batch = { lines: [], length: head, isSynced: false, done: Promise.resolve() };
    batch.done = this.#now.then(async () => {
      if (this.#next === batch) this.#next = null;
      await this.#write(this.ports.state, batch.lines, batch.isSynced);
    });
    this.#now = batch.done.catch(() => undefined); // Every caller of this append gets the error.
    return batch;
  }

  async #write(state: LogState, lines: readonly object[], sync: boolean): Promise<void> {
    const segment = await this.#open(state);
    const values = segment.size === 0 ? [HEAD, ...lines] : lines;
    const path = this.#pathOf(segment);
    segment.size += await appendLines(state, path, values, sync);
    this.#path = path;
    this.#logged += lines.length;
    if (segment.size > FULL)
      this.#segment = Promise.resolve({ epoch: segment.epoch, number: segment.number + 1, size: 0 });
  }

  #pathOf({ epoch, number }: Segment): string {
    return `past/${this.ports.device}.${epoch}.${number}.jsonl`;
  }

  #open(state: LogState): Promise<Segment> {
    if (this.#segment === null) {
      this.#segment = this.#find(state);
      this.#segment.catch(() => (this.#segment = null));
    }
    return this.#segment;
  }

  /** Finds the last segment of this device, and the time of its last change. */
  async #find(state: LogState): Promise<Segment> {
    const { device, clock } = this.ports;
    const found: Segment[] = [];
    for (const path of await state.list('past')) {
      const segment = segmentOf(path);
      if (segment?.device === device) found.push({ ...segment, size: 0 });
    }
    found.sort(compareSegments);
    const segment = found.at(-1) ?? { epoch: clock.now().getTime().toString(36), number: 1, size: 0 };
    const earlier = (await state.list('changes')).filter((path) => path.endsWith(`.${device}.jsonl`)).sort();
    const last = found.length > 0 ? this.#pathOf(segment) : earlier.at(-1);
    const bytes = last === undefined ? null : await state.readBytes(last);
    if (bytes === null) return segment;
    this.seen(lastChanges(bytes).map(({ at }) => at));
    return { ...segment, size: found.length > 0 ? bytes.length : 0 };
  }
}

/** Returns the changes in the last lines of a log. */
function lastChanges(bytes: Uint8Array): LoggedChange[] {
  return valuesOf(new TextDecoder().decode(bytes.subarray(-END)), changeIn);
}

function lineOf({ op, steps, decision, data, of, saw }: Plan, { id, at, by, key }: ChangeEvent): object {
  const notes = steps.map((step, index) => {
    const { path, before, after } = changeOf(step);
    const next = steps[index + 1];
    // A note that is removed gives its text to that of the step before.
    const from = step.kind === 'create' && next?.kind === 'remove' ? next.path : undefined;
    const isUsed = step.kind === 'remove' && steps[index - 1]?.kind === 'edit';
    const role: Role = isOptional(step) ? 'link' : isUsed ? 'used' : 'main';
    return from === undefined ? [path, before, after, role] : [path, before, after, role, from];
  });
  return { id, at, op, by, notes, decision, key, data, of, saw };
}

/** Returns the hashes before and after a step. */
function changeOf(step: Step): NoteChange {
  return {
    path: step.path,
    before: step.kind === 'create' ? null : step.before,
    after: step.kind === 'remove' ? null : sha256(step.text),
  };
}

/** A change with its position in the logs of all devices: its time, the log, and the offset in it (bytes). */
export interface PastChange extends LoggedChange {
  readonly place: readonly [at: number, log: string, offset: number];
}

/** Compares two changes by time, as far as the clocks of the devices agree. */
export function comparePlaces(a: PastChange, b: PastChange): number {
  const [at, log, offset] = a.place;
  const [otherAt, otherLog, otherOffset] = b.place;
  return at - otherAt || compareText(log, otherLog) || offset - otherOffset;
}

/** Returns the change in a parsed line; null for a torn one, which is missing as evidence only, and for the head of a segment. */
export function changeIn(value: unknown): LoggedChange | null {
  if (!isRecord(value)) return null;
  const { op, notes, id, key, by } = value;
  const at = typeof value.at === 'number' ? value.at : Date.parse(String(value.ts));
  if (!Number.isFinite(at) || typeof op !== 'string' || !Array.isArray(notes)) return null;
  const decided = parseDecision(value.decision);
  return {
    ts: timestamp(new Date(at)),
    at,
    op,
    notes: notes.flatMap(parseNoteChange),
    ...(decided && { decision: decided }),
    ...(typeof id === 'string' && { id }),
    ...(typeof key === 'string' && { key }),
    ...(isActor(by) && { by }),
    ...toldIn(value),
  };
}

/** Returns true for a change as a journal has it. */
export function isEvent(value: unknown): value is ChangeEvent {
  if (!isRecord(value)) return false;
  const { id, at, by, key } = value;
  const isNamed = typeof id === 'string' && typeof at === 'number';
  return isNamed && (by === undefined || isActor(by)) && (key === undefined || typeof key === 'string');
}

function isActor(value: unknown): value is Actor {
  if (!isRecord(value)) return false;
  const { name, human, origin, client } = value;
  const isNamed = typeof name === 'string' && typeof origin === 'string' && typeof human === 'boolean';
  return isNamed && (client === undefined || typeof client === 'string');
}

function parseDecision(value: unknown): Decision | null {
  if (!isRecord(value) || typeof value.by !== 'string') return null;
  const { by, title, reason } = value;
  return {
    by,
    ...(typeof title === 'string' && { title }),
    ...(typeof reason === 'string' && { reason }),
  };
}

function parseNoteChange(value: unknown): NoteChange[] {
  if (!Array.isArray(value)) return [];
  const [path, before, after, role, from] = value as unknown[]; // The elements are checked below.
  if (typeof path !== 'string' || !isShaOrNull(before) || !isShaOrNull(after)) return [];
  const change = { path: vaultPath(path), before, after };
  return [
    {
      ...change,
      ...((role === 'link' || role === 'used' || role === 'main') && { role }),
      ...(typeof from === 'string' && { from: vaultPath(from) }),
    },
  ];
}

function isShaOrNull(value: unknown): value is Sha | null {
  return value === null || isSha(value);
}
