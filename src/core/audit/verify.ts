import * as z from 'zod';
import { sha256 } from '../base/hash';
import type { Pace } from '../base/steps';
import type { AuditEnd, AuditEnds } from '../operation/audit-ends';
import { operation } from '../operation/operation';
import { countShape } from '../operation/shapes';
import type { StateStore } from '../ports/ports';
import { chainHash, NO_LINE, parseAuditLine, REDACTION } from './line';
import { AUDIT_FOLDER, type AuditFile, auditFiles, RESOURCE_FOLDER, splitLines } from './log';

interface AuditProblem {
  readonly file: string;
  /** The number of the line in its file, from 1. */
  readonly line: number;
  readonly problem: string;
}

export interface AuditReport {
  readonly files: readonly string[];
  readonly lines: number;
  /** The number of lines of calls that named a note which was forgotten since; absent without any. */
  readonly redacted?: number;
  readonly problems: readonly AuditProblem[];
}

/** The redacted lines of logs, and those that the logs tell of. */
class Redacted {
  readonly #found: (AuditProblem & { readonly key: string })[] = [];
  readonly #told = new Set<string>();

  /** Takes note of a line of a chain. */
  add(chain: string, file: string, at: number, text: string): void {
    const line = parseAuditLine(text);
    if (line?.redacted !== undefined) {
      const key = `${chain} ${line.seq} ${sha256(text)}`;
      this.#found.push({ file, line: at, problem: 'This line was changed.', key });
    }
    if (line?.tool === REDACTION)
      for (const [seq, hash] of Object.entries(line.args))
        if (typeof hash === 'string') this.#told.add(`${chain} ${seq} ${hash}`);
  }

  get count(): number {
    return this.#found.length;
  }

  /** The lines that look redacted and that no log tells of. */
  get problems(): AuditProblem[] {
    const untold = this.#found.filter(({ key }) => !this.#told.has(key));
    return untold.map(({ file, line, problem }) => ({ file, line, problem }));
  }
}

/** The position in a chain; null fields when the lines before are unknown. */
interface ChainPosition {
  readonly seq: number | null;
  readonly hash: string | null;
}

const START: ChainPosition = { seq: 0, hash: NO_LINE };

/**
 * Verifies the chains of every device, of tool calls and of read resources, and reports where they break: torn, edited, missing
 * or inserted lines. It detects loss and careless edits, not a forger who recomputes the chain. Lines missing at the end show
 * only with `ends`, for the logs that this process writes. With a pace the work is sliced.
 */
export async function checkAudit(
  state: StateStore,
  pace?: Pace,
  ends: AuditEnds = new Map(),
): Promise<AuditReport> {
  // A snapshot from before the first read: lines written meanwhile may or may not be read.
  const known = [...ends.values()];
  const logs = await Promise.all([AUDIT_FOLDER, RESOURCE_FOLDER].map((folder) => auditFiles(state, folder)));
  const problems: AuditProblem[] = [];
  const chainEnds = new Map<string, ChainEnd>();
  const redacted = new Redacted();
  let lines = 0;
  for (const file of logs.flat()) {
    const chain = chainOf(file);
    let position = chainEnds.get(chain)?.position ?? START;
    const content = splitLines((await state.read(file.path)) ?? '');
    for (const [index, text] of content.lines.entries()) {
      const step = () => {
        redacted.add(chain, file.path, index + 1, text);
        return followLine(position, text);
      };
      const next = pace === undefined ? step() : await pace.run(step);
      for (const problem of next.problems) problems.push({ file: file.path, line: index + 1, problem });
      position = next;
    }
    lines += content.lines.length;
    if (!content.closed) problems.push(unclosed(file.path, content.lines.length));
    chainEnds.set(chain, { file: file.path, lines: content.lines.length, position });
  }
  for (const end of known) problems.push(...endProblems(end, chainEnds.get(chainOf(end)) ?? NOWHERE));
  problems.push(...redacted.problems);
  const { count } = redacted;
  return {
    files: logs.flat().map((file) => file.path),
    lines,
    ...(count > 0 && { redacted: count }),
    problems,
  };
}

/** Returns the key of a chain: its log and device. The files of a chain continue each other. */
function chainOf({ path, device }: Pick<AuditFile, 'path' | 'device'>): string {
  return `${path.slice(0, path.indexOf('/'))}/${device}`;
}

/** The number of lines that `checkAuditEnd` verifies. */
const END_LINES = 200;

