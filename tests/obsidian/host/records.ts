import type { Command, RequestUrlParam } from 'obsidian';
import type { App } from '../app/app';
import type { Device } from '../core/device';
import type { HostState, NoticeRecord, OpenedLink, RibbonIcon } from '../core/host-state';
import type { HostSettings } from '../core/settings';
import type { Storage } from '../storage/storage';
import type { Menu } from '../ui/menu';
import type { Modal } from '../ui/modal';
import { modalsOf } from '../ui/open-modals';

/** What the fake app has recorded, and what tests can set on it. */
export class HostRecords {
  /** The app of the fake with its own types; tests take `app` of the host. */
  protected readonly own: App;
  protected readonly state: HostState;

  constructor(own: App, state: HostState) {
    this.own = own;
    this.state = state;
  }

  get settings(): HostSettings {
    return this.state.settings;
  }

  get storage(): Storage {
    return this.state.storage;
  }

  /** Hand it, with the storage, to the next host: the app has restarted on the same device. */
  get device(): Device {
    return this.state.device;
  }

  get notices(): readonly NoticeRecord[] {
    return this.state.notices;
  }

  get openedLinks(): readonly OpenedLink[] {
    return this.state.openedLinks;
  }

  /** Files that were handed to another program, since no view shows them. */
  get openedOutside(): readonly string[] {
    return this.state.openedOutside;
  }

  get commands(): readonly Command[] {
    return [...this.state.commands.values()];
  }

  get ribbon(): readonly RibbonIcon[] {
    return this.state.ribbon;
  }

  get statusBar(): readonly HTMLElement[] {
    return this.state.statusBar;
  }

  /** What `requestUrl` was asked for, in order. */
  get requests(): readonly RequestUrlParam[] {
    return this.state.requests;
  }

  /** Every call of the Markdown renderer: text of others must not come here. */
  get rendered(): HostState['rendered'] {
    return this.state.rendered;
  }

  /** Dialogs that stand open, the last one on top. */
  get modals(): readonly Modal[] {
    return [...modalsOf(this.own)];
  }

  /** Menus that were shown, in order. */
  get menus(): readonly Menu[] {
    return this.state.menus;
  }

  get systemTrash(): readonly string[] {
    return this.state.systemTrash;
  }
}
