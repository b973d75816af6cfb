import { Notice, Plugin } from 'obsidian';
import { SERVER_NOTICE } from './notice';
import { BrainServerSettingTab } from './setting-tab';

/**
 * The plugin of this version: it says where the server runs today and touches neither the vault nor the network.
 * Everything is registered through the host, so unloading leaves nothing behind.
 */
export class BrainServerPlugin extends Plugin {
  override onload(): void {
    const explain = () => new Notice(SERVER_NOTICE);
    this.addRibbonIcon('brain', 'How to run the server', explain);
    this.addCommand({ id: 'how-to-run', name: 'Show how to run the server', callback: explain });
    this.addSettingTab(new BrainServerSettingTab(this.app, this));
  }
}
