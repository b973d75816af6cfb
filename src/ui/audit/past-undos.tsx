import { useState } from 'preact/hooks';
import type { Answer, CallError } from '../client';
import { useUi } from '../context';
import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { asCallError, useCall } from '../parts/use-async';
import { counted, moment } from '../parts/words';

type Back = Answer<'undoBack'>;

/** Undos shown; older ones the command line lists. */
const SHOWN = 5;

/** What was undone before, each with the way back. Nothing as long as nothing was. */
export function PastUndos({ onChange }: { readonly onChange: () => void }) {
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
      <ul class="brain-undo-past">
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

export interface TakeBack {
  readonly working: boolean;
  readonly result: Back | null;
  readonly error: CallError | null;
  readonly run: (undo: string) => Promise<void>;
}

/** Takes an undo back, and tells what came of it. */
export function useTakeBack(onDone: () => void): TakeBack {
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

/** What came of taking an undo back. */
export function TakenBack({ state: { result, error } }: { readonly state: TakeBack }) {
  if (error !== null) return <FailureNotice error={error}>Nothing was changed.</FailureNotice>;
  if (result === null) return null;
  const { count, left } = result;
  return (
    <Notice icon="undo-2" tone={left.length > 0 ? 'amber' : 'neutral'}>
      {counted(count, 'note is', 'notes are')} as before the undo.{' '}
      {left.length > 0 && `Left: ${left.map(({ path, why }) => `${path} ${why}`).join('; ')}.`}
    </Notice>
  );
}
