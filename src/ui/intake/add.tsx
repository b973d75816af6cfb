import { useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import { Field, TextField } from '../kit/controls';
import { Icon } from '../kit/icons';
import { useFirstFocus } from '../kit/keys';
import { counted } from '../kit/words';
import { type Draft, type Intake, NO_DRAFT, type IngestRequest } from './intake';
import { fileRequest, isArchive, textRequest } from './sources';

/** Opens the layer where a person chooses files or pastes text to ingest. */
export function openAddSheet(
  host: UiHost,
  intake: Intake,
  onArchives: (archives: readonly File[]) => void,
): void {
  const close: () => void = host.openLayer(
    'Add to the queue',
    <AddSheet intake={intake} onArchives={onArchives} close={() => close()} />,
  );
}

/** The layer where a person chooses files or pastes text: it does by keyboard what dropping does. */
export function AddSheet(props: {
  readonly intake: Intake;
  /** Called with the chosen files that are imported instead. */
  readonly onArchives: (archives: readonly File[]) => void;
  readonly close: () => void;
}) {
  const { intake, onArchives, close } = props;
  const { host } = useUi();
  const add = (requests: readonly IngestRequest[]): void => {
    if (requests.length === 0) return;
    intake.add(requests);
    close();
  };
  return (
    <div class="brain-ask brain-add">
      <FileSection
        onFiles={(files) => {
          const archives = files.filter(({ name }) => isArchive(name));
          const others = files.filter((file) => !archives.includes(file));
          add(others.map((file) => fileRequest(file, host)));
          if (archives.length === 0) return;
          close();
          onArchives(archives);
        }}
      />
      <TextForm intake={intake} onText={(text, title) => add([textRequest(text, title)])} close={close} />
    </div>
  );
}

/** The button that opens the file chooser of the system. It takes the focus. */
function FileSection({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  const button = useFirstFocus<HTMLButtonElement>();
  return (
    <section aria-label="Files">
      <div class="brain-row">
        <button type="button" ref={button} onClick={() => chooser.current?.click()}>
          <Icon name="files" />
          Choose files
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget: { files } }) => onFiles([...(files ?? [])])}
        />
      </div>
      <p class="brain-small brain-muted">
        Or drop them anywhere on the review queue. The files are kept in the vault.
      </p>
    </section>
  );
}

/** A text to paste or write, and its title. The draft stays in the intake until it is sent, also when the layer is closed. */
function TextForm(props: {
  readonly intake: Intake;
  readonly onText: (text: string, title: string) => void;
  readonly close: () => void;
}) {
  const { intake, onText, close } = props;
  const [{ title, text }, setDraft] = useState(intake.draft);
  const write = (part: Partial<Draft>): void => {
    const draft = { title, text, ...part };
    intake.draft = draft;
    setDraft(draft);
  };
  const [isMissing, setMissing] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const submit = (): void => {
    if (text.trim() === '') {
      setMissing(true);
      area.current?.focus();
      return;
    }
    intake.draft = NO_DRAFT;
    onText(text, title);
  };
  return (
    <form
      aria-label="Text"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        event.stopPropagation();
        submit();
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
  );
}

/** The types of drag data that can be dropped. */
const ACCEPTED_TYPES = ['Files', 'text/uri-list'];

/**
 * Makes an element a drop target for files. Returns true while a drag is above it. A drag that begins inside the element, such
 * as one of a link, is ignored.
 */
export function useDropTarget(
  target: { readonly current: HTMLElement | null },
  onDrop: (data: DataTransfer) => void,
): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    let isOwn = false;
    const isAccepted = ({ dataTransfer }: DragEvent): boolean =>
      !isOwn && dataTransfer !== null && ACCEPTED_TYPES.some((type) => dataTransfer.types.includes(type));
    const onDragStart = (): void => void (isOwn = true);
    const onDragEnd = (): void => {
      isOwn = false;
      setOver(false);
    };
    const onDragOver = (event: DragEvent): void => {
      if (!isAccepted(event)) return;
      // By default a browser leaves the page for the file, and the app opens it.
      event.preventDefault();
      event.stopPropagation();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const onDragLeave = (event: DragEvent): void => {
      const to = event.relatedTarget;
      const isInside = to !== null && 'nodeType' in to && element.contains(to as Node); // Only nodes have a node type.
      if (!isInside) setOver(false);
    };
    const onDropEvent = (event: DragEvent): void => {
      setOver(false);
      if (!isAccepted(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current(event.dataTransfer);
    };
    element.addEventListener('dragstart', onDragStart);
    element.addEventListener('dragend', onDragEnd);
    element.addEventListener('dragenter', onDragOver);
    element.addEventListener('dragover', onDragOver);
    element.addEventListener('dragleave', onDragLeave);
    element.addEventListener('drop', onDropEvent);
    return () => {
      element.removeEventListener('dragstart', onDragStart);
      element.removeEventListener('dragend', onDragEnd);
      element.removeEventListener('dragenter', onDragOver);
      element.removeEventListener('dragover', onDragOver);
      element.removeEventListener('dragleave', onDragLeave);
      element.removeEventListener('drop', onDropEvent);
    };
  }, [target]);
  return isOver;
}
