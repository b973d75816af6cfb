import { type App, FuzzySuggestModal } from 'obsidian';

/** Lets a person choose one of several texts by typing a part of it. */
export class ChooseModal extends FuzzySuggestModal<string> {
  readonly #items: readonly string[];
  readonly #choose: (item: string) => void;

  constructor(app: App, prompt: string, items: readonly string[], choose: (item: string) => void) {
    super(app);
    this.#items = items;
    this.#choose = choose;
    this.setPlaceholder(prompt);
  }

  override getItems(): string[] {
    return [...this.#items];
  }

  override getItemText(item: string): string {
    return item;
  }

  override onChooseItem(item: string): void {
    this.#choose(item);
  }
}
