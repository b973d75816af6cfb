import { useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import type { UiHost } from '../host';
import { Field, TextField } from '../parts/field';
import { Icon } from '../parts/icon';
import { counted } from '../parts/words';
import { type Draft, type Intake, NO_DRAFT, type Wanted } from './intake';
import { wantedFile, wantedText } from './read-files';

/** The kinds that a page in a browser can send, for its file chooser. */
const TEXT_FILES = '.md,.markdown,.txt,.text,.log';

/** Opens a layer where files are chosen or text is pasted, to be ingested. */
export function openAddSheet(host: UiHost, intake: Intake): void {
  const close: () => void = host.openLayer(
    'Add to the queue',
    <AddSheet intake={intake} close={() => close()} />,
  );
}

/** Files to choose, or text to paste: what dropping does, by keyboard. Text that was not sent is there again the next time. */
export function AddSheet({ intake, close }: { readonly intake: Intake; readonly close: () => void }) {
  const { host } = useUi();
  const [{ title, text }, setDraft] = useState(intake.draft);
  const write = (part: Partial<Draft>): void => {
    const draft = { title, text, ...part };
    intake.draft = draft;
    setDraft(draft);
  };
  const [isMissing, setMissing] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => chooseButton.current?.focus(), []);
  const takesAll = host.ingestFile !== undefined;

  const add = (wanted: readonly Wanted[]): void => {
    if (wanted.length === 0) return;
    intake.add(wanted);
    close();
  };
  const addText = (): void => {
    if (text.trim() === '') {
      setMissing(true);
      area.current?.focus();
      return;
    }
    intake.draft = NO_DRAFT;
    add([wantedText(text, title)]);
  };
  return (
    <div class="brain-add">
      <section aria-label="Files">
        <div class="brain-row">
          <button type="button" ref={chooseButton} onClick={() => chooser.current?.click()}>
            <Icon name="files" />
            Choose files
          </button>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            {...(!takesAll && { accept: TEXT_FILES })}
            onChange={({ currentTarget: { files } }) =>
              add([...(files ?? [])].map((file) => wantedFile(file, host)))
            }
          />
        </div>
        <p class="brain-small brain-muted">
          {takesAll
            ? 'Or drop them anywhere on the review queue. The files are kept in the vault.'
            : 'Text and Markdown, or drop them anywhere on the review queue. Put other kinds into the folder inbox of the vault: the server reads them there.'}
        </p>
      </section>
      <form
        aria-label="Text"
        onSubmit={(event) => {
          event.preventDefault();
          addText();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          addText();
        }}
      >
        <TextField label="Title" note="optional" value={title} onInput={(words) => write({ title: words })} />
        <Field
          label="Text"
          note={counted([...text].length, 'character')}
          error={isMissing && text.trim() === '' ? 'Paste or write some text.' : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              ref={area}
              rows={7}
              value={text}
              onInput={(event) => write({ text: event.currentTarget.value })}
            />
          )}
        </Field>
        <div class="brain-row brain-ask-foot">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="mod-cta">
            Add the text
          </button>
        </div>
      </form>
    </div>
  );
}
