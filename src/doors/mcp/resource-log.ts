import { RESOURCE_FOLDER } from '../../core/audit/audit-files';
import { AuditLog } from '../../core/audit/audit-log';
import type { Brain } from '../../core/brain';

/**
 * A log like that of the tool calls, chained in the same way, in files of its own, as the lines of the other are the tool calls
 * and nothing else. It touches nothing until it is written to.
 */
export function resourceLog({
  state,
  clock,
  device,
  auditEnds: ends,
}: Pick<Brain, 'state' | 'clock' | 'device' | 'auditEnds'>): AuditLog {
  return new AuditLog({ state, clock, device, ends, folder: RESOURCE_FOLDER });
}
