import { sha256 } from '../base/hash';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { AuditEnd, AuditEnds } from '../operation/audit-ends';
import type { BrainPorts } from '../operation/context';
import type { StateStore } from '../ports/ports';
import { type AuditEntry, auditLine, NO_LINE, parseAuditLine } from './line';

/** Folders of chained logs below `.brain/`: of the tool calls, and of the resources that clients read. */
export const AUDIT_FOLDER = 'audit';
export const RESOURCE_FOLDER = 'audit-resources';

/**
 * Exactly `YYYY-MM.<device>.jsonl`, and from the second file of a month on `YYYY-MM.<device>.2.jsonl`: a sync tool's conflict
 * copy beside it is not part of any chain.
 */
const AUDIT_FILE = /^(\d{4}-\d{2})\.([0-9a-z-]{1,32})(?:\.([1-9]\d{0,5}))?\.jsonl$/;

/** A file that has grown to so many characters gets no further line: the next one begins a new file. */
const MAX_AUDIT_FILE = 10 * 1024 * 1024;

export interface AuditFile {
  readonly path: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly device: string;
  /** Which file of the month it is, from 1. */
  readonly part: number;
}

/** The file that a device writes its lines of a month to; a month with many lines has several. */
export function auditPath(month: string, device: string, part = 1, folder = AUDIT_FOLDER): string {
  return `${folder}/${month}.${device}${part === 1 ? '' : `.${part}`}.jsonl`;
}

/** Every file of a log, of all devices that share the vault: by device, month and part, which is the order of its chain. */
export async function auditFiles(state: StateStore, folder = AUDIT_FOLDER): Promise<AuditFile[]> {
  const files: AuditFile[] = [];
  for (const path of await state.list(folder)) {
    const [, month, device, number = '1'] = AUDIT_FILE.exec(path.slice(folder.length + 1)) ?? [];
    if (month === undefined || device === undefined) continue;
    const part = Number(number);
    // `….1.jsonl` is nobody's: the first file bears no number.
    if (path === auditPath(month, device, part, folder)) files.push({ path, month, device, part });
  }
  return files.sort(
    (a, b) => compareText(a.device, b.device) || compareText(a.month, b.month) || a.part - b.part,
  );
}

/** The lines of a file's text without their line feeds; `closed` is false when the last one lacks its own. */
export function splitLines(text: string): { lines: string[]; closed: boolean } {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const closed = rest === '';
  if (!closed) lines.push(rest);
  return { lines, closed };
}

/** Lines that may wait while the disk refuses them; with more the log refuses new ones, until it takes them again. */
export const OWED_LIMIT = 256;

/** Lines of one append. While appends fail, every new call tries again, and should not pay for all that is owed. */
const BATCH = 64;

/** Where the chain of a device ends: file of the last line and its length, number of the line and its hash. */
interface Tip {
  readonly month: string;
  readonly part: number;
  readonly length: number;
  readonly seq: number;
  readonly hash: string;
}

type AuditPorts = Pick<BrainPorts, 'state' | 'clock'> & {
  readonly device: string;
  /** Where its files stand below `.brain/`; the folder of the tool calls unless given. */
  readonly folder?: string;
  /** Characters after which a file gets no further line; `MAX_AUDIT_FILE` unless given. */
  readonly maxFile?: number;
  /** Where the log notes how it ends, for whoever verifies it; its own unless given. */
  readonly ends?: AuditEnds;
};

/**
 * The append-only record of calls, one JSON line each, in files of a month and a device, of which each gets a limited
 * length. Every line carries the hash of the line before, also across files, so that a lost or edited line shows; that does
 * not stop someone who can write the file from rewriting all of it.
 */
export class AuditLog {
  /** One append at a time: a line needs the hash of the one before. */
  #chain: Promise<unknown> = Promise.resolve();
  /** Null when nobody knows how the file ends: at the start, and after an append that failed. */
  #tip: Tip | null = null;
  #owed: { readonly entry: AuditEntry; readonly sync: boolean }[] = [];
  /** True when the last step failed: the lines wait for the disk, and not for each other. */
  #failing = false;
  /** Lines of the last append, as long as it is not known whether they reached the file. */
  #attempt: readonly string[] = [];

  /** The opening that has not begun yet. */
  #opening: Promise<void> | null = null;

  readonly #folder: string;
  readonly #ends: AuditEnds;

  constructor(private readonly ports: AuditPorts) {
    this.#folder = ports.folder ?? AUDIT_FOLDER;
    this.#ends = ports.ends ?? new Map<string, AuditEnd>();
  }

