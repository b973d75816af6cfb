import type { Hall } from '../../core/vocabulary/address';
import { HallChips } from '../kit/controls';
import { Progress } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { count, counted } from '../kit/words';
import type { Apart, BulkCheck } from './bulk-check';
import type { BulkItem, Decisions } from './decisions';
import { RejectForm } from './forms';
import { addressWords } from './list';

/** A list names at most this many notes. */
const MAX_SHOWN = 50;

interface Props {
  readonly items: readonly BulkItem[];
  readonly check: BulkCheck;
  readonly decisions: Decisions;
  readonly hall: Hall | null;
  readonly rejecting: boolean;
  readonly reason: string;
  readonly reasonRef: { current: HTMLTextAreaElement | null };
  readonly onHall: (hall: Hall | null) => void;
  readonly onReason: (reason: string) => void;
  readonly onLook: (path: string) => void;
  readonly onPromote: () => void;
  /** Promotes the ready notes, and those that the check found risky. */
  readonly onPromoteRisky: () => void;
  readonly onStartReject: () => void;
  readonly onReject: () => void;
  readonly onCancelReject: () => void;
  readonly onClear: () => void;
}

/** The decision on several notes: the list of those that can be promoted as suggested, the list of the others, and the form. */
export function BulkPanel(props: Props) {
  const { items, decisions, rejecting } = props;
  const running = decisions.bulk?.running === true;
  return (
    <section class="brain-decision" aria-label={`Decision for ${counted(items.length, 'note')}`}>
      <div class="brain-bar">
        <h2>{counted(items.length, 'note')} selected</h2>
        <span class="brain-push" />
        <button type="button" class="brain-plain" disabled={running} onClick={props.onClear}>
          Clear
          <Key>Esc</Key>
        </button>
      </div>
      <div class="brain-info brain-scroll" tabIndex={0} role="region" aria-label="Selected notes">
        <Outcome decisions={decisions} />
        <Lists {...props} />
      </div>
      {rejecting && !running ? (
        <RejectForm
          verb={`Reject ${count(items.length)}`}
          reason={props.reason}
          error={null}
          areaRef={props.reasonRef}
          onReason={props.onReason}
          onReject={props.onReject}
          onCancel={props.onCancelReject}
        />
      ) : (
        <BulkForm {...props} running={running} />
      )}
    </section>
  );
}

function BulkForm(props: Props & { readonly running: boolean }) {
  const { items, check, decisions, hall, running, onHall, onPromote, onStartReject } = props;
  const { bulk } = decisions;
  const apart = check.checked?.apart;
  const promotable = items.filter(
    ({ entry, obstacle }) => obstacle === null && apart?.has(entry.path) !== true,
  ).length;
  const risky = [...(apart?.values() ?? [])].filter(({ kind }) => kind === 'risky').length;
  return (
    <form
      class="brain-form"
      aria-label="Decide for all selected"
      onSubmit={(event) => {
        event.preventDefault();
        onPromote();
      }}
    >
      <div class="brain-field">
        <span class="brain-label">
          Hall for all <em>optional, overrides suggestions</em>
        </span>
        <HallChips
          label="Hall for all"
          value={hall}
          onChange={(next) => onHall(next === hall ? null : next)}
        />
      </div>
      {running && bulk !== null ? (
        <Progress
          label={bulk.progress.waiting ? 'Waiting: many changes in a minute' : workingWords(bulk.job.kind)}
          done={bulk.progress.done}
          total={bulk.job.items.length}
          onCancel={decisions.cancelBulk}
        />
      ) : (
        <p class="brain-small brain-muted brain-prose">
          {check.running
            ? 'Trying each, changing nothing…'
            : apart !== undefined && apart.size > 0
              ? 'Nothing is promoted yet. Those that are ready go now; look at the others one by one.'
              : 'Each is tried first, changing nothing. Then one by one, in this order.'}
        </p>
      )}
      <div class="brain-buttons">
        <button class="mod-cta" type="submit" disabled={running || check.running || promotable === 0}>
          Promote {count(promotable)}
          <Key>A</Key>
        </button>
        {risky > 0 && (
          <button type="button" disabled={running || check.running} onClick={props.onPromoteRisky}>
            With {count(risky)} risky
          </button>
        )}
        <button type="button" disabled={running || items.length === 0} onClick={onStartReject}>
          Reject {count(items.length)}
          <Key>R</Key>
        </button>
      </div>
    </form>
  );
}

function workingWords(kind: 'promote' | 'reject'): string {
  return kind === 'promote' ? 'Promoting' : 'Rejecting';
}

