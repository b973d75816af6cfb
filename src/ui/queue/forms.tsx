import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAsync } from '../kit/async';
import { Field, HallChips, TextField } from '../kit/controls';
import { FailureNotice, Problem } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { useUniqueId } from '../kit/lists';
import { count, counted } from '../kit/words';
import { promoteRequest } from './decisions';
import type { Draft, DraftChange, Entry } from './entry';
import { fieldOfError, isMissing, nextSlug } from './problem';

/** The delay of the debounced request (ms). */
const DEBOUNCE_MS = 150;

/** The destination of a note, as the service checked it. */
export type Destination =
  | { readonly state: 'incomplete' | 'asking' }
  | { readonly state: 'free'; readonly path: string }
  | { readonly state: 'refused'; readonly error: CallError };

/** Checks the destination of a note by a dry run, debounced. */
export function useDestination(path: string | null, draft: Draft | null, revision: number): Destination {
  const { client } = useUi();
  const complete = draft !== null && draft.hall !== null && draft.wing.trim() !== '';
  const key = complete && path !== null ? JSON.stringify([path, draft, revision]) : null;
  const debounced = useDebounced(key);
  const { value, error } = useAsync(key === debounced ? debounced : null, async () => {
    if (path === null || draft === null || draft.hall === null) throw new Error('Nothing to ask.');
    return client.call('promote', { ...promoteRequest(path, draft, draft.hall), dry_run: true });
  });
  if (key === null) return { state: 'incomplete' };
  if (error !== null) return { state: 'refused', error };
  return value === null ? { state: 'asking' } : { state: 'free', path: value.path };
}

/** Returns the value once it is unchanged for `DEBOUNCE_MS`; the first value at once. */
function useDebounced(value: string | null): string | null {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    if (value === debounced) return undefined;
    const timer = window.setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [value, debounced]);
  return debounced;
}

interface Wing {
  readonly wing: string;
  readonly notes: number;
}

interface WingFieldProps {
  readonly value: string;
  readonly wings: readonly Wing[];
  readonly error?: ComponentChildren;
  readonly inputRef?: { current: HTMLInputElement | null };
  readonly onInput: (value: string) => void;
}

/** The menu offers at most this many wings. */
const MAX_OFFERED = 50;

