import type { CallError } from '../../core/registry/client';
import type { Hall } from '../../core/vocabulary/address';
import { Field, HallChips, TextField } from '../kit/controls';
import { FailureNotice, Problem } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import {
  CollisionActions,
  type Destination,
  DestinationLine,
  type Draft,
  type DraftChange,
  fieldOfError,
  SlugProblem,
  WingField,
} from '../place/place';
import type { Entry } from './entry';
import { isMissing } from './problem';

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
  /** With `leaveField`, the focus goes on to what is missing, else to the list. */
  readonly onHall: (hall: Hall, leaveField: boolean) => void;
  readonly onPromote: () => void;
  readonly onReject: () => void;
  readonly onCompare: (path: string) => void;
  readonly onReplace: (path: string) => void;
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
        key={entry.path}
        value={draft.wing}
        wings={wings}
        inputRef={props.wingRef}
        error={wrong === 'wing' ? refused?.message : undefined}
        onInput={(wing) => onDraft({ wing })}
      />
      <div class="brain-field">
        <span class="brain-label">Hall {suggested && <em>suggested by the note</em>}</span>
        <HallChips
          value={draft.hall}
          chipRef={props.hallRef}
          onChange={(hall, by) => props.onHall(hall, by === 'press')}
        />
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
        <CollisionActions
          error={refused}
          slug={draft.slug}
          onDraft={onDraft}
          onCompare={props.onCompare}
          onReplace={props.onReplace}
        />
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