/** The result of the last run: the numbers of notes that were decided on, failed and left. */
function Outcome({ decisions }: Pick<Props, 'decisions'>) {
  const { bulk } = decisions;
  if (bulk === null || bulk.running) return null;
  const { decided, failures } = bulk.progress;
  const left = bulk.job.items.length - decided.length - failures.size;
  const verb = bulk.job.kind === 'promote' ? 'promoted' : 'rejected';
  return (
    <p role="status">
      {count(decided.length)} {verb}
      {failures.size > 0 && `, ${count(failures.size)} failed`}
      {left > 0 && `, ${count(left)} left as they were`}
    </p>
  );
}

function Lists({ items, check, decisions, onLook }: Pick<Props, 'items' | 'check' | 'decisions' | 'onLook'>) {
  const failures = decisions.bulk?.progress.failures ?? new Map<string, string>();
  const listed = new Set(items.map(({ entry }) => entry.path));
  // Failed notes are listed even when they have left the queue meanwhile.
  const failed = (decisions.bulk?.job.items ?? []).filter(({ entry }) => failures.has(entry.path));
  const open = items.filter(({ entry }) => !failures.has(entry.path));
  const apart = check.checked?.apart;
  const apartAs = (kind: Apart['kind']) =>
    open.flatMap(({ entry, obstacle }) => {
      const why = obstacle === null ? apart?.get(entry.path) : undefined;
      return why?.kind === kind ? [{ entry, words: why.words }] : [];
    });
  const [taken, risky] = [apartAs('taken'), apartAs('risky')];
  const ready = open.filter(({ entry, obstacle }) => obstacle === null && apart?.has(entry.path) !== true);
  const look = open.filter(({ obstacle }) => obstacle !== null);
  return (
    <>
      {failed.length > 0 && (
        <section>
          <h2 class="brain-heading">{counted(failed.length, 'note')} failed</h2>
          <ul class="brain-card brain-divided brain-bulk">
            {failed.slice(0, MAX_SHOWN).map(({ entry }) => (
              <li key={entry.path}>
                <Icon name="circle-x" class="brain-bad" />
                <b class="brain-cut">{entry.title}</b>
                {listed.has(entry.path) && (
                  <LookButton title={entry.title} onClick={() => onLook(entry.path)} />
                )}
                <p>{failures.get(entry.path)}</p>
              </li>
            ))}
            <Rest of={failed.length} />
          </ul>
        </section>
      )}
      {ready.length > 0 && (
        <section>
          <h2 class="brain-heading">
            {count(ready.length)} {apart === undefined ? 'can be promoted as suggested' : 'ready'}
          </h2>
          <ul class="brain-card brain-divided brain-bulk">
            {ready.slice(0, MAX_SHOWN).map(({ entry, draft }) => (
              <li key={entry.path}>
                <Icon name="check" class="brain-ok" />
                <b class="brain-cut">{entry.title}</b>
                <p class="brain-cut">
                  {addressWords({ wing: draft.wing, ...(draft.hall !== null && { hall: draft.hall }) })}
                </p>
              </li>
            ))}
            <Rest of={ready.length} />
          </ul>
        </section>
      )}
      <ApartList heading={`${count(taken.length)} taken`} notes={taken} onLook={onLook} />
      <ApartList heading={`${count(risky.length)} risky`} notes={risky} onLook={onLook} />
      <ApartList
        heading={`${count(look.length)} ${look.length === 1 ? 'needs' : 'need'} a look`}
        notes={look.map(({ entry, obstacle }) => ({ entry, words: obstacle ?? '' }))}
        onLook={onLook}
      />
    </>
  );
}

/** Notes that are not promoted with the others, each with the reason; nothing while there are none. */
function ApartList(props: {
  readonly heading: string;
  readonly notes: readonly { readonly entry: BulkItem['entry']; readonly words: string }[];
  readonly onLook: (path: string) => void;
}) {
  const { heading, notes, onLook } = props;
  if (notes.length === 0) return null;
  return (
    <section>
      <h2 class="brain-heading">{heading}</h2>
      <ul class="brain-card brain-divided brain-bulk">
        {notes.slice(0, MAX_SHOWN).map(({ entry, words }) => (
          <li key={entry.path}>
            <Icon name="triangle-alert" class="brain-warn" />
            <b class="brain-cut">{entry.title}</b>
            <LookButton title={entry.title} onClick={() => onLook(entry.path)} />
            <p>{words}</p>
          </li>
        ))}
        <Rest of={notes.length} />
      </ul>
    </section>
  );
}

/** The number of notes of a list that are not shown. */
function Rest({ of }: { readonly of: number }) {
  if (of <= MAX_SHOWN) return null;
  return (
    <li>
      <Icon name="ellipsis" />
      <span class="brain-muted">and {count(of - MAX_SHOWN)} more</span>
    </li>
  );
}

function LookButton({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="brain-plain" aria-label={`Look at ${title}`} onClick={onClick}>
      Look
    </button>
  );
}
