import type { Workspace } from 'obsidian';
import type { ScreenName, ScreenParams } from '../ui/screens';

/** The type under which Obsidian keeps the view of a screen; it stands in saved layouts, so it never changes. */
export function viewTypeOf(screen: ScreenName): string {
  return `brain-server-${screen}`;
}

/**
 * Brings a screen to the front: where it is open already, else in a new tab. Without `params` an open screen stays on
 * what it shows.
 */
export async function openScreen(
  workspace: Pick<Workspace, 'getLeavesOfType' | 'getLeaf' | 'revealLeaf'>,
  screen: ScreenName,
  params?: ScreenParams,
): Promise<void> {
  const type = viewTypeOf(screen);
  const open = workspace.getLeavesOfType(type)[0];
  const leaf = open ?? workspace.getLeaf('tab');
  if (open === undefined || params !== undefined) {
    await leaf.setViewState({ type, active: true, state: { params: params ?? {} } });
  }
  await workspace.revealLeaf(leaf);
}