  /**
   * Makes sure that the log can be written, before a call changes anything: owed lines are written and the file is
   * opened for append, once for all calls that wait for it. Rejects otherwise.
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
   * Appends the line of one call; durable when `sync`. Lines of calls that end together share one append. When the
   * append fails it rejects, and the line stays owed: it is written before any later one. However many calls end at once,
   * each has its line.
   */
  record(entry: AuditEntry, sync: boolean): Promise<void> {
    if (this.#failing && this.#owed.length >= OWED_LIMIT) {
      return this.#next(async () => {
        await this.#makeRoom();
        this.#owed.push({ entry, sync });
        await this.#flush();
      });
    }
    this.#owed.push({ entry, sync });
    return this.#next(() => this.#flush());
  }

  /** Writes what is owed. Rejects while that cannot be: a line that is not taken in is not owed either. */
  async #makeRoom(): Promise<void> {
    try {
      await this.#flush();
    } catch (cause) {
      throw new Error('The audit log cannot be written, and too many lines wait for it.', { cause });
    }
  }

  #path(month: string, part: number): string {
    return auditPath(month, this.ports.device, part, this.#folder);
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#chain.then(work);
    // The caller of this step is told; the next step starts afresh.
    this.#chain = result.then(
      () => (this.#failing = false),
      () => (this.#failing = true),
    );
    return result;
  }

  async #flush(): Promise<void> {
    while (this.#owed.length > 0) await this.#append(await this.#settle());
  }

  async #append(tip: Tip): Promise<void> {
    const batch = this.#owed.slice(0, BATCH);
    if (batch.length === 0) return; // they had reached the file after all
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
    this.#attempt = lines;
    await this.ports.state.append(
      this.#path(month, part),
      text,
      batch.some(({ sync }) => sync),
    );
    this.#setTip({ month, part, length: length + text.length, seq, hash });
    this.#attempt = [];
    this.#owed.splice(0, batch.length);
  }

  /**
   * Learns from the file how it ends. A torn last line is closed with a line feed and stays in the chain; owed lines
   * that reached the file although their append failed are owed no longer.
   */
  async #settle(): Promise<Tip> {
    if (this.#tip !== null) return this.#tip;
    const { state, device } = this.ports;
    let tip: Tip = { month: '', part: 1, length: 0, seq: 0, hash: NO_LINE };
    const files = (await auditFiles(state, this.#folder)).filter((file) => file.device === device);
    // Lines after the last one whose number can be read; a crash may have left a file of nothing but half a line.
    let unread = 0;
    for (const { path, month, part } of files.reverse()) {
      const text = (await state.read(path)) ?? '';
      const { lines, closed } = splitLines(text);
      const last = lines.at(-1);
      if (last === undefined) continue; // opened, but nothing was written before the process ended
      if (tip.month === '') {
        if (!closed) await state.append(path, '\n', true);
        const standing = new Set(lines);
        this.#owed.splice(0, this.#attempt.filter((line) => standing.has(line)).length);
        tip = { month, part, length: text.length + (closed ? 0 : 1), seq: 0, hash: sha256(last) };
      }
      const seq = lastNumber(lines);
      tip = { ...tip, seq: unread + (seq ?? lines.length) };
      if (seq !== null) break;
      unread += lines.length;
    }
    this.#attempt = [];
    // Lines that were written and are gone must leave a gap: the next one goes on after them.
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
    });
  }

  /**
   * The file that the next line goes to, and how long it is: that of the month, a further one of it when that is full, and
   * never an earlier one than the last, as a clock that was set back must not fork the chain.
   */
  #fileAfter({ month: last, part, length }: Tip): Pick<Tip, 'month' | 'part' | 'length'> {
    const now = timestamp(this.ports.clock.now()).slice(0, 7);
    if (now > last) return { month: now, part: 1, length: 0 };
    const isFull = length >= (this.ports.maxFile ?? MAX_AUDIT_FILE);
    return isFull ? { month: last, part: part + 1, length: 0 } : { month: last, part, length };
  }
}

/** The number of the last line; lines that cannot be read are counted on from the last one that can. Null when none can. */
function lastNumber(lines: readonly string[]): number | null {
  for (let after = 0; after < lines.length; after += 1) {
    const line = parseAuditLine(lines[lines.length - 1 - after] ?? '');
    if (line !== null) return line.seq + after;
  }
  return null;
}

/** Opens the log of this device; a line that a crash tore is closed. Rejects when the files cannot be read. */
export async function openAudit(ports: AuditPorts): Promise<AuditLog> {
  const log = new AuditLog(ports);
  await log.open();
  return log;
}
