import { utf8ToBytes } from '@noble/hashes/utils.js';
import { sha256 } from '../base/hash';
import type { Pace } from '../base/steps';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { AuditEnd, AuditEnds, NamesNote } from '../operation/audit-ends';
import type { Brain, BrainPorts } from '../operation/context';
import type { StateStore } from '../ports/ports';
import {
  type AuditEntry,
  auditLine,
  chainHash,
  NO_LINE,
  parseAuditLine,
  redactedLine,
  REDACTION,
} from './line';

/** The folders of chained logs below `.brain/`: one for tool calls, one for resources that clients read. */
export const AUDIT_FOLDER = 'audit';
export const RESOURCE_FOLDER = 'audit-resources';

/**
 * Matches `YYYY-MM.<device>.jsonl`, and `YYYY-MM.<device>.2.jsonl` from the second file of a month on. The conflict copy of a
 * sync tool belongs to no chain.
 */
const AUDIT_FILE = /^(\d{4}-\d{2})\.([0-9a-z-]{1,32})(?:\.([1-9]\d{0,5}))?\.jsonl$/;

/** A file with more characters than this gets no further line; the next line begins a new file. */
const MAX_AUDIT_FILE = 10 * 1024 * 1024;

export interface AuditFile {
  readonly path: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly device: string;
  /** The number of the file in its month, from 1. */
  readonly part: number;
}

/** Returns the path of a device's log of a month; a month with many lines has several parts. */
export function auditPath(month: string, device: string, part = 1, folder = AUDIT_FOLDER): string {
  return `${folder}/${month}.${device}${part === 1 ? '' : `.${part}`}.jsonl`;
}

/** Returns every file of a log, of all devices that share the vault, by device, month and part: the order of each chain. */
export async function auditFiles(state: StateStore, folder = AUDIT_FOLDER): Promise<AuditFile[]> {
  const files: AuditFile[] = [];
  for (const path of await state.list(folder)) {
    const [, month, device, number = '1'] = AUDIT_FILE.exec(path.slice(folder.length + 1)) ?? [];
    if (month === undefined || device === undefined) continue;
    const part = Number(number);
    // The first file has no number, so `….1.jsonl` belongs to no log.
    if (path === auditPath(month, device, part, folder)) files.push({ path, month, device, part });
  }
  return files.sort(
    (a, b) => compareText(a.device, b.device) || compareText(a.month, b.month) || a.part - b.part,
  );
}

/** Splits the text of a file into lines without their line feeds; `closed` is false when the last line lacks its own. */
export function splitLines(text: string): { lines: string[]; closed: boolean } {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const closed = rest === '';
  if (!closed) lines.push(rest);
  return { lines, closed };
}

/** The most lines that wait while appends fail; further ones are refused until appends succeed again. */
export const OWED_LIMIT = 256;

/** The number of lines in one append. While appends fail, every call retries, and should not pay for all waiting lines. */
const BATCH = 64;

/** The end of a device's chain: file and length, and the number and hash of the last line. */
interface Tip {
  readonly month: string;
  readonly part: number;
  readonly length: number;
  readonly seq: number;
  readonly hash: string;
}

type AuditPorts = Pick<BrainPorts, 'state' | 'clock'> & {
  readonly device: string;
  /** The folder below `.brain/`; that of the tool calls by default. */
  readonly folder?: string;
  /** The length at which a file is full, in characters; `MAX_AUDIT_FILE` by default. */
  readonly maxFile?: number;
  /** Receives the end of the log, for verification. */
  readonly ends?: AuditEnds;
};

/**
 * An append-only log of calls, one JSON line each, with files per month and device of limited length. Every line has the hash
 * of the line before, also across files, so that a lost or edited line shows. It does not stop someone with write access from
 * rewriting the whole log.
 */
export class AuditLog {
  /** Appends run one at a time, because a line needs the hash of the one before. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Null when the end of the file is unknown: at the start, and after a failed append. */
  #tip: Tip | null = null;
  #waiting: { readonly entry: AuditEntry; readonly sync: boolean }[] = [];
  /** True when the last step failed: the lines wait for the disk, not for each other. */
  #failing = false;
  /** The lines of the last append while it is unknown whether the file has them. */
  #lastAppend: readonly string[] = [];

  /** The queued call of `open`. */
  #opening: Promise<void> | null = null;

  readonly #folder: string;
  readonly #ends: AuditEnds;

