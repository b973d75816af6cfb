import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { dashed, type Hall, isHall } from '../../core/vocabulary/address';
import type { KeyedTexts } from '../client/host';
import { useUi } from '../client/context';
import { useAsync, useRested } from '../kit/async';
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
  /** The findings of the gate that stay as written, by index. */
  readonly keep?: readonly number[];
  /** Names the findings that `keep` counts. */
  readonly findingsHash?: string;
}

/** The fields that a person has typed or chosen; absent fields keep the suggestion of the note. */
export interface DraftChange {
  readonly wing?: string;
  readonly hall?: Hall;
  readonly slug?: string;
  readonly links?: Readonly<Record<string, string>>;
  /** The kept findings, with the hash of the text and that of all its findings. */
  readonly keep?: { readonly of: string; readonly findings: string; readonly indices: readonly number[] };
}

const LAST_PLACE = 'place.last';

/** Returns the wing and hall that the last note of this session went to, or null. */
export function lastPlace(session: KeyedTexts): { readonly wing: string; readonly hall: Hall } | null {
  try {
    const place: unknown = JSON.parse(session.get(LAST_PLACE) ?? 'null');
    if (typeof place !== 'object' || place === null || !('wing' in place && 'hall' in place)) return null;
    const { wing, hall } = place;
    return typeof wing === 'string' && typeof hall === 'string' && isHall(hall) ? { wing, hall } : null;
  } catch {
    return null; // Another version of the screens wrote it, or a person did.
  }
}

/** Keeps the wing and hall of a note that was given its place, for `lastPlace`. */
export function keepPlace(
  session: KeyedTexts,
  { wing, hall }: { readonly wing: string; readonly hall: string },
): void {
  session.set(LAST_PLACE, JSON.stringify({ wing, hall }));
}

/** Returns the request that moves a note to its place; with `dry_run` added, it only checks the place. */
export function placeRequest(path: string, draft: Draft, hall: Hall) {
  const { wing, slug, links, keep = [], findingsHash } = draft;
  return {
    path,
    wing,
    hall,
    slug,
    ...(Object.keys(links).length > 0 && { links }),
    ...(keep.length > 0 && { keep: [...keep], findings_hash: findingsHash }),
  };
}

/** The delay of the debounced request (ms). */
const DEBOUNCE_MS = 150;

/** The destination of a note, as the service checked it. */
export type Destination =
  | { readonly state: 'incomplete' | 'asking' }
  /** `body` is the text that will stand there. */
  | { readonly state: 'free'; readonly path: string; readonly body: string | undefined }
  /** `reload` asks again. */
  | { readonly state: 'refused'; readonly error: CallError; readonly reload: () => void };

/**
 * Checks the destination of a note by a dry run of the operation that would move it, debounced. With `hash`, the dry run is of
 * the text with that hash.
 */
