import type { RefObject } from 'preact';
import { Flag } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { count, counted } from '../kit/words';
import { type Found, MOST_RESULTS } from './use-search';

/** How the answer was found: the words alone, or together with meaning. Amber when it should have been more than it was. */
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

/** The field of a search, with how it was answered beside it. */
export function SearchBar(props: {
  readonly input: RefObject<HTMLInputElement | null>;
  /** The list that the field fills; undefined while it is not drawn. */
  readonly listId: string | undefined;
  readonly query: string;
  readonly found: Found | null;
  /** Notes in the list. */
  readonly shown: number;
  readonly onInput: (query: string) => void;
  readonly onClear: () => void;
  /** Answers what stands in the field from the notes. */
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
            <button type="button" class="clickable-icon" aria-label="Clear" onClick={onClear}>
              <Icon name="x" />
            </button>
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
  // At the limit nobody knows how many more there are.
  return here.length === MOST_RESULTS ? `best ${shown} notes` : counted(shown, 'note');
}