  constructor(private readonly ports: AuditPorts) {
    this.#folder = ports.folder ?? AUDIT_FOLDER;
    this.#ends = ports.ends ?? new Map<string, AuditEnd>();
  }

  /**
   * Ensures that the log can be written, before a call changes anything: writes waiting lines and opens the file for append,
   * once for all waiting calls. Rejects otherwise.
   */
  open(): Promise<void> {
    return (this.#opening ??= this.#next(async () => {
      this.#opening = null;
      await this.#flush();
      const { month, part } = this.#fileAfter(await this.#settle());
      await this.ports.state.append(this.#path(month, part), '', false);
    }));
  }

  /**
   * Appends the line of one call; durable when `sync`. Lines of calls that end together share one append. When the append
   * fails, it rejects and the line waits: it is written before any later one. Every call gets its line.
   */
  record(entry: AuditEntry, sync: boolean): Promise<void> {
    if (this.#failing && this.#waiting.length >= OWED_LIMIT) {
      return this.#next(async () => {
        await this.#makeRoom();
        this.#waiting.push({ entry, sync });
        await this.#flush();
      });
    }
    this.#waiting.push({ entry, sync });
    return this.#next(() => this.#flush());
  }

  /** Writes the waiting lines; rejects when that fails, so that the new line is refused. */
  async #makeRoom(): Promise<void> {
    try {
      await this.#flush();
    } catch (cause) {
      throw new Error('The audit log cannot be written, and too many lines wait for it.', { cause });
    }
  }

  /**
   * Takes what names a note out of the lines of this device. The chain records each place with the hash of what stands there now,
   * before it changes, so that a cut leaves no line that nothing tells of.
   */
  async redact(names: NamesNote, pace: Pick<Pace, 'run'>): Promise<void> {
    const { state, device } = this.ports;
    // A call that ends meanwhile may name the note too.
    for (let isFound = true; isFound;) {
      isFound = false;
      for (const { path, device: writer } of await auditFiles(state, this.#folder)) {
        const now =
          writer === device ? await redactedLines(state, path, names, pace) : new Map<string, string>();
        if (now.size === 0) continue;
        isFound = true;
        const places = [...now.values()].map((line): [string, string] => [seqOf(line), sha256(line)]);
        for (let at = 0; at < places.length; at += PLACES)
          await this.record(placesEntry(this.ports.clock.now(), places.slice(at, at + PLACES)), true);
        await state.rewrite(path, async (bytes) => {
          const lines = new TextDecoder().decode(bytes).split('\n');
          return utf8ToBytes(lines.map((line) => now.get(line) ?? line).join('\n'));
        });
      }
    }
  }

  #path(month: string, part: number): string {
    return auditPath(month, this.ports.device, part, this.#folder);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    // The caller of this step gets the error; the next step is independent of it.
    this.#queue = result.then(
      () => (this.#failing = false),
      () => (this.#failing = true),
    );
    return result;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) await this.#append(await this.#settle());
  }

  async #append(tip: Tip): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH);
    if (batch.length === 0) return; // The file has the lines of the failed append after all.
    let { seq, hash } = tip;
    const lines = batch.map(({ entry }) => {
      seq += 1;
      const line = auditLine(entry, seq, hash);
      hash = sha256(line);
      return line;
    });
    const { month, part, length } = this.#fileAfter(tip);
    const text = lines.map((line) => `${line}\n`).join('');
    this.#tip = null;
    this.#lastAppend = lines;
    await this.ports.state.append(
      this.#path(month, part),
      text,
      batch.some(({ sync }) => sync),
    );
    this.#setTip({ month, part, length: length + text.length, seq, hash });
    this.#lastAppend = [];
    this.#waiting.splice(0, batch.length);
  }

  /**
   * Reads the end of the log. A torn last line gets a line feed and stays in the chain; waiting lines that the file has after a
   * failed append are dropped.
   */
  async #settle(): Promise<Tip> {
    if (this.#tip !== null) return this.#tip;
    const { state, device } = this.ports;
    let tip: Tip = { month: '', part: 1, length: 0, seq: 0, hash: NO_LINE };
    const files = (await auditFiles(state, this.#folder)).filter((file) => file.device === device);
    // The number of lines after the last one that parses. A crash may leave a file with half a line only.
    let unread = 0;
    for (const { path, month, part } of files.reverse()) {
      const text = (await state.read(path)) ?? '';
      const { lines, closed } = splitLines(text);
      const last = lines.at(-1);
      if (last === undefined) continue; // The file was opened, and the process ended before the first write.
      if (tip.month === '') {
        if (!closed) await state.append(path, '\n', true);
        const existing = new Set(lines);
        this.#waiting.splice(0, this.#lastAppend.filter((line) => existing.has(line)).length);
        tip = { month, part, length: text.length + (closed ? 0 : 1), seq: 0, hash: chainHash(last) };
      }
      const seq = lastNumber(lines);
      tip = { ...tip, seq: unread + (seq ?? lines.length) };
      if (seq !== null) break;
      unread += lines.length;
    }
    this.#lastAppend = [];
    // Lost lines must leave a gap in the numbers, so the next line follows the last one that was written.
    const { seq, hash } = this.#ends.get(this.#folder) ?? tip;
    if (seq > tip.seq) tip = { ...tip, seq, hash };
    else this.#setTip(tip);
    this.#tip = tip;
    return tip;
  }

  #setTip(tip: Tip): void {
    this.#tip = tip;
    const { month, part, seq, hash } = tip;
    if (seq === 0) return;
    this.#ends.set(this.#folder, {
      path: this.#path(month, part),
      device: this.ports.device,
      seq,
      hash,
      redact: (names, pace) => this.redact(names, pace),
    });
  }

  /**
   * Returns the file for the next line, and its length: that of the month, or a further one when it is full, but never an
   * earlier one than the last, because a clock that was set back must not fork the chain.
   */
  #fileAfter({ month: last, part, length }: Tip): Pick<Tip, 'month' | 'part' | 'length'> {
    const now = timestamp(this.ports.clock.now()).slice(0, 7);
    if (now > last) return { month: now, part: 1, length: 0 };
    const isFull = length >= (this.ports.maxFile ?? MAX_AUDIT_FILE);
    return isFull ? { month: last, part: part + 1, length: 0 } : { month: last, part, length };
  }
}

