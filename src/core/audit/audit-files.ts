import type { StateStore } from '../ports';
import { compareText } from '../rules/text';

/** Folders of chained logs below `.brain/`: of the tool calls, and of the resources that clients read. */
export const AUDIT_FOLDER = 'audit';
export const RESOURCE_FOLDER = 'audit-resources';

/**
 * Exactly `YYYY-MM.<device>.jsonl`, and from the second file of a month on `YYYY-MM.<device>.2.jsonl`: a sync tool's conflict
 * copy beside it is not part of any chain.
 */
const AUDIT_FILE = /^(\d{4}-\d{2})\.([0-9a-z-]{1,32})(?:\.([1-9]\d{0,5}))?\.jsonl$/;

/** A file that has grown to so many characters gets no further line: the next one begins a new file. */
export const MAX_AUDIT_FILE = 10 * 1024 * 1024;

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
