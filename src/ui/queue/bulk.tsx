import type { Hall } from '../../core/vocabulary/address';
import { HallChips } from '../kit/controls';
import { Progress } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { count, counted } from '../kit/words';
import type { BulkItem, Decisions } from './decisions';
import { RejectForm } from './forms';
import { addressWords } from './list';

/** A list names at most this many notes. */
const MAX_SHOWN = 50;

interface Props {
  readonly items: readonly BulkItem[];
  readonly decisions: Decisions;
  readonly hall: Hall | null;
  readonly rejecting: boolean;
  readonly reason: string;
  readonly reasonRef: { current: HTMLTextAreaElement | null };
  readonly onHall: (hall: Hall | null) => void;
  readonly onReason: (reason: string) => void;
  readonly onLook: (path: string) => void;
  readonly onPromote: () => void;
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
  const { items, decisions, hall, running, onHall, onPromote, onStartReject } = props;
  const { bulk } = decisions;
  const promotable = items.filter(({ obstacle }) => obstacle === null).length;
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
          One by one, in this order. A note that fails stays in the queue and says why.
        </p>
      )}
      <div class="brain-buttons">
        <button class="mod-cta" type="submit" disabled={running || promotable === 0}>
          Promote {count(promotable)}
          <Key>A</Key>
        </button>
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

function Lists({ items, decisions, onLook }: Pick<Props, 'items' | 'decisions' | 'onLook'>) {
  const failures = decisions.bulk?.progress.failures ?? new Map<string, string>();
  const listed = new Set(items.map(({ entry }) => entry.path));
  // Failed notes are listed even when they have left the queue meanwhile.
  const failed = (decisions.bulk?.job.items ?? []).filter(({ entry }) => failures.has(entry.path));
  const open = items.filter(({ entry }) => !failures.has(entry.path));
  const ready = open.filter(({ obstacle }) => obstacle === null);
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
          <h2 class="brain-heading">{count(ready.length)} can be promoted as suggested</h2>
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
      {look.length > 0 && (
        <section>
          <h2 class="brain-heading">
            {count(look.length)} {look.length === 1 ? 'needs' : 'need'} a look
          </h2>
          <ul class="brain-card brain-divided brain-bulk">
            {look.slice(0, MAX_SHOWN).map(({ entry, obstacle }) => (
              <li key={entry.path}>
                <Icon name="triangle-alert" class="brain-warn" />
                <b class="brain-cut">{entry.title}</b>
                <LookButton title={entry.title} onClick={() => onLook(entry.path)} />
                <p>{obstacle}</p>
              </li>
            ))}
            <Rest of={look.length} />
          </ul>
        </section>
      )}
    </>
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
