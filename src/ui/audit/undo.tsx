import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { timestamp } from '../../core/base/time';
import type { Answer, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { asCallError, useCall } from '../kit/async';
import { Field, Menu } from '../kit/controls';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { useFirstFocus } from '../kit/keys';
import { ScrollArea, useUniqueId } from '../kit/lists';
import { count, counted, moment } from '../kit/words';
import { parseWriter } from '../kit/writer';
import type { AuditCall } from './words';

type Back = Answer<'undoBack'>;

/** The screen lists this many undos; the command line lists the older ones. */
const SHOWN = 5;

/** The list of undos, each with a button that takes it back. Draws nothing while there are none. */
function PastUndos({ onChange }: { readonly onChange: () => void }) {
  const past = useCall('undos', { limit: SHOWN });
  const back = useTakeBack(() => {
    past.reload();
    onChange();
  });
  const undos = past.value?.undos ?? [];
  if (past.error !== null) return <FailureNotice error={past.error} />;
  if (undos.length === 0) return null;
  return (
    <section aria-label="Undone before">
      <h3 class="brain-label">Undone before</h3>
      <ul class="brain-pile">
        {undos.map(({ undo, at, by, notes, taken_back: takenBack }) => (
          <li key={undo} class="brain-row">
            <span>
              {by}, {counted(notes, 'note')} <span class="brain-muted">{moment(at)}</span>
            </span>
            <span class="brain-push" />
            {takenBack === undefined ? (
              <button
                type="button"
                class="brain-plain"
                disabled={back.working}
                aria-label={`Take back the undo of ${by}, ${moment(at)}`}
                onClick={() => void back.run(undo)}
              >
                Take back
              </button>
            ) : (
              <span class="brain-muted">taken back</span>
            )}
          </li>
        ))}
      </ul>
      <TakenBack state={back} />
    </section>
  );
}

interface TakeBack {
  readonly working: boolean;
  readonly result: Back | null;
  readonly error: CallError | null;
  readonly run: (undo: string) => Promise<void>;
}

/** Takes an undo back, and holds the result. */
function useTakeBack(onDone: () => void): TakeBack {
  const { client } = useUi();
  const [working, setWorking] = useState(false);
  const [result, setResult] = useState<Back | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const run = async (undo: string): Promise<void> => {
    setWorking(true);
    setError(null);
    try {
      setResult(await client.call('undoBack', { undo }));
      onDone();
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setWorking(false);
    }
  };
  return { working, result, error, run };
}

/** The result of taking an undo back. */
function TakenBack({ state: { result, error } }: { readonly state: TakeBack }) {
  if (error !== null) return <FailureNotice error={error} isChange />;
  if (result === null) return null;
  const { count, left } = result;
  return (
    <Notice icon="undo-2" tone={left.length > 0 ? 'amber' : 'neutral'}>
      {counted(count, 'note is', 'notes are')} as before the undo.{' '}
      {left.length > 0 && `Left: ${left.map(({ path, why }) => `${path} ${why}`).join('; ')}.`}
    </Notice>
  );
}

/** The spans that an undo offers; `time` asks for a date and time. */
const UNDO_SPANS = [
  { value: '1h', label: 'The last hour' },
  { value: '24h', label: 'The last 24 hours' },
  { value: '7d', label: 'The last 7 days' },
  { value: '30d', label: 'The last 30 days' },
  { value: 'time', label: 'A time of your own' },
] as const;

type UndoSpan = (typeof UNDO_SPANS)[number]['value'];

/** The writer whose changes are undone, and since when, as typed in the form. */
interface UndoChoice {
  readonly by: string;
  readonly span: UndoSpan;
  /** The value of the field for date and time (`2026-11-20T10:32`), in the local time zone. */
  readonly time: string;
}

/** Returns the field `since` of the request; null while no time is chosen. */
export function sinceOfChoice({ span, time }: UndoChoice): string | null {
  if (span !== 'time') return span;
  const date = new Date(time);
  return time === '' || Number.isNaN(date.getTime()) ? null : timestamp(date);
}

/**
 * Returns the verified names in stamps of notes and callers of the log, sorted. Names that clients claim and names of models
 * are left out, since the service takes whole verified names only.
 */
export function writersOf(stamps: readonly string[]): string[] {
  const names = stamps.map((stamp) => {
    const { name, person } = parseWriter(stamp);
    return person ? `human:${name}` : name;
  });
  return [...new Set(names)].sort();
}

/** The form that asks for a writer and a time. */
function UndoForm(props: {
  readonly choice: UndoChoice;
  readonly writers: readonly string[];
  readonly working: boolean;
  readonly onChange: (choice: UndoChoice) => void;
  readonly onPreview: () => void;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const { choice, writers, working, onChange, onPreview, close, children } = props;
  const isReady = choice.by.trim() !== '' && sinceOfChoice(choice) !== null;
  return (
    <form
      class="brain-ask brain-sections"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onPreview();
      }}
    >
      <p>
        Notes that this writer wrote last go back to the version before, or to the review queue when there is
        none. Notes that others changed since stay as they are. You see the list first, and can take the undo
        back.
      </p>
      <WriterField value={choice.by} writers={writers} onInput={(by) => onChange({ ...choice, by })} />
      <SinceFields choice={choice} onChange={onChange} />
      {children}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={working || !isReady}>
          <Icon name={working ? 'loader-circle' : 'search'} />
          {working ? 'Looking' : 'See what would happen'}
        </button>
      </div>
    </form>
  );
}

