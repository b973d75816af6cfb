import type { Brain } from '../operation/context';
import { type Namesakes, relinkSteps } from '../review/relink';
import type { EditStep } from '../storage/plan';
import type { VaultPath } from '../vocabulary/paths';
import type { UndoItem } from './find';

/** The edits of links that follow notes to their owner. */
interface LinksBack {
  /** At most one for each note, none for a note that the undo changes itself. They are optional. */
  readonly steps: readonly EditStep[];
  /** The locked notes that keep a link to the former path. */
  readonly locked: readonly VaultPath[];
}

/**
 * Returns the edits that turn the links to adopted notes back into links to where their owner had them.
 * @param withLocked true to edit locked notes as well, as when a person undoes
 */
export async function linksBack(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  items: readonly UndoItem[],
  { withLocked, namesakes }: { readonly withLocked: boolean; readonly namesakes: Namesakes },
): Promise<LinksBack> {
  const own = new Set(items.flatMap(({ steps }) => steps.map(({ path }) => path)));
  const edits = new Map<VaultPath, EditStep>();
  const locked = new Set<VaultPath>();
  // A note may link to several of them: each edit begins with the text of the one before.
  const vault = {
    read: async (path: VaultPath) => edits.get(path)?.text ?? (await brain.vault.read(path)),
  };
  const { catalog, pace } = brain;
  for (const { path, to, isGivenBack } of items) {
    if (to === undefined || isGivenBack !== true) continue;
    const follow = { owners: true, locked: withLocked, namesakes };
    const relinks = await relinkSteps({ catalog, pace, vault }, path, to, follow);
    for (const step of relinks.steps) {
      if (own.has(step.path)) continue;
      edits.set(step.path, { ...step, before: edits.get(step.path)?.before ?? step.before });
    }
    for (const each of relinks.locked) if (!own.has(each)) locked.add(each);
  }
  return { steps: [...edits.values()], locked: [...locked] };
}