/** The redacted lines that one line of the log names. */
const PLACES = 30;

/** The lines that are looked at in one step. */
const LINES_PER_STEP = 256;

/** Returns the lines of a file that name a note, each with what it is without it. */
async function redactedLines(
  state: Pick<StateStore, 'read'>,
  path: string,
  names: NamesNote,
  pace: Pick<Pace, 'run'>,
): Promise<Map<string, string>> {
  const now = new Map<string, string>();
  const { lines } = splitLines((await state.read(path)) ?? '');
  for (let at = 0; at < lines.length; at += LINES_PER_STEP) {
    await pace.run(() => {
      for (const line of lines.slice(at, at + LINES_PER_STEP)) {
        const redacted = redactedLine(line, names);
        if (redacted !== null && redacted !== line) now.set(line, redacted);
      }
    });
  }
  return now;
}

function seqOf(line: string): string {
  return String(parseAuditLine(line)?.seq ?? 0);
}

function placesEntry(now: Date, places: readonly [string, string][]): AuditEntry {
  return {
    ts: timestamp(now),
    id: REDACTION,
    tool: REDACTION,
    actor: 'brain',
    auth: '',
    ok: true,
    args: Object.fromEntries(places),
    paths: [],
    unlinked: 0,
    duration_ms: 0,
  };
}

/** Returns the number of the last line, counting lines after the last one that parses; null when none does. */
function lastNumber(lines: readonly string[]): number | null {
  for (let after = 0; after < lines.length; after += 1) {
    const line = parseAuditLine(lines[lines.length - 1 - after] ?? '');
    if (line !== null) return line.seq + after;
  }
  return null;
}

/** Takes what names a note out of the lines of this device, in both logs. */
export async function redactAudit(
  {
    state,
    clock,
    device,
    pace,
    auditEnds: ends,
  }: Pick<Brain, 'state' | 'clock' | 'device' | 'pace' | 'auditEnds'>,
  names: NamesNote,
): Promise<void> {
  for (const folder of [AUDIT_FOLDER, RESOURCE_FOLDER]) {
    // A log that this process writes is the one that knows its end.
    const log = ends.get(folder) ?? new AuditLog({ state, clock, device, folder, ends });
    await log.redact(names, pace);
  }
}

/** Opens the log of this device and closes a torn line. Rejects when the files cannot be read. */
export async function openAudit(ports: AuditPorts): Promise<AuditLog> {
  const log = new AuditLog(ports);
  await log.open();
  return log;
}