/** The name of a writer, with the known ones on offer. It takes the focus. */
function WriterField(props: {
  readonly value: string;
  readonly writers: readonly string[];
  readonly onInput: (value: string) => void;
}) {
  const { value, writers, onInput } = props;
  const field = useFirstFocus<HTMLInputElement>();
  const list = useUniqueId();
  return (
    <Field
      label="Writer"
      note="whole name"
      help={<span class="brain-muted">The name of a token finds all its clients and models.</span>}
    >
      {(control) => (
        <>
          <input
            {...control}
            ref={field}
            type="text"
            list={list}
            value={value}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <datalist id={list}>
            {writers.map((writer) => (
              <option key={writer} value={writer} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** The choice of a span, and the field for a date and time. */
function SinceFields(props: {
  readonly choice: UndoChoice;
  readonly onChange: (choice: UndoChoice) => void;
}) {
  const { choice, onChange } = props;
  return (
    <div class="brain-undo-since">
      <Field label="Since">
        {(control) => (
          <Menu
            {...control}
            value={choice.span}
            options={UNDO_SPANS}
            onChange={(span) => onChange({ ...choice, span })}
          />
        )}
      </Field>
      {choice.span === 'time' && (
        <Field label="Date and time">
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              value={choice.time}
              onInput={(event) => onChange({ ...choice, time: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

export type UndoItem = Answer<'undo'>['items'][number];

/** Notes to which an undo does the same. */
interface UndoGroup {
  readonly heading: string;
  /** The reason, as a sentence for all of them; null when their reasons differ. */
  readonly why: string | null;
  readonly items: readonly UndoItem[];
}

/** The headings by action, in the order of the list: notes that stay in their place come first. */
const HEADINGS: Readonly<Record<UndoItem['action'], string>> = {
  root: 'Guidance for agents, back to an earlier text',
  revert: 'Back to an earlier version',
  sources: 'Sources that were added, taken out',
  unpromote: 'Promotions taken back',
  restore: 'Rejections taken back',
  queue: 'To the review queue',
};

/** Groups the notes of an undo by their action, so that twenty of a kind read as one. Within a group the order is kept. */
export function undoGroups(items: readonly UndoItem[]): UndoGroup[] {
  return Object.entries(HEADINGS).flatMap(([action, heading]) => {
    const same = items.filter((item) => item.action === action);
    const [first] = same;
    if (first === undefined) return [];
    const isShared = same.length > 1 && same.every(({ why }) => why === first.why);
    return [{ heading, why: isShared ? `Each ${first.why}.` : null, items: same }];
  });
}

type Undone = Answer<'undo'>;

/** The notes that an undo changes or has changed, grouped by action; then the notes that it leaves as they are. */
function UndoList({ found }: { readonly found: Undone }) {
  const { items, rest, left, left_count: leftCount } = found;
  const leftId = useUniqueId();
  return (
    <div class="brain-undo-list">
      <ScrollArea label="Notes">
        {undoGroups(items).map((group) => (
          <Group key={group.heading} group={group} />
        ))}
        {rest > 0 && <p>And {counted(rest, 'more note')}: look again after these.</p>}
        {leftCount > 0 && (
          <section>
            <h3 class="brain-label" id={leftId}>
              Left as they are: {counted(leftCount, 'note')}
            </h3>
            <ul class="brain-pile" aria-labelledby={leftId}>
              {left.map(({ path, title, why }) => (
                <li key={path}>
                  <b class="brain-strong">{title}</b>
                  <span>{why}</span>
                  <span class="brain-muted">{path}</span>
                </li>
              ))}
            </ul>
            {leftCount > left.length && <p class="brain-muted">and {count(leftCount - left.length)} more</p>}
          </section>
        )}
      </ScrollArea>
    </div>
  );
}

function Group({ group: { heading, why, items } }: { readonly group: UndoGroup }) {
  const id = useUniqueId();
  return (
    <section>
      <h3 class="brain-label" id={id}>
        {heading}: {counted(items.length, 'note')}
      </h3>
      {why !== null && <p class="brain-muted">{why}</p>}
      <ul class="brain-pile" aria-labelledby={id}>
        {items.map((item) => (
          <Item key={item.path} item={item} why={why === null ? item.why : null} />
        ))}
      </ul>
    </section>
  );
}

function Item({ item, why }: { readonly item: UndoItem; readonly why: string | null }) {
  const { title, path, to, linked_from: links } = item;
  return (
    <li>
      <b class="brain-strong">{title}</b>
      {why !== null && <span>{why}</span>}
      <span class="brain-muted">
        {path}
        {to !== undefined && `, then ${to}`}
      </span>
      {links.length > 0 && (
        <span class="brain-muted">
          {counted(links.length, 'link')} to it {links.length === 1 ? 'leads' : 'lead'} nowhere until it is
          promoted again: {links.join(', ')}
        </span>
      )}
    </li>
  );
}

type UndoRun = ReturnType<typeof useUndoRun>;

/** The steps of an undo: a preview of it, then the undo of that very preview. The service refuses any other list of notes. */
function useUndoRun(first: UndoChoice, onChange: () => void) {
  const { client } = useUi();
  const [choice, setChoice] = useState(first);
  const [found, setFound] = useState<Undone | null>(null);
  const [done, setDone] = useState<Undone | null>(null);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);

  const call = async (
    ask: { since: string; plan?: string },
    then: (answer: Undone) => void,
  ): Promise<void> => {
    setWorking(true);
    setError(null);
    try {
      const by = choice.by.trim();
      then(
        await client.call('undo', ask.plan === undefined ? { ...ask, by, dry_run: true } : { ...ask, by }),
      );
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setWorking(false);
    }
  };
  const preview = (): void => {
    const since = sinceOfChoice(choice);
    if (since !== null) void call({ since }, setFound);
  };
  const carryOut = ({ since, plan }: Undone): void =>
    void call({ since, plan }, (answer) => {
      setDone(answer);
      onChange();
    });
  const backToForm = (): void => setFound(null);
  return { choice, setChoice, found, done, working, error, preview, carryOut, backToForm };
}

/** Undoes what a writer did since a time, in three steps: a form, a preview of the undo, and its result with the way back. */
function UndoLayer(props: {
  /** Callers that the log names; writers of notes are offered with them. */
  readonly agents: readonly string[];
  readonly first: UndoChoice;
  readonly close: () => void;
  /** Called after an undo, and after an undo was taken back. */
  readonly onChange: () => void;
}) {
  const { agents, first, close, onChange } = props;
  const overview = useCall('overview', {});
  const run = useUndoRun(first, onChange);
  const { found, done, error } = run;
  if (done !== null) return <UndoDone done={done} close={close} onChange={onChange} />;
  if (found !== null) return <UndoPreview run={run} found={found} close={close} />;
  const stamps = overview.value?.writes.writers.map((writer) => writer.written_by) ?? [];
  return (
    <UndoForm
      choice={run.choice}
      writers={writersOf([...agents, ...stamps])}
      working={run.working}
      onChange={run.setChoice}
      onPreview={run.preview}
      close={close}
    >
      {error !== null && <FailureNotice error={error} isChange />}
      <PastUndos onChange={onChange} />
    </UndoForm>
  );
}

/** The notes that the undo would change, before it changes them. */
function UndoPreview(props: { readonly run: UndoRun; readonly found: Undone; readonly close: () => void }) {
  const { run, found, close } = props;
  const { working, error } = run;
  const hasMoved = error?.code === 'hash_mismatch';
  return (
    <form
      class="brain-ask brain-sections"
      onSubmit={(event) => {
        event.preventDefault();
        if (hasMoved || found.count === 0) run.preview();
        else run.carryOut(found);
      }}
    >
      <Headline key={found.plan}>
        {found.count === 0
          ? `Nothing to undo of ${found.by} since ${moment(found.since)}.`
          : `${counted(found.count, 'note')} of ${found.by} since ${moment(found.since)}.${leftWords(found)} Nothing was changed yet.`}
      </Headline>
      {(found.count > 0 || found.left_count > 0) && <UndoList found={found} />}
      {hasMoved && (
        <Notice tone="amber">
          The notes have changed since this list was made. Nothing was undone. Look again, then decide.
        </Notice>
      )}
      {error !== null && !hasMoved && <FailureNotice error={error} isChange />}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={run.backToForm}>
          Back
        </button>
        <button type="button" onClick={close}>
          {found.count === 0 ? 'Close' : 'Cancel'}
        </button>
        {found.count > 0 && (
          <button type="submit" class="mod-cta" disabled={working}>
            <Icon name={working ? 'loader-circle' : 'undo-2'} />
            {buttonWords(working, hasMoved, found.count)}
          </button>
        )}
      </div>
    </form>
  );
}

/** Returns the number of notes left as they are, in a sentence: they are listed last, below a list that may be long. */
function leftWords({ left_count: left }: Undone): string {
  if (left === 0) return '';
  return left === 1 ? ' One more is left as it is.' : ` ${count(left)} more are left as they are.`;
}

function buttonWords(working: boolean, hasMoved: boolean, count: number): string {
  if (working) return hasMoved ? 'Looking' : 'Undoing';
  return hasMoved ? 'Look again' : `Undo ${counted(count, 'note')}`;
}

/** The first sentence of a step. It takes the focus, so that a screen reader reads it. */
function Headline({ children }: { readonly children: string }) {
  const line = useFirstFocus<HTMLParagraphElement>();
  return (
    <p ref={line} tabIndex={-1} class="brain-undo-head">
      {children}
    </p>
  );
}

function UndoDone(props: {
  readonly done: Undone;
  readonly close: () => void;
  readonly onChange: () => void;
}) {
  const { done, close, onChange } = props;
  const back = useTakeBack(onChange);
  const { undo: name } = done;
  return (
    <div class="brain-ask brain-sections">
      <Headline>{`${counted(done.count, 'note')} of ${done.by} undone. The texts that went are in the history.`}</Headline>
      <UndoList found={done} />
      {done.warnings.map((warning) => (
        <Notice key={warning} tone="amber">
          {warning}
        </Notice>
      ))}
      <TakenBack state={back} />
      <div class="brain-row brain-ask-foot">
        {name !== undefined && back.result === null && (
          <button type="button" disabled={back.working} onClick={() => void back.run(name)}>
            <Icon name={back.working ? 'loader-circle' : 'rotate-ccw'} />
            {back.working ? 'Taking back' : 'Take back'}
          </button>
        )}
        <button type="button" class="mod-cta" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

/** A call, of which the undo covers everything that its caller has done since; without its time only the caller. */
type UndoFrom = Pick<AuditCall, 'actor'> & Partial<Pick<AuditCall, 'ts'>>;

/**
 * Returns a function that opens the undo layer, filled in with the caller and the time of a call, by default with `agent`, the
 * agent that the screen is filtered by, and the last 24 hours.
 */
export function useUndo(
  agent: string | null,
  agents: readonly string[],
  onChange: () => void,
): (from?: UndoFrom) => void {
  const { host } = useUi();
  return (from) => {
    const first: UndoChoice =
      from?.ts === undefined
        ? { by: from?.actor ?? agent ?? '', span: '24h', time: localMinute(host.now()) }
        : { by: from.actor, span: 'time', time: localMinute(new Date(from.ts)) };
    const close = host.openLayer(
      'Undo what a writer did',
      <UndoLayer agents={agents} first={first} close={() => close()} onChange={onChange} />,
    );
  };
}

/** Returns the minute as a field for date and time takes it, in the local time zone. */
function localMinute(time: Date): string {
  return timestamp(new Date(time.getTime() - time.getTimezoneOffset() * 60_000)).slice(0, 16);
}
