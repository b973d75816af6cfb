import { type WorkspaceSidedock, type WorkspaceSplit, WorkspaceTabs } from './items';
import { WorkspaceLeaf } from './leaf';
import type { Workspace } from './workspace';

/** A new leaf as the last of its tabs, shown there. */
export function newLeaf(workspace: Workspace, tabs: WorkspaceTabs): WorkspaceLeaf {
  const leaf = new WorkspaceLeaf(workspace, tabs);
  tabs.show(leaf);
  return leaf;
}

/** A new leaf in tabs of its own. */
export function newTabs(workspace: Workspace, split: WorkspaceSplit): WorkspaceLeaf {
  return newLeaf(workspace, new WorkspaceTabs(split));
}

/** A new leaf in a side bar, in its first tabs unless it is to be split. */
export function newSideLeaf(workspace: Workspace, dock: WorkspaceSidedock, split: boolean): WorkspaceLeaf {
  const [tabs] = dock.children.filter((child) => child instanceof WorkspaceTabs);
  return split || tabs === undefined ? newTabs(workspace, dock) : newLeaf(workspace, tabs);
}
