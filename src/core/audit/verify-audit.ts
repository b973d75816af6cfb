import * as z from 'zod';
import { operation } from '../operation';
import type { Pace } from '../pace';
import type { StateStore } from '../ports';
import { sha256 } from '../rules/hash';
import { countShape } from '../shapes';
import { AUDIT_FOLDER, type AuditFile, auditFiles, RESOURCE_FOLDER, splitLines } from './audit-files';
import { NO_LINE, parseAuditLine } from './audit-line';

export interface AuditProblem {
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
 * With a pace it holds the thread for no longer than one slice.
 */
export async function checkAudit(state: StateStore, pace?: Pace): Promise<AuditReport> {
  const logs = await Promise.all([AUDIT_FOLDER, RESOURCE_FOLDER].map((folder) => auditFiles(state, folder)));
  const problems: AuditProblem[] = [];
  let lines = 0;
  let before: AuditFile | undefined;
  let reached = START;
  for (const file of logs.flat()) {
    if (before === undefined || !isOneChain(before, file)) reached = START;
    before = file;
    const content = splitLines((await state.read(file.path)) ?? '');
    for (const [index, text] of content.lines.entries()) {
      const step = () => followLine(reached, text);
      const next = pace === undefined ? step() : await pace.run(step);
      for (const problem of next.problems) problems.push({ file: file.path, line: index + 1, problem });
      reached = next;
    }
    lines += content.lines.length;
    if (!content.closed) problems.push(unclosed(file.path, content.lines.length));
  }
  return { files: logs.flat().map((file) => file.path), lines, problems };
}

/** True when the lines of `b` go on with those of `a`, of the file before it. */
function isOneChain(a: AuditFile, b: AuditFile): boolean {
  const folderOf = (path: string): string => path.slice(0, path.indexOf('/'));
  return a.device === b.device && folderOf(a.path) === folderOf(b.path);
}

/** Lines that `checkAuditEnd` looks at. */
const END_LINES = 200;

/** The same for the last lines of this device's newest file alone, which takes no longer however long the log has grown. */
export async function checkAuditEnd(
  state: StateStore,
  device: string,
): Promise<Pick<AuditReport, 'lines' | 'problems'>> {
  const path = (await auditFiles(state)).filter((file) => file.device === device).at(-1)?.path;
  if (path === undefined) return { lines: 0, problems: [] };
  const { lines, closed } = splitLines((await state.read(path)) ?? '');
  const skipped = Math.max(0, lines.length - END_LINES);
  const problems: AuditProblem[] = [];
  let reached: Reached = { seq: null, hash: null };
  for (const [index, text] of lines.slice(skipped).entries()) {
    const next = followLine(reached, text);
    for (const problem of next.problems) problems.push({ file: path, line: skipped + index + 1, problem });
    reached = next;
  }
  if (!closed) problems.push(unclosed(path, lines.length));
  return { lines: lines.length - skipped, problems };
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
  async run({ state, pace }) {
    const { files, lines, problems } = await checkAudit(state, pace);
    return {
      files: [...files],
      lines,
      problem_count: problems.length,
      problems: problems.slice(0, MAX_PROBLEMS),
    };
  },
});