export function useDestination(
  operation: 'promote' | 'adopt',
  path: string | null,
  draft: Draft | null,
  { revision = 0, hash }: { readonly revision?: number; readonly hash?: string | undefined } = {},
): Destination {
  const { client } = useUi();
  const complete = draft !== null && draft.hall !== null && draft.wing.trim() !== '';
  const key = complete && path !== null ? JSON.stringify([operation, path, draft, hash]) : null;
  const debounced = useRested(key, DEBOUNCE_MS);
  const { value, error, reload } = useAsync(key === debounced ? debounced : null, async () => {
    if (path === null || draft === null || draft.hall === null) throw new Error('Nothing to ask.');
    return client.call(operation, {
      ...placeRequest(path, draft, draft.hall),
      ...(hash !== undefined && { expected_hash: hash }),
      dry_run: true,
    });
  });
  useEffect(() => {
    // A change elsewhere can take the place. The answer from before stays until the next one is there.
    if (revision > 0) reload();
  }, [revision]);
  if (key === null) return { state: 'incomplete' };
  if (error !== null) return { state: 'refused', error, reload };
  return value === null ? { state: 'asking' } : { state: 'free', path: value.path, body: value.body };
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

/** A row of the menu of wings: an existing one, or the one that the typed text would make. */
interface Offer {
  readonly wing: string;
  /** The number of notes; null for a new wing. */
  readonly notes: number | null;
}

/**
 * A combobox for the name of a wing, which offers the existing wings with their sizes. The first wing that fits the typed text
 * is preselected, and Enter takes it; Tab takes it too. A text that names no wing makes one only by the row that says so,
 * which an arrow key or a click chooses; until then the value is empty.
 */
export function WingField({ value, wings, error, inputRef, onInput }: WingFieldProps) {
  const list = useUniqueId();
  const [open, setOpen] = useState(false);
  const { field, typed, setTyped } = useTyped({ value, wings, onInput, ...(inputRef && { inputRef }) });
  // The row that an arrow key has chosen; null for the one that fits the text.
  const [moved, setMoved] = useState<number | null>(null);
  const offers = offersFor(wings, typed ?? '');
  const active = moved ?? preselected(offers, typed ?? '');
  const known = wings.find(({ wing }) => wing === value.trim());
  const shown = open && offers.length > 0;

  const choose = (wing: string): void => {
    onInput(wing);
    setTyped(null);
    setOpen(false);
    setMoved(null);
  };
  const type = (text: string): void => {
    setTyped(text);
    setOpen(true);
    setMoved(null);
    onInput(wingNamed(text, wings) ?? '');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      setMoved(shown ? (active + step + offers.length) % offers.length : 0);
      return;
    }
    const chosen = shown ? offers[active] : undefined;
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      choose(chosen.wing);
    } else if (event.key === 'Enter' && typed !== null && typed.trim() !== '') {
      // No wing is made by a form that is sent with a text nobody has chosen.
      event.preventDefault();
      setOpen(true);
    } else if (event.key === 'Tab' && typed !== null && chosen !== undefined && chosen.notes !== null) {
      choose(chosen.wing);
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };

  return (
    <Field
      label="Wing"
      note={typed === null ? noteOf(value, known) : undecidedNote(typed, value)}
      error={error}
    >
      {(control) => (
        <div class="brain-input">
          <input
            {...control}
            ref={field}
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={shown}
            aria-controls={shown ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={shown && active >= 0 ? `${list}-${active}` : undefined}
            value={typed ?? value}
            onInput={(event) => type(event.currentTarget.value)}
            onClick={() => setOpen(true)}
            onBlur={() => {
              setOpen(false);
              if (value !== '') setTyped(null);
            }}
            onKeyDown={onKeyDown}
          />
          <Icon name="chevron-down" class="mod-end" />
          {shown && <WingMenu id={list} offers={offers} active={active} onChoose={choose} />}
        </div>
      )}
    </Field>
  );
}

/** Returns the existing wing that a typed text names. */
function wingNamed(text: string, wings: readonly Wing[]): string | undefined {
  return wings.find(({ wing }) => isSameWing(wing, text))?.wing;
}

/** Returns the index of the offer that Enter takes for a typed text: the first, if it is an existing wing; -1 for none. */
function preselected(offers: readonly Offer[], text: string): number {
  return text.trim() !== '' && offers[0]?.notes !== null ? 0 : -1;
}

/** Holds the text of a person who has not chosen a wing yet; null once one is chosen, in the field or elsewhere. */
function useTyped({ value, wings, inputRef, onInput }: Omit<WingFieldProps, 'error'>) {
  const own = useRef<HTMLInputElement>(null);
  const field = inputRef ?? own;
  const [typed, setTyped] = useState<string | null>(null);
  useLayoutEffect(() => {
    const input = field.current;
    if (input !== null && input.ownerDocument.activeElement !== input) setTyped(null);
  }, [value]);
  useLayoutEffect(() => {
    // The wings may come after the text.
    const same = typed === null || value !== '' ? undefined : wingNamed(typed, wings);
    if (same !== undefined) onInput(same);
  }, [wings]);
  return { field, typed, setTyped };
}

function WingMenu(props: {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly active: number;
  readonly onChoose: (wing: string) => void;
}) {
  const { id, offers, active, onChoose } = props;
  const menu = useRef<HTMLUListElement>(null);
  useEffect(() => {
    menu.current?.children.item(active)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul id={id} ref={menu} class="brain-menu" role="listbox" aria-label="Wings">
      {offers.map(({ wing, notes }, index) => (
        <li
          key={notes === null ? ' new' : wing}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // A press that took the focus from the field would close the menu before the click comes.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(wing)}
        >
          {notes === null ? (
            <>
              <span class="brain-cut">
                Create wing “<span class="brain-bidi">{wing}</span>”
              </span>
              <Icon name="plus" />
            </>
          ) : (
            <>
              <span class="brain-cut">{wing}</span>
              <span class="brain-count">{count(notes)}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Returns the wings that fit the typed text, and below them the new wing that the text would make, if none has its name. */
export function offersFor(wings: readonly Wing[], typed: string): readonly Offer[] {
  const name = typed.trim();
  const fit = matchingWings(wings, typed);
  const isNew = name !== '' && !wings.some(({ wing }) => isSameWing(wing, name));
  return isNew ? [...fit, { wing: name, notes: null }] : fit;
}

/** Returns true for two spellings of one name: "Home Lab" and "home-lab". */
function isSameWing(wing: string, other: string): boolean {
  return dashed(wing.normalize('NFKC')).toLowerCase() === dashed(other.normalize('NFKC')).toLowerCase();
}

/** Returns the wings that contain the typed text, those that begin with it first. */
function matchingWings(wings: readonly Wing[], typed: string): readonly Wing[] {
  const text = typed.trim().toLowerCase();
  const matches = wings.filter(({ wing }) => wing.toLowerCase().includes(text) || isSameWing(wing, text));
  const prefixed = matches.filter(({ wing }) => wing.toLowerCase().startsWith(text));
  return [...prefixed, ...matches.filter((wing) => !prefixed.includes(wing))].slice(0, MAX_OFFERED);
}

function undecidedNote(typed: string, value: string): string | undefined {
  return typed.trim() === '' || value !== '' ? undefined : 'choose a row';
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
  readonly onReplace?: (path: string) => void;
}) {
  const { error, slug, onDraft, onCompare, onReplace } = props;
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
          {onReplace !== undefined && (
            <button type="button" class="brain-action" onClick={() => onReplace(path)}>
              Replace it
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
