import type { Brain } from '../brain';
import { vaultPath, type VaultPath } from '../rules/paths';

/** The note that guides every agent: the one of the settings, or an existing `CLAUDE.md` when that one is missing. */
export async function rootNotePath(brain: Pick<Brain, 'config' | 'vault'>): Promise<VaultPath> {
  const configured = vaultPath(brain.config.rootNote);
  if ((await brain.vault.stat(configured)) !== null) return configured;
  const claude = vaultPath('CLAUDE.md');
  return (await brain.vault.stat(claude)) !== null ? claude : configured;
}
