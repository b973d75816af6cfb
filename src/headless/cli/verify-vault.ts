import { existsSync } from 'node:fs';
import { openNodeState, stateFolder } from '../../adapters/files/state-folder';
import { deviceId } from '../../adapters/host/device';
import { type AuditReport, checkAudit } from '../../core/audit/verify';
import { CommandError } from '../terminal/io';

/**
 * Checks the audit files of the vault in the folder `root` without changing anything.
 * @throws CommandError when the service has never written there.
 */
export async function verifyVault(root: string): Promise<AuditReport> {
  if (!existsSync(stateFolder(root))) {
    throw new CommandError(
      `${root} holds no audit files: no server has run on it. Name the vault with --vault.`,
    );
  }
  const state = await openNodeState(root, { device: deviceId({}) });
  try {
    return await checkAudit(state);
  } finally {
    await state.close();
  }
}
