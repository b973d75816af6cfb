import {
  type App,
  Component,
  ConfirmationModal,
  FuzzySuggestModal,
  ItemView,
  MarkdownRenderer,
  Menu,
  Modal,
  Notice,
  Plugin,
  Scope,
  SuggestModal,
} from 'obsidian';
import { MANIFEST } from './manifest';
import { withHost, withWindow } from './world';

const press = (key: string, init: KeyboardEventInit = {}): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  (activeDocument.activeElement ?? activeDocument.body).dispatchEvent(event);
  return event;
};

describe('notices', () => {
  test('are recorded, drawn, changed and hidden', () =>
    withWindow({}, async (host, { document }) => {
      const notice = new Notice('Saving', 0);
      notice.setMessage('Saved');
      expect(document.querySelector('.notice-message')?.textContent).toBe('Saved');
      expect(host.notices).toEqual([{ text: 'Saved', duration: 0, open: true }]);
      notice.messageEl.click();
      expect(host.notices[0]?.open).toBe(false);
      expect(document.querySelector('.notice')).toBeNull();
    }));

  test('go after their time, unless it is 0', async () => {
    jest.useFakeTimers();
    try {
      await withWindow({}, async (host) => {
        new Notice('Short', 100);
        new Notice('Stays', 0);
        await jest.advanceTimersByTimeAsync(60_000);
        expect(host.notices.map((notice) => notice.open)).toEqual([false, true]);
      });
    } finally {
      jest.useRealTimers();
    }
  });

  test('are only recorded without a document', () =>
    withHost({}, async (host) => {
      new Notice('Told').setMessage('Told anew');
      expect(host.notices).toMatchObject([{ text: 'Told anew' }]);
    }));
});

describe('dialogs', () => {
  test('open above the window, take the focus, and give it back', () =>
    withWindow({}, async (host, { document }) => {
      const log: string[] = [];
      class Dialog extends Modal {
        override onOpen(): void {
          this.setTitle('Capture').contentEl.createEl('input');
          log.push(`open ${this.containerEl.isConnected ? 'shown' : 'not yet'}`);
        }

        override onClose(): void {
          log.push('close');
        }
      }
      const button = document.body.createEl('button');
      button.focus();
      const dialog = new Dialog(host.app);
      dialog.setCloseCallback(() => log.push('callback'));
      dialog.open();
      expect(host.modals).toHaveLength(1);
      expect(document.querySelector('.modal .modal-title')?.textContent).toBe('Capture');
      expect(dialog.modalEl.contains(document.activeElement)).toBe(true);
      expect(press('Escape').defaultPrevented).toBe(true);
      expect(host.modals).toEqual([]);
      expect(log).toEqual(['open shown', 'close', 'callback']);
      expect(document.activeElement === button).toBe(true);
    }));

  test('close by their cross and by a click beside them; Escape closes the topmost', () =>
    withWindow({}, async (host) => {
      const [first, second] = [new Modal(host.app), new Modal(host.app)];
      first.open();
      second.open();
      press('Escape');
      expect(host.modals.map((modal) => modal === first)).toEqual([true]);
      first.containerEl.find('.modal-bg').click();
      expect(host.modals).toEqual([]);
      second.open();
      second.modalEl.find('.modal-close-button').click();
      expect(host.modals).toEqual([]);
    }));

  test('belong to the window with the focus', () =>
    withWindow({}, async (host) => {
      const leaf = host.app.workspace.openPopoutLeaf();
      host.app.workspace.setActiveLeaf(leaf);
      const dialog = new Modal(host.app);
      dialog.open();
      expect(dialog.modalEl.doc === leaf.getContainer().doc).toBe(true);
      press('Escape');
      expect(host.modals).toEqual([]);
    }));

  test('that ask for a confirmation close unless a handler wants them to stay', () =>
    withWindow({}, async (host) => {
      const log: string[] = [];
      let stays = true;
      const dialog = new ConfirmationModal(host.app)
        .setTitle('Delete?')
        .addCheckbox('Do not ask again', (value) => log.push(`box ${String(value)}`))
        .addButton((button) =>
          button
            .setButtonText('Delete')
            .setDestructive()
            .setInitialFocus()
            .onClick(async () => {
              await Promise.resolve();
              log.push('deleted');
              return stays;
            }),
        )
        .addCancelButton();
      dialog.open();
      expect(activeDocument.activeElement?.textContent).toBe('Delete');
      dialog.modalEl.find('input').click();
      dialog.modalEl.find('.mod-destructive').click();
      await new Promise(setImmediate);
      expect(host.modals).toHaveLength(1);
      stays = false;
      dialog.modalEl.find('.mod-destructive').click();
      await new Promise(setImmediate);
      expect(host.modals).toEqual([]);
      expect(log).toEqual(['box true', 'deleted', 'deleted']);
      dialog.open();
      dialog.modalEl.find('.mod-cancel').click();
      await new Promise(setImmediate);
      expect(host.modals).toEqual([]);
    }));
});

class Wings extends FuzzySuggestModal<string> {
  constructor(
    app: App,
    readonly log: string[],
  ) {
    super(app);
  }

  getItems(): string[] {
    return ['network', 'notes', 'storage'];
  }

  getItemText(item: string): string {
    return item;
  }

  onChooseItem(item: string): void {
    this.log.push(`chose ${item}`);
  }

  override onClose(): void {
    this.log.push('close');
  }
}

