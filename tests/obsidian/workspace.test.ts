import { ItemView, MarkdownView, Plugin, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import type { PluginClass } from './host/host';
import type { Host } from './index';
import { MANIFEST } from './manifest';
import { erase, fileAt, withHost, withWindow } from './world';

const TYPE = 'sample-view';

class SampleView extends ItemView {
  state: unknown = null;

  constructor(
    leaf: WorkspaceLeaf,
    readonly log: string[],
  ) {
    super(leaf);
    this.icon = 'inbox';
  }

  getViewType(): string {
    return TYPE;
  }

  getDisplayText(): string {
    return 'Sample';
  }

  override getState(): Record<string, unknown> {
    return { kept: this.state };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    this.state = state;
    this.log.push(`state ${JSON.stringify(state)}`);
    await super.setState(state, result);
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.createEl('p', { text: 'Shown' });
    this.log.push('open');
  }

  protected override async onClose(): Promise<void> {
    this.log.push('close');
  }

  override onunload(): void {
    this.log.push('unload');
  }
}

/** A host with a plugin that registers the view; what its views go through is in the log. */
function withView(
  work: (host: Host, log: string[], plugin: PluginClass<Plugin>, document: Document) => Promise<void>,
): Promise<void> {
  const log: string[] = [];
  class Viewer extends Plugin {
    override onload(): void {
      this.registerView(TYPE, (leaf) => new SampleView(leaf, log));
    }
  }
  return withWindow(
    { files: { 'a.md': '# A', 'b.md': '# B', 'data.jsonl': '{}' } },
    async (host, { document }) => {
      await host.loadPlugin(Viewer, MANIFEST);
      await work(host, log, Viewer, document);
    },
  );
}

test('onLayoutReady waits for the layout, and runs at once when it stands', () =>
  withHost({ ready: false }, async (host) => {
    const seen: string[] = [];
    host.app.workspace.onLayoutReady(() => seen.push('first'));
    expect(host.app.workspace.layoutReady).toBe(false);
    expect(seen).toEqual([]);
    await host.layoutReady();
    host.app.workspace.onLayoutReady(() => seen.push('second'));
    expect(seen).toEqual(['first', 'second']);
  }));

describe('views', () => {
  test('are made, opened, given their state and closed in this order', () =>
    withView(async (host, log, _, document) => {
      const { workspace } = host.app;
      const changes: string[] = [];
      workspace.on('layout-change', () => changes.push('layout'));
      const leaf = workspace.getLeaf('tab');
      await leaf.setViewState({ type: TYPE, state: { note: 1 }, active: true });
      expect(log).toEqual(['open', 'state {"note":1}']);
      expect(changes).toEqual(['layout']);
      expect(leaf.view).toBeInstanceOf(SampleView);
      expect(leaf.getViewState()).toMatchObject({ type: TYPE, state: { kept: { note: 1 } } });
      expect(leaf.getDisplayText()).toBe('Sample');
      expect(leaf.getIcon()).toBe('inbox');
      expect(
        document.querySelector(`.workspace-leaf-content[data-type="${TYPE}"] .view-content`)?.textContent,
      ).toBe('Shown');
      await leaf.setViewState({ type: TYPE, state: { note: 2 } });
      expect(log.slice(2)).toEqual(['state {"note":2}']);
      leaf.detach();
      await host.settle();
      expect(log.slice(3)).toEqual(['close', 'unload']);
      expect(document.querySelector(`[data-type="${TYPE}"]`)).toBeNull();
    }));

  test('have actions in their header', () =>
    withView(async (host, log) => {
      const leaf = host.app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: TYPE });
      if (!(leaf.view instanceof SampleView)) throw new Error('Not the view.');
      leaf.view.addAction('refresh', 'Refresh', () => log.push('refreshed')).click();
      expect(leaf.view.containerEl.querySelector('.view-action')?.getAttribute('aria-label')).toBe('Refresh');
      expect(log.at(-1)).toBe('refreshed');
    }));

  test('wait after a restart until they are revealed', () =>
    withView(async (host, log) => {
      const { workspace } = host.app;
      const leaf = await host.openDeferred(TYPE, { note: 1 });
      expect(leaf.isDeferred).toBe(true);
      expect(leaf.view).not.toBeInstanceOf(SampleView);
      expect(workspace.getLeavesOfType(TYPE)).toEqual([leaf]);
      expect(log).toEqual([]);
      await workspace.revealLeaf(leaf);
      expect(leaf.isDeferred).toBe(false);
      expect(leaf.view).toBeInstanceOf(SampleView);
      expect(log).toEqual(['open', 'state {"note":1}']);
    }));

  test('give way to a placeholder when their plugin goes, and come back with it', () =>
    withView(async (host, log, plugin) => {
      const { workspace } = host.app;
      const leaf = workspace.getLeaf('tab');
      await leaf.setViewState({ type: TYPE, state: { note: 1 }, active: true });
      host.unloadPlugin(MANIFEST.id);
      await host.settle();
      expect(log.slice(2)).toEqual(['close', 'unload']);
      expect(workspace.getLeavesOfType(TYPE)).toEqual([leaf]);
      expect(leaf.isDeferred).toBe(true);
      await host.loadPlugin(plugin, MANIFEST);
      await host.settle();
      expect(leaf.view).toBeInstanceOf(SampleView);
      expect(leaf.getViewState().state).toEqual({ kept: { kept: { note: 1 } } });
    }));

  test('of a type that nobody registers wait for it', () =>
    withView(async (host) => {
      const leaf = host.app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'unknown-view' });
      expect(leaf.isDeferred).toBe(true);
      expect(leaf.view.getViewType()).toBe('unknown-view');
    }));
});

