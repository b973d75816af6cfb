import type { RefObject } from 'preact';
import { useUi } from '../client/context';
import type { SearchResult } from '../found/facets';
import { ResultRow } from '../found/result-row';
import { whyDegraded } from '../found/state';
import type { Found, Search } from '../found/use-search';
import { useCall } from '../kit/async';
import { Empty, FailureNotice, Notice, SkeletonRows } from '../kit/feedback';
import { count } from '../kit/words';

/** What a person should know of a search beside its results: that it was less than it could be, or may find more later. */
function FoundNotices({ found }: { readonly found: Found }) {
  const { degraded, reading, mode, here } = found;
  const byMeaning =
    mode === 'hybrid' && here.length > 0 && here.every(({ ranks }) => ranks?.bm25 === undefined);
  return (
    <>
      {reading !== undefined && (
        <Notice>
          The vault is still being read: {count(reading.done)} of {count(reading.total)} notes. The others are
          not found yet.
        </Notice>
      )}
      {degraded && <Degraded />}
      {byMeaning && (
        <Notice icon="info">No note holds these words. These come nearest by their meaning.</Notice>
      )}
    </>
  );
}

function Degraded() {
  const { host } = useUi();
  // Whoever may not ask for the state of the service is told without the reason.
  const { value } = useCall('status', {});
  return (
    <Notice tone="amber">
      Hybrid is configured but was not used. {value !== null && <>{whyDegraded(value.hybrid)} </>}
      Results are by BM25 alone.{' '}
      <button type="button" class="brain-plain" onClick={() => host.go('doctor')}>
        Doctor
      </button>
    </Notice>
  );
}

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
