/** A list to choose from with arrows and Enter or with the mouse; used by dialogs and by suggestions below an input. */
export class SuggestionList<T> {
  readonly #el: HTMLElement;
  readonly #render: (value: T, el: HTMLElement) => void;
  readonly #choose: (value: T, evt: MouseEvent | KeyboardEvent) => void;
  #values: readonly T[] = [];
  #at = 0;

  constructor(
    el: HTMLElement,
    render: (value: T, el: HTMLElement) => void,
    choose: (value: T, evt: MouseEvent | KeyboardEvent) => void,
  ) {
    this.#el = el;
    this.#render = render;
    this.#choose = choose;
    el.setAttrs({ role: 'listbox' });
  }

  show(values: readonly T[]): void {
    this.#values = values;
    this.#at = 0;
    this.#el.empty();
    for (const value of values) {
      const item = this.#el.createDiv({ cls: 'suggestion-item', attr: { role: 'option' } });
      this.#render(value, item);
      item.addEventListener('click', (event) => {
        this.#choose(value, event);
      });
    }
    this.#mark();
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  move(by: 1 | -1): void {
    if (this.isEmpty) return;
    this.#at = (this.#at + by + this.#values.length) % this.#values.length;
    this.#mark();
  }

  chooseActive(evt: MouseEvent | KeyboardEvent): void {
    const [value] = this.#values.slice(this.#at, this.#at + 1);
    if (value !== undefined) this.#choose(value, evt);
  }

  #mark(): void {
    this.#el.findAll('.suggestion-item').forEach((item, index) => {
      item.toggleClass('is-selected', index === this.#at);
      item.setAttr('aria-selected', index === this.#at);
    });
  }
}
