import type { RefObject } from 'preact';
import { useUi } from '../client/context';
import { ANY, type SearchResult } from '../found/facets';
import { openResult, ResultRow } from '../found/result-row';
import { whyDegraded } from '../found/state';
import {
  type Asked,
  type Found,
  isNarrowed,
  missingWords,
  type Search,
  searchedWords,
  waitingWords,
} from '../found/use-search';
import { useCall, useStatus } from '../kit/async';
import { Empty, FailureNotice, Notice, Progress, SkeletonRows } from '../kit/feedback';
import { count, counted } from '../kit/words';

/** The progress of the first reading of the vault. */
function ReadingNotice({ reading }: { readonly reading: NonNullable<Found['reading']> }) {
  const { done, total } = reading;
  return (
    <Notice>
      <Progress
        label="The vault is still being read"
        done={done}
        total={total}
        words={`${count(done)} of ${counted(total, 'note')}`}
      />
      Notes that are not read yet are not found. The results follow by themselves.
    </Notice>
  );
}

/** The progress of the reading before anything is searched. */
function ReadingBefore() {
  // A caller without the scope for `status` is told nothing.
  const { value } = useStatus(false);
  if (value === null || value.index.state !== 'building' || value.index.reading === undefined) return null;
  return <ReadingNotice reading={value.index.reading} />;
}

/** Notices above the results: the search was degraded, found by meaning only, or ran before all notes were read. */
function FoundNotices({ found, onRaw }: { readonly found: Found; readonly onRaw: () => void }) {
  const { degraded, reading, mode, here, warnings, parsed } = found;
  const byMeaning =
    mode === 'hybrid' && here.length > 0 && here.every(({ ranks }) => ranks?.bm25 === undefined);
  return (
    <>
      {reading !== undefined && <ReadingNotice reading={reading} />}
      {warnings.map((warning) => (
        <Notice key={warning} tone="amber">
          {warning}
        </Notice>
      ))}
      {degraded && <Degraded />}
      {parsed !== undefined && (
        <p class="brain-small brain-muted">
          Filtered by{' '}
          {[
            ...parsed.filters.map(({ key, value, not }) => `${not ? '-' : ''}${key}:${value}`),
            ...parsed.without.map((word) => `-${word}`),
          ].join(', ')}
          .
        </p>
      )}
      {here.length > 0 && <Besides found={found} onRaw={onRaw} />}
      {byMeaning && (
        <Notice icon="info">No note holds these words. These come nearest by their meaning.</Notice>
      )}
    </>
  );
}

/** Says which words stand nowhere, and what waits in the review queue and was not searched. */
function Besides({ found, onRaw }: { readonly found: Found; readonly onRaw: () => void }) {
  const [missing, waiting] = [missingWords(found), waitingWords(found)];
  if (missing === '' && waiting === '') return null;
  return (
    <p class="brain-small brain-muted">
      {missing} {waiting}{' '}
      {waiting !== '' && (
        <button type="button" class="brain-plain" onClick={onRaw}>
          Search the review queue too
        </button>
      )}
    </p>
  );
}

function Degraded() {
  const { host } = useUi();
  // A caller without the scope for `status` gets the notice without the reason.
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

/** Says which notes are not searched, where the settings leave some out, and how to change that. */
function Outside() {
  const { host } = useUi();
  // A caller without the scope for `status` is told nothing.
  const { value } = useCall('status', {});
  const check = value?.checks.find(({ name, fix }) => name === 'what is read' && fix !== undefined);
  if (check === undefined) return null;
  return (
    <>
      <p>
        {check.message} {check.fix}
      </p>
      {host.openSettings !== undefined && (
        <button type="button" onClick={host.openSettings}>
          Settings
        </button>
      )}
    </>
  );
}

/** The results of a search, or the reason why there are none: no query, no match, loading, failed. */
export function ResultList(props: {
  readonly id: string;
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly asked: Asked;
  readonly search: Search;
  readonly results: readonly SearchResult[];
  /** The index of the selected result; -1 for none. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  readonly onChange: (part: Partial<Asked>) => void;
}) {
  const { id, listRef, asked, search, results, selected, onSelect, onChange } = props;
  const { host } = useUi();
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
      {found !== null && <FoundNotices found={found} onRaw={() => onChange({ raw: true })} />}
      {asked.query.trim() === '' && <ReadingBefore />}
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
            onOpen={(newPane) => openResult(host, result, newPane)}
          />
        ))}
      </ul>
      {results.length === 0 && search.error === null && (
        <Nothing asked={asked} search={search} onChange={onChange} />
      )}
    </div>
  );
}

function Nothing(props: {
  readonly asked: Asked;
  readonly search: Search;
  readonly onChange: (part: Partial<Asked>) => void;
}) {
  const { asked, search, onChange } = props;
  if (asked.query.trim() === '') {
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
  return <NoHits found={search.found} asked={asked} onChange={onChange} />;
}

/** Says that no note fits, how many were searched, and what may help. */
function NoHits(props: {
  readonly found: Found;
  readonly asked: Asked;
  readonly onChange: (part: Partial<Asked>) => void;
}) {
  const { found, asked, onChange } = props;
  const isFiltered = isNarrowed(asked) || asked.source !== null;
  return (
    <Empty icon="search">
      <p role="status">
        No {isFiltered ? 'note here' : 'note'} fits “{found.query}”{found.reading !== undefined && ' so far'}.{' '}
        {searchedWords(found)} {missingWords(found)} {waitingWords(found)}
      </p>
      {found.searched !== undefined && found.searched > 0 && (
        <p>
          {asked.source === null
            ? 'Try other words or fewer, without quotes.'
            : 'Take the filter of the source off, or try other words.'}
        </p>
      )}
      {found.searched !== undefined && <Outside />}
      {isFiltered && (
        <button type="button" onClick={() => onChange({ ...ANY, source: null })}>
          Search everywhere
        </button>
      )}
      {!isFiltered && !asked.raw && (
        <button type="button" onClick={() => onChange({ raw: true })}>
          Search the review queue too
        </button>
      )}
    </Empty>
  );
}
