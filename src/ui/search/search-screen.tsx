import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AnswerPane } from '../answer/answer-pane';
import { type AnswerAsk, isSame, useAnswer } from '../answer/use-answer';
import { useUi } from '../context';
import { Hints } from '../parts/hints';
import { isField } from '../parts/keys';
import { useKeys } from '../parts/use-keys';
import { useUniqueId } from '../parts/use-unique-id';
import { NARROW_PANE, useWidth, WIDE_PANE } from '../parts/use-width';
import type { ScreenParams } from '../screens';
import { FacetPanel, isTrustAsked } from './facet-panel';
import { ANY, countFacets, fits } from './facets';
import { InspectPanel } from './inspect-panel';
import { noteLink } from './note-link';
import { ResultList } from './result-list';
import { SearchBar } from './search-bar';
import { answerHints, searchHelp, searchHints } from './search-help';
import { searchKeys } from './search-keys';
import { useAsked } from './use-asked';
import { type Asked, isNarrowed, useSearch } from './use-search';
import { useSelection } from './use-selection';

/** Search: what a query finds, narrowed by place and trust, with the chosen note beside the list; or its answer. */
export function SearchScreen({ params }: { params: ScreenParams }) {
  const { host } = useUi();
  const { asked, change, keep } = useAsked(params);
  const search = useSearch(asked);
  const answering = useAnswer();
  const [inspecting, setInspecting] = useState(false);
  const [said, setSaid] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const listId = useUniqueId();

  const { found } = search;
  const facets = useMemo(
    () => (found === null ? null : countFacets(found.everywhere, asked)),
    [found, asked],
  );
  const shown = useMemo(() => (found?.here ?? []).filter((result) => fits(result, asked)), [found, asked]);
  const selection = useSelection(shown, found?.query ?? '');
  const { result } = selection;
  // Whoever asks something else wants to see what that finds.
  const ask = answerAsk(asked);
  const answer = answering.asked !== null && isSame(answering.asked.ask, ask) ? answering.asked : null;

  const open = (newPane: boolean): void => {
    if (result === null) return;
    keep();
    host.openNote(result.path, { newPane });
  };
  const copy = (): void => {
    if (result === null) return;
    host.copy(noteLink(result.path, result.title)).then(
      () => setSaid('Link copied'),
      () => setSaid('The system did not let the link be copied'),
    );
  };
  const focusList = (): void => list.current?.focus();
  const showAnswer = (): void => {
    if (ask.query === '') return input.current?.focus();
    keep();
    answering.show(ask);
  };
  const closeAnswer = (): void => {
    answering.close();
    // The list is drawn anew first.
    window.setTimeout(() => (list.current ?? input.current)?.focus(), 0);
  };
  const keys = useKeys({
    title: 'Keys in search',
    help: searchHelp,
    actions: searchKeys({
      input,
      root: () => keys.ref.current,
      hasAnswer: answer !== null,
      showAnswer,
      closeAnswer,
      focusList,
      keep,
      move: (step) => {
        setSaid('');
        selection.move(step);
      },
      select: (index) => selection.select(index < 0 ? shown.length - 1 : index),
      inspect: () => {
        if (!hasRoomOver || inspecting) return false;
        setInspecting(true);
        return true;
      },
      closeInspect: () => {
        setInspecting(false);
        return inspecting;
      },
      open,
      history: () => (result === null ? false : host.go('history', { path: result.path })),
      copy,
    }),
  });
  const width = useWidth(keys.ref);
  const hasRoomOver = width !== null && width < WIDE_PANE && width >= NARROW_PANE;
  const hasPanel = answer === null && width !== null && (width >= WIDE_PANE || (hasRoomOver && inspecting));

  // Whoever opens the search wants to type; whoever comes with a query, to look at the answer once it is there.
  const awaiting = useRef(asked.query !== '');
  useEffect(() => {
    if (!awaiting.current) input.current?.focus();
  }, []);
  const isFound = shown.length > 0;
  useEffect(() => {
    if (!awaiting.current || !isFound) return;
    awaiting.current = false;
    if (!isField(list.current?.ownerDocument.activeElement ?? null)) list.current?.focus();
  }, [isFound]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [result?.path]);

  const clear = (): void => {
    change({ query: '' });
    input.current?.focus();
  };
  const frame = ['brain-find'];
  if (hasRoomOver && inspecting && answer === null) frame.push('is-inspecting');
  if (answer !== null) frame.push('is-answering');
  return (
    <div class={frame.join(' ')} {...keys}>
      <h1 class="brain-sr">Search</h1>
      <SearchBar
        input={input}
        listId={answer === null ? listId : undefined}
        query={asked.query}
        found={found}
        shown={shown.length}
        onInput={(query) => change({ query })}
        onClear={clear}
        onAnswer={showAnswer}
      />
      <FacetPanel facets={facets} asked={asked} onChange={change} />
      {answer !== null && (
        <AnswerPane
          answering={answering}
          asked={answer}
          isUnfiltered={isTrustAsked(asked)}
          onClose={closeAnswer}
        />
      )}
      {answer === null && (
        <ResultList
          id={listId}
          listRef={list}
          query={asked.query}
          search={search}
          results={shown}
          narrowed={isNarrowed(asked) || asked.source !== null}
          raw={asked.raw}
          selected={selection.index}
          onSelect={(index) => {
            selection.select(index);
            if (hasRoomOver) setInspecting(true);
          }}
          onOpen={(index, newPane) => {
            const at = shown[index];
            if (at !== undefined) host.openNote(at.path, { newPane });
          }}
          onWiden={() => change({ ...ANY, source: null })}
          onRaw={() => change({ raw: true })}
        />
      )}
      {hasPanel && result !== null && (
        <InspectPanel result={result} mode={found?.mode ?? 'bm25'} onOpen={open} />
      )}
      <span class="brain-sr" role="status">
        {said}
      </span>
      <Hints hints={answer === null ? searchHints : answerHints} />
    </div>
  );
}

/** What is asked as a question: an answer is narrowed by place alone. */
function answerAsk({ query, wing, hall }: Asked): AnswerAsk {
  return { query: query.trim(), ...(wing !== null && { wing }), ...(hall !== null && { hall }) };
}
