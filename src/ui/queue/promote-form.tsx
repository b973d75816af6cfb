import type { ComponentChildren } from 'preact';
import type { CallError } from '../client';
import { useUi } from '../context';
import { HallChips } from '../parts/chips';
import { TextField } from '../parts/field';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { FailureNotice, Problem } from '../parts/problem';
import type { Draft, DraftChange, Entry } from './entry';
import { fieldOf, isAway, nextSlug } from './promote-problem';
import type { Destination } from './use-destination';
import { WingField } from './wing-field';

interface Props {
  readonly entry: Entry;
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly destination: Destination;
  /** Why promoting failed. */
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

/** Where the note goes: wing, hall and slug, with what the service says to that, and the two decisions. */
export function PromoteForm(props: Props) {
  const { entry, draft, wings, destination, error, gone, onDraft } = props;
  const refused = error ?? (destination.state === 'refused' ? destination.error : null);
  const wrong = refused === null ? null : fieldOf(refused);
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
        <WaysOut error={refused} slug={draft.slug} onDraft={onDraft} onCompare={props.onCompare} />
      )}
      {refused !== null && wrong === null && !isAway(refused) && refused.code !== 'hash_mismatch' && (
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

/** Out of a collision: another name, a look at both, or the note that stands there. */
function WaysOut(props: {
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