/** Verifies only the last lines of this device's newest file, in constant time. The owner may have archived older files. */
export async function checkAuditEnd(
  state: StateStore,
  device: string,
  ends: AuditEnds = new Map(),
): Promise<Pick<AuditReport, 'lines' | 'problems'>> {
  const end = ends.get(AUDIT_FOLDER);
  const newest = await newestWithLines(state, device);
  if (newest === null) return { lines: 0, problems: end === undefined ? [] : endProblems(end, NOWHERE) };
  const { path, lines, closed } = newest;
  const skipped = Math.max(0, lines.length - END_LINES);
  const problems: AuditProblem[] = [];
  const redacted = new Redacted();
  let position: ChainPosition = { seq: null, hash: null };
  for (const [index, text] of lines.slice(skipped).entries()) {
    redacted.add(device, path, skipped + index + 1, text);
    const next = followLine(position, text);
    for (const problem of next.problems) problems.push({ file: path, line: skipped + index + 1, problem });
    position = next;
  }
  problems.push(...redacted.problems);
  if (!closed) problems.push(unclosed(path, lines.length));
  if (end !== undefined) problems.push(...endProblems(end, { file: path, lines: lines.length, position }));
  return { lines: lines.length - skipped, problems };
}

async function newestWithLines(
  state: StateStore,
  device: string,
): Promise<{ path: string; lines: string[]; closed: boolean } | null> {
  const files = (await auditFiles(state)).filter((file) => file.device === device);
  for (const { path } of files.reverse()) {
    const content = splitLines((await state.read(path)) ?? '');
    if (content.lines.length > 0) return { path, ...content };
  }
  return null;
}

/** The last file of a chain, and the position at its end. */
interface ChainEnd {
  readonly file: string;
  readonly lines: number;
  readonly position: ChainPosition;
}

const NOWHERE: ChainEnd = { file: '', lines: 0, position: START };

/** Compares the end of a chain with the end that its writer recorded. */
function endProblems(end: AuditEnd, { file, lines, position }: ChainEnd): AuditProblem[] {
  const { seq, hash } = position;
  if (seq === null || seq > end.seq) return [];
  if (seq === end.seq) {
    return hash === end.hash ? [] : [{ file, line: lines, problem: 'This line was changed.' }];
  }
  const problem = `Lines are missing at the end: the last one that was written has the number ${end.seq}.`;
  return [{ file: end.path, line: file === end.path ? lines + 1 : 1, problem }];
}

function followLine(
  { seq, hash }: ChainPosition,
  text: string,
): ChainPosition & { readonly problems: string[] } {
  const problems: string[] = [];
  const line = parseAuditLine(text);
  const expected = seq === null ? null : seq + 1;
  if (line === null) {
    problems.push('This line cannot be read: a crash tore it, or someone changed it.');
  } else {
    if (hash !== null && line.prev !== hash) {
      problems.push('The line before this one is missing or was changed.');
    }
    if (expected !== null && line.seq !== expected) {
      problems.push(`This line has the number ${line.seq} where ${expected} was expected.`);
    }
  }
  return { seq: line?.seq ?? expected, hash: chainHash(text), problems };
}

function unclosed(file: string, line: number): AuditProblem {
  const problem = 'The last line has no line feed: it was cut short, or is being written now.';
  return { file, line, problem };
}

/** The most problems in one answer; their number is always complete. */
const MAX_PROBLEMS = 200;

/** Verifies the chains of the audit logs of every device, as `checkAudit` does, and reports where they break. */
export const verifyAudit = operation({
  name: 'verify_audit',
  scope: 'admin',
  mutates: false,
  whole: true,
  input: z.strictObject({}),
  output: z.object({
    files: z.array(z.string()).describe('Files below .brain/, by device and month'),
    lines: countShape,
    redacted: countShape
      .optional()
      .describe('Lines of calls that named a note which was forgotten since; absent without any'),
    problem_count: countShape,
    problems: z
      .array(z.object({ file: z.string(), line: countShape.describe('From 1'), problem: z.string() }))
      .describe('At most 200'),
  }),
  async run({ state, pace, auditEnds }) {
    const { files, lines, redacted, problems } = await checkAudit(state, pace, auditEnds);
    return {
      files: [...files],
      lines,
      ...(redacted !== undefined && { redacted }),
      problem_count: problems.length,
      problems: problems.slice(0, MAX_PROBLEMS),
    };
  },
});
