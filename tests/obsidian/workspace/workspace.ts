import type * as Real from 'obsidian';
import type {
  Constructor,
  MarkdownFileInfo,
  OpenViewState,
  PaneType,
  View as RealView,
  Side,
  WorkspaceWindowInitData,
} from 'obsidian';
import { debounce } from '../core/debounce';
import { Events } from '../core/events';
import type { HostState } from '../core/host-state';
import { tellMigrated } from '../dom/html-helpers';
import type { TFile } from '../vault/files';
import { WorkspaceRibbon, type WorkspaceSidedock, WorkspaceTabs, WorkspaceWindow } from './items';
import { Layout } from './layout';
import type { WorkspaceLeaf } from './leaf';
import { MarkdownView } from './markdown-view';
import { openLink } from './open-link';
import { newLeaf, newSideLeaf, newTabs } from './placing';
import { closePopout, openPopout } from './popout';
import { Recents } from './recents';

interface SideOptions {
  readonly active?: boolean;
  readonly split?: boolean;
  readonly reveal?: boolean;
  readonly state?: Record<string, unknown>;
}

/** The layout of the windows: leaves in tabs, in splits, in side bars and in popouts. */
export class Workspace extends Events {
  declare getUnpinnedLeaf: Real.Workspace['getUnpinnedLeaf'];
  declare splitActiveLeaf: Real.Workspace['splitActiveLeaf'];
  declare createLeafBySplit: Real.Workspace['createLeafBySplit'];
  declare createLeafInParent: Real.Workspace['createLeafInParent'];
  declare getLeftLeaf: Real.Workspace['getLeftLeaf'];
  declare getLeafById: Real.Workspace['getLeafById'];
  declare getGroupLeaves: Real.Workspace['getGroupLeaves'];
  declare getMostRecentLeaf: Real.Workspace['getMostRecentLeaf'];
  declare getLayout: Real.Workspace['getLayout'];
  declare updateOptions: Real.Workspace['updateOptions'];
  declare handleLinkContextMenu: Real.Workspace['handleLinkContextMenu'];
  leftRibbon = new WorkspaceRibbon();
  rightRibbon = new WorkspaceRibbon();
  activeLeaf: WorkspaceLeaf | null = null;
  activeEditor: MarkdownFileInfo | null = null;
  layoutReady = false;
  requestSaveLayout = debounce(async () => undefined, 2_000);
  readonly #state: HostState;
  readonly #recents = new Recents();
  #whenReady: (() => unknown)[] = [];
  #layout: Layout | null = null;

  constructor(state: HostState) {
    super();
    this.#state = state;
    // Leaves outlive the plugin that drew them: they keep their place and their state, and are drawn again when it returns.
    state.viewGone = (type) => {
      for (const leaf of this.getLeavesOfType(type)) state.pending(leaf.defer());
    };
    state.viewKnown = (type) => {
      const shown = this.getLeavesOfType(type).filter((leaf) => leaf.parent.isShown(leaf));
      for (const leaf of shown) state.pending(leaf.loadIfDeferred());
    };
  }

  /** Of the fake alone, as what follows up to `getLeaf`: the frame of the window, drawn when something first needs it. */
  get layout(): Layout {
    this.#layout ??= new Layout(this.#state.document);
    return this.#layout;
  }

  get state(): HostState {
    return this.#state;
  }

  becomeReady(): void {
    this.layoutReady = true;
    const waiting = this.#whenReady;
    this.#whenReady = [];
    for (const callback of waiting) callback();
    this.trigger('layout-change');
  }

  get containerEl(): HTMLElement {
    return this.layout.containerEl;
  }

  get leftSplit(): WorkspaceSidedock {
    return this.layout.left;
  }

  get rightSplit(): WorkspaceSidedock {
    return this.layout.right;
  }

  get rootSplit(): Layout['root'] {
    return this.layout.root;
  }

