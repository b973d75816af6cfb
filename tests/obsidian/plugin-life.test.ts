import {
  Component,
  type EventRef,
  Events,
  ItemView,
  Notice,
  Plugin,
  PluginSettingTab,
  type WorkspaceLeaf,
} from 'obsidian';
import { MANIFEST } from './manifest';
import { withHost, withWindow } from './world';

class Recorder extends Component {
  constructor(
    readonly name: string,
    readonly log: string[],
  ) {
    super();
  }

  override onload(): void {
    this.log.push(`load ${this.name}`);
  }

  override onunload(): void {
    this.log.push(`unload ${this.name}`);
  }
}

describe('components', () => {
  test('load before their children; what was registered goes last come first gone, then onunload', () => {
    const log: string[] = [];
    const parent = new Recorder('parent', log);
    parent.addChild(new Recorder('first', log));
    parent.load();
    parent.addChild(new Recorder('second', log));
    parent.register(() => log.push('cleanup 1'));
    parent.register(() => log.push('cleanup 2'));
    parent.load();
    parent.unload();
    parent.unload();
    expect(log).toEqual([
      'load parent',
      'load first',
      'load second',
      'unload second',
      'unload first',
      'cleanup 2',
      'cleanup 1',
      'unload parent',
    ]);
  });

  test('a child that is removed is unloaded at once, and only once', () => {
    const log: string[] = [];
    const parent = new Recorder('parent', log);
    const child = parent.addChild(new Recorder('child', log));
    parent.load();
    parent.removeChild(child);
    parent.unload();
    expect(log).toEqual(['load parent', 'load child', 'unload child', 'unload parent']);
  });
});

describe('events', () => {
  test('one listener that throws does not stop the others', () => {
    jest.useFakeTimers();
    try {
      const events = new Events();
      const seen: unknown[] = [];
      events.on('go', () => {
        throw new Error('Surfaces on its own.');
      });
      events.on('go', (...data: unknown[]) => seen.push(data));
      events.trigger('go', 1, 2);
      expect(seen).toEqual([[1, 2]]);
      expect(() => jest.runAllTimers()).toThrow('Surfaces on its own.');
    } finally {
      jest.useRealTimers();
    }
  });

  test('off and offref end what on began', () => {
    const events = new Events();
    const seen: string[] = [];
    const listener = (): number => seen.push('by name');
    const ref: EventRef = events.on('go', () => seen.push('by reference'));
    events.on('go', listener);
    events.trigger('go');
    events.offref(ref);
    events.off('go', listener);
    events.trigger('go');
    expect(seen).toEqual(['by reference', 'by name']);
  });
});

class SampleView extends ItemView {
  getViewType(): string {
    return 'sample-view';
  }

  getDisplayText(): string {
    return 'Sample';
  }
}

/** Registers one of everything, and nothing behind the back of the host. */
class Tidy extends Plugin {
  override async onload(): Promise<void> {
    await Promise.resolve();
    this.addCommand({ id: 'run', name: 'Run', callback: () => new Notice('Ran.') });
    this.addRibbonIcon('inbox', 'Open inbox', () => new Notice('Clicked.'));
    this.addStatusBarItem().setText('Ready');
    this.addSettingTab(new Tab(this.app, this));
    this.registerView('sample-view', (leaf: WorkspaceLeaf) => new SampleView(leaf));
    this.registerExtensions(['sample'], 'sample-view');
    this.registerObsidianProtocolHandler('sample', () => new Notice('Opened.'));
    this.registerCliHandler('sample', 'Does it.', null, () => 'done');
    this.registerMarkdownCodeBlockProcessor('sample', () => undefined);
    this.registerEvent(this.app.vault.on('modify', () => undefined));
    this.registerDomEvent(window, 'focus', () => undefined);
    this.registerDomEvent(document, 'visibilitychange', () => undefined);
    this.registerInterval(window.setInterval(() => undefined, 1_000));
  }
}

class Tab extends PluginSettingTab {
  override getSettingDefinitions(): [] {
    return [];
  }
}