describe('leaves', () => {
  test('getLeaf takes the one at hand, unless it is pinned or no place to navigate from', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      const first = workspace.getLeaf();
      expect(workspace.getLeaf(false)).toBe(first);
      first.setPinned(true);
      const second = workspace.getLeaf();
      expect(second).not.toBe(first);
      await second.setViewState({ type: TYPE });
      second.view.navigation = false;
      expect([first, second]).not.toContain(workspace.getLeaf());
      const seen: unknown[] = [];
      workspace.iterateRootLeaves((leaf) => seen.push(leaf));
      expect(seen).toHaveLength(3);
    }));

  test('side bars open when one of their leaves is revealed', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      const leaf = workspace.getRightLeaf(false);
      await leaf?.setViewState({ type: TYPE });
      expect(workspace.rightSplit.collapsed).toBe(true);
      if (leaf !== null) await workspace.revealLeaf(leaf);
      expect(workspace.rightSplit.collapsed).toBe(false);
      expect(await workspace.ensureSideLeaf(TYPE, 'right')).toBe(leaf);
      expect(await workspace.ensureSideLeaf(TYPE, 'left')).not.toBe(leaf);
      expect(workspace.getLeavesOfType(TYPE)).toHaveLength(2);
      workspace.detachLeavesOfType(TYPE);
      expect(workspace.getLeavesOfType(TYPE)).toEqual([]);
    }));

  test('one tab of a group is shown', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      const first = workspace.getLeaf('tab');
      const second = workspace.getLeaf('tab');
      await first.setViewState({ type: TYPE });
      await second.setViewState({ type: TYPE });
      expect([first, second].map((leaf) => leaf.view.containerEl.isShown())).toEqual([false, true]);
      await workspace.revealLeaf(first);
      expect([first, second].map((leaf) => leaf.view.containerEl.isShown())).toEqual([true, false]);
    }));

  test('the active one is told, and its view is found by its class', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      const told: (string | undefined)[] = [];
      workspace.on('active-leaf-change', (leaf) => told.push(leaf?.view.getViewType()));
      const leaf = workspace.getLeaf('tab');
      await leaf.setViewState({ type: TYPE, active: true });
      workspace.setActiveLeaf(leaf);
      expect(told).toEqual([TYPE]);
      expect(workspace.getActiveViewOfType(SampleView)).toBe(leaf.view);
      expect(workspace.getActiveViewOfType(MarkdownView)).toBeNull();
      leaf.detach();
      expect(told).toEqual([TYPE, undefined]);
    }));
});

