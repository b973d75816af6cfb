import * as z from 'zod';
import { sha256 } from '../base/hash';
import type { Pace } from '../base/steps';
import type { AuditEnd, AuditEnds } from '../operation/audit-ends';
import { operation } from '../operation/operation';
import { countShape } from '../operation/shapes';
import type { StateStore } from '../ports/ports';
import { NO_LINE, parseAuditLine } from './line';
import { AUDIT_FOLDER, type AuditFile, auditFiles, RESOURCE_FOLDER, splitLines } from './log';

interface AuditProblem {
  readonly file: string;
  /** Number of the line in its file, from 1. */
  readonly line: number;
  readonly problem: string;
}

export interface AuditReport {
  readonly files: readonly string[];
  readonly lines: number;
  readonly problems: readonly AuditProblem[];
}

/** How far a chain has been followed; null where it is not known what came before. */
interface Reached {
  readonly seq: number | null;
  readonly hash: string | null;
}

const START: Reached = { seq: 0, hash: NO_LINE };

/**
 * Follows the chains of every device, of its tool calls and of the resources that were read, and says where it is broken: a
 * torn, edited, missing or inserted line. It shows loss and careless editing, not a forger who recomputes the whole chain.
 * That lines are missing at the end shows only beside `ends`, of the logs that this process writes itself. With a pace it
 * holds the thread for no longer than one slice.
 */
export async function checkAudit(
  state: StateStore,
  pace?: Pace,
  ends: AuditEnds = new Map(),
): Promise<AuditReport> {
  // As they are before the first file is read: what is written meanwhile may be read or not.
  const known = [...ends.values()];
  const logs = await Promise.all([AUDIT_FOLDER, RESOURCE_FOLDER].map((folder) => auditFiles(state, folder)));
  const problems: AuditProblem[] = [];
  const reachedEnds = new Map<string, ReachedEnd>();
  let lines = 0;
  for (const file of logs.flat()) {
    const chain = chainOf(file);
    let reached = reachedEnds.get(chain)?.reached ?? START;
    const content = splitLines((await state.read(file.path)) ?? '');
    for (const [index, text] of content.lines.entries()) {
      const step = () => followLine(reached, text);
      const next = pace === undefined ? step() : await pace.run(step);
      for (const problem of next.problems) problems.push({ file: file.path, line: index + 1, problem });
      reached = next;
    }
    lines += content.lines.length;
    if (!content.closed) problems.push(unclosed(file.path, content.lines.length));
    reachedEnds.set(chain, { file: file.path, lines: content.lines.length, reached });
  }
  for (const end of known) problems.push(...endProblems(end, reachedEnds.get(chainOf(end)) ?? NOWHERE));
  return { files: logs.flat().map((file) => file.path), lines, problems };
}

/** What the lines of one chain have in common: the log and the device. Each file of it goes on with the lines of the last. */
function chainOf({ path, device }: Pick<AuditFile, 'path' | 'device'>): string {
  return `${path.slice(0, path.indexOf('/'))}/${device}`;
}

/** Lines that `checkAuditEnd` looks at. */
const END_LINES = 200;

/**
 * The same for the last lines of this device's newest file alone, which takes no longer however long the log has grown. Of
 * older ones the owner may have put some away.
 */
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
  let reached: Reached = { seq: null, hash: null };
  for (const [index, text] of lines.slice(skipped).entries()) {
    const next = followLine(reached, text);
    for (const problem of next.problems) problems.push({ file: path, line: skipped + index + 1, problem });
    reached = next;
  }
  if (!closed) problems.push(unclosed(path, lines.length));
  if (end !== undefined) problems.push(...endProblems(end, { file: path, lines: lines.length, reached }));
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

/** What the last file of a chain holds, and how far the chain was followed with it. */
interface ReachedEnd {
  readonly file: string;
  readonly lines: number;
  readonly reached: Reached;
}

const NOWHERE: ReachedEnd = { file: '', lines: 0, reached: START };

/** Compares where a chain ends with what its writer knows of it. */
function endProblems(end: AuditEnd, { file, lines, reached }: ReachedEnd): AuditProblem[] {
  const { seq, hash } = reached;
  if (seq === null || seq > end.seq) return [];
  if (seq === end.seq) {
    return hash === end.hash ? [] : [{ file, line: lines, problem: 'This line was changed.' }];
  }
  const problem = `Lines are missing at the end: the last one that was written has the number ${end.seq}.`;
  return [{ file: end.path, line: file === end.path ? lines + 1 : 1, problem }];
}

function followLine({ seq, hash }: Reached, text: string): Reached & { readonly problems: string[] } {
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
  return { seq: line?.seq ?? expected, hash: sha256(text), problems };
}

function unclosed(file: string, line: number): AuditProblem {
  const problem = 'The last line has no line feed: it was cut short, or is being written now.';
  return { file, line, problem };
}

/** Problems named in one answer; their number is given whole. */
const MAX_PROBLEMS = 200;

/** Follows the chains of the audit logs of every device, as `checkAudit` does, and says where they are broken. */
export const verifyAudit = operation({
  name: 'verify_audit',
  scope: 'admin',
  mutates: false,
  input: z.strictObject({}),
  output: z.object({
    files: z.array(z.string()).describe('Files below .brain/, by device and month'),
    lines: countShape,
    problem_count: countShape,
    problems: z
      .array(z.object({ file: z.string(), line: countShape.describe('From 1'), problem: z.string() }))
      .describe('At most 200'),
  }),
  async run({ state, pace, auditEnds }) {
    const { files, lines, problems } = await checkAudit(state, pace, auditEnds);
    return {
      files: [...files],
      lines,
      problem_count: problems.length,
      problems: problems.slice(0, MAX_PROBLEMS),
    };
  },
});
