import type * as Real from 'obsidian';
import type { App, OpenViewState, TFile as RealFile, View as RealView, ViewState } from 'obsidian';
import { createView, hooksOf, realView, typeOfFile } from './create-view';
import { WorkspaceItem, type WorkspaceTabs } from './items';
import { DeferredView, EmptyView } from './view';
import type { Workspace } from './workspace';

let count = 0;

/** A place for one view. */
export class WorkspaceLeaf extends WorkspaceItem {
  declare togglePinned: Real.WorkspaceLeaf['togglePinned'];
  declare setGroupMember: Real.WorkspaceLeaf['setGroupMember'];
  parent: WorkspaceTabs;
  view: RealView;
  hoverPopover = null;
  /** Of the fake alone, as the next four. */
  readonly app: App;
  readonly id = `leaf-${(count += 1)}`;
  containerEl: HTMLElement;
  pinned = false;
  group: string | null = null;
  readonly #workspace: Workspace;

  constructor(workspace: Workspace, parent: WorkspaceTabs) {
    super();
    this.#workspace = workspace;
    this.app = workspace.state.app;
    this.parent = parent;
    this.containerEl = parent.containerEl.createDiv('workspace-leaf');
    parent.children.push(this);
    this.view = realView(new EmptyView(this));
    this.containerEl.appendChild(this.view.containerEl);
    this.view.load();
  }

  leaves(): WorkspaceLeaf[] {
    return [this];
  }

  get isDeferred(): boolean {
    return isDeferred(this.view);
  }

  async loadIfDeferred(): Promise<void> {
    if (!this.isDeferred) return;
    const { type, state = {} } = this.getViewState();
    const view = createView(this.#workspace.state, this, type);
    if (view !== null) await this.#show(view, state);
  }

  getViewState(): ViewState {
    return { type: this.view.getViewType(), state: this.view.getState(), pinned: this.pinned };
  }

  /** Makes the view of that type; a type that nobody has registered waits as a deferred view. */
  async setViewState(viewState: ViewState, eState?: unknown): Promise<void> {
    const { type, state = {}, active = false, pinned } = viewState;
    if (pinned !== undefined) this.setPinned(pinned);
    if (this.view.getViewType() === type && !this.isDeferred) {
      await this.view.setState(state, { history: false });
    } else {
      const view = createView(this.#workspace.state, this, type);
      await this.#show(view ?? realView(new DeferredView(this, type, state)), state);
    }
    if (eState !== undefined) this.view.setEphemeralState(eState);
    if (active) this.#workspace.setActiveLeaf(this);
    this.#workspace.trigger('layout-change');
  }

  async open(view: RealView): Promise<RealView> {
    await this.#show(view, {});
    this.#workspace.trigger('layout-change');
    return view;
  }

  /** Opens a file in the view for its kind; one that no view is for opens in another program and leaves the leaf alone. */
  async openFile(file: RealFile, openState: OpenViewState = {}): Promise<void> {
    const { state } = this.#workspace;
    const type = typeOfFile(state, file.extension);
    if (type === null) {
      state.openedOutside.push(file.path);
      return;
    }
    await this.setViewState({ type, state: { ...openState.state, file: file.path } });
    if (openState.eState !== undefined) this.view.setEphemeralState(openState.eState);
    if (openState.active !== false) this.#workspace.setActiveLeaf(this, { focus: true });
  }

  /** Of the fake alone: puts a view that waits in the place of the one that is shown, as when its plugin goes. */
  async defer(type = this.view.getViewType(), state = this.view.getState()): Promise<void> {
    await this.#show(realView(new DeferredView(this, type, state)), {});
  }

  /** Of the fake alone: the leaf goes to other tabs, maybe in another window. */
  moveTo(tabs: WorkspaceTabs): void {
    this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = tabs;
    tabs.children.push(this);
    tabs.containerEl.appendChild(this.containerEl);
    tabs.show(this);
  }

  getEphemeralState(): unknown {
    return this.view.getEphemeralState();
  }

  setEphemeralState(state: unknown): void {
    this.view.setEphemeralState(state);
  }

  setPinned(pinned: boolean): void {
    this.pinned = pinned;
    this.trigger('pinned-change', pinned);
  }

  setGroup(group: string): void {
    this.group = group;
    this.trigger('group-change', group);
  }

  /** Closes the view and takes the leaf away. */
  detach(): void {
    this.#workspace.state.pending(this.#close());
    this.containerEl.detach();
    this.parent.children = this.parent.children.filter((child) => child !== this);
    this.#workspace.leafGone(this);
  }

  getIcon(): string {
    return this.view.getIcon();
  }

  getDisplayText(): string {
    return this.view.getDisplayText();
  }

  onResize(): void {
    this.view.onResize();
  }

  async #show(view: RealView, state: Record<string, unknown>): Promise<void> {
    await this.#close();
    this.view = view;
    view.containerEl.setAttr('data-type', view.getViewType());
    this.containerEl.appendChild(view.containerEl);
    view.load();
    await hooksOf(view).onOpen();
    if (!isDeferred(view)) await view.setState(state, { history: false });
  }

  async #close(): Promise<void> {
    const { view } = this;
    await hooksOf(view).onClose();
    view.unload();
    view.containerEl.detach();
  }
}

function isDeferred(view: object): boolean {
  return view instanceof DeferredView;
}
