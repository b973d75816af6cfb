import { useEffect, useRef, useState } from 'preact/hooks';
import { type UiContext, UiProvider, useUi } from '../client/context';
import { FailureNotice } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { useUniqueId } from '../kit/lists';
import { QuickResultRow } from './result-row';
import { ModeFlag } from './search-bar';
import { NOTHING, useSearch, useSelection } from './use-search';

/** As many as can be looked over at once; whoever wants more takes the view. */
const MOST_SHOWN = 12;

/** What a chosen note is used for. */
type Use = 'open' | 'new pane' | 'link';

/**
 * The quick search, the content of a layer: type, move with the arrows, open. `close` takes the layer away and is called
 * before a note is opened. `onChoose` replaces opening, for whoever only wants to know which note is meant.
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
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useUniqueId();
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selection.result?.path]);

  const use = (use: Use, index = selection.index): void => {
    const result = results[index];
    if (result === undefined) return;
    close();
    if (onChoose !== undefined) onChoose(result.path, result.title);
    else if (use === 'link') host.insertLink?.(result.path, result.title);
    else host.openNote(result.path, { newPane: use === 'new pane' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const act = (): (() => void) | null => {
      if (event.key === 'ArrowDown') return () => selection.move(1);
      if (event.key === 'ArrowUp') return () => selection.move(-1);
      if (event.key !== 'Enter') return null;
      if (event.ctrlKey || event.metaKey) return () => use('new pane');
      return () => use(event.shiftKey && host.insertLink !== undefined ? 'link' : 'open');
    };
    const action = act();
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  return (
    <div class="brain-prompt">
      <div class="brain-prompt-input">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          // A dialog gives the focus to what asks for it; elsewhere the effect above does.
          autofocus
          role="combobox"
          aria-label="Search the brain"
          aria-expanded={results.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={selection.index < 0 ? undefined : `${id}-${selection.index}`}
          placeholder="Search the brain"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {found !== null && <ModeFlag found={found} />}
      </div>
      {search.error !== null && <FailureNotice error={search.error} />}
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
            onOpen={(newPane) => use(newPane ? 'new pane' : 'open', index)}
          />
        ))}
      </ul>
      <p class={found === null || results.length > 0 ? 'brain-sr' : 'brain-prompt-none'} role="status">
        {found !== null &&
          (results.length > 0 ? `${results.length} notes` : `No note fits “${found.query}”.`)}
      </p>
      <div class="brain-prompt-foot">
        <span>
          <Key>↑</Key>
          <Key>↓</Key> move
        </span>
        <span>
          <Key>↵</Key> {onChoose === undefined ? 'open' : 'choose'}
        </span>
        {onChoose === undefined && (
          <span>
            <Key>Ctrl</Key>
            <Key>↵</Key> new pane
          </span>
        )}
        {onChoose === undefined && host.insertLink !== undefined && (
          <span>
            <Key>Shift</Key>
            <Key>↵</Key> insert link
          </span>
        )}
        <span>
          <Key>Esc</Key> close
        </span>
      </div>
    </div>
  );
}

/** Opens the quick search in a layer of the host. */
export function openSearch(ui: UiContext, onChoose?: (path: string, title: string) => void): void {
  let close = (): void => undefined;
  close = ui.host.openLayer(
    onChoose === undefined ? 'Search' : 'Choose a note',
    <UiProvider value={ui}>
      <SearchModal close={() => close()} {...(onChoose !== undefined && { onChoose })} />
    </UiProvider>,
  );
}
