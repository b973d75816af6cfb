import { PluginSettingTab, type SettingDefinitionItem } from 'obsidian';
import { SERVER_NOTICE } from './notice';

/** The settings page: nothing to set yet, only how to run the server beside the app. */
export class BrainServerSettingTab extends PluginSettingTab {
  override getSettingDefinitions(): SettingDefinitionItem[] {
    return [
      { name: 'Server', desc: SERVER_NOTICE },
      {
        name: 'Run it on this vault',
        desc:
          'Open a terminal and type `brain serve --vault` followed by the folder of this vault. ' +
          'The server prints its address and how to connect an agent. Notes that it writes appear here at once.',
      },
    ];
  }
}
