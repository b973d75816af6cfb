import type * as Real from 'obsidian';
import type { App, FuzzyMatch } from 'obsidian';
import { stateOf } from '../core/host-state';
import { prepareFuzzySearch, renderMatches, sortSearchResults } from './fuzzy';
import { Modal } from './modal';
import { SuggestionList } from './suggestion-list';

/** A dialog with an input and a list to choose from. It is closed before it says what was chosen. */
export abstract class SuggestModal<T> extends Modal {
  declare setInstructions: Real.SuggestModal<T>['setInstructions'];
  limit = 100;
  emptyStateText = 'No results found.';
  inputEl: HTMLInputElement;
  resultContainerEl: HTMLElement;
  readonly #list: SuggestionList<T>;
  #turn = 0;

  constructor(app: App) {
    super(app);
    this.modalEl.className = 'prompt';
    this.modalEl.empty();
    this.inputEl = this.modalEl.createDiv('prompt-input-container').createEl('input', {
      cls: 'prompt-input',
      type: 'text',
      attr: { role: 'combobox', 'aria-label': 'Search' },
    });
    this.resultContainerEl = this.modalEl.createDiv('prompt-results');
    this.#list = new SuggestionList<T>(
      this.resultContainerEl,
      (value, el) => {
        this.renderSuggestion(value, el);
      },
      (value, evt) => {
        this.selectSuggestion(value, evt);
      },
    );
    this.inputEl.addEventListener('input', () => {
      this.#update();
    });
    this.scope.register([], 'ArrowDown', () => this.#list.move(1));
    this.scope.register([], 'ArrowUp', () => this.#list.move(-1));
    this.scope.register([], 'Enter', (event) => {
      this.selectActiveSuggestion(event);
      return false;
    });
  }

  abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract onChooseSuggestion(item: T, evt: MouseEvent | KeyboardEvent): void;

  override open(): void {
    super.open();
    this.inputEl.focus();
    this.#update();
  }

  setPlaceholder(placeholder: string): void {
    this.inputEl.placeholder = placeholder;
  }

  onNoSuggestion(): void {
    this.resultContainerEl.empty();
    this.resultContainerEl.createDiv({ cls: 'suggestion-empty', text: this.emptyStateText });
  }

  selectSuggestion(value: T, evt: MouseEvent | KeyboardEvent): void {
    this.close();
    this.onChooseSuggestion(value, evt);
  }

  selectActiveSuggestion(evt: MouseEvent | KeyboardEvent): void {
    this.#list.chooseActive(evt);
  }

  #update(): void {
    this.#turn += 1;
    const turn = this.#turn;
    const found = this.getSuggestions(this.inputEl.value);
    const show = (values: T[]): void => {
      if (turn !== this.#turn) return;
      this.#list.show(values.slice(0, this.limit));
      if (values.length === 0) this.onNoSuggestion();
    };
    if (found instanceof Promise) stateOf(this.app).pending(found.then(show));
    else show(found);
  }
}

/** A list that is narrowed by letters in their order. */
export abstract class FuzzySuggestModal<T> extends SuggestModal<FuzzyMatch<T>> {
  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, evt: MouseEvent | KeyboardEvent): void;

  getSuggestions(query: string): FuzzyMatch<T>[] {
    const search = prepareFuzzySearch(query);
    const found = this.getItems().flatMap((item) => {
      const match = search(this.getItemText(item));
      return match === null ? [] : [{ item, match }];
    });
    if (query.trim() !== '') sortSearchResults(found);
    return found;
  }

  renderSuggestion(item: FuzzyMatch<T>, el: HTMLElement): void {
    renderMatches(el, this.getItemText(item.item), item.match.matches);
  }

  onChooseSuggestion(item: FuzzyMatch<T>, evt: MouseEvent | KeyboardEvent): void {
    this.onChooseItem(item.item, evt);
  }
}
