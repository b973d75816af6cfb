import type { App } from 'obsidian';
import { Events } from '../core/events';
import type { HostState } from '../core/host-state';
import type { ListenerLog } from '../dom/listener-log';

/** What somebody registered and has not taken back. All lists are empty after a plugin that left nothing behind. */
export interface Leaks {
  /** `vault:modify`, `workspace:file-menu` and the like, once for each listener. */
  readonly events: string[];
  /** `window:focus`, `document:keydown`, once for each listener. */
  readonly domListeners: string[];
  readonly intervals: number;
  readonly commands: string[];
  readonly ribbon: string[];
  readonly statusBar: number;
  readonly settingTabs: string[];
  readonly views: string[];
  readonly extensions: string[];
  readonly protocolHandlers: string[];
  readonly cliCommands: string[];
  readonly codeBlocks: string[];
}

export function findLeaks(app: App, state: HostState, log: ListenerLog | null): Leaks {
  const sources = {
    vault: app.vault,
    workspace: app.workspace,
    metadataCache: app.metadataCache,
    secretStorage: app.secretStorage,
  };
  const events = Object.entries(sources).flatMap(([name, source]) =>
    eventsOf(source).map((event) => `${name}:${event}`),
  );
  return {
    events,
    domListeners: log?.listeners() ?? [],
    intervals: log?.intervals() ?? 0,
    commands: [...state.commands.keys()],
    ribbon: state.ribbon.map((icon) => icon.title),
    statusBar: state.statusBar.length,
    settingTabs: [...state.settingTabs.keys()],
    views: [...state.views.keys()],
    extensions: [...state.extensions.keys()],
    protocolHandlers: [...state.protocolHandlers.keys()],
    cliCommands: [...state.cliCommands.keys()],
    codeBlocks: [...state.codeBlocks.keys()],
  };
}

function eventsOf(source: object): string[] {
  if (!(source instanceof Events)) throw new TypeError('Not a source of events of the fake host.');
  return source.listenedTo();
}
