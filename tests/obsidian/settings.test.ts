import { Plugin, PluginSettingTab, SecretComponent, Setting, type SettingDefinitionItem } from 'obsidian';
import { Setting as FakeSetting, PluginSettingTab as FakeTab, type Host } from './index';
import { MANIFEST } from './manifest';
import { withWindow } from './world';

const row = (root: HTMLElement, name: string): HTMLElement => {
  const found = root
    .findAll('.setting-item')
    .find((item) => item.querySelector('.setting-item-name')?.textContent === name);
  if (found === undefined) throw new Error(`There is no row "${name}".`);
  return found;
};

const type = (root: HTMLElement, name: string, value: string): void => {
  const input = row(root, name).querySelector('input, textarea');
  if (input === null) throw new Error(`The row "${name}" has no input.`);
  Reflect.set(input, 'value', value);
  row(root, name).find('input, textarea').trigger('input');
};

const later = (): Promise<void> => new Promise(setImmediate);

test('a row has components that are labelled by it, set without calling back, and call back when a person acts', () =>
  withWindow({}, async (_, { document }) => {
    const got: unknown[] = [];
    // By its own class: this one row has more than the oldest app that plugins are written for.
    const setting = new FakeSetting(document.body).setName('Port').setDesc('Where it listens.');
    setting
      .addText((text) =>
        text
          .setValue('1')
          .setPlaceholder('Port')
          .onChange((value) => got.push(value)),
      )
      .addTextArea((area) => area.setValue('lines').onChange((value) => got.push(value)))
      .addToggle((toggle) => toggle.setValue(true).onChange((value) => got.push(value)))
      .addDropdown((dropdown) =>
        dropdown
          .addOptions({ a: 'A', b: 'B' })
          .setValue('b')
          .onChange((value) => got.push(value)),
      )
      .addButton((button) =>
        button
          .setButtonText('Go')
          .setCta()
          .onClick(() => got.push('go')),
      )
      .addExtraButton((button) =>
        button
          .setIcon('x')
          .setTooltip('Reset')
          .onClick(() => got.push('reset')),
      );
    expect(got).toEqual([]);
    const inputs = setting.controlEl.findAll('input, textarea, select');
    const names = inputs.map(
      (input) => document.getElementById(input.getAttribute('aria-labelledby') ?? '')?.textContent,
    );
    expect(new Set(names)).toEqual(new Set(['Port']));
    setting.controlEl.find('input[type=text]').trigger('input');
    setting.controlEl.find('textarea').trigger('input');
    setting.controlEl.find('input[type=checkbox]').click();
    setting.controlEl.find('select').trigger('change');
    setting.controlEl.find('button').click();
    setting.controlEl.find('[aria-label=Reset]').click();
    expect(got).toEqual(['1', 'lines', false, 'b', 'go', 'reset']);
    setting.setDisabled(true);
    setting.controlEl.find('button').click();
    setting.controlEl.find('[aria-label=Reset]').click();
    expect(got).toHaveLength(6);
    setting.setErrorMessage('Taken.');
    expect(setting.settingEl.hasClass('is-invalid')).toBe(true);
    expect(setting.errorEl?.textContent).toBe('Taken.');
    setting.setErrorMessage(null);
    expect(setting.settingEl.hasClass('is-invalid')).toBe(false);
  }));

test('a secret is chosen by its id', () =>
  withWindow({}, async ({ app }, { document }) => {
    app.secretStorage.setSecret('api-token', 's3cret');
    const chosen: string[] = [];
    const setting = new Setting(document.body);
    setting.addComponent((el) => new SecretComponent(app, el).setValue('').onChange((id) => chosen.push(id)));
    const select = setting.controlEl.querySelector('select');
    if (select === null) throw new Error('No select.');
    expect(select.textContent).not.toContain('s3cret');
    select.value = 'api-token';
    select.trigger('change');
    expect(chosen).toEqual(['api-token']);
  }));

class Configured extends Plugin {
  override settings: Record<string, unknown> = { port: 70_000, name: 'me', hidden: false };
  tab: DefinedTab | null = null;

  override onload(): void {
    this.tab = new DefinedTab(this);
    this.addSettingTab(this.tab);
  }
}

class DefinedTab extends PluginSettingTab {
  readonly log: string[] = [];
  tokens = ['laptop', 'phone'];

  constructor(readonly owner: Configured) {
    super(owner.app, owner);
  }

