import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { namesOf } from '../queue/names-of';
import { Icon } from '../parts/icon';
import type { IconName } from '../parts/icons';
import { failureWords } from '../parts/problem';
import { count } from '../parts/words';
import type { IntakeItem } from './intake';
import { type LedTo, type Outcome, outcomeWords } from './outcome';

/** Most notes, failures or warnings of one source that are named. */
const MAX_NAMED = 5;

/**
 * What came of one source: in words, and unfolded with the notes that it led to and what a person ought to know. One that
 * is alone is unfolded; what failed is always in sight.
 */
export function IntakeLine({ item, alone }: { readonly item: IntakeItem; readonly alone: boolean }) {
  const [open, setOpen] = useState(alone);
  const { name, state, error, outcome } = item;
  const [icon, mark] = lookOf(item);
  return (
    <li>
      <Icon name={icon} class={mark} />
      <div class="brain-row">
        <b class="brain-cut" title={name}>
          {name}
        </b>
        {outcome !== null && hasDetails(outcome) && (
          <button
            type="button"
            class="clickable-icon brain-push"
            aria-label={`Details of ${name}`}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? 'chevron-up' : 'chevron-down'} />
          </button>
        )}
      </div>
      {error !== null && <p role="alert">{failureWords(error)}</p>}
      {state === 'cancelled' && <p>Cancelled. What was made before stands.</p>}
      {outcome !== null && (
        <>
          <p>{outcomeWords(outcome)}</p>
          <Failures failures={outcome.failures} />
          {open && <Details outcome={outcome} />}
        </>
      )}
    </li>
  );
}

function hasDetails({ written, duplicates, standing, rejectedBefore, warnings }: Outcome): boolean {
  return [written, duplicates, standing, rejectedBefore, warnings].some(({ length }) => length > 0);
}

function lookOf({ state, outcome }: IntakeItem): readonly [icon: IconName, mark: string] {
  if (state === 'failed') return ['circle-x', 'brain-bad'];
  if (state === 'cancelled') return ['ban', 'brain-muted'];
  if (outcome !== null && outcome.failures.length > 0) return ['triangle-alert', 'brain-warn'];
  return outcome !== null && outcome.written.length > 0
    ? ['check', 'brain-ok']
    : ['circle-minus', 'brain-muted'];
}

function Failures({ failures }: Pick<Outcome, 'failures'>) {
  return (
    <>
      {failures.slice(0, MAX_NAMED).map(({ name, message }) => (
        <p key={name}>
          <b>{name}</b>: {message}
        </p>
      ))}
      {failures.length > MAX_NAMED && <p>and {count(failures.length - MAX_NAMED)} more that failed</p>}
    </>
  );
}

function Details({ outcome }: { readonly outcome: Outcome }) {
  const { host } = useUi();
  const { written, duplicates, standing, rejectedBefore, warnings } = outcome;
  const look = ({ path }: LedTo): void =>
    path.startsWith('raw/') ? host.go('queue', { path }) : host.openNote(path);
  return (
    <>
      <Links label="Made" notes={written} onOpen={look} />
      <Links label="Known already" notes={duplicates} onOpen={look} />
      <Links label="Made before" notes={standing} onOpen={look} />
      {rejectedBefore.length > 0 && <p>Rejected before: {namesOf(rejectedBefore)}</p>}
      {warnings.slice(0, MAX_NAMED).map((warning) => (
        <p key={warning} class="brain-warn">
          {warning}
        </p>
      ))}
    </>
  );
}

function Links(props: {
  readonly label: string;
  readonly notes: readonly LedTo[];
  readonly onOpen: (note: LedTo) => void;
}) {
  const { label, notes, onOpen } = props;
  if (notes.length === 0) return null;
  return (
    <>
      <p>{label}:</p>
      <ul class="brain-intake-notes" aria-label={label}>
        {notes.slice(0, MAX_NAMED).map((note) => (
          <li key={note.path}>
            <button
              type="button"
              class="brain-notelink brain-cut"
              title={note.path}
              onClick={() => onOpen(note)}
            >
              {note.title === '' ? note.path : note.title}
            </button>
          </li>
        ))}
        {notes.length > MAX_NAMED && <li>and {count(notes.length - MAX_NAMED)} more</li>}
      </ul>
    </>
  );
}
