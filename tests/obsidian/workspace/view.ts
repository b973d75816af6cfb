import type * as Real from 'obsidian';
import type { App, Scope, ViewStateResult } from 'obsidian';
import { Component } from '../core/component';
import { setIcon } from '../ui/icons';
import { setTooltip } from '../ui/tooltip';
import type { WorkspaceLeaf } from './leaf';

/** What a leaf shows. Its element is made in the document of its leaf, and may move to another window with it. */
export abstract class View extends Component {
  declare onPaneMenu: Real.View['onPaneMenu'];
  app: App;
  icon = 'lucide-file';
  navigation = true;
  leaf: WorkspaceLeaf;
  containerEl: HTMLElement;
  scope: Scope | null = null;

  constructor(leaf: WorkspaceLeaf) {
    super();
    this.leaf = leaf;
    this.app = leaf.app;
    this.containerEl = leaf.containerEl.createDiv('workspace-leaf-content');
    this.containerEl.detach();
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;

  protected async onOpen(): Promise<void> {
    return undefined;
  }

  protected async onClose(): Promise<void> {
    return undefined;
  }

  getState(): Record<string, unknown> {
    return {};
  }

  async setState(..._: [state: unknown, result: ViewStateResult]): Promise<void> {
    return undefined;
  }

  getEphemeralState(): Record<string, unknown> {
    return {};
  }

  setEphemeralState(_: unknown): void {
    return undefined;
  }

  getIcon(): string {
    return this.icon;
  }

  onResize(): void {
    return undefined;
  }
}

/** A view with a header for its title and actions, and an element for its content below. */
export abstract class ItemView extends View {
  contentEl: HTMLElement;
  readonly #actionsEl: HTMLElement;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    const header = this.containerEl.createDiv('view-header');
    header.createDiv('view-header-title-container').createDiv('view-header-title');
    this.#actionsEl = header.createDiv('view-actions');
    this.contentEl = this.containerEl.createDiv('view-content');
  }

  addAction(icon: string, title: string, callback: (evt: MouseEvent) => unknown): HTMLElement {
    const el = this.#actionsEl.createEl('button', { cls: 'clickable-icon view-action', prepend: true });
    setIcon(el, icon);
    setTooltip(el, title);
    el.addEventListener('click', callback);
    return el;
  }
}

/** What a leaf shows that nothing was opened in. */
export class EmptyView extends ItemView {
  getViewType(): string {
    return 'empty';
  }

  getDisplayText(): string {
    return 'New tab';
  }
}

/** Stands for a view that is not made yet: the app has just started, or the plugin that knows the type is not there. */
export class DeferredView extends View {
  readonly #type: string;
  readonly #state: Record<string, unknown>;

  constructor(leaf: WorkspaceLeaf, type: string, state: Record<string, unknown>) {
    super(leaf);
    this.#type = type;
    this.#state = state;
  }

  getViewType(): string {
    return this.#type;
  }

  getDisplayText(): string {
    return this.#type;
  }

  override getState(): Record<string, unknown> {
    return this.#state;
  }
}
