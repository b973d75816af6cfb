import { AUDIT_FOLDER } from '../../core/audit/audit-files';
import { AuditLog } from '../../core/audit/audit-log';
import type { Brain } from '../../core/brain';
import type { StateStore } from '../../core/ports';

/** Beside the folder of the audit log, whose lines are the tool calls and nothing else. */
export const RESOURCE_LOG_FOLDER = 'audit-resources';

/** A log like that of the tool calls, chained in the same way, in files of its own. It touches nothing until it is written to. */
export function resourceLog({ state, clock, device }: Pick<Brain, 'state' | 'clock' | 'device'>): AuditLog {
  return new AuditLog({ state: moved(state), clock, device });
}

/** The same store, with another folder in the place of the audit log's. */
function moved(state: StateStore): StateStore {
  const there = (path: string) => replaced(path, AUDIT_FOLDER, RESOURCE_LOG_FOLDER);
  const back = (path: string) => replaced(path, RESOURCE_LOG_FOLDER, AUDIT_FOLDER);
  return {
    read: (path) => state.read(there(path)),
    write: (path, text) => state.write(there(path), text),
    readBytes: (path) => state.readBytes(there(path)),
    writeBytes: (path, bytes) => state.writeBytes(there(path), bytes),
    create: (path, text) => state.create(there(path), text),
    append: (path, text, sync) => state.append(there(path), text, sync),
    list: async (folder) => (await state.list(there(folder))).map(back),
    folders: (folder) => state.folders(there(folder)),
    remove: (path) => state.remove(there(path)),
  };
}

function replaced(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
}
