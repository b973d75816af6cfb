import type {
  SettingDefinition,
  SettingDefinitionGroup,
  SettingDefinitionItem,
  SettingDefinitionList,
  SettingDefinitionPage,
} from 'obsidian';
import { drawControl } from './definition-control';
import { Setting } from './setting';
import { SettingGroup } from './setting-group';
import type { SettingPage } from './setting-page';
import type { SettingTab } from './setting-tab';

type Flag = boolean | (() => boolean);

const settled = (flag: Flag | undefined, usual: boolean): boolean =>
  (typeof flag === 'function' ? flag() : flag) ?? usual;

/** Draws settings from their definitions, and keeps what they show in step with their predicates. */
export class DefinitionRenderer {
  readonly #tab: SettingTab;
  readonly #opened: (page: SettingPage) => void;
  #predicates: (() => void)[] = [];
  #cleanups: (() => void)[] = [];

  constructor(tab: SettingTab, opened: (page: SettingPage) => void) {
    this.#tab = tab;
    this.#opened = opened;
  }

  draw(container: HTMLElement, items: readonly SettingDefinitionItem[]): void {
    let loose: SettingGroup | null = null;
    for (const item of items) {
      if ('type' in item && item.type !== 'page') {
        loose = null;
        this.#drawGroup(container, item);
        continue;
      }
      loose ??= new SettingGroup(container);
      if ('type' in item) this.#drawPage(container, loose, item);
      else this.#drawRow(loose, item, items.indexOf(item));
    }
    this.refresh();
  }

  /** Asks every predicate again; the rows themselves stay. */
  refresh(): void {
    for (const predicate of this.#predicates) predicate();
  }

  tearDown(): void {
    for (const cleanup of this.#cleanups) cleanup();
    this.#cleanups = [];
    this.#predicates = [];
  }

  #drawGroup(container: HTMLElement, definition: SettingDefinitionGroup | SettingDefinitionList): void {
    const group = new SettingGroup(container);
    const { heading, cls, extraButtons = [], items = [], search, visible } = definition;
    if (heading !== undefined) group.setHeading(heading);
    if (cls !== undefined) group.addClass(cls);
    for (const button of extraButtons) group.addExtraButton(button);
    this.#watch(() => {
      group.groupEl.toggle(settled(visible, true));
    });
    items.forEach((item, index) => {
      const setting =
        'type' in item ? this.#drawPage(container, group, item) : this.#drawRow(group, item, index);
      if (isList(definition)) dressListRow(setting, definition, index, items.length);
    });
    if (isList(definition)) drawListEnds(group, definition, items.length);
    if (search !== undefined) {
      group.addSearch((component) => {
        if (search.placeholder !== undefined) component.setPlaceholder(search.placeholder);
        component.onChange((query) => {
          group.listEl.findAll(':scope > .setting-item').forEach((row, index) => {
            const item = items[index];
            if (item === undefined || 'type' in item) return;
            row.toggle(!settled(item.searchable, true) || search.match(item, query));
          });
        });
      });
    }
  }

  #drawRow(group: SettingGroup, definition: SettingDefinition, index: number): Setting {
    const setting = new Setting(group.listEl).setName(definition.name);
    if (definition.desc !== undefined) setting.setDesc(definition.desc);
    this.#watch(() => {
      setting.settingEl.toggle(settled(definition.visible, true));
    });
    if (definition.control !== undefined) {
      const { control } = definition;
      drawControl(this.#tab, setting, control);
      this.#watch(() => {
        setting.setDisabled(settled(control.disabled, false));
      });
    } else if (definition.render !== undefined) {
      const cleanup = definition.render(setting, group);
      if (cleanup !== undefined) this.#cleanups.push(cleanup);
    } else if ('action' in definition && definition.action !== undefined) {
      const { action, disabled } = definition;
      const row = setting.settingEl;
      row.addClass('mod-action');
      row.setAttrs({ role: 'button', tabindex: 0 });
      row.addEventListener('click', () => {
        if (!settled(disabled, false)) action(row, index);
      });
      this.#watch(() => {
        row.toggleClass('is-disabled', settled(disabled, false));
      });
    }
    return setting;
  }

  #drawPage(container: HTMLElement, group: SettingGroup, definition: SettingDefinitionPage): Setting {
    const { name, desc, displayValue, status, visible } = definition;
    const setting = new Setting(group.listEl).setName(name).setClass('mod-page');
    if (desc !== undefined) setting.setDesc(desc);
    setting.addDisplayValue((shown) => {
      shown.setValue((typeof displayValue === 'function' ? displayValue() : displayValue) ?? null);
      shown.setStatus((typeof status === 'function' ? status() : status) ?? null);
    });
    this.#watch(() => {
      setting.settingEl.toggle(settled(visible, true));
    });
    setting.settingEl.setAttrs({ role: 'button', tabindex: 0 });
    setting.settingEl.addEventListener('click', () => {
      this.#openPage(container, definition);
    });
    return setting;
  }

  #openPage(container: HTMLElement, { name, items, page }: SettingDefinitionPage): void {
    this.tearDown();
    container.empty();
    const back = new Setting(container).setName(name).setHeading();
    back.addExtraButton((button) =>
      button
        .setIcon('arrow-left')
        .setTooltip('Back')
        .onClick(() => {
          this.#tab.update();
        }),
    );
    if (items !== undefined) this.draw(container, items);
    if (page === undefined) return;
    const opened = page();
    container.appendChild(opened.rootEl);
    opened.display();
    this.#opened(opened);
  }

  #watch(predicate: () => void): void {
    this.#predicates.push(predicate);
    predicate();
  }
}

function isList(group: SettingDefinitionGroup | SettingDefinitionList): group is SettingDefinitionList {
  return group.type === 'list';
}

function dressListRow(setting: Setting, list: SettingDefinitionList, index: number, length: number): void {
  const { onDelete, onReorder } = list;
  if (onReorder !== undefined && index > 0) {
    setting.addExtraButton((button) =>
      button
        .setIcon('chevron-up')
        .setTooltip('Move up')
        .onClick(() => {
          onReorder(index, index - 1);
        }),
    );
  }
  if (onReorder !== undefined && index < length - 1) {
    setting.addExtraButton((button) =>
      button
        .setIcon('chevron-down')
        .setTooltip('Move down')
        .onClick(() => {
          onReorder(index, index + 1);
        }),
    );
  }
  if (onDelete !== undefined) {
    setting.addExtraButton((button) =>
      button
        .setIcon('trash')
        .setTooltip('Delete')
        .onClick(() => {
          onDelete(index);
        }),
    );
  }
}

function drawListEnds(group: SettingGroup, list: SettingDefinitionList, length: number): void {
  const { addItem, emptyState } = list;
  if (length === 0 && emptyState !== undefined)
    group.listEl.createDiv({ cls: 'setting-list-empty', text: emptyState });
  if (addItem === undefined) return;
  group.addExtraButton((button) =>
    button
      .setIcon('plus')
      .setTooltip(addItem.name)
      .onClick(() => {
        addItem.action(button.extraSettingsEl);
      }),
  );
}
