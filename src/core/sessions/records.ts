import { BrainError } from '../base/errors';
import { isRecord, parsedJson } from '../base/json';
import { compareText } from '../base/text';
import type { FileEntry, VaultStore } from '../ports/ports';
import { folderOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { parseTime, timestamp } from '../base/time';

/** The outcome of a run; `unknown` stands for every status that the specification does not name. */
export type Outcome = 'pass' | 'fail' | 'skip' | 'unknown';

const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['pass', 'pass'],
  ['fail', 'fail'],
  ['skip', 'skip'],
  // These are names of older versions.
  ['ok', 'pass'],
  ['error', 'fail'],
  ['skipped', 'skip'],
]);

/** Returns the outcome that a status means, ignoring case and surrounding spaces. */
export function outcomeOf(status: string): Outcome {
  return OUTCOMES.get(status.trim().toLowerCase()) ?? 'unknown';
}

/** The counted fields of one run of a skill. */
interface SessionRecord {
  readonly skill: string;
  readonly at: Date;
  readonly outcome: Outcome;
}

/**
 * Parses one line of a session log: a JSON object with `skill`, `status` and `timestamp` (or `ts` or `time`, see `recordTime`).
 * Returns null for anything else: many programs write these logs, and a bad line must not spoil the figures of the good ones.
 */
export function readRecord(line: string): SessionRecord | null {
  return recordOf(parsedJson(line));
}

function recordOf(record: unknown): SessionRecord | null {
  if (!isRecord(record)) return null;
  const { skill, status, timestamp: at, ts, time } = record;
  const moment = recordTime(at ?? ts ?? time);
  if (typeof skill !== 'string' || skill === '' || typeof status !== 'string' || moment === null) return null;
  return { skill, at: moment, outcome: outcomeOf(status) };
}

/** Matches seconds or milliseconds since the epoch; fewer digits could be a year or a day, more a day and its time. */
const EPOCH = /^\d{9,13}(?:\.\d+)?$/;

/** Returns the time of a record, or null: text for `parseTime`, or seconds or milliseconds since the epoch as text. */
export function recordTime(value: unknown): Date | null {
  const isEpoch = typeof value === 'string' && EPOCH.test(value.trim());
  return parseTime(isEpoch ? Number(value) : value);
}

/** The amount of log that was read, and the unusable part of it. */
interface LogTally {
  /** The number of `*.jsonl` files. */
  readonly files: number;
  /** The number of lines that are no record; a file that is no text counts as one. */
  readonly malformed: number;
}

/** Calls `visit` with every record of every `*.jsonl` file directly in `sessions/`, in any order. */
export async function readSessions(
  vault: Pick<VaultStore, 'list' | 'read'>,
  visit: (record: SessionRecord) => void,
): Promise<LogTally> {
  let files = 0;
  let malformed = 0;
  for await (const { path } of vault.list('sessions')) {
    if (!isLog(path)) continue;
    const text = await readText(vault, path);
    if (text === null) continue;
    files += 1;
    for (const line of text.split('\n')) {
      // Trimming also removes a BOM and the carriage return of Windows.
      const trimmed = line.trim();
      if (trimmed === '') continue;
      const record = readRecord(trimmed);
      if (record) visit(record);
      else malformed += 1;
    }
  }
  return { files, malformed };
}

/** What one run of a skill has to tell: its summary, and what went wrong. */
export interface SessionSummary extends SessionRecord {
  readonly path: VaultPath;
  readonly text: string;
  /** The paths of the notes that the record names. */
  readonly notes: readonly string[];
}

/** The logs that are looked through for summaries, those that changed last, and how long they may be in all (bytes). */
const NEWEST_LOGS = 3;
const MAX_LOGS = 4 << 20;
/** The last lines of each, and the most text of them (UTF-16 units). */
const NEWEST_LINES = 200;
const NEWEST_UNITS = 1 << 18;

/** Returns the summaries at the end of the newest logs, newest first. A log that makes them too long in all is left out. */
export async function newestSummaries(vault: Pick<VaultStore, 'list' | 'read'>): Promise<SessionSummary[]> {
  const logs: FileEntry[] = [];
  for await (const file of vault.list('sessions')) if (isLog(file.path)) logs.push(file);
  logs.sort((a, b) => b.mtime - a.mtime || compareText(b.path, a.path));
  const found: SessionSummary[] = [];
  let room = MAX_LOGS;
  for (const { path, size } of logs.slice(0, NEWEST_LOGS)) {
    if (size > room) continue;
    room -= size;
    const text = ((await readText(vault, path)) ?? '').slice(-NEWEST_UNITS);
    for (const line of text.trimEnd().split('\n').slice(-NEWEST_LINES)) {
      const said = parsedJson(line.trim());
      const record = recordOf(said);
      if (record !== null && isRecord(said)) found.push(...summaryOf(path, record, said));
    }
  }
  return found.sort((a, b) => b.at.getTime() - a.at.getTime());
}

/** Returns what a record tells; nothing when it has no words. */
function summaryOf(
  path: VaultPath,
  record: SessionRecord,
  { summary, error, notes }: Readonly<Record<string, unknown>>,
): SessionSummary[] {
  const said = [summary, error].filter((each) => typeof each === 'string' && each.trim() !== '');
  if (said.length === 0) return [];
  const named: unknown[] = Array.isArray(notes) ? notes : [];
  return [{ ...record, path, text: said.join(' '), notes: named.filter((each) => typeof each === 'string') }];
}

function isLog(path: string): boolean {
  return folderOf(path) === 'sessions' && path.toLowerCase().endsWith('.jsonl');
}

/** One malformed line, which stands for a file that is not UTF-8. */
const NOT_TEXT = '\0';

async function readText(vault: Pick<VaultStore, 'read'>, path: VaultPath): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return NOT_TEXT;
    throw error;
  }
}

/**
 * Returns the path of this device's log for the month (UTC) of `now`. Each device has its own, so that synced vaults have no
 * conflicts.
 */
export function sessionFile(now: Date, device: string): VaultPath {
  return vaultPath(`sessions/${timestamp(now).slice(0, 7)}.${device}.jsonl`);
}
