import type { RefObject } from 'preact';
import { IconButton } from '../kit/controls';
import { Flag } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { count, counted } from '../kit/words';
import { type Found, MOST_RESULTS } from './use-search';

/** The ranking of the answer: BM25, or BM25 and vectors. It is amber when hybrid search is configured and was not used. */
export function ModeFlag({ found }: { readonly found: Pick<Found, 'mode' | 'degraded'> }) {
  if (found.mode === 'hybrid') {
    return (
      <Flag icon="database" tone="accent" title="BM25 and vectors, fused">
        Hybrid
      </Flag>
    );
  }
  if (found.degraded) {
    return (
      <Flag icon="triangle-alert" tone="amber" title="Hybrid is configured but was not used">
        BM25 only
      </Flag>
    );
  }
  return (
    <Flag icon="list-tree" title="Ranked by the words of the query">
      BM25
    </Flag>
  );
}

/** The search field, with the ranking, the number of notes and the time of the answer beside it. */
export function SearchBar(props: {
  readonly input: RefObject<HTMLInputElement | null>;
  /** The id of the list of results; undefined while it is not drawn. */
  readonly listId: string | undefined;
  readonly query: string;
  readonly found: Found | null;
  /** The number of notes in the list. */
  readonly shown: number;
  readonly onInput: (query: string) => void;
  readonly onClear: () => void;
  /** Asks for an answer to the query, from the notes. */
  readonly onAnswer: () => void;
}) {
  const { input, listId, query, found, shown, onInput, onClear, onAnswer } = props;
  return (
    <div class="brain-bar mod-head" role="search">
      <div class="brain-input">
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label="Search the brain"
          aria-controls={listId}
          placeholder="Search the brain"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          value={query}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        {query !== '' && (
          <span class="mod-end brain-row">
            <IconButton icon="x" label="Clear" onClick={onClear} />
          </span>
        )}
      </div>
      <button
        type="button"
        class="brain-answer-button"
        aria-label="Answer from the notes"
        aria-keyshortcuts="Shift+Enter"
        title="Answer from the notes, with quotes"
        aria-disabled={query.trim() === ''}
        onClick={onAnswer}
      >
        <Icon name="message-square" />
        Answer
      </button>
      {found !== null && <ModeFlag found={found} />}
      <span class="brain-count" role="status">
        {found !== null && `${shownWords(found, shown)}, ${count(Math.max(1, found.ms))} ms`}
      </span>
    </div>
  );
}

function shownWords({ here }: Found, shown: number): string {
  // At the limit the number of further notes is unknown.
  return here.length === MOST_RESULTS ? `best ${shown} notes` : counted(shown, 'note');
}
