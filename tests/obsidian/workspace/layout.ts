import { WorkspaceFloating, WorkspaceRoot, WorkspaceSidedock } from './items';

/** The frame of the main window: ribbon, side bars, root, status bar. */
export class Layout {
  readonly containerEl: HTMLElement;
  readonly ribbonEl: HTMLElement;
  readonly statusBarEl: HTMLElement;
  readonly left: WorkspaceSidedock;
  readonly root: WorkspaceRoot;
  readonly right: WorkspaceSidedock;
  readonly floating: WorkspaceFloating;

  constructor(doc: Document) {
    const app = doc.body.createDiv('app-container');
    this.containerEl = app.createDiv('workspace');
    this.ribbonEl = this.containerEl.createDiv('workspace-ribbon side-dock-ribbon mod-left');
    this.root = new WorkspaceRoot(this.containerEl);
    this.left = new WorkspaceSidedock(this.root, this.containerEl, 'left');
    this.right = new WorkspaceSidedock(this.root, this.containerEl, 'right');
    this.containerEl.insertBefore(this.left.containerEl, this.root.containerEl);
    this.floating = new WorkspaceFloating(this.root);
    this.statusBarEl = app.createDiv('status-bar');
  }
}