const NOTHING = {
  events: [],
  domListeners: [],
  intervals: 0,
  commands: [],
  ribbon: [],
  statusBar: 0,
  settingTabs: [],
  views: [],
  extensions: [],
  protocolHandlers: [],
  cliCommands: [],
  codeBlocks: [],
};

describe('plugins', () => {
  test('what is added through the plugin goes with it', () =>
    withWindow({}, async (host, { document }) => {
      await host.loadPlugin(Tidy, MANIFEST);
      expect(host.leaks()).toEqual({
        events: ['vault:modify'],
        domListeners: ['document:visibilitychange', 'window:focus'].reverse(),
        intervals: 1,
        commands: ['sample:run'],
        ribbon: ['Open inbox'],
        statusBar: 1,
        settingTabs: ['sample'],
        views: ['sample-view'],
        extensions: ['sample'],
        protocolHandlers: ['sample'],
        cliCommands: ['sample'],
        codeBlocks: ['sample'],
      });
      expect(document.querySelectorAll('.status-bar-item, .side-dock-ribbon-action')).toHaveLength(2);
      host.unloadPlugin('sample');
      expect(host.leaks()).toEqual(NOTHING);
      expect(document.querySelectorAll('.status-bar-item, .side-dock-ribbon-action')).toHaveLength(0);
    }));

  test('what is registered behind the back of the host is found', () =>
    withWindow({}, async (host, { window: win }) => {
      class Leaky extends Plugin {
        override onload(): void {
          this.app.workspace.on('layout-change', () => undefined);
          win.addEventListener('blur', () => undefined);
          win.addEventListener('load', () => undefined, { once: true });
          win.setInterval(() => undefined, 60_000);
        }
      }
      await host.loadPlugin(Leaky, MANIFEST);
      host.unloadPlugin('sample');
      expect(host.leaks()).toEqual({
        ...NOTHING,
        events: ['workspace:layout-change'],
        domListeners: ['window:blur'],
        intervals: 1,
      });
    }));

  test('are loaded and unloaded in order, also in one tick', () =>
    withHost({}, async (host) => {
      const log: string[] = [];
      class Slow extends Plugin {
        override async onload(): Promise<void> {
          log.push('begins');
          await Promise.resolve();
          log.push('loaded');
        }

        override onunload(): void {
          log.push('unloaded');
        }

        override onUserEnable(): void {
          log.push('enabled');
        }
      }
      await host.loadPlugin(Slow, MANIFEST, true);
      const again = host.reloadPlugin(Slow, MANIFEST);
      expect(log).toEqual(['begins', 'loaded', 'enabled', 'unloaded', 'begins']);
      await again;
      await expect(host.loadPlugin(Slow, MANIFEST)).rejects.toThrow('loaded already');
    }));

  test('an onload that fails is seen', () =>
    withHost({}, async (host) => {
      class Broken extends Plugin {
        override async onload(): Promise<void> {
          await Promise.reject(new Error('Broken.'));
        }
      }
      await expect(host.loadPlugin(Broken, MANIFEST)).rejects.toThrow('Broken.');
    }));

  test('keep data in their folder, and null is what there is before', () =>
    withHost({ configDir: '.config' }, async (host) => {
      class Keeper extends Plugin {}
      const plugin = await host.loadPlugin(Keeper, MANIFEST);
      expect(await plugin.loadData()).toBeNull();
      await plugin.saveData({ port: 1 });
      expect(await plugin.loadData()).toEqual({ port: 1 });
      expect(await host.textOf('.config/plugins/sample/data.json')).toBe('{\n  "port": 1\n}');
    }));

  test('may not register what another has', () =>
    withWindow({}, async (host) => {
      await host.loadPlugin(Tidy, MANIFEST);
      class Second extends Plugin {
        override onload(): void {
          this.registerCliHandler('sample', '', null, () => '');
        }
      }
      await expect(host.loadPlugin(Second, { ...MANIFEST, id: 'second' })).rejects.toThrow(
        'registered already',
      );
    }));
});

