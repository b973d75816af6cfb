import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import type { Hall } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import { useAsync } from '../kit/async';
import { Field } from '../kit/controls';
import { Icon } from '../kit/icons';
import { useUniqueId } from '../kit/lists';
import { count, counted } from '../kit/words';

/** The destination of a note, as far as it is filled in. */
export interface Draft {
  readonly wing: string;
  readonly hall: Hall | null;
  readonly slug: string;
  /** The chosen note for each ambiguous link target. */
  readonly links: Readonly<Record<string, string>>;
}

/** The fields that a person has typed or chosen; absent fields keep the suggestion of the note. */
export interface DraftChange {
  readonly wing?: string;
  readonly hall?: Hall;
  readonly slug?: string;
  readonly links?: Readonly<Record<string, string>>;
}

/** Returns the request that moves a note to its place; with `dry_run` added, it only checks the place. */
export function placeRequest(path: string, draft: Draft, hall: Hall) {
  const { wing, slug, links } = draft;
  return { path, wing, hall, slug, ...(Object.keys(links).length > 0 && { links }) };
}

/** The delay of the debounced request (ms). */
const DEBOUNCE_MS = 150;

/** The destination of a note, as the service checked it. */
export type Destination =
  | { readonly state: 'incomplete' | 'asking' }
  | { readonly state: 'free'; readonly path: string }
  | { readonly state: 'refused'; readonly error: CallError };

/** Checks the destination of a note by a dry run of the operation that would move it, debounced. */
export function useDestination(
  operation: 'promote' | 'adopt',
  path: string | null,
  draft: Draft | null,
  revision = 0,
): Destination {
  const { client } = useUi();
  const complete = draft !== null && draft.hall !== null && draft.wing.trim() !== '';
  const key = complete && path !== null ? JSON.stringify([operation, path, draft, revision]) : null;
  const debounced = useDebounced(key);
  const { value, error } = useAsync(key === debounced ? debounced : null, async () => {
    if (path === null || draft === null || draft.hall === null) throw new Error('Nothing to ask.');
    return client.call(operation, { ...placeRequest(path, draft, draft.hall), dry_run: true });
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

/** An existing wing. */
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

/** Returns the field of the form that an error is about, or null. */
export function fieldOfError({ code, details }: CallError): 'wing' | 'hall' | 'slug' | null {
  switch (code) {
    case 'invalid_wing':
      return 'wing';
    case 'invalid_hall':
      return 'hall';
    case 'destination_exists':
    case 'invalid_slug':
    case 'invalid_filename':
      return 'slug';
    case 'invalid_field':
    case 'missing_field':
      return details.field === 'wing' || details.field === 'hall' || details.field === 'slug'
        ? details.field
        : null;
    default:
      return null;
  }
}

/** Returns the next slug to try: `mtu` gives `mtu-2`, `mtu-2` gives `mtu-3`. A year at the end is kept. */
export function nextSlug(slug: string): string {
  const [, stem, number] = /^(.+)-([2-9]|[1-9]\d)$/.exec(slug) ?? [];
  return stem === undefined ? `${slug}-2` : `${stem}-${Number(number) + 1}`;
}

/** Says why a slug is refused. */
export function SlugProblem({ error }: { readonly error: CallError }): ComponentChildren {
  const { path } = error.details;
  if (error.code !== 'destination_exists' || typeof path !== 'string') return <>{error.message}</>;
  return (
    <>
      A note already stands at <b>{path}</b>. Nothing was changed.
    </>
  );
}

/** The actions when the destination exists: use another slug, compare both notes where that is possible, or open the existing one. */
export function CollisionActions(props: {
  readonly error: CallError;
  readonly slug: string;
  readonly onDraft: (change: DraftChange) => void;
  readonly onCompare?: (path: string) => void;
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
          {onCompare !== undefined && (
            <button type="button" class="brain-action" onClick={() => onCompare(path)}>
              Compare
            </button>
          )}
          <button type="button" class="brain-plain" onClick={() => host.openNote(path, { newPane: true })}>
            Open it
          </button>
        </>
      )}
    </div>
  );
}

/** Shows where the note goes, in a status for screen readers. */
export function DestinationLine({ destination }: { readonly destination: Destination }) {
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
