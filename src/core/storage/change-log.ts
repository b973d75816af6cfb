import { isSha, type Sha, sha256 } from '../base/hash';
import { asciiJson, isRecord } from '../base/json';
import type { Pace } from '../base/steps';
import { compareText } from '../base/text';
import { type Timestamp, timestamp } from '../base/time';
import type { StateStore, Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { appendLines, linesOf, valuesOf } from './lines';
import type { Decision, Plan, Step } from './plan';

const FOLDER = 'changes';
const LOG_FILE = /^changes\/(\d{4}-\d{2})\.[0-9a-z-]{1,32}\.jsonl$/;

/** The content hashes of one note before a change (null: the note was created) and after it (null: it was removed). */
export interface NoteChange {
  readonly path: VaultPath;
  readonly before: Sha | null;
  readonly after: Sha | null;
}

/** One change of the vault by the service, as the change log records it. */
export interface LoggedChange {
  readonly ts: Timestamp;
  /** The operation name of the plan: `update`. */
  readonly op: string;
  readonly notes: readonly NoteChange[];
  /** Who decided and why; absent for a change that is no decision, and in lines of earlier versions. */
  readonly decision?: Decision;
}

/**
 * The change log of this device, for appending. It tells texts of the service from those of people and other programs, and leads
 * from an overwritten note to its former text.
 */
export class ChangeLog {
  /** The running append. */
  #now: Promise<void> = Promise.resolve();
  /** The lines that wait for it, by file. */
  #next: { readonly done: Promise<void>; readonly files: Map<string, object[]> } | null = null;

  constructor(private readonly ports: Pick<Store, 'state' | 'clock' | 'device'>) {}

  /** Appends a change: the hashes before and after. The append is not synced: a power cut may lose its last lines. */
  async add(plan: Plan): Promise<void> {
    if (plan.steps.length === 0) return;
    const { clock, device } = this.ports;
    const ts = timestamp(clock.now());
    const notes = plan.steps.map((step) => {
      const { path, before, after } = changeOf(step);
      return [path, before, after];
    });
    const line = { ts, op: plan.op, notes, decision: plan.decision };
    await this.#append(`${FOLDER}/${ts.slice(0, 7)}.${device}.jsonl`, line);
  }

  /** Appends a line to a file. Lines that arrive during an append share the next one. */
  #append(file: string, line: object): Promise<void> {
    if (this.#next === null) {
      const files = new Map<string, object[]>();
      const done = this.#now.then(async () => {
        this.#next = null;
        for (const [at, lines] of files) await appendLines(this.ports.state, at, lines, false);
      });
      this.#now = done.catch(() => undefined); // Every caller of this append gets the error.
      this.#next = { done, files };
    }
    const { done, files } = this.#next;
    if (files.get(file)?.push(line) === undefined) files.set(file, [line]);
    return done;
  }
}

/** Returns the hashes before and after a step. */
function changeOf(step: Step): NoteChange {
  return {
    path: step.path,
    before: step.kind === 'create' ? null : step.before,
    after: step.kind === 'remove' ? null : sha256(step.text),
  };
}

/** Returns every logged change at or after `since`, of all devices that share the vault, oldest first. */
export async function changesSince(state: StateStore, since: Timestamp): Promise<LoggedChange[]> {
  const found: LoggedChange[] = [];
  for (const path of await state.list(FOLDER)) {
    const month = LOG_FILE.exec(path)?.[1];
    if (month === undefined || month < since.slice(0, 7)) continue;
    for (const { value } of linesOf(await state.read(path), changeIn))
      if (value !== null && value.ts >= since) found.push(value);
  }
  return found.sort((a, b) => compareText(a.ts, b.ts));
}

/** The amount of log text searched in one piece, in UTF-16 units: thousands of lines, a few milliseconds. */
const PIECE = 262_144;

/** A change with its position in the log of all devices, for ordering. */
export interface PlacedChange extends LoggedChange {
  readonly place: readonly [ts: string, file: number, offset: number];
}

/** Compares two changes by time, as far as the clocks of the devices agree. */
export function comparePlaces(a: PlacedChange, b: PlacedChange): number {
  const [ts, file, offset] = a.place;
  const [otherTs, otherFile, otherOffset] = b.place;
  return compareText(ts, otherTs) || file - otherFile || offset - otherOffset;
}

