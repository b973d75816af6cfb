import type { App } from 'obsidian';
import { stateOf } from '../core/host-state';
import { Scope } from './keymap';
import { SuggestionList } from './suggestion-list';

/** Something that pops up with suggestions. */
export abstract class PopoverSuggest<T> {
  app: App;
  scope: Scope;
  #isOpen = false;

  constructor(app: App, scope = new Scope()) {
    this.app = app;
    this.scope = scope;
  }

  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract selectSuggestion(value: T, evt: MouseEvent | KeyboardEvent): void;

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.app.keymap.pushScope(this.scope);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.app.keymap.popScope(this.scope);
  }

  onHistoryBack(): void {
    this.close();
  }
}

/** Suggestions below an input while a person types. */
export abstract class AbstractInputSuggest<T> extends PopoverSuggest<T> {
  limit = 100;
  readonly #inputEl: HTMLInputElement | HTMLDivElement;
  readonly #popEl: HTMLElement;
  readonly #list: SuggestionList<T>;
  #selected: (value: T, evt: MouseEvent | KeyboardEvent) => unknown = () => undefined;

  constructor(app: App, textInputEl: HTMLInputElement | HTMLDivElement) {
    super(app);
    this.#inputEl = textInputEl;
    this.#popEl = textInputEl.doc.body.createDiv('suggestion-container');
    this.#popEl.detach();
    this.#list = new SuggestionList<T>(
      this.#popEl.createDiv('suggestion'),
      (value, el) => {
        this.renderSuggestion(value, el);
      },
      (value, evt) => {
        this.selectSuggestion(value, evt);
      },
    );
    for (const type of ['input', 'focus']) {
      textInputEl.addEventListener(type, () => {
        stateOf(app).pending(this.#update());
      });
    }
    textInputEl.addEventListener('blur', () => {
      this.close();
    });
    this.scope.register([], 'ArrowDown', () => this.#list.move(1));
    this.scope.register([], 'ArrowUp', () => this.#list.move(-1));
    this.scope.register([], 'Enter', (event) => {
      this.#list.chooseActive(event);
      return false;
    });
    this.scope.register([], 'Escape', () => {
      this.close();
      return false;
    });
  }

  protected abstract getSuggestions(query: string): T[] | Promise<T[]>;

  override open(): void {
    super.open();
    this.#inputEl.doc.body.appendChild(this.#popEl);
  }

  override close(): void {
    super.close();
    this.#popEl.detach();
  }

  setValue(value: string): void {
    if ('value' in this.#inputEl) this.#inputEl.value = value;
    else this.#inputEl.setText(value);
  }

  getValue(): string {
    return 'value' in this.#inputEl ? this.#inputEl.value : this.#inputEl.getText();
  }

  /** Tells who asked; the suggestion does not go into the input by itself. */
  selectSuggestion(value: T, evt: MouseEvent | KeyboardEvent): void {
    this.#selected(value, evt);
  }

  onSelect(callback: (value: T, evt: MouseEvent | KeyboardEvent) => unknown): this {
    this.#selected = callback;
    return this;
  }

  async #update(): Promise<void> {
    const found = await this.getSuggestions(this.getValue());
    this.#list.show(found.slice(0, this.limit === 0 ? undefined : this.limit));
    if (this.#list.isEmpty) this.close();
    else this.open();
  }
}
