import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isHall } from '../../core/rules/hall';
import { useUi } from '../context';
import { Hints } from '../parts/hints';
import { isPressable } from '../parts/is-pressable';
import { isField } from '../parts/keys';
import { useKeys } from '../parts/use-keys';
import { NARROW_PANE, useWidth, WIDE_PANE } from '../parts/use-width';
import type { ScreenParams } from '../screens';
import { FacetPanel } from './facet-panel';
import { type Chosen, countFacets, fits } from './facets';
import { InspectPanel } from './inspect-panel';
import { noteLink } from './note-link';
import { ResultList } from './result-list';
import { SearchBar } from './search-bar';
import { searchHelp, searchHints } from './search-help';
import { useAsked } from './use-asked';
import { useSearch } from './use-search';
import { useSelection } from './use-selection';
import { useUniqueId } from '../parts/use-unique-id';

/** Search: the words of a query, narrowed by wing and hall, with the chosen note beside the list. */
export function SearchScreen({ params }: { params: ScreenParams }) {
  const { host } = useUi();
  const { asked, change, keep } = useAsked(params);
  const search = useSearch(asked);
  const [stale, setStale] = useState(true);
  const [inspecting, setInspecting] = useState(false);
  const [said, setSaid] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const listId = useUniqueId();

  const { found } = search;
  const { wing, hall } = asked;
  const chosen = useMemo((): Chosen => ({ wing, hall, stale }), [wing, hall, stale]);
  const facets = useMemo(
    () => (found === null ? null : countFacets(found.everywhere, chosen)),
    [found, chosen],
  );
  const shown = useMemo(() => (found?.here ?? []).filter((result) => fits(result, chosen)), [found, chosen]);
  const selection = useSelection(shown, found?.query ?? '');
  const { result } = selection;

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
  const move = (step: number): void => {
    setSaid('');
    selection.move(step);
  };
  const keys = useKeys({
    title: 'Keys in search',
    help: searchHelp,
    actions: [
      { keys: ['/'], run: () => input.current?.select() },
      { keys: ['j'], run: () => move(1) },
      { keys: ['k'], run: () => move(-1) },
      {
        keys: ['ArrowDown'],
        inFields: true,
        run: (event) => {
          if (isField(event.target) && event.target !== input.current) return false;
          if (event.target === input.current) focusList();
          else move(1);
          return undefined;
        },
      },
      { keys: ['ArrowUp'], run: () => move(-1) },
      { keys: ['Home'], run: () => selection.select(0) },
      { keys: ['End'], run: () => selection.select(shown.length - 1) },
      {
        keys: ['Enter'],
        inFields: true,
        run: (event) => {
          if (event.target === input.current) {
            keep();
            focusList();
            return undefined;
          }
          if (isPressable(event.target)) return false;
          if (hasRoomOver && !inspecting) setInspecting(true);
          else open(false);
          return undefined;
        },
      },
      { keys: ['Mod+Enter'], inFields: true, run: () => open(true) },
      { keys: ['h'], run: () => (result === null ? false : host.go('history', { path: result.path })) },
      { keys: ['y'], run: copy },
      {
        keys: ['Escape'],
        inFields: true,
        run: (event) => {
          if (inspecting) setInspecting(false);
          else if (!isField(event.target)) return false;
          focusList();
          return undefined;
        },
      },
      { keys: ['F6'], inFields: true, run: (event) => nextPanel(keys.ref.current, event.target) },
    ],
  });
  const width = useWidth(keys.ref);
  const hasRoomOver = width !== null && width < WIDE_PANE && width >= NARROW_PANE;
  const hasPanel = width !== null && (width >= WIDE_PANE || (hasRoomOver && inspecting));

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
  return (
    <div class={hasRoomOver && inspecting ? 'brain-find is-inspecting' : 'brain-find'} {...keys}>
      <h1 class="brain-sr">Search</h1>
      <SearchBar
        input={input}
        listId={listId}
        query={asked.query}
        found={found}
        shown={shown.length}
        onInput={(query) => change({ query })}
        onClear={clear}
      />
      <FacetPanel
        facets={facets}
        chosen={chosen}
        raw={asked.raw}
        onChoose={(to) =>
          change({
            ...(to.wing !== undefined && { wing: to.wing === '' ? null : to.wing }),
            ...(to.hall !== undefined && { hall: isHall(to.hall) ? to.hall : null }),
          })
        }
        onStale={setStale}
        onRaw={(raw) => change({ raw })}
      />
      <ResultList
        id={listId}
        listRef={list}
        query={asked.query}
        search={search}
        results={shown}
        narrowed={wing !== null || hall !== null || !stale}
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
        onWiden={() => {
          setStale(true);
          change({ wing: null, hall: null });
        }}
        onRaw={() => change({ raw: true })}
      />
      {hasPanel && result !== null && <InspectPanel result={result} onOpen={open} />}
      <span class="brain-sr" role="status">
        {said}
      </span>
      <Hints hints={searchHints} />
    </div>
  );
}

/** Moves the focus to the next part of the screen, as F6 does everywhere. */
function nextPanel(root: HTMLElement | null, from: EventTarget | null): void {
  if (root === null) return;
  const panels = [
    '.brain-bar input',
    '.brain-facets [tabindex="0"], .brain-facets select',
    '.brain-results',
    '.brain-info',
  ]
    .map((selector) => root.querySelector<HTMLElement>(selector))
    .filter((panel) => panel !== null);
  const at = panels.findIndex((panel) => panel === from);
  panels[(at + 1) % panels.length]?.focus();
}
