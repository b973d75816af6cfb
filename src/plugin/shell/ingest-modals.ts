import { type App, Modal, Notice, Setting } from 'obsidian';
import type { Answer, BrainClient } from '../../core/registry/client';

type Found = Answer<'backfillRefs'>;
type Evidence = Found['changes'][number]['evidence'][number];

/** The number of notes that are listed. The counts are of all. */
const MAX_LISTED = 200;

/** The evidence that a note is from a source, in words. */
const EVIDENCE_WORDS: Readonly<Record<Evidence, string>> = {
  ledger: 'the ledger of ingested sources names this note',
  source_hash: 'the note carries the hash of this original',
  property: 'a property of the note names it',
  source_note: 'the note links to it, and it is in the hall of sources',
  source_line: 'a line “Source:” of the note names it',
};

/** Shows a dry run of the references that can be added, each with its evidence. The person then adds them or cancels. */
export async function backfillReferences(app: App, client: BrainClient): Promise<void> {
  const looking = new Notice('Looking for sources of notes.', 0);
  try {
    const found = await client.call('backfillRefs', { dry_run: true });
    new BackfillRefsModal(app, found, () => client.call('backfillRefs', {})).open();
  } finally {
    looking.hide();
  }
}

/** The references that can be added to notes, each with its evidence, and the button that adds them. */
class BackfillRefsModal extends Modal {
  readonly #found: Found;
  readonly #apply: () => Promise<Found>;

  constructor(app: App, found: Found, apply: () => Promise<Found>) {
    super(app);
    this.#found = found;
    this.#apply = apply;
  }

  override onOpen(): void {
    const { changes, errors } = this.#found;
    this.setTitle('Backfill source references');
    const { contentEl } = this;
    contentEl.createEl('p', { text: describeDryRun(this.#found) });
    if (changes.length > 0) this.#list();
    for (const { path, error } of errors.slice(0, MAX_LISTED)) {
      contentEl.createEl('p', { cls: 'mod-warning', text: `${path}: ${error}` });
    }
    const problem = contentEl.createEl('p', { cls: 'mod-warning', attr: { role: 'alert' } });
    problem.hide();
    const buttons = new Setting(contentEl);
    buttons.addButton((button) =>
      button.setButtonText(changes.length === 0 ? 'Close' : 'Cancel').onClick(() => this.close()),
    );
    if (changes.length === 0) return;
    buttons.addButton((button) => {
      const words = `Add to ${notes(changes.length)}`;
      let isBusy = false;
      const add = async (): Promise<void> => {
        if (isBusy) return;
        isBusy = true;
        button.setButtonText('Adding');
        try {
          const done = await this.#apply();
          this.close();
          new Notice(describeResult(done));
        } catch (error) {
          problem.setText(error instanceof Error ? error.message : String(error));
          problem.show();
          button.setButtonText(words);
        } finally {
          isBusy = false;
        }
      };
      button
        .setButtonText(words)
        .setCta()
        .onClick(() => void add());
    });
  }

  #list(): void {
    const { changes } = this.#found;
    const list = this.contentEl.createEl('ul', {
      cls: 'brain-references',
      attr: { tabindex: '0', 'aria-label': 'What would be added' },
    });
    for (const { path, added, evidence } of changes.slice(0, MAX_LISTED)) {
      const note = list.createEl('li');
      note.createEl('b', { text: path });
      const references = note.createEl('ul');
      for (const [index, reference] of added.entries()) {
        const why = evidence[index];
        references.createEl('li', {
          text: why === undefined ? reference : `${reference}, because ${EVIDENCE_WORDS[why]}`,
        });
      }
    }
    if (changes.length > MAX_LISTED) {
      list.createEl('li', { text: `and ${(changes.length - MAX_LISTED).toLocaleString('en')} more` });
    }
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}

/** Describes the result of the dry run. */
export function describeDryRun({ scanned, updated, already, unresolved }: Found): string {
  const found =
    updated === 0
      ? 'There is nothing to add.'
      : `${notes(updated)} can be given references to their sources. Nothing has been changed yet.`;
  const others = [
    ...(already > 0
      ? [`${notes(already)} ${already === 1 ? 'names its' : 'name their'} sources already.`]
      : []),
    ...(unresolved > 0
      ? [`${notes(unresolved)} ${unresolved === 1 ? 'names' : 'name'} none, and nothing proves any.`]
      : []),
  ];
  return [`Looked at ${notes(scanned)}.`, found, ...others].join(' ');
}

function describeResult({ updated, errors }: Found): string {
  const failed =
    errors.length === 0 ? '' : ` ${notes(errors.length)} could not be changed: ${errors[0]?.error ?? ''}`;
  return `Added references to ${notes(updated)}.${failed}`;
}

function notes(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'note' : 'notes'}`;
}

/** The length of the preview (characters). */
const PREVIEW_CHARS = 600;
/** The longest title that the service accepts (characters). */
const MAX_TITLE = 200;

/** Shows the beginning and the length of the clipboard, and asks for a title before it is ingested. */
export class ClipboardModal extends Modal {
  readonly #text: string;
  readonly #ingest: (title: string) => void;

  constructor(app: App, text: string, ingest: (title: string) => void) {
    super(app);
    this.#text = text;
    this.#ingest = ingest;
  }

  override onOpen(): void {
    this.setTitle('Ingest from clipboard');
    const { contentEl } = this;
    let title = '';
    const ingest = (): void => {
      this.close();
      this.#ingest(title);
    };
    new Setting(contentEl)
      .setName('Title')
      .setDesc('Without one, the text gives it.')
      .addText((field) => {
        field.onChange((typed) => (title = typed));
        field.inputEl.maxLength = MAX_TITLE;
        field.inputEl.setAttr('aria-label', 'Title');
      });
    contentEl.createEl('p', { text: describeLength(this.#text) });
    const shown = this.#text.slice(0, PREVIEW_CHARS);
    contentEl.createEl('pre', {
      cls: 'brain-clipboard',
      text: shown.length < this.#text.length ? `${shown}…` : shown,
      attr: { tabindex: '0', role: 'region', 'aria-label': 'Text on the clipboard' },
    });
    this.scope.register([], 'Enter', (event) => {
      // During composition (IME), Enter only ends a word.
      if (event.isComposing) return;
      if (event.target !== null && 'tagName' in event.target && event.target.tagName !== 'INPUT') return;
      event.preventDefault();
      ingest();
    });
    new Setting(contentEl)
      .addButton((button) => button.setButtonText('Cancel').onClick(() => this.close()))
      .addButton((button) => button.setButtonText('Ingest').setCta().onClick(ingest));
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}

/** Describes the length of a text: `1,204 characters on 18 lines`. */
export function describeLength(text: string): string {
  const characters = Array.from(text).length;
  const lines = text.trimEnd().split(/\r\n|\r|\n/).length;
  return `${characters.toLocaleString('en')} ${characters === 1 ? 'character' : 'characters'} on ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`;
}