  override hide(): void {
    this.log.push('hide');
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    return [
      { name: 'About', desc: 'Only text.' },
      {
        name: 'Port',
        control: {
          type: 'number',
          key: 'port',
          min: 0,
          validate: (value: number) => (value > 65_535 ? 'Too large.' : undefined),
        },
      },
      {
        type: 'group',
        heading: 'People',
        cls: 'people',
        visible: () => this.owner.settings.hidden !== true,
        items: [
          {
            name: 'Name',
            control: { type: 'text', key: 'name', disabled: () => this.owner.settings.locked === true },
          },
          { name: 'Locked', control: { type: 'toggle', key: 'locked' } },
          { name: 'Hidden', control: { type: 'toggle', key: 'hidden' } },
          {
            name: 'Mode',
            control: { type: 'dropdown', key: 'mode', options: { a: 'A', b: 'B' }, defaultValue: 'b' },
          },
          { name: 'Notes', control: { type: 'textarea', key: 'notes', rows: 3 } },
          { name: 'Folder', control: { type: 'folder', key: 'folder' } },
        ],
      },
      {
        name: 'Connect',
        action: (el, index) => this.log.push(`action ${el.className.split(' ')[0] ?? ''} ${index}`),
      },
      {
        name: 'Drawn',
        render: (setting) => {
          setting.addButton((button) => button.setButtonText('Own'));
          return () => this.log.push('cleanup');
        },
      },
      {
        type: 'list',
        heading: 'Tokens',
        emptyState: 'None.',
        items: this.tokens.map((name) => ({ name })),
        onDelete: (index) => {
          this.tokens.splice(index, 1);
          this.update();
        },
        addItem: { name: 'Add token', action: () => this.log.push('add') },
      },
    ];
  }
}

const withTab = (work: (host: Host, tab: DefinedTab, root: HTMLElement) => Promise<void>): Promise<void> =>
  withWindow({}, async (host) => {
    const plugin = await host.loadPlugin(Configured, MANIFEST);
    const { tab } = plugin;
    if (tab === null) throw new Error('No tab.');
    Reflect.set(tab, 'display', () => tab.log.push('display'));
    await work(host, tab, host.openSettings('sample'));
  });

describe('definitions', () => {
  test('win over display, and are drawn with the values of the plugin', () =>
    withTab(async (_, tab, root) => {
      expect(tab.log).toEqual([]);
      expect(row(root, 'About').find('.setting-item-description').textContent).toBe('Only text.');
      expect(row(root, 'Port').querySelector('input')?.value).toBe('70000');
      expect(row(root, 'Name').querySelector('input')?.value).toBe('me');
      expect(row(root, 'Mode').querySelector('select')?.value).toBe('b');
      expect(root.find('.people [role=heading]').textContent).toBe('People');
    }));

  test('say at once that a stored value is wrong, and keep a wrong one out', () =>
    withTab(async (_, tab, root) => {
      await later();
      expect(row(root, 'Port').find('.setting-item-error').textContent).toBe('Too large.');
      type(root, 'Port', '99999');
      await later();
      expect(tab.owner.settings.port).toBe(70_000);
      type(root, 'Port', '8123');
      await later();
      expect(tab.owner.settings.port).toBe(8_123);
      expect(row(root, 'Port').hasClass('is-invalid')).toBe(false);
    }));

  test('save what a person changes', () =>
    withTab(async (host, tab, root) => {
      type(root, 'Name', 'Ada');
      await host.settle();
      await later();
      expect(tab.owner.settings.name).toBe('Ada');
      expect(await tab.owner.loadData()).toMatchObject({ name: 'Ada' });
    }));

  test('ask their predicates again after each change', () =>
    withTab(async (host, _, root) => {
      const name = row(root, 'Name').querySelector('input');
      expect(name?.disabled).toBe(false);
      row(root, 'Locked').find('input').click();
      await host.settle();
      await later();
      expect(name?.disabled).toBe(true);
      row(root, 'Hidden').find('input').click();
      await host.settle();
      await later();
      expect(root.find('.people').isShown()).toBe(false);
    }));

  test('act, draw themselves, and clean up', () =>
    withTab(async (host, tab, root) => {
      row(root, 'Connect').click();
      expect(row(root, 'Drawn').find('button').textContent).toBe('Own');
      tab.update();
      host.closeSettings('sample');
      expect(tab.log).toEqual(['action setting-item 3', 'cleanup', 'hide', 'cleanup']);
      expect(root.isConnected).toBe(false);
    }));

  test('list what can be added and deleted', () =>
    withTab(async (_, tab, root) => {
      root.find('[aria-label="Add token"]').click();
      row(root, 'laptop').find('[aria-label="Delete"]').click();
      expect(tab.log).toEqual(['add', 'cleanup']);
      expect(() => row(root, 'laptop')).toThrow();
      row(root, 'phone').find('[aria-label="Delete"]').click();
      expect(root.find('.setting-list-empty').textContent).toBe('None.');
    }));
});

test('a tab without definitions draws itself', () =>
  withWindow({}, async (host) => {
    class Plain extends FakeTab {
      override display(): void {
        new Setting(this.containerEl).setName('By hand');
      }
    }
    class Old extends Plugin {
      override onload(): void {
        this.addSettingTab(new Plain(this.app, this));
      }
    }
    await host.loadPlugin(Old, MANIFEST);
    expect(row(host.openSettings('sample'), 'By hand').isShown()).toBe(true);
  }));