  /** Calls back when the layout stands; at once when it does already. */
  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.#whenReady.push(callback);
  }

  getLeaf(where: PaneType | boolean = false): WorkspaceLeaf {
    if (where === 'window') return this.openPopoutLeaf();
    const { root } = this.layout;
    if (where === 'split') return newTabs(this, root);
    const recent = this.#recents.leafIn(root);
    if (where !== false) return recent === null ? newTabs(this, root) : newLeaf(this, recent.parent);
    const free = [recent, ...root.leaves()].find((leaf) => leaf !== null && isFree(leaf));
    return free ?? (recent === null ? newTabs(this, root) : newLeaf(this, recent.parent));
  }

  async duplicateLeaf(leaf: WorkspaceLeaf): Promise<WorkspaceLeaf> {
    const twin = newLeaf(this, leaf.parent);
    await twin.setViewState(leaf.getViewState());
    return twin;
  }

  getRightLeaf(split: boolean): WorkspaceLeaf {
    return newSideLeaf(this, this.layout.right, split);
  }

  async ensureSideLeaf(type: string, side: Side, options: SideOptions = {}): Promise<WorkspaceLeaf> {
    const { active = false, split = false, reveal = true, state = {} } = options;
    const dock = this.layout[side];
    const found = dock.leaves().find((leaf) => leaf.view.getViewType() === type);
    const leaf = found ?? newSideLeaf(this, dock, split);
    await leaf.setViewState({ type, state, active });
    if (reveal) await this.revealLeaf(leaf);
    return leaf;
  }

  openPopoutLeaf(_?: WorkspaceWindowInitData): WorkspaceLeaf {
    const popout = openPopout(this.layout, this.#state);
    const leaf = newTabs(this, popout);
    this.trigger('window-open', popout, popout.win);
    return leaf;
  }

  moveLeafToPopout(leaf: WorkspaceLeaf, _?: WorkspaceWindowInitData): WorkspaceWindow {
    const popout = openPopout(this.layout, this.#state);
    leaf.moveTo(new WorkspaceTabs(popout));
    this.trigger('window-open', popout, popout.win);
    tellMigrated(leaf.containerEl, popout.win);
    this.trigger('layout-change');
    return popout;
  }

  /** Of the fake alone: the leaf has been taken out of the layout; a popout without leaves closes. */
  leafGone(leaf: WorkspaceLeaf): void {
    this.#recents.forget(leaf);
    if (this.activeLeaf === leaf) {
      this.activeLeaf = null;
      this.activeEditor = null;
      this.trigger('active-leaf-change', null);
    }
    const container = leaf.parent.getContainer();
    if (container instanceof WorkspaceWindow && container.leaves().length === 0) {
      this.trigger('window-close', container, container.win);
      closePopout(this.layout, container);
      this.#state.focusWindow(this.layout.root.win);
    }
    const next = leaf.parent.leaves().at(-1);
    if (next !== undefined) leaf.parent.show(next);
    this.trigger('layout-change');
  }

  setActiveLeaf(leaf: WorkspaceLeaf, params?: { focus?: boolean } | boolean): void {
    leaf.parent.show(leaf);
    const changed = this.activeLeaf !== leaf;
    this.activeLeaf = leaf;
    this.activeEditor = editorInfoOf(leaf.view);
    this.#state.focusWindow(leaf.containerEl.win);
    if (typeof params === 'object' && params.focus === true) leaf.view.containerEl.focus();
    if (changed) this.trigger('active-leaf-change', leaf);
    const file = this.#recents.visit(leaf);
    if (file !== null) this.trigger('file-open', file);
  }

  /** Shows a leaf: its side bar opens, its tab comes to the front, and a view that waited is made before this resolves. */
  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    const dock = [this.layout.left, this.layout.right].find((one) => one.leaves().includes(leaf));
    dock?.expand();
    leaf.parent.show(leaf);
    await leaf.loadIfDeferred();
    this.trigger('layout-change');
  }

  getLeavesOfType(viewType: string): WorkspaceLeaf[] {
    return this.#allLeaves().filter((leaf) => leaf.view.getViewType() === viewType);
  }

  detachLeavesOfType(viewType: string): void {
    for (const leaf of this.getLeavesOfType(viewType)) leaf.detach();
  }

  iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of this.#allLeaves()) callback(leaf);
  }

  iterateRootLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of this.layout.root.leaves()) callback(leaf);
  }

  getActiveViewOfType<T extends RealView>(type: Constructor<T>): T | null {
    const view = this.activeLeaf?.view;
    return view instanceof type ? view : null;
  }

  getActiveFile(): TFile | null {
    return this.#recents.file(this.activeLeaf);
  }

  getLastOpenFiles(): string[] {
    return this.#recents.paths();
  }

  openLinkText(
    linktext: string,
    sourcePath: string,
    where: PaneType | boolean = false,
    openViewState?: OpenViewState,
  ): Promise<void> {
    return openLink(this.#state, { linktext, sourcePath, newLeaf: where, state: openViewState });
  }

  async changeLayout(_: unknown): Promise<void> {
    throw new Error('The fake host restores no layouts; open leaves instead.');
  }

  #allLeaves(): WorkspaceLeaf[] {
    const layout = this.#layout;
    if (layout === null) return [];
    return [layout.root, layout.left, layout.right, layout.floating].flatMap((part) => part.leaves());
  }
}

/** Notes may take the place of what a leaf shows, unless it is pinned or its view is no place to navigate from. */
function isFree(leaf: WorkspaceLeaf): boolean {
  return !leaf.pinned && leaf.view.navigation;
}

function editorInfoOf(view: RealView): MarkdownFileInfo | null {
  return view instanceof MarkdownView ? view : null;
}
