import { Events } from '../core/events';
import type { WorkspaceLeaf } from './leaf';

/** A part of the layout: a split, a group of tabs, a leaf. */
export abstract class WorkspaceItem extends Events {
  abstract parent: WorkspaceParent;
  abstract containerEl: HTMLElement;

  /** Of the fake alone: the leaves in this part; a leaf is its own. */
  abstract leaves(): WorkspaceLeaf[];

  getRoot(): WorkspaceItem {
    return this.getContainer();
  }

  /** The window, or the root of the main window, that this lies in. */
  getContainer(): WorkspaceContainer {
    return this.parent.getContainer();
  }
}

export abstract class WorkspaceParent extends WorkspaceItem {
  /** Of the fake alone. */
  children: WorkspaceItem[] = [];

  leaves(): WorkspaceLeaf[] {
    return this.children.flatMap((child) => child.leaves());
  }
}

export class WorkspaceSplit extends WorkspaceParent {
  parent: WorkspaceParent;
  containerEl: HTMLElement;

  constructor(parent: WorkspaceParent | null, parentEl: HTMLElement, cls: string) {
    super();
    this.parent = parent ?? this;
    this.containerEl = parentEl.createDiv(`workspace-split ${cls}`);
    parent?.children.push(this);
  }
}

/** A group of tabs: one of its leaves is shown. */
export class WorkspaceTabs extends WorkspaceParent {
  parent: WorkspaceSplit;
  containerEl: HTMLElement;

  constructor(parent: WorkspaceSplit) {
    super();
    this.parent = parent;
    this.containerEl = parent.containerEl.createDiv('workspace-tabs');
    parent.children.push(this);
  }

  /** Of the fake alone. */
  show(leaf: WorkspaceLeaf): void {
    for (const one of this.leaves()) one.containerEl.toggle(one === leaf);
  }

  isShown(leaf: WorkspaceLeaf): boolean {
    return leaf.containerEl.style.display !== 'none';
  }
}

export abstract class WorkspaceContainer extends WorkspaceSplit {
  abstract win: Window;
  abstract doc: Document;

  override getContainer(): WorkspaceContainer {
    return this;
  }
}

export class WorkspaceRoot extends WorkspaceContainer {
  win: Window;
  doc: Document;

  constructor(parentEl: HTMLElement) {
    super(null, parentEl, 'mod-vertical mod-root');
    this.doc = parentEl.doc;
    this.win = parentEl.win;
  }
}

/** A popout: a window of its own with its own document. */
export class WorkspaceWindow extends WorkspaceContainer {
  win: Window;
  doc: Document;

  constructor(parent: WorkspaceFloating, win: Window) {
    super(parent, win.document.body, 'mod-vertical mod-root');
    this.win = win;
    this.doc = win.document;
  }
}

export class WorkspaceFloating extends WorkspaceParent {
  parent: WorkspaceParent;
  containerEl: HTMLElement;

  constructor(root: WorkspaceRoot) {
    super();
    this.parent = root;
    this.containerEl = root.containerEl;
  }
}

/** The bar at a side of the main window. */
export class WorkspaceSidedock extends WorkspaceSplit {
  collapsed = true;
  readonly #root: WorkspaceRoot;

  constructor(root: WorkspaceRoot, parentEl: HTMLElement, side: 'left' | 'right') {
    super(null, parentEl, `mod-${side}-split`);
    this.#root = root;
    this.containerEl.hide();
  }

  override getContainer(): WorkspaceContainer {
    return this.#root;
  }

  toggle(): void {
    if (this.collapsed) this.expand();
    else this.collapse();
  }

  collapse(): void {
    this.collapsed = true;
    this.containerEl.hide();
  }

  expand(): void {
    this.collapsed = false;
    this.containerEl.show();
  }
}

export class WorkspaceRibbon {}

/** The side bar of the mobile app; the fake is a desktop. */
export abstract class WorkspaceMobileDrawer extends WorkspaceParent {
  collapsed = true;
  abstract expand(): void;
  abstract collapse(): void;
  abstract toggle(): void;
}
