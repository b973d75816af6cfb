import { isSha, type Sha, sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import { compareText } from '../base/text';
import { type Timestamp, timestamp } from '../base/time';
import type { Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { appendLines } from './lines';
import type { Decision, Plan, Step } from './plan';

/** The folder of the logs: one for each device and month. */
export const FOLDER = 'changes';

/** Returns true for the path of a log below the folder of the state. */
export function isLog(path: string): boolean {
  return /^changes\/\d{4}-\d{2}\.[0-9a-z-]{1,32}\.jsonl$/.test(path);
}

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

/** A change with its position in the logs of all devices: its time, the log, and the offset in it (bytes). */
export interface PastChange extends LoggedChange {
  readonly place: readonly [ts: string, log: string, offset: number];
}

/** Compares two changes by time, as far as the clocks of the devices agree. */
export function comparePlaces(a: PastChange, b: PastChange): number {
  const [ts, log, offset] = a.place;
  const [otherTs, otherLog, otherOffset] = b.place;
  return compareText(ts, otherTs) || compareText(log, otherLog) || offset - otherOffset;
}

/** Returns the change in a parsed line; null for a torn one, which is missing as evidence only. */
export function changeIn(value: unknown): LoggedChange | null {
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
