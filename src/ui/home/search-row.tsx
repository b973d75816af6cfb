import type { Answer } from '../client';
import { useUi } from '../context';
import { FailureNotice } from '../parts/problem';
import { count } from '../parts/words';
import { backfillWords, otherErrors, searchState } from './search-words';
import { MARKS } from './state-rows';
import type { Backfill } from './use-backfill';

/** Errors that are named; a broken embedder gives one for every note. */
const MOST_ERRORS = 5;

/** How notes can be found, with the embeddings being made where search goes by meaning too. */
export function SearchRow(props: { readonly status: Answer<'status'>; readonly backfill: Backfill }) {
  const { status, backfill } = props;
  const { state, words, progress, action } = searchState(status);
  return (
    <li>
      <i class={`brain-dot mod-${state}`} />
      <b class="brain-strong">
        Search
        <span class="brain-sr">: {MARKS[state]}</span>
      </b>
      <Action action={action} backfill={backfill} />
      <p>{words}</p>
      {progress !== undefined && <Bar {...progress} />}
      {backfill.error !== null && (
        <div class="brain-state-more">
          <FailureNotice error={backfill.error} />
        </div>
      )}
      <Outcome result={backfill.result} />
    </li>
  );
}

function Action({ action, backfill }: { action: 'backfill' | 'cancel' | undefined; backfill: Backfill }) {
  if (action === 'cancel') {
    return (
      <button type="button" class="brain-plain" aria-label="Cancel the backfill" onClick={backfill.cancel}>
        Cancel
      </button>
    );
  }
  if (action === undefined) return <span />;
  return (
    <button
      type="button"
      class="brain-plain"
      aria-disabled={backfill.running}
      aria-label="Backfill embeddings"
      onClick={backfill.start}
    >
      {backfill.running ? 'Starting' : 'Backfill'}
    </button>
  );
}

function Bar({ label, done, total }: { label: string; done: number; total: number }) {
  return (
    <div
      class="brain-progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(total, 1)}
      aria-valuenow={done}
      aria-valuetext={`${count(done)} of ${count(total)}`}
    >
      <span style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
    </div>
  );
}

function Outcome({ result }: { readonly result: Answer<'backfill'> | null }) {
  const { host } = useUi();
  const errors = otherErrors(result?.errors ?? []);
  const more = errors.length - MOST_ERRORS;
  return (
    <>
      <p role="status">{result !== null && backfillWords(result)}</p>
      {errors.length > 0 && (
        <ul class="brain-state-more brain-backfill-errors" aria-label="Errors of the backfill">
          {errors.slice(0, MOST_ERRORS).map(({ path, error }) => (
            <li key={`${path ?? ''} ${error}`}>
              {path !== undefined && (
                <button type="button" class="brain-plain mod-inline" onClick={() => host.openNote(path)}>
                  {path}
                </button>
              )}
              <span>{error}</span>
            </li>
          ))}
          {more > 0 && <li>and {count(more)} more</li>}
        </ul>
      )}
    </>
  );
}
