import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../client';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { asCallError, useCall } from '../parts/use-async';
import { count, counted, moment } from '../parts/words';
import { PastUndos, TakenBack, useTakeBack } from './past-undos';
import { sinceOfChoice, type UndoChoice, writersOf } from './undo-choice';
import { UndoForm } from './undo-form';
import { UndoList } from './undo-list';

type Undone = Answer<'undo'>;

/**
 * Undoes what a writer did since a time: whose and since when, then the list of what would happen and why, then the deed,
 * which can be taken back from where it is told. What was looked at is what is done: the service refuses another list.
 */
export function UndoLayer(props: {
  /** Callers that the log names; writers of notes are offered beside them. */
  readonly agents: readonly string[];
  readonly first: UndoChoice;
  readonly close: () => void;
  /** Something was undone, or taken back. */
  readonly onChange: () => void;
}) {
  const { agents, first, close, onChange } = props;
  const { client } = useUi();
  const overview = useCall('overview', {});
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
  const look = (): void => {
    const since = sinceOfChoice(choice);
    if (since !== null) void call({ since }, setFound);
  };

  if (done !== null) return <UndoDone done={done} close={close} onChange={onChange} />;
  if (found === null) {
    const stamps = overview.value?.writes.writers.map((writer) => writer.written_by) ?? [];
    const writers = writersOf([...agents, ...stamps]);
    return (
      <UndoForm
        choice={choice}
        writers={writers}
        working={working}
        onChange={setChoice}
        onLook={look}
        close={close}
      >
        {error !== null && <FailureNotice error={error}>Nothing was changed.</FailureNotice>}
        <PastUndos onChange={onChange} />
      </UndoForm>
    );
  }
  const carryOut = (): void =>
    void call({ since: found.since, plan: found.plan }, (answer) => {
      setDone(answer);
      onChange();
    });
  const hasMoved = error?.code === 'hash_mismatch';
  return (
    <form
      class="brain-ask brain-undo"
      onSubmit={(event) => {
        event.preventDefault();
        if (hasMoved || found.count === 0) look();
        else carryOut();
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
      {error !== null && !hasMoved && <FailureNotice error={error}>Nothing was changed.</FailureNotice>}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={() => setFound(null)}>
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

/** Told at once: it stands at the end of a list that may be long. */
function leftWords({ left_count: left }: Undone): string {
  if (left === 0) return '';
  return left === 1 ? ' One more is left as it is.' : ` ${count(left)} more are left as they are.`;
}

function buttonWords(working: boolean, hasMoved: boolean, count: number): string {
  if (working) return hasMoved ? 'Looking' : 'Undoing';
  return hasMoved ? 'Look again' : `Undo ${counted(count, 'note')}`;
}

/** The sentence that a step begins with. It takes the focus, so that whoever does not see the step hears it. */
function Headline({ children }: { readonly children: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => line.current?.focus(), []);
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
    <div class="brain-ask brain-undo">
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