describe('choosing', () => {
  const shown = (modal: { resultContainerEl: HTMLElement }): (string | null)[] =>
    modal.resultContainerEl.findAll('.suggestion-item').map((item) => item.textContent);

  test('narrows by letters, moves by arrows, and closes before it says what was chosen', () =>
    withWindow({}, async (host) => {
      const log: string[] = [];
      const modal = new Wings(host.app, log);
      modal.open();
      expect(shown(modal)).toEqual(['network', 'notes', 'storage']);
      modal.inputEl.value = 'nt';
      modal.inputEl.trigger('input');
      expect(shown(modal)).toEqual(['network', 'notes']);
      press('ArrowDown');
      press('Enter');
      expect(log).toEqual(['close', 'chose notes']);
    }));

  test('by a click, from what arrives later, and nothing when nothing fits', () =>
    withWindow({}, async (host) => {
      const chosen: number[] = [];
      class Numbers extends SuggestModal<number> {
        override emptyStateText = 'Nothing like this.';

        async getSuggestions(query: string): Promise<number[]> {
          await Promise.resolve();
          return [1, 2, 3].filter((one) => String(one).includes(query));
        }

        renderSuggestion(value: number, el: HTMLElement): void {
          el.setText(`Number ${value}`);
        }

        onChooseSuggestion(item: number): void {
          chosen.push(item);
        }
      }
      const modal = new Numbers(host.app);
      modal.open();
      await host.settle();
      expect(shown(modal)).toEqual(['Number 1', 'Number 2', 'Number 3']);
      modal.inputEl.value = '9';
      modal.inputEl.trigger('input');
      await host.settle();
      expect(modal.resultContainerEl.textContent).toBe('Nothing like this.');
      modal.inputEl.value = '2';
      modal.inputEl.trigger('input');
      await host.settle();
      modal.resultContainerEl.find('.suggestion-item').click();
      expect(chosen).toEqual([2]);
    }));
});

describe('menus', () => {
  test('are drawn where they are shown, recorded, and hidden by a choice', () =>
    withWindow({}, async (host, { document }) => {
      const log: string[] = [];
      const menu = new Menu()
        .addItem((item) =>
          item
            .setTitle('Open')
            .setIcon('file')
            .onClick(() => log.push('open')),
        )
        .addSeparator()
        .addItem((item) =>
          item
            .setTitle('Never')
            .setDisabled(true)
            .onClick(() => log.push('never')),
        );
      menu.onHide(() => log.push('hidden'));
      menu.showAtPosition({ x: 1, y: 1 });
      expect(host.menus).toHaveLength(1);
      const rows = document.querySelectorAll<HTMLElement>('[role=menuitem]');
      expect(Array.from(rows, (row) => row.textContent)).toEqual(['Open', 'Never']);
      rows[1]?.click();
      expect(log).toEqual([]);
      rows[0]?.click();
      expect(log).toEqual(['hidden', 'open']);
      expect(document.querySelector('.menu')).toBeNull();
    }));

  test('for one event there is one menu, shown when all have added to it', () =>
    withWindow({}, async (host, { document }) => {
      const event = new MouseEvent('contextmenu', { bubbles: true });
      document.body.addEventListener('contextmenu', (evt) => {
        Menu.forEvent(evt).addItem((item) => item.setTitle('One'));
        Menu.forEvent(evt).addItem((item) => item.setTitle('Two'));
      });
      document.body.dispatchEvent(event);
      expect(host.menus).toEqual([]);
      await host.settle();
      expect(host.menus.map((menu) => menu.items.map((item) => item.title))).toEqual([['One', 'Two']]);
    }));
});

test('keys go to the active view, and to a dialog while one stands open', () =>
  withWindow({}, async (host) => {
    const log: string[] = [];
    class Keyed extends ItemView {
      override scope = new Scope(this.app.scope);

      getViewType(): string {
        return 'keyed';
      }

      getDisplayText(): string {
        return 'Keyed';
      }
    }
    class Keys extends Plugin {
      override onload(): void {
        this.registerView('keyed', (leaf) => new Keyed(leaf));
      }
    }
    await host.loadPlugin(Keys, MANIFEST);
    const leaf = host.app.workspace.getLeaf('tab');
    await leaf.setViewState({ type: 'keyed', active: true });
    const handler = leaf.view.scope?.register(['Mod'], 'j', () => {
      log.push('mod j');
      return false;
    });
    host.app.scope.register([], 'F5', () => log.push('app'));
    expect(press('j', { ctrlKey: true }).defaultPrevented).toBe(true);
    expect(press('j').defaultPrevented).toBe(false);
    press('F5');
    const modal = new Modal(host.app);
    modal.open();
    press('j', { ctrlKey: true });
    modal.close();
    if (handler !== undefined) leaf.view.scope?.unregister(handler);
    press('j', { ctrlKey: true });
    expect(log).toEqual(['mod j', 'app']);
  }));

test('rendering Markdown is recorded, and runs the code blocks that plugins handle', () =>
  withWindow({}, async (host, { document }) => {
    const ran: string[] = [];
    class Runner extends Plugin {
      override onload(): void {
        this.registerMarkdownCodeBlockProcessor('query', (source) => {
          ran.push(source);
        });
      }
    }
    await host.loadPlugin(Runner, MANIFEST);
    const owner = new Component();
    const text = 'Hello\n\n```query\ndelete all\n```\n\n```js\n1\n```\n';
    await MarkdownRenderer.render(host.app, text, document.body, 'raw/a.md', owner);
    expect(host.rendered).toEqual([{ markdown: text, sourcePath: 'raw/a.md' }]);
    expect(ran).toEqual(['delete all\n']);
    expect(document.querySelector('pre code.language-js')?.textContent).toBe('1\n');
  }));
