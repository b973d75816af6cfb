import type * as Real from 'obsidian';
import type { MenuPositionDef } from 'obsidian';
import { Component } from '../core/component';
import { currentHost } from '../core/host-state';
import { setIcon } from './icons';

/** One line of a menu. */
export class MenuItem {
  declare setIsLabel: Real.MenuItem['setIsLabel'];
  /** Of the fake alone, as the next six. */
  title = '';
  icon: string | null = null;
  checked: boolean | null = null;
  disabled = false;
  warning = false;
  section = '';
  #clicked: (evt: MouseEvent | KeyboardEvent) => unknown = () => undefined;

  setTitle(title: string | DocumentFragment): this {
    this.title = typeof title === 'string' ? title : (title.textContent ?? '');
    return this;
  }

  setIcon(icon: string | null): this {
    this.icon = icon;
    return this;
  }

  setChecked(checked: boolean | null): this {
    this.checked = checked;
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    return this;
  }

  setWarning(isWarning: boolean): this {
    this.warning = isWarning;
    return this;
  }

  setSection(section: string): this {
    this.section = section;
    return this;
  }

  onClick(callback: (evt: MouseEvent | KeyboardEvent) => unknown): this {
    this.#clicked = callback;
    return this;
  }

  /** Of the fake alone: what a click does. */
  choose(evt: MouseEvent | KeyboardEvent): void {
    if (!this.disabled) this.#clicked(evt);
  }
}

export class MenuSeparator {}

const forEvents = new WeakMap<Event, Menu>();

/** A menu. It is drawn into the document where it is shown, and recorded by the host. */
export class Menu extends Component {
  declare setNoIcon: Real.Menu['setNoIcon'];
  declare setUseNativeMenu: Real.Menu['setUseNativeMenu'];
  declare setParentElement: Real.Menu['setParentElement'];
  readonly #items: (MenuItem | MenuSeparator)[] = [];
  #el: HTMLElement | null = null;
  #shown = false;
  #hidden: () => unknown = () => undefined;

  /** Of the fake alone. */
  get items(): readonly MenuItem[] {
    return this.#items.filter((item) => item instanceof MenuItem);
  }

  get shown(): boolean {
    return this.#shown;
  }

  addItem(cb: (item: MenuItem) => unknown): this {
    const item = new MenuItem();
    this.#items.push(item);
    cb(item);
    return this;
  }

  addSeparator(): this {
    this.#items.push(new MenuSeparator());
    return this;
  }

  showAtMouseEvent(evt: MouseEvent): this {
    return this.#show(currentHost().hasDocument ? evt.doc : null);
  }

  showAtPosition(_: MenuPositionDef, doc?: Document): this {
    return this.#show(doc ?? null);
  }

  hide(): this {
    if (!this.#shown) return this;
    this.#shown = false;
    this.#el?.remove();
    this.#el = null;
    this.unload();
    this.#hidden();
    return this;
  }

  close(): void {
    this.hide();
  }

  onHistoryBack(): void {
    this.hide();
  }

  onHide(callback: () => unknown): void {
    this.#hidden = callback;
  }

  /** One menu for an event that several parts of the app have items for; it is shown when they have had their turn. */
  static forEvent(evt: PointerEvent | MouseEvent): Menu {
    const known = forEvents.get(evt);
    if (known !== undefined) return known;
    const menu = new Menu();
    forEvents.set(evt, menu);
    currentHost().scheduler.later(0, () => {
      menu.showAtMouseEvent(evt);
    });
    return menu;
  }

  /** Of the fake alone: draws the menu, where there is a document. */
  #show(doc: Document | null): this {
    const host = currentHost();
    this.#shown = true;
    host.menus.push(this);
    void this.load();
    if (!host.hasDocument) return this;
    const el = (doc ?? host.document).body.createDiv({ cls: 'menu', attr: { role: 'menu' } });
    this.#el = el;
    for (const item of this.#items) {
      if (item instanceof MenuItem) this.#draw(el, item);
      else el.createDiv({ cls: 'menu-separator', attr: { role: 'separator' } });
    }
    return this;
  }

  #draw(el: HTMLElement, item: MenuItem): void {
    const row = el.createDiv({ cls: 'menu-item', attr: { role: 'menuitem', tabindex: '-1' } });
    row.toggleClass('is-disabled', item.disabled);
    row.toggleClass('mod-checked', item.checked === true);
    row.toggleClass('is-warning', item.warning);
    if (item.icon !== null) setIcon(row.createDiv('menu-item-icon'), item.icon);
    row.createDiv({ cls: 'menu-item-title', text: item.title });
    row.addEventListener('click', (event) => {
      if (item.disabled) return;
      this.hide();
      item.choose(event);
    });
  }
}
