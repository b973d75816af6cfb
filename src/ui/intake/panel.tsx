import { useState } from 'preact/hooks';
import { useUi } from '../client/context';
import { failureWords, Progress } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { namesOf } from '../kit/names';
import { count, counted } from '../kit/words';
import { type Intake, type IntakeItem, joined, type LedTo, type Outcome, outcomeWords } from './intake';
import { useIntakeItems } from './sources';

/** Most notes, failures or warnings of one source that are named. */
const MAX_NAMED = 5;

/**
 * What came of one source: in words, and unfolded with the notes that it led to and what a person ought to know. One that
 * is alone is unfolded; what failed is always in sight.
 */
function IntakeLine({ item, alone }: { readonly item: IntakeItem; readonly alone: boolean }) {
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

/**
 * How far all of it is: what is read now, and how much is done. The bar counts in hundredths of a source; the total is 0 for
 * one alone of which nobody knows how far it is.
 */
export function progressOf(items: readonly IntakeItem[]): {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly words: string;
} {
  const ended = items.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  const now = items.find(({ state }) => state === 'running');
  const part = now === undefined || now.total === 0 ? 0 : now.done / now.total;
  return {
    label: now === undefined ? 'Waiting' : `Ingesting ${now.name}`,
    done: Math.round((ended + part) * 100),
    total: items.length === 1 && now !== undefined && now.total === 0 ? 0 : items.length * 100,
    words: progressWords(items.length, ended, now),
  };
}

function progressWords(all: number, ended: number, now: IntakeItem | undefined): string {
  if (all > 1) return `${count(Math.min(ended + 1, all))} of ${count(all)}`;
  return now === undefined || now.total === 0 ? '' : `${count(now.done)} of ${count(now.total)}`;
}

/** What came of all of it, in one line. */
function summaryOf(items: readonly IntakeItem[]): string {
  const of = (state: IntakeItem['state']) => items.filter((item) => item.state === state).length;
  const outcomes = items.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
  const failed = of('failed');
  const cancelled = of('cancelled');
  const parts = [
    ...(outcomes.length > 0 ? [outcomeWords(joined(outcomes))] : []),
    ...(failed > 0 ? [`${counted(failed, 'source')} not ingested`] : []),
    ...(cancelled > 0 ? [`${count(cancelled)} cancelled`] : []),
  ].join(', ');
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}`;
}

/** Most sources that are named at once; those that failed come first. */
const MAX_SHOWN = 40;

/** What is being ingested, with a way to call it off, and what came of it until the person closes it. */
export function IntakePanel({ intake }: { readonly intake: Intake }) {
  const items = useIntakeItems(intake);
  if (items.length === 0) return null;
  const busy = intake.isBusy;
  const ended = items.filter(({ state }) => state !== 'waiting' && state !== 'running');
  const shown = [...ended.filter(isFailed), ...ended.filter((item) => !isFailed(item))];
  return (
    <section class="brain-intake" aria-label="Ingestion">
      {busy && <Progress {...progressOf(items)} onCancel={() => intake.cancel()} />}
      <div class={ended.length === 0 ? 'brain-sr' : 'brain-row brain-intake-head'}>
        <span role="status">{busy ? '' : summaryOf(items)}</span>
        {!busy && (
          <>
            <span class="brain-push" />
            <button
              type="button"
              class="clickable-icon"
              aria-label="Close what was ingested"
              onClick={() => intake.clear()}
            >
              <Icon name="x" />
            </button>
          </>
        )}
      </div>
      {shown.length > 0 && (
        <ul class="brain-intake-items">
          {shown.slice(0, MAX_SHOWN).map((item) => (
            <IntakeLine key={item.id} item={item} alone={items.length === 1} />
          ))}
          {shown.length > MAX_SHOWN && (
            <li>
              <Icon name="ellipsis" />
              <span class="brain-muted">and {count(shown.length - MAX_SHOWN)} more</span>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function isFailed({ state, outcome }: IntakeItem): boolean {
  return state === 'failed' || (outcome !== null && outcome.failures.length > 0);
}
