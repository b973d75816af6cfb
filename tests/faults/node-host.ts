import { openNodeState } from '../../src/adapters/files/state-folder';
import { openNodeVault } from '../../src/adapters/vault/vault';
import { DEVICE, ROOT, startOn } from './world';

/** The headless server: every call to the file system is its own. */
export const startNode = startOn(async (fs, arm) => {
  const vault = await openNodeVault(ROOT, { device: DEVICE, fs });
  const state = await openNodeState(ROOT, { device: DEVICE, fs });
  arm();
  return {
    vault,
    state,
    async close() {
      await vault.close();
      await state.close();
    },
  };
});
