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
import type { SettingTab } from './setting-tab';

type Flag = boolean | (() => boolean);

const settled = (flag: Flag | undefined, usual: boolean): boolean =>
  (typeof flag === 'function' ? flag() : flag) ?? usual;

/** Draws settings from their definitions, and keeps what they show in step with their predicates. */
export class DefinitionRenderer {
  readonly #tab: SettingTab;
  #predicates: (() => void)[] = [];
  #cleanups: (() => void)[] = [];

  constructor(tab: SettingTab) {
    this.#tab = tab;
  }

  draw(container: HTMLElement, items: readonly SettingDefinitionItem[]): void {
    let loose: SettingGroup | null = null;
    for (const item of items) {
      if ('type' in item) {
        if (item.type === 'page') {
          loose ??= new SettingGroup(container);
          drawEntry(loose, item, () => this.#tab.turnTo(item.name));
          continue;
        }
        loose = null;
        this.#drawGroup(container, item);
        continue;
      }
      loose ??= new SettingGroup(container);
      this.#drawRow(loose, item, items.indexOf(item));
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
    if (definition.search !== undefined || (isList(definition) && definition.onReorder !== undefined))
      throw new Error('The stand-in draws no search and no order of a group.');
    const group = new SettingGroup(container);
    const { heading, cls, extraButtons = [], items = [], visible } = definition;
    if (heading !== undefined) group.setHeading(heading);
    if (cls !== undefined) group.addClass(cls);
    for (const button of extraButtons) group.addExtraButton(button);
    this.#watch(() => {
      group.groupEl.toggle(settled(visible, true));
    });
    items.forEach((item, index) => {
      if ('type' in item) throw new Error('The fake host draws no page below a tab.');
      const setting = this.#drawRow(group, item, index);
      if (isList(definition)) dressListRow(setting, definition, index);
    });
    if (isList(definition)) drawListEnds(group, definition, items.length);
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

  #watch(predicate: () => void): void {
    this.#predicates.push(predicate);
    predicate();
  }
}

function isList(group: SettingDefinitionGroup | SettingDefinitionList): group is SettingDefinitionList {
  return group.type === 'list';
}

/** Draws the row that opens a page. */
function drawEntry(
  { listEl }: SettingGroup,
  { name, desc, page }: SettingDefinitionPage,
  open: () => void,
): void {
  if (page !== undefined) throw new Error('The stand-in draws no page that draws itself.');
  const { settingEl } = new Setting(listEl).setName(name).setDesc(desc ?? '');
  settingEl.addClass('mod-page');
  settingEl.setAttrs({ role: 'button', tabindex: 0 });
  settingEl.addEventListener('click', open);
}

function dressListRow(setting: Setting, { onDelete }: SettingDefinitionList, index: number): void {
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