describe('notes', () => {
  test('openLinkText opens what a link leads to, and records it', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      const opened: (string | undefined)[] = [];
      workspace.on('file-open', (file) => opened.push(file?.path));
      await workspace.openLinkText('b#B', 'a.md', 'tab');
      expect(host.openedLinks).toMatchObject([
        { linktext: 'b#B', sourcePath: 'a.md', newLeaf: 'tab', path: 'b.md', made: false },
      ]);
      expect(workspace.getActiveFile()?.path).toBe('b.md');
      expect(workspace.getActiveViewOfType(MarkdownView)?.getViewData()).toBe('# B');
      expect(opened).toEqual(['b.md']);
    }));

  test('openLinkText makes a note that is not there', () =>
    withView(async (host) => {
      await host.app.workspace.openLinkText('new note', '');
      expect(host.openedLinks).toMatchObject([{ path: 'new note.md', made: true }]);
      expect(await host.textOf('new note.md')).toBe('');
    }));

  test('getActiveFile stays with the last note while another view has the focus', () =>
    withView(async (host) => {
      const { workspace } = host.app;
      await host.openFile('a.md');
      expect(workspace.activeEditor?.file?.path).toBe('a.md');
      await workspace.getLeaf('tab').setViewState({ type: TYPE, active: true });
      expect(workspace.getActiveFile()?.path).toBe('a.md');
      expect(workspace.activeEditor).toBeNull();
      expect(workspace.getLastOpenFiles()).toEqual(['a.md']);
    }));

  test('an editor saves after two seconds, and when its view is closed', async () => {
    jest.useFakeTimers();
    try {
      await withView(async (host) => {
        await host.openFile('a.md');
        const editor = host.app.workspace.activeEditor?.editor;
        if (editor === undefined) throw new Error('No editor.');
        editor.setCursor(0, 3);
        editor.replaceSelection('!');
        expect(await host.textOf('a.md')).toBe('# A');
        await jest.advanceTimersByTimeAsync(2_000);
        expect(await host.textOf('a.md')).toBe('# A!');
        editor.replaceRange('?', { line: 0, ch: 4 });
        await host.openFile('b.md');
        expect(await host.textOf('a.md')).toBe('# A!?');
      });
    } finally {
      jest.useRealTimers();
    }
  });

  test('an open note follows changes from outside, a rename, and its end', () =>
    withView(async (host) => {
      const leaf = await host.openFile('a.md');
      const view = leaf.view;
      if (!(view instanceof MarkdownView)) throw new Error('Not a note.');
      await host.outside('a.md', 'theirs');
      await host.settle();
      expect(view.getViewData()).toBe('theirs');
      await host.app.vault.rename(fileAt(host, 'a.md'), 'c.md');
      expect(leaf.getViewState().state).toMatchObject({ file: 'c.md' });
      await erase(host, fileAt(host, 'c.md'));
      await host.settle();
      expect(leaf.view.getViewType()).toBe('empty');
    }));

  test('a file that no view is for opens in another program', () =>
    withView(async (host) => {
      const leaf = await host.openFile('data.jsonl');
      expect(host.openedOutside).toEqual(['data.jsonl']);
      expect(leaf.view.getViewType()).toBe('empty');
    }));
});