/**
 * Reads the log of all devices. Returns a function that finds the changes that name a hash or a path, oldest first. It parses
 * only the matching lines, which are few even in the log of many years.
 */
export async function searchableLog(
  state: StateStore,
  pace: Pick<Pace, 'run'>,
): Promise<(name: string) => Promise<PlacedChange[]>> {
  const texts: string[] = [];
  for await (const text of textsOf(state)) texts.push(text);
  return async (name) => {
    const found: PlacedChange[] = [];
    for (const [file, text] of texts.entries()) {
      for (const [start, lines] of piecesOf(text)) {
        const changes = await pace.run(() => [...changesNaming(lines, name)]);
        for (const [at, change] of changes) found.push({ ...change, place: [change.ts, file, start + at] });
      }
    }
    return found.sort(comparePlaces);
  };
}

/** Yields the texts of the log, a file of each device and month. */
async function* textsOf(state: StateStore): AsyncGenerator<string> {
  for (const path of await state.list(FOLDER)) if (LOG_FILE.test(path)) yield (await state.read(path)) ?? '';
}

/** Yields a text in pieces of whole lines, each with its offset. */
function* piecesOf(text: string): Generator<[offset: number, lines: string]> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from + PIECE);
    const to = end < 0 ? text.length : end;
    yield [from, text.slice(from, to)];
    from = to + 1;
  }
}

/** Yields the changes in `lines` that contain the name, each with the offset of its line. */
function* changesNaming(lines: string, name: string): Generator<[offset: number, LoggedChange]> {
  const needle = asciiJson(name);
  for (let at = lines.indexOf(needle); at >= 0;) {
    const from = lines.lastIndexOf('\n', at) + 1;
    const end = lines.indexOf('\n', at);
    const to = end < 0 ? lines.length : end;
    for (const change of valuesOf(lines.slice(from, to), changeIn)) yield [from, change];
    at = lines.indexOf(needle, to);
  }
}

/** Yields every change of one of the operations in the log of all devices, with its position, in no order. */
export async function* changesOf(
  state: StateStore,
  pace: Pick<Pace, 'run'>,
  ops: ReadonlySet<string>,
): AsyncGenerator<readonly PlacedChange[]> {
  const isWanted = (line: string): boolean => ops.has(OPERATION.exec(line)?.[1] ?? '');
  for await (const changes of changesWith(state, pace, isWanted))
    yield changes.filter(({ op }) => ops.has(op));
}

/** Matches the operation of a line, so that only lines of the wanted ones are parsed. */
const OPERATION = /"op":"([a-z-]+)"/;

/**
 * Yields every change in the log of all devices whose line, in the ASCII JSON of `ChangeLog`, is wanted, with its position, in
 * no order.
 */
export async function* changesWith(
  state: StateStore,
  pace: Pick<Pace, 'run'>,
  isWanted: (line: string) => boolean,
): AsyncGenerator<readonly PlacedChange[]> {
  let file = 0;
  for await (const text of textsOf(state)) {
    const at = file;
    for (const [start, lines] of piecesOf(text))
      yield await pace.run(() => changesIn(lines, isWanted, at, start));
    file += 1;
  }
}

function changesIn(
  lines: string,
  isWanted: (line: string) => boolean,
  file: number,
  start: number,
): readonly PlacedChange[] {
  return [...linesOf(lines, changeIn, isWanted)].flatMap(({ at, value: change }) =>
    change === null ? [] : [{ ...change, place: [change.ts, file, start + at] as const }],
  );
}

/** Returns the change in a parsed line. One that is torn is missing as evidence only. */
function changeIn(value: unknown): LoggedChange | null {
  if (!isRecord(value)) return null;
  const { ts, op, notes, decision } = value;
  if (typeof ts !== 'string' || typeof op !== 'string' || !Array.isArray(notes)) return null;
  const decided = parseDecision(decision);
  return { ts, op, notes: notes.flatMap(parseNoteChange), ...(decided && { decision: decided }) };
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
  const [path, before, after] = value as unknown[]; // The elements are checked below.
  if (typeof path !== 'string' || !isShaOrNull(before) || !isShaOrNull(after)) return [];
  return [{ path: vaultPath(path), before, after }];
}

function isShaOrNull(value: unknown): value is Sha | null {
  return value === null || isSha(value);
}
