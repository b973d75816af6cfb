import type { RefObject } from 'preact';
import { Empty } from '../parts/empty';
import { FailureNotice } from '../parts/problem';
import { SkeletonRows } from '../parts/skeleton';
import type { SearchResult } from './facets';
import { FoundNotices } from './found-notices';
import { ResultRow } from './result-row';
import type { Search } from './use-search';

/** The results of a search, or what stands in their place: nothing asked, nothing found, still looking, failed. */
export function ResultList(props: {
  readonly id: string;
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly query: string;
  readonly search: Search;
  readonly results: readonly SearchResult[];
  /** True when something else than the query leaves notes out. */
  readonly narrowed: boolean;
  readonly raw: boolean;
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  readonly onOpen: (index: number, newPane: boolean) => void;
  readonly onWiden: () => void;
  readonly onRaw: () => void;
}) {
  const { id, listRef, search, results, selected, onSelect, onOpen } = props;
  const { found } = search;
  return (
    <div class="brain-found">
      {search.error !== null && (
        <FailureNotice error={search.error}>
          <button type="button" class="brain-plain" onClick={search.retry}>
            Try again
          </button>
        </FailureNotice>
      )}
      {found !== null && <FoundNotices found={found} />}
      <ul
        id={id}
        ref={listRef}
        class="brain-results brain-scroll"
        role="listbox"
        aria-label="Results"
        tabIndex={0}
        hidden={results.length === 0}
        aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
      >
        {results.map((result, index) => (
          <ResultRow
            key={result.path}
            id={`${id}-${index}`}
            result={result}
            selected={index === selected}
            onSelect={() => onSelect(index)}
            onOpen={(newPane) => onOpen(index, newPane)}
          />
        ))}
      </ul>
      {results.length === 0 && search.error === null && <Nothing {...props} />}
    </div>
  );
}

function Nothing({
  query,
  search,
  narrowed,
  raw,
  onWiden,
  onRaw,
}: Pick<Parameters<typeof ResultList>[0], 'query' | 'search' | 'narrowed' | 'raw' | 'onWiden' | 'onRaw'>) {
  if (query.trim() === '') {
    return (
      <Empty icon="search" title="Search the brain">
        <p>
          Type a few words and the best notes come first. “Words in quotes” must stand together. A question
          gets an answer with quotes by Shift and Enter.
        </p>
      </Empty>
    );
  }
  if (search.found === null) return search.loading ? <SkeletonRows rows={6} label="Searching" /> : null;
  const elsewhere = narrowed;
  return (
    <Empty icon="search">
      <p role="status">
        No {elsewhere ? 'note here' : 'note'} fits “{search.found.query}”.
      </p>
      {elsewhere && (
        <button type="button" onClick={onWiden}>
          Search everywhere
        </button>
      )}
      {!elsewhere && !raw && (
        <button type="button" onClick={onRaw}>
          Search the review queue too
        </button>
      )}
    </Empty>
  );
}