describe('popouts', () => {
  test('have a document of their own, with the helpers, classes and styles of the app', () =>
    withView(async (host, _, _plugin, document) => {
      const { workspace } = host.app;
      const { head } = new DOMParser().parseFromString('<style>.x { color: red }</style>', 'text/html');
      for (const style of Array.from(head.children)) document.head.appendChild(style);
      const told: string[] = [];
      workspace.on('window-open', (popout, win) => {
        told.push(`open ${popout.doc === win.document ? 'its document' : 'another'}`);
      });
      workspace.on('window-close', () => told.push('close'));
      const leaf = workspace.openPopoutLeaf();
      await leaf.setViewState({ type: TYPE, active: true });
      const { doc, win } = leaf.view.containerEl;
      expect(doc).not.toBe(document);
      expect(leaf.getContainer().doc).toBe(doc);
      expect(activeDocument === doc).toBe(true);
      expect(doc.body.hasClass('theme-light')).toBe(true);
      expect(doc.head.textContent).toContain('color: red');
      expect(leaf.view.containerEl.createDiv().win).toBe(win);
      expect(Object.prototype.isPrototypeOf.call(HTMLElement.prototype, leaf.view.containerEl)).toBe(false);
      expect(leaf.view.containerEl.instanceOf(HTMLElement)).toBe(true);
      const seen: unknown[] = [];
      workspace.iterateAllLeaves((one) => seen.push(one));
      expect(seen).toContain(leaf);
      leaf.detach();
      expect(told).toEqual(['open its document', 'close']);
      expect(activeDocument === document).toBe(true);
    }));

  test('take a leaf in, and its elements hear that they have moved', () =>
    withView(async (host, log, _, document) => {
      const { workspace } = host.app;
      const leaf = workspace.getLeaf('tab');
      await leaf.setViewState({ type: TYPE });
      const { view } = leaf;
      const heard: Window[] = [];
      const stop = view.containerEl.onWindowMigrated((win) => heard.push(win));
      const popout = workspace.moveLeafToPopout(leaf);
      expect(leaf.view).toBe(view);
      expect(log).toEqual(['open', 'state {}']);
      expect(view.containerEl.doc).toBe(popout.doc);
      expect(view.containerEl.doc).not.toBe(document);
      expect(heard).toEqual([popout.win]);
      stop();
    }));

  test('can be windows that the test opens', () =>
    withWindow({}, async (_, { document }) => {
      const frame = document.body.createEl('iframe');
      const openWindow = (): Window => {
        if (frame.contentWindow === null) throw new Error('No window.');
        return frame.contentWindow;
      };
      await withWindow({ openWindow }, async (host) => {
        expect(host.app.workspace.openPopoutLeaf().getContainer().win).toBe(frame.contentWindow);
      });
    }));
});

test('a change of theme is told', () =>
  withView(async (host) => {
    const seen: boolean[] = [];
    host.app.workspace.on('css-change', () => seen.push(host.app.isDarkMode()));
    host.setTheme('dark');
    host.setTheme('light');
    expect(seen).toEqual([true, false]);
  }));

test('menus of files take what plugins put into them', () =>
  withView(async (host) => {
    const clicked: string[] = [];
    host.app.workspace.on('file-menu', (menu, file, source) => {
      menu.addItem((item) => item.setTitle('Promote').onClick(() => clicked.push(`${file.path} ${source}`)));
    });
    host.app.workspace.on('files-menu', (menu, files) => {
      menu.addItem((item) => item.setTitle('Promote all').onClick(() => clicked.push(String(files.length))));
    });
    host.fileMenu('a.md', 'more-options');
    host.clickMenu('Promote');
    host.filesMenu(['a.md', 'b.md']);
    host.clickMenu('Promote all');
    expect(clicked).toEqual(['a.md more-options', '2']);
    expect(() => host.clickMenu('Promote all')).toThrow('No open menu');
  }));

test('a host without a document says so when something wants to draw', () =>
  withHost({}, async (host) => {
    expect(() => host.app.workspace.getLeaf()).toThrow('made without a document');
    expect(host.app.workspace.getLeavesOfType('x')).toEqual([]);
  }));