describe('what a person does with a plugin', () => {
  test('commands carry the id and the name of the plugin', () =>
    withWindow({}, async (host) => {
      await host.loadPlugin(Tidy, MANIFEST);
      expect(host.commands).toMatchObject([{ id: 'sample:run', name: 'Sample: Run' }]);
      expect(host.runCommand('sample:run')).toBe(true);
      expect(host.notices.map((notice) => notice.text)).toEqual(['Ran.']);
      expect(() => host.runCommand('sample:other')).toThrow('There is no command "sample:other".');
    }));

  test('a command that checks is asked first', () =>
    withHost({}, async (host) => {
      const asked: boolean[] = [];
      let allowed = false;
      class Checking extends Plugin {
        override onload(): void {
          this.addCommand({
            id: 'check',
            name: 'Check',
            checkCallback: (checking) => {
              asked.push(checking);
              return allowed;
            },
          });
        }
      }
      const plugin = await host.loadPlugin(Checking, MANIFEST);
      expect(host.runCommand('sample:check')).toBe(false);
      allowed = true;
      expect(host.runCommand('sample:check')).toBe(true);
      expect(asked).toEqual([true, true, false]);
      plugin.removeCommand('check');
      expect(host.commands).toEqual([]);
    }));

  test('ribbon, address and command line', () =>
    withWindow({}, async (host) => {
      const got: unknown[] = [];
      class Doors extends Plugin {
        override onload(): void {
          this.addRibbonIcon('x', 'Door', () => got.push('ribbon'));
          this.registerObsidianProtocolHandler('brain', (params) => got.push(params));
          this.registerCliHandler(
            'brain:q',
            'Asks.',
            { text: { description: 'What', required: true } },
            (params) => {
              got.push(params);
              return 'answer';
            },
          );
        }
      }
      await host.loadPlugin(Doors, MANIFEST);
      host.clickRibbon('Door');
      await host.openUri('obsidian://brain?path=a%20b.md&flag=true');
      await expect(host.openUri('obsidian://other')).rejects.toThrow('Nobody handles obsidian://other.');
      expect(await host.runCli('brain:q', { text: 'hi' })).toBe('answer');
      await expect(host.runCli('brain:q')).rejects.toThrow('Missing required parameter: text');
      expect(got).toEqual(['ribbon', { action: 'brain', path: 'a b.md', flag: 'true' }, { text: 'hi' }]);
    }));

  test('quitting waits for the tasks of plugins, also for those that fail', () =>
    withHost({}, async (host) => {
      const done: string[] = [];
      host.app.workspace.on('quit', (tasks) => {
        tasks.add(async () => {
          await Promise.resolve();
          done.push('saved');
        });
        tasks.addPromise(Promise.reject(new Error('Too late.')));
      });
      await host.quit();
      expect(done).toEqual(['saved']);
    }));
});

test('a restart keeps the vault, what the device holds, and nothing else', () =>
  withHost({ files: { 'a.md': 'x' } }, async (first) => {
    first.app.saveLocalStorage('seen', { count: 1 });
    first.app.secretStorage.setSecret('api-token', 's3cret');
    await withHost({ storage: first.storage, device: first.device }, async (second) => {
      expect(second.app.loadLocalStorage('seen')).toEqual({ count: 1 });
      expect(second.app.secretStorage.getSecret('api-token')).toBe('s3cret');
      expect(second.app.vault.getFileByPath('a.md')).not.toBeNull();
      second.app.saveLocalStorage('seen', null);
      expect(second.app.loadLocalStorage('seen')).toBeNull();
    });
    await withHost({ storage: first.storage }, async (other) => {
      expect(other.app.secretStorage.listSecrets()).toEqual([]);
    });
  }));

test.each(['Api', 'api token', 'api_token', '', '-a', 'a-'])('a secret cannot have the id "%s"', (id) =>
  withHost({}, async ({ app: { secretStorage } }) => {
    expect(() => secretStorage.setSecret(id, 'x')).toThrow('Invalid secret ID');
    expect(secretStorage.getSecret(id)).toBeNull();
    expect(secretStorage.listSecrets()).toEqual([]);
  }),
);
