import type { StateStore } from '../ports';
import { compareText } from '../rules/text';

/** Folder of the audit log below `.brain/`. */
export const AUDIT_FOLDER = 'audit';

/** Exactly `audit/YYYY-MM.<device>.jsonl`: a sync tool's conflict copy beside it is not part of any chain. */
const AUDIT_FILE = /^audit\/(\d{4}-\d{2})\.([0-9a-z-]{1,32})\.jsonl$/;

export interface AuditFile {
  readonly path: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly device: string;
}

/** The file that a device writes its lines of a month to. */
export function auditPath(month: string, device: string): string {
  return `${AUDIT_FOLDER}/${month}.${device}.jsonl`;
}

/** Every audit file, of all devices that share the vault: by device, then by month, which is the order of its chain. */
export async function auditFiles(state: StateStore): Promise<AuditFile[]> {
  const files: AuditFile[] = [];
  for (const path of await state.list(AUDIT_FOLDER)) {
    const [, month, device] = AUDIT_FILE.exec(path) ?? [];
    if (month !== undefined && device !== undefined) files.push({ path, month, device });
  }
  return files.sort((a, b) => compareText(a.device, b.device) || compareText(a.month, b.month));
}

/** The lines of a file's text without their line feeds; `closed` is false when the last one lacks its own. */
export function splitLines(text: string): { lines: string[]; closed: boolean } {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const closed = rest === '';
  if (!closed) lines.push(rest);
  return { lines, closed };
}
