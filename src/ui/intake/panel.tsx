import { useState } from 'preact/hooks';
import { useUi } from '../client/context';
import { IconButton } from '../kit/controls';
import { failureWords, Progress } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { joinNames } from '../kit/names';
import { count, counted } from '../kit/words';
import {
  type Intake,
  type IntakeItem,
  mergeOutcomes,
  type ResultNote,
  type Outcome,
  outcomeWords,
} from './intake';
import { useIntakeItems } from './sources';

/** A source names at most this many notes, failures or warnings. */
const MAX_NAMED = 5;

/** The outcome of a source in a line; unfolded, with its notes and warnings. A single source is unfolded. Failures always show. */
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
  const open = ({ path }: ResultNote): void =>
    path.startsWith('raw/') ? host.go('queue', { path }) : host.openNote(path);
  return (
    <>
      <Links label="Made" notes={written} onOpen={open} />
      <Links label="Known already" notes={duplicates} onOpen={open} />
      <Links label="Made before" notes={standing} onOpen={open} />
      {rejectedBefore.length > 0 && <p>Rejected before: {joinNames(rejectedBefore)}</p>}
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
  readonly notes: readonly ResultNote[];
  readonly onOpen: (note: ResultNote) => void;
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
 * Returns the progress over all items. The bar counts hundredths of a source; the total is 0 for a single source of unknown
 * progress.
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

/** Returns the outcome of all items in one line. */
function summaryOf(items: readonly IntakeItem[]): string {
  const of = (state: IntakeItem['state']) => items.filter((item) => item.state === state).length;
  const outcomes = items.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
  const failed = of('failed');
  const cancelled = of('cancelled');
  const parts = [
    ...(outcomes.length > 0 ? [outcomeWords(mergeOutcomes(outcomes))] : []),
    ...(failed > 0 ? [`${counted(failed, 'source')} not ingested`] : []),
    ...(cancelled > 0 ? [`${count(cancelled)} cancelled`] : []),
  ].join(', ');
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}`;
}

/** The panel names at most this many sources; failed ones come first. */
const MAX_SHOWN = 40;

/** The progress of the ingestion, with a button that cancels it, and its outcome until the person closes it. */
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
            <IconButton icon="x" label="Close what was ingested" onClick={() => intake.clear()} />
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