/** A combobox for the name of a wing, which offers the existing wings with their sizes. A new name makes a new wing. */
export function WingField({ value, wings, error, inputRef, onInput }: WingFieldProps) {
  const list = useUniqueId();
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = matchingWings(wings, typed ? value : '');
  const known = wings.find(({ wing }) => wing === value.trim());
  const shown = open && offered.length > 0;

  const choose = (wing: string): void => {
    onInput(wing);
    setOpen(false);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      setActive((index) => (shown ? (index + step + offered.length) % offered.length : 0));
      return;
    }
    const chosen = shown ? offered[active] : undefined;
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      choose(chosen.wing);
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };

  return (
    <Field label="Wing" note={noteOf(value, known)} error={error}>
      {(control) => (
        <div class="brain-input" ref={frame}>
          <input
            {...control}
            {...(inputRef !== undefined && { ref: inputRef })}
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={shown}
            aria-controls={shown ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={shown && active >= 0 ? `${list}-${active}` : undefined}
            value={value}
            onInput={(event) => {
              setTyped(true);
              setOpen(true);
              setActive(-1);
              onInput(event.currentTarget.value);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => {
              setOpen(false);
              setTyped(false);
            }}
            onKeyDown={onKeyDown}
          />
          <Icon name="chevron-down" class="mod-end" />
          {shown && <WingMenu id={list} wings={offered} active={active} onChoose={choose} />}
        </div>
      )}
    </Field>
  );
}

function WingMenu(props: {
  readonly id: string;
  readonly wings: readonly Wing[];
  readonly active: number;
  readonly onChoose: (wing: string) => void;
}) {
  const { id, wings, active, onChoose } = props;
  return (
    <ul id={id} class="brain-menu" role="listbox" aria-label="Wings">
      {wings.map(({ wing, notes }, index) => (
        <li
          key={wing}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // A press that took the focus from the field would close the menu before the click comes.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(wing)}
        >
          <span class="brain-cut">{wing}</span>
          <span class="brain-count">{count(notes)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Returns the wings that contain the typed text, those that begin with it first. */
function matchingWings(wings: readonly Wing[], typed: string): readonly Wing[] {
  const text = typed.trim().toLowerCase();
  const matches = wings.filter(({ wing }) => wing.toLowerCase().includes(text));
  const prefixed = matches.filter(({ wing }) => wing.toLowerCase().startsWith(text));
  return [...prefixed, ...matches.filter((wing) => !prefixed.includes(wing))].slice(0, MAX_OFFERED);
}

function noteOf(value: string, known: Wing | undefined): string | undefined {
  if (known !== undefined) return counted(known.notes, 'note');
  return value.trim() === '' ? undefined : 'new wing';
}

interface PromoteFormProps {
  readonly entry: Entry;
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly destination: Destination;
  /** The error of the last promotion. */
  readonly error: CallError | null;
  /** True when the note has left the queue. */
  readonly gone: boolean;
  readonly wingRef: { current: HTMLInputElement | null };
  readonly slugRef: { current: HTMLInputElement | null };
  readonly hallRef: { current: HTMLButtonElement | null };
  readonly onDraft: (change: DraftChange) => void;
  readonly onPromote: () => void;
  readonly onReject: () => void;
  readonly onCompare: (path: string) => void;
  readonly onUnfold: () => void;
}

/** The form for wing, hall and slug, with the answer of the service to them, and the buttons of both decisions. */
export function PromoteForm(props: PromoteFormProps) {
  const { entry, draft, wings, destination, error, gone, onDraft } = props;
  const refused = error ?? (destination.state === 'refused' ? destination.error : null);
  const wrong = refused === null ? null : fieldOfError(refused);
  const suggested = draft.hall !== null && draft.hall === entry.suggested.hall;
  return (
    <form
      class="brain-form"
      aria-label="Promote"
      onSubmit={(event) => {
        event.preventDefault();
        props.onPromote();
      }}
    >
      <button type="button" class="brain-form-summary" aria-expanded={false} onClick={props.onUnfold}>
        <Icon name="chevron-up" />
        <span class="brain-small brain-cut">
          <span class="brain-muted">To</span> {draft.wing === '' ? 'no wing' : draft.wing} /{' '}
          {draft.hall ?? 'no hall'} / {draft.slug}
        </span>
      </button>
      <WingField
        value={draft.wing}
        wings={wings}
        inputRef={props.wingRef}
        error={wrong === 'wing' ? refused?.message : undefined}
        onInput={(wing) => onDraft({ wing })}
      />
      <div class="brain-field">
        <span class="brain-label">Hall {suggested && <em>suggested by the note</em>}</span>
        <HallChips value={draft.hall} chipRef={props.hallRef} onChange={(hall) => onDraft({ hall })} />
        {wrong === 'hall' && <Problem>{refused?.message}</Problem>}
      </div>
      <TextField
        label="Slug"
        value={draft.slug}
        inputRef={props.slugRef}
        error={wrong === 'slug' && refused !== null ? <SlugProblem error={refused} /> : undefined}
        help={<DestinationLine destination={destination} />}
        onInput={(slug) => onDraft({ slug })}
      />
      {refused?.code === 'destination_exists' && (
        <CollisionActions error={refused} slug={draft.slug} onDraft={onDraft} onCompare={props.onCompare} />
      )}
      {refused !== null && wrong === null && !isMissing(refused) && refused.code !== 'hash_mismatch' && (
        <FailureNotice error={refused} />
      )}
      <div class="brain-buttons">
        <button class="mod-cta" type="submit" disabled={gone}>
          Promote
          <Key>A</Key>
        </button>
        <button type="button" disabled={gone} onClick={props.onReject}>
          Reject
          <Key>R</Key>
        </button>
      </div>
    </form>
  );
}

function SlugProblem({ error }: { readonly error: CallError }): ComponentChildren {
  const { path } = error.details;
  if (error.code !== 'destination_exists' || typeof path !== 'string') return <>{error.message}</>;
  return (
    <>
      A note already stands at <b>{path}</b>. Nothing was changed.
    </>
  );
}

/** The actions when the destination exists: use another slug, compare both notes, or open the existing one. */
function CollisionActions(props: {
  readonly error: CallError;
  readonly slug: string;
  readonly onDraft: (change: DraftChange) => void;
  readonly onCompare: (path: string) => void;
}) {
  const { error, slug, onDraft, onCompare } = props;
  const { host } = useUi();
  const { path } = error.details;
  const other = nextSlug(slug);
  return (
    <div class="brain-row mod-wrap">
      <button type="button" class="brain-action" onClick={() => onDraft({ slug: other })}>
        Use {other}
      </button>
      {typeof path === 'string' && (
        <>
          <button type="button" class="brain-action" onClick={() => onCompare(path)}>
            Compare
          </button>
          <button type="button" class="brain-plain" onClick={() => host.openNote(path, { newPane: true })}>
            Open it
          </button>
        </>
      )}
    </div>
  );
}

function DestinationLine({ destination }: { readonly destination: Destination }) {
  const { state } = destination;
  return (
    <div class="brain-dest" role="status">
      {state === 'free' && (
        <>
          <Icon name="check" class="brain-ok" />
          <span>{destination.path}</span>
        </>
      )}
      {state === 'incomplete' && <span class="brain-muted">Give a wing and a hall to see where it goes</span>}
      {state === 'asking' && <span class="brain-muted">Looking where it goes</span>}
    </div>
  );
}

const REASONS = ['Duplicate', 'Not verified', 'Outdated', 'Not ours'];

/** The service keeps at most this many characters of a reason. */
const MAX_REASON = 500;

interface RejectFormProps {
  /** The text of the button: "Reject", "Reject 4". */
  readonly verb: string;
  readonly reason: string;
  readonly error: CallError | null;
  readonly areaRef: { current: HTMLTextAreaElement | null };
  readonly onReason: (reason: string) => void;
  readonly onReject: () => void;
  readonly onCancel: () => void;
}

/** The form for the reason of a rejection, typed or ready-made. Enter confirms; Shift+Enter inserts a line break. */
export function RejectForm({ verb, reason, error, areaRef, onReason, onReject, onCancel }: RejectFormProps) {
  return (
    <form
      class="brain-form"
      aria-label="Reject"
      onSubmit={(event) => {
        event.preventDefault();
        onReject();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <Field label="Why reject it?" note="optional">
        {(control) => (
          <textarea
            {...control}
            ref={areaRef}
            rows={3}
            maxLength={MAX_REASON}
            value={reason}
            onInput={(event) => onReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              onReject();
            }}
          />
        )}
      </Field>
      <div class="brain-chips">
        {REASONS.map((words) => (
          <button
            key={words}
            type="button"
            onClick={() => {
              onReason(words);
              areaRef.current?.focus();
            }}
          >
            {words}
          </button>
        ))}
      </div>
      <p class="brain-small brain-muted brain-prose">
        The note moves to <span class="brain-mono">raw/rejected/</span> and the reason is kept with it. You
        can undo this.
      </p>
      {error !== null && !isMissing(error) && error.code !== 'hash_mismatch' && (
        <FailureNotice error={error} />
      )}
      <div class="brain-buttons">
        <button class="mod-warning brain-grow" type="submit">
          {verb}
          <Key>↵</Key>
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
          <Key>Esc</Key>
        </button>
      </div>
    </form>
  );
}
