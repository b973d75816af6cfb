import type { Vault } from 'obsidian';
import { readHistory } from '../../core/history-store';
import { journalPath, openRecords } from '../../core/journal';
import { isCutMap } from '../../core/notes/wing-map';
import type { StateStore } from '../../core/ports';
import { wingOfPath } from '../../core/rules/address';
import { type VaultPath, vaultPath } from '../../core/rules/paths';
import { dropCutCharacter } from './torn';

/**
 * Makes every file that a journaled plan was cut in hold whole characters, which the core can tell and complete or take back.
 */
export async function settleJournaled(
  state: StateStore,
  device: string,
  whole: (at: VaultPath, text: string) => Promise<void>,
): Promise<void> {
  for (const { steps, undo } of openRecords((await state.read(journalPath(device))) ?? '')) {
    for (const step of steps) {
      if (step.kind !== 'remove') await whole(step.path, step.text);
      // What was being taken back may have been cut as well, while the former text was written.
      const former = undo === null || step.kind === 'create' ? null : await readHistory(state, step.before);
      if (former !== null) await whole(step.path, former);
    }
  }
}

/** The same for maps of wings, of which no record is made: the core tells one that was cut, and makes it again. */
export async function settleMaps(vault: Vault): Promise<void> {
  for (const folder of vault.getFolderByPath('wiki')?.children ?? []) {
    const at = vaultPath(`${folder.path}/_index.md`);
    const wing = wingOfPath(at);
    if (wing !== null) await dropCutCharacter(vault, at, (beginning) => isCutMap(wing, beginning));
  }
}
