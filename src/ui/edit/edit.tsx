import { useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { type UiContext, useUi } from '../client/context';
import { useAct, useCall, useRested } from '../kit/async';
import { TextField } from '../kit/controls';
import { FailureNotice, Notice, SkeletonLines } from '../kit/feedback';
import { useKept } from '../kit/kept';
import { Key, useFirstFocus } from '../kit/keys';
import { NotePreview, NoteSource } from '../markdown/preview';

/*
 * The editor is a plain text area. CodeMirror 6 with Markdown, bundled by esbuild, adds 505 kB (175 kB with gzip) to the page, and
 * 271 kB (89 kB with gzip) without Markdown. A text area brings undo, spelling and the keys of the system for nothing.
 */

/** The most characters of a note that are edited here, which is what the service reads at once. */
const MAX_CHARS = 1_000_000;
/** The preview follows the typing after this pause (ms). */
const PREVIEW_AFTER_MS = 250;
/** The reason that is kept with the note when a person gives none. */
const USUAL_REASON = 'Edited by hand.';

export type Edited = Answer<'update'>;

/**
 * Opens a layer in which a person edits the text of a note, with a preview beside it. Saving fails when the note has changed
 * since, and then shows both texts. An unsaved text outlives the layer and a reload of the page. `onSaved` is called after every
 * saving.
 */
export function openEdit({ host }: UiContext, path: string, onSaved: (edited: Edited) => void): void {
  const close = host.openLayer(
    'Edit the note',
    <EditSheet path={path} close={() => close()} onSaved={onSaved} />,
  );
}

interface SheetProps {
  readonly path: string;
  readonly close: () => void;
  readonly onSaved: (edited: Edited) => void;
}

function EditSheet(props: SheetProps) {
  const { path } = props;
  const note = useCall('note', { path, max_chars: MAX_CHARS });
  const { value, error } = note;
  if (value === null) {
    return (
      <div class="brain-ask">
        {error !== null && <FailureNotice error={error} />}
        {note.loading && <SkeletonLines lines={6} label="Reading the note" />}
      </div>
    );
  }
  if (value.truncated) {
    return (
      <div class="brain-ask">
        <Notice tone="amber">This note is too long to be edited here. Edit its file.</Notice>
      </div>
    );
  }
  return <Editor {...props} note={value} reload={note.reload} />;
}

/** Holds the text and what is saved of it. */
function useEditor({ path, note, onSaved, reload, close }: SheetProps & EditorProps) {
  const { client } = useUi();
  const [kept, keep, wasKept] = useKept(`edit ${path}`);
  const [text, setText] = useState(kept?.text ?? note.body);
  const [base, setBase] = useState(kept?.base ?? note.content_hash);
  const [reason, setReason] = useState('');
  const isChanged = text !== note.body;
  const isConflict = base !== note.content_hash;
  const write = (now: string): void => {
    setText(now);
    keep(now === note.body ? null : { base, text: now });
  };
  const save = useAct(
    async () => {
      const edited = await client.call('update', {
        path,
        content: text,
        reason: reason.trim() === '' ? USUAL_REASON : reason.trim(),
        expected_hash: base,
      });
      keep(null);
      onSaved(edited);
      close();
    },
    // After a conflict the text on the disk is read, to be shown beside the unsaved one.
    reload,
  );
  return {
    text,
    write,
    reason,
    setReason,
    save,
    isChanged,
    isConflict,
    wasKept,
    /** Saves over the text on the disk from now on. */
    keepMine: () => {
      setBase(note.content_hash);
      keep({ base: note.content_hash, text });
    },
    /** Drops the unsaved text. */
    takeTheirs: () => {
      setBase(note.content_hash);
      setText(note.body);
      keep(null);
    },
  };
}

interface EditorProps {
  readonly note: Answer<'note'>;
  readonly reload: () => void;
}

function Editor(props: SheetProps & EditorProps) {
  const { note, close } = props;
  const editor = useEditor(props);
  const { text, isChanged, isConflict, save } = editor;
  const [asks, setAsks] = useState(false);
  const area = useFirstFocus<HTMLTextAreaElement>();
  const trySave = (): void => {
    if (isChanged && !isConflict) save.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSave = (event.ctrlKey || event.metaKey) && (event.key === 's' || event.key === 'Enter');
    if (isSave) {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) trySave();
    } else if (event.key === 'Escape' && isChanged && !asks) {
      // The host would close the layer.
      event.preventDefault();
      event.stopPropagation();
      setAsks(true);
    }
  };
  return (
    <form
      class="brain-ask brain-edit"
      aria-label="Edit"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        trySave();
      }}
    >
      <p class="brain-small brain-muted brain-bidi">{note.path}</p>
      {isConflict ? (
        <Conflict keepMine={editor.keepMine} takeTheirs={editor.takeTheirs} />
      ) : (
        editor.wasKept && isChanged && <Notice icon="history">Your unsaved text from before is here.</Notice>
      )}
      <Texts
        note={note}
        text={text}
        isConflict={isConflict}
        isSaving={save.working}
        areaRef={area}
        onInput={editor.write}
      />
      <TextField
        label="Why"
        note="optional, kept with the note"
        value={editor.reason}
        placeholder={USUAL_REASON}
        onInput={editor.setReason}
      />
      {save.error !== null && save.error.code !== 'hash_mismatch' && <FailureNotice error={save.error} />}
      {asks && isChanged ? (
        <Ask
          discard={() => {
            editor.takeTheirs();
            close();
          }}
          goOn={() => {
            setAsks(false);
            area.current?.focus();
          }}
        />
      ) : (
        <div class="brain-row brain-ask-foot">
          <button type="button" onClick={() => (isChanged ? setAsks(true) : close())}>
            Cancel
            <Key>Esc</Key>
          </button>
          <button type="submit" class="mod-cta" disabled={!isChanged || isConflict || save.working}>
            {save.working ? 'Saving' : 'Save'}
            <Key>Ctrl ↵</Key>
          </button>
        </div>
      )}
    </form>
  );
}

