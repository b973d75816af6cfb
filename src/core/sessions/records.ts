import { BrainError } from '../base/errors';
import type { VaultStore } from '../ports/ports';
import { folderOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { parseTime, timestamp } from '../base/time';

/** What a run came to; `unknown` is every status that the specification does not name. */
export type Outcome = 'pass' | 'fail' | 'skip' | 'unknown';

const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['pass', 'pass'],
  ['fail', 'fail'],
  ['skip', 'skip'],
  // Names from before these three.
  ['ok', 'pass'],
  ['error', 'fail'],
  ['skipped', 'skip'],
]);

/** The outcome that a status means, in any case and with spaces around it. */
export function outcomeOf(status: string): Outcome {
  return OUTCOMES.get(status.trim().toLowerCase()) ?? 'unknown';
}

/** One run of a skill, as far as it is counted. */
interface SessionRecord {
  readonly skill: string;
  readonly at: Date;
  readonly outcome: Outcome;
}

/**
 * Reads one line of a session log: a JSON object with `skill`, `status` and `timestamp` (`ts` and `time` are read
 * too, as `recordTime` reads them). Null for anything else: many programs write these
 * logs, and a bad line must not blank the figures of the good ones.
 */
export function readRecord(line: string): SessionRecord | null {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return null; // Not JSON, which is an answer here: the line is counted as malformed.
  }
  if (typeof record !== 'object' || record === null) return null;
  const { skill, status, timestamp: at, ts, time } = record as Record<string, unknown>; // Any object of JSON is one.
  const moment = recordTime(at ?? ts ?? time);
  if (typeof skill !== 'string' || skill === '' || typeof status !== 'string' || moment === null) return null;
  return { skill, at: moment, outcome: outcomeOf(status) };
}

/** Seconds or milliseconds since the epoch; with fewer digits it could be a year or a day, with more a day and its time. */
const EPOCH = /^\d{9,13}(?:\.\d+)?$/;

/** When a record is from, or null: as `parseTime` has it, and seconds or milliseconds since the epoch written as text. */
export function recordTime(value: unknown): Date | null {
  const isEpoch = typeof value === 'string' && EPOCH.test(value.trim());
  return parseTime(isEpoch ? Number(value) : value);
}

/** How much was read, and how much of it was of no use. */
interface LogTally {
  /** Number of `*.jsonl` files. */
  readonly files: number;
  /** Lines that are no record; a file that is not text counts as one. */
  readonly malformed: number;
}

/** Gives every record of every `*.jsonl` file directly in `sessions/` to `visit`, in no promised order. */
export async function readSessions(
  vault: Pick<VaultStore, 'list' | 'read'>,
  visit: (record: SessionRecord) => void,
): Promise<LogTally> {
  let files = 0;
  let malformed = 0;
  for await (const { path } of vault.list('sessions')) {
    if (folderOf(path) !== 'sessions' || !path.toLowerCase().endsWith('.jsonl')) continue;
    const text = await readText(vault, path);
    if (text === null) continue;
    files += 1;
    for (const line of text.split('\n')) {
      // Trimming also takes a BOM and the carriage return of Windows.
      const trimmed = line.trim();
      if (trimmed === '') continue;
      const record = readRecord(trimmed);
      if (record) visit(record);
      else malformed += 1;
    }
  }
  return { files, malformed };
}

/** One line that is no record, in place of a file that is not UTF-8. */
const NOT_TEXT = '\0';

async function readText(vault: Pick<VaultStore, 'read'>, path: VaultPath): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return NOT_TEXT;
    throw error;
  }
}

/** The log of this device for the month (UTC) of `now`. Each device has its own, so that synced vaults never conflict. */
export function sessionFile(now: Date, device: string): VaultPath {
  return vaultPath(`sessions/${timestamp(now).slice(0, 7)}.${device}.jsonl`);
}
