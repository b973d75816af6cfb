import type { StateStore } from '../ports';
import { sha256 } from '../rules/hash';
import { auditFiles, splitLines } from './audit-files';
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

/**
 * Follows the chain of every device's files and says where it is broken: a torn, edited, missing or inserted line.
 * It shows loss and careless editing, not a forger who recomputes the whole chain.
 */
export async function verifyAudit(state: StateStore): Promise<AuditReport> {
  const files = await auditFiles(state);
  const problems: AuditProblem[] = [];
  let lines = 0;
  let chain = { device: '', seq: 0, hash: NO_LINE };
  for (const file of files) {
    if (file.device !== chain.device) chain = { device: file.device, seq: 0, hash: NO_LINE };
    const content = splitLines((await state.read(file.path)) ?? '');
    for (const [index, text] of content.lines.entries()) {
      const report = (problem: string) => problems.push({ file: file.path, line: index + 1, problem });
      chain.seq += 1;
      const line = parseAuditLine(text);
      if (line === null) {
        report('This line cannot be read: a crash tore it, or someone changed it.');
      } else {
        if (line.prev !== chain.hash) report('The line before this one is missing or was changed.');
        if (line.seq !== chain.seq)
          report(`This line has the number ${line.seq} where ${chain.seq} was expected.`);
        chain.seq = line.seq;
      }
      chain.hash = sha256(text);
    }
    lines += content.lines.length;
    if (!content.closed) {
      const problem = 'The last line has no line feed: it was cut short, or is being written now.';
      problems.push({ file: file.path, line: content.lines.length, problem });
    }
  }
  return { files: files.map((file) => file.path), lines, problems };
}