/** The text as it is typed, and beside it the preview or, in a conflict, the text on the disk. */
function Texts(props: {
  readonly note: Answer<'note'>;
  readonly text: string;
  readonly isConflict: boolean;
  readonly isSaving: boolean;
  readonly areaRef: { current: HTMLTextAreaElement | null };
  readonly onInput: (text: string) => void;
}) {
  const { note, text, isConflict, isSaving, areaRef, onInput } = props;
  const shown = useRested(text, PREVIEW_AFTER_MS);
  return (
    <div class="brain-edit-texts">
      <textarea
        ref={areaRef}
        class="brain-edit-text"
        aria-label="Text of the note"
        dir="auto"
        readOnly={isSaving}
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <div
        class="brain-edit-side brain-scroll"
        tabIndex={0}
        role="region"
        aria-label={isConflict ? 'Text on the disk' : 'Preview'}
      >
        {isConflict ? <NoteSource body={note.body} /> : <NotePreview body={shown} title={note.title} />}
      </div>
    </div>
  );
}

/** Says that the note has changed since it was opened; both texts are beside each other below. */
function Conflict(props: { readonly keepMine: () => void; readonly takeTheirs: () => void }) {
  return (
    <Notice tone="amber">
      The note has changed since you began. Nothing was saved. Your text is on the left, the text on the disk
      on the right.{' '}
      <button type="button" class="brain-plain" onClick={props.keepMine}>
        Save mine over it
      </button>{' '}
      <button type="button" class="brain-plain" onClick={props.takeTheirs}>
        Take the other
      </button>
    </Notice>
  );
}

/** Asks what becomes of the unsaved text. Escape goes on with the default of the host, which closes the layer and keeps the text. */
function Ask(props: { readonly discard: () => void; readonly goOn: () => void }) {
  const goOn = useFirstFocus<HTMLButtonElement>();
  return (
    <div class="brain-row brain-ask-foot" role="group" aria-label="Unsaved text">
      <span role="status">Your text is not saved.</span>
      <span class="brain-push" />
      <button type="button" class="mod-warning" onClick={props.discard}>
        Discard it
      </button>
      <button type="button" ref={goOn} onClick={props.goOn}>
        Go on
      </button>
    </div>
  );
}
