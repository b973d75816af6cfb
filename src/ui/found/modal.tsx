import { useEffect, useRef, useState } from 'preact/hooks';
import { type UiContext, useUi } from '../client/context';
import { FailureNotice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key, useFirstFocus } from '../kit/keys';
import { useUniqueId } from '../kit/lists';
import type { SearchResult } from './facets';
import { openResult, QuickResultRow } from './result-row';
import { ModeFlag } from './search-bar';
import {
  missingWords,
  NOTHING,
  readingWords,
  searchedWords,
  type Selection,
  useSearch,
  useSelection,
  waitingWords,
} from './use-search';

/** The quick search shows at most this many results; the search screen shows more. */
const MOST_SHOWN = 12;

/** The ways to use a chosen note. */
type Use = 'open' | 'new tab' | 'link';

/**
 * The quick search, the content of a layer: type, move with the arrows, open. `close` takes the layer away and is called
 * before a note is opened. With `onChoose`, choosing a note calls it and opens nothing.
 */
export function SearchModal(props: {
  readonly close: () => void;
  readonly onChoose?: (path: string, title: string) => void;
}) {
  const { close, onChoose } = props;
  const { host } = useUi();
  const [query, setQuery] = useState('');
  const search = useSearch({ ...NOTHING, query });
  const { found } = search;
  const results = found?.here.slice(0, MOST_SHOWN) ?? [];
  const selection = useSelection(results, found?.query ?? '');
  const id = useUniqueId();
  /** What Enter asked for while the answer to the typed words was still to come; null for nothing. */
  const [early, setEarly] = useState<Use | null>(null);
  const isAnswered = found?.query === query.trim();
  const besides = found === null ? '' : `${missingWords(found)} ${waitingWords(found)}`.trim();

  const use = (use: Use, index = selection.index): void => {
    const result = results[index];
    if (result === undefined) return;
    close();
    if (onChoose !== undefined) onChoose(result.path, result.title);
    else if (use === 'link') host.insertLink?.(result.path, result.title);
    else openResult(host, result, use === 'new tab');
  };
  useEffect(() => {
    if (early === null || (!isAnswered && search.error === null)) return;
    setEarly(null);
    if (isAnswered) use(early);
  }, [early, isAnswered, search.error]);
  const onInput = (text: string): void => {
    setEarly(null);
    setQuery(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') {
      const asked = useOfEnter(event, host.insertLink !== undefined);
      // The first result of the last answer is not the first result of the words that were typed since.
      if (isAnswered || selection.isChosen) use(asked);
      else setEarly(asked);
    } else selection.move(event.key === 'ArrowDown' ? 1 : -1);
  };

  return (
    <div class="brain-prompt">
      <div class="brain-prompt-input">
        <Icon name="search" />
        <QueryInput
          listId={id}
          hasResults={results.length > 0}
          selected={selection.index}
          value={query}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
        {found !== null && <ModeFlag found={found} />}
      </div>
      {search.error !== null && <FailureNotice error={search.error} />}
      <ResultList id={id} results={results} selection={selection} onUse={use} />
      <p class={found === null || results.length > 0 ? 'brain-sr' : 'brain-prompt-none'} role="status">
        {found !== null &&
          (results.length > 0
            ? `${results.length} notes`
            : `No note fits “${found.query}”${found.reading === undefined ? '' : ' so far'}. ${searchedWords(found)}`)}
      </p>
      {besides !== '' && <p class="brain-prompt-none">{besides}</p>}
      {found?.reading !== undefined && <p class="brain-prompt-none">{readingWords(found.reading)}</p>}
      <KeyLegend opens={onChoose === undefined} canLink={host.insertLink !== undefined} />
    </div>
  );
}

function useOfEnter(event: KeyboardEvent, canLink: boolean): Use {
  if (event.ctrlKey || event.metaKey) return 'new tab';
  return event.shiftKey && canLink ? 'link' : 'open';
}

/** The combobox of the quick search. It takes the focus. */
function QueryInput(props: {
  readonly listId: string;
  readonly hasResults: boolean;
  /** The index of the selected result; -1 when there is none. */
  readonly selected: number;
  readonly value: string;
  readonly onInput: (query: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { listId, hasResults, selected, value, onInput, onKeyDown } = props;
  const input = useFirstFocus<HTMLInputElement>();
  return (
    <input
      ref={input}
      type="text"
      role="combobox"
      aria-label="Search the brain"
      aria-expanded={hasResults}
      aria-controls={listId}
      aria-autocomplete="list"
      aria-activedescendant={selected < 0 ? undefined : `${listId}-${selected}`}
      placeholder="Search the brain"
      spellcheck={false}
      autocomplete="off"
      maxLength={2000}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function ResultList(props: {
  readonly id: string;
  readonly results: readonly SearchResult[];
  readonly selection: Selection;
  readonly onUse: (use: Use, index: number) => void;
}) {
  const { id, results, selection, onUse } = props;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selection.result?.path]);
  return (
    <ul
      class="brain-prompt-list"
      role="listbox"
      id={id}
      ref={list}
      aria-label="Results"
      hidden={results.length === 0}
    >
      {results.map((result, index) => (
        <QuickResultRow
          key={result.path}
          id={`${id}-${index}`}
          result={result}
          selected={index === selection.index}
          onSelect={() => selection.select(index)}
          onOpen={(newPane) => onUse(newPane ? 'new tab' : 'open', index)}
        />
      ))}
    </ul>
  );
}

function KeyLegend({ opens, canLink }: { readonly opens: boolean; readonly canLink: boolean }) {
  return (
    <div class="brain-prompt-foot">
      <span>
        <Key>↑</Key>
        <Key>↓</Key> move
      </span>
      <span>
        <Key>↵</Key> {opens ? 'open' : 'choose'}
      </span>
      {opens && (
        <span>
          <Key>Ctrl</Key>
          <Key>↵</Key> new tab
        </span>
      )}
      {opens && canLink && (
        <span>
          <Key>Shift</Key>
          <Key>↵</Key> insert link
        </span>
      )}
      <span>
        <Key>Esc</Key> close
      </span>
    </div>
  );
}

/** Opens the quick search in a layer of the host. */
export function openSearch({ host }: UiContext, onChoose?: (path: string, title: string) => void): void {
  const close = host.openLayer(
    onChoose === undefined ? 'Search' : 'Choose a note',
    <SearchModal close={() => close()} {...(onChoose !== undefined && { onChoose })} />,
  );
}
