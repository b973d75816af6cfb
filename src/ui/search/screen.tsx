import type { RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { linkWords } from '../../core/markdown/link-words';
import { isHall } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { countFacets, matches, type SearchResult, type Status } from '../found/facets';
import { openResult } from '../found/result-row';
import { SearchBar } from '../found/search-bar';
import {
  type Asked,
  type Found,
  isNarrowed,
  MOST_RESULTS,
  type SourceType,
  useSearch,
  useSelection,
} from '../found/use-search';
import { Hints, isField, isPressable, Key, type KeyAction, type KeyHelpGroup, useKeys } from '../kit/keys';
import { NARROW_PANE, useUniqueId, useWidth, WIDE_PANE } from '../kit/lists';
import { openAdopt } from '../place/adopt';
import { type AnswerAsk, type Answering, AnswerPane, isSame, useAnswer } from './answer';
import { FacetPanel, hasTrustFilter } from './facet-panel';
import { InspectPanel } from './inspect';
import { ResultList } from './results';

/** Returns the wikilink to a note: `[[wiki/homelab/facts/wireguard-mtu|WireGuard MTU]]`. */
export function noteLink(path: string, title: string): string {
  const words = linkWords(title);
  const target = path.replace(/\.md$/, '');
  return words === '' ? `[[${target}]]` : `[[${target}|${words}]]`;
}

/** The keys in the last row of the screen while it lists results. */
const searchHints = [
  { keys: ['/'], label: 'search', wide: true },
  { keys: ['J', 'K'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['Shift', '↵'], label: 'answer', wide: true },
  { keys: ['Ctrl', '↵'], label: 'new pane', wide: true },
  { keys: ['H'], label: 'history', wide: true },
  { keys: ['Y'], label: 'copy link', wide: true },
  { keys: ['?'], label: 'all keys' },
] as const;

/** The keys while a note of the owner is selected. */
const ownersHints = [
  ...searchHints.slice(0, -1),
  { keys: ['A'], label: 'adopt', wide: true },
  ...searchHints.slice(-1),
];

/** The keys in the last row of the screen while it shows an answer. */
const answerHints = [
  { keys: ['/'], label: 'search', wide: true },
  { keys: ['Tab'], label: 'next' },
  { keys: ['↵'], label: 'to the quote', wide: true },
  { keys: ['Esc'], label: 'results' },
  { keys: ['?'], label: 'all keys' },
] as const;

const searchHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Search',
    lines: [
      { label: 'To the search field', keys: ['/'] },
      { label: 'From the field to the results', keys: ['↵', '↓'] },
      { label: 'Answer from the notes', keys: ['Shift', '↵'] },
      { label: 'Leave the field, close the side panel', keys: ['Esc'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
  {
    title: 'Results',
    lines: [
      { label: 'Next, previous', keys: ['J', 'K'] },
      { label: 'Open', keys: ['↵'] },
      { label: 'Open in a new pane', keys: ['Ctrl', '↵'] },
      { label: 'History of the note', keys: ['H'] },
      { label: 'Copy a link', keys: ['Y'] },
      { label: 'Adopt a note of yours into the wiki', keys: ['A'] },
    ],
  },
  {
    title: 'Answer',
    lines: [
      { label: 'From a number to its quote', keys: ['↵'] },
      { label: 'From a quote back to its number', keys: ['Esc'] },
      { label: 'Cancel, back to the results', keys: ['Esc'] },
    ],
  },
];

/** The state and the actions of the screen that its keys need. */
interface KeyTargets extends FocusTargets {
  readonly answer: AnswerState;
  readonly results: ShownResults;
  /** Returns the side panel of the last rendering. */
  readonly panel: () => SidePanel;
  readonly commit: () => void;
  /** Opens the selected note. */
  readonly open: (newPane: boolean) => void;
  readonly link: LinkCopy;
  /** Opens the form that adopts the selected note. Returns false for a note that is not the owner's. */
  readonly adopt: () => void | false;
}

/** Binds the keys of the screen. Returns the properties of its outermost element. */
function useSearchKeys(targets: KeyTargets) {
  const { host } = useUi();
  const { shown, selection } = targets.results;
  const { result } = selection;
  const keys = useKeys({
    title: 'Keys in search',
    help: searchHelp,
    actions: searchKeys(targets, {
      root: () => keys.ref.current,
      move(step) {
        targets.link.clear();
        selection.move(step);
      },
      select: (index) => selection.select(index < 0 ? shown.length - 1 : index),
      history: () => (result === null ? false : host.go('history', { path: result.path })),
      copy: () => (result === null ? undefined : targets.link.copy(result)),
    }),
  });
  return keys;
}

/** The actions of the keys on the result list. */
interface ListActions {
  /** Returns the outermost element of the screen. */
  readonly root: () => HTMLElement | null;
  readonly move: (step: number) => void;
  /** Selects a result by its index; -1 is the last one. */
  readonly select: (index: number) => void;
  readonly history: () => void | false;
  readonly copy: () => void;
}

/** Returns the key bindings of the screen. Those of the result list do nothing while an answer is shown. */
function searchKeys(targets: KeyTargets, actions: ListActions): KeyAction[] {
  const { input, list, answer, panel, commit, open } = targets;
  const hasAnswer = answer.shown !== null;
  const focusList = (): void => list.current?.focus();
  const inList = (run: () => void | false) => () => (hasAnswer ? false : run());
  return [
    { keys: ['/'], run: () => input.current?.select() },
    { keys: ['j'], run: inList(() => actions.move(1)) },
    { keys: ['k'], run: inList(() => actions.move(-1)) },
    {
      keys: ['ArrowDown'],
      inFields: true,
      run: (event) => {
        if (hasAnswer || (isField(event.target) && event.target !== input.current)) return false;
        if (event.target === input.current) focusList();
        else actions.move(1);
        return undefined;
      },
    },
    { keys: ['ArrowUp'], run: inList(() => actions.move(-1)) },
    { keys: ['Home'], run: inList(() => actions.select(0)) },
    { keys: ['End'], run: inList(() => actions.select(-1)) },
    {
      keys: ['Shift+Enter'],
      inFields: true,
      run: (event) => (event.target !== input.current && isPressable(event.target) ? false : answer.show()),
    },
    {
      keys: ['Enter'],
      inFields: true,
      run: (event) => {
        if (event.target === input.current) {
          commit();
          if (hasAnswer) answer.close();
          else focusList();
          return undefined;
        }
        if (hasAnswer || isPressable(event.target)) return false;
        if (!panel().open()) open(false);
        return undefined;
      },
    },
    { keys: ['Mod+Enter'], inFields: true, run: inList(() => open(true)) },
    { keys: ['h'], run: inList(() => actions.history()) },
    { keys: ['y'], run: inList(() => actions.copy()) },
    { keys: ['a'], run: inList(() => targets.adopt()) },
    {
      keys: ['Escape'],
      inFields: true,
      run: (event) => {
        if (hasAnswer) {
          answer.close();
          return undefined;
        }
        if (!panel().close() && !isField(event.target)) return false;
        focusList();
        return undefined;
      },
    },
    { keys: ['F6'], inFields: true, run: (event) => focusNextPanel(actions.root(), event.target) },
  ];
}

/** Moves the focus to the next part of the screen. */
function focusNextPanel(root: HTMLElement | null, from: EventTarget | null): void {
  if (root === null) return;
  const panels = [
    '.brain-bar input',
    '.brain-facets [tabindex="0"], .brain-facets select',
    '.brain-results, .brain-answer',
    '.brain-info, .brain-quote',
  ]
    .map((selector) => root.querySelector<HTMLElement>(selector))
    .filter((panel) => panel !== null);
  const at = panels.findIndex((panel) => panel === from);
  panels[(at + 1) % panels.length]?.focus();
}

/** Parses the parameters of the screen. An invalid one counts as absent. */
export function parseRequest({ q, wing, hall, raw, writer, status, source, fresh }: ScreenParams): Asked {
  return {
    query: q ?? '',
    wing: wing === undefined || wing === '' ? null : wing,
    hall: isHall(hall) ? hall : null,
    raw: raw === 'yes',
    writer: writer === undefined || writer === '' ? null : writer,
    status: isStatus(status) ? status : null,
    source: isSource(source) ? source : null,
    fresh: fresh === 'yes',
  };
}

/** Formats a request as parameters of the screen, for links and reloads. */
export function formatRequest({
  query,
  wing,
  hall,
  raw,
  writer,
  status,
  source,
  fresh,
}: Asked): ScreenParams {
  return {
    ...(query.trim() !== '' && { q: query.trim() }),
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(raw && { raw: 'yes' }),
    ...(writer !== null && { writer }),
    ...(status !== null && { status }),
    ...(source !== null && { source }),
    ...(fresh && { fresh: 'yes' }),
  };
}

function isStatus(text: string | undefined): text is Status {
  return (
    text === 'wiki' || text === 'knowledge' || text === 'raw' || text === 'vault' || text === 'attachment'
  );
}

function isSource(text: string | undefined): text is SourceType {
  return text === 'internal' || text === 'external';
}

/** A query that is unchanged for this long is written to the address (ms). */
const DRAFT_AFTER_MS = 1_200;

interface RequestState {
  readonly asked: Asked;
  readonly change: (part: Partial<Asked>) => void;
  /** Adds the request to the browser history, so that going back leads to it. */
  readonly commit: () => void;
}

/**
 * Holds the request: from the parameters of the screen, then from the person. A choice and a submitted query are entries of
 * the host's history. A query that is only typed replaces the last entry if that is a draft too, so that going back skips
 * half-typed words. A submitted entry is never replaced.
 */
function useRequest(params: ScreenParams): RequestState {
  const { host } = useUi();
  const [asked, setAsked] = useState(() => parseRequest(params));
  const address = JSON.stringify(formatRequest(parseRequest(params)));
  /** The parameters in the address, or those that were sent to the host last. */
  const written = useRef(address);
  /** False while the last history entry is a draft. A screen that opens with an empty request begins with a draft. */
  const isCommitted = useRef(asked.query !== '' || isNarrowed(asked));
  const latest = useRef(asked);
  latest.current = asked;

  // Parameters that this screen did not write come from a link or a step back.
  useEffect(() => {
    if (address === written.current) return;
    written.current = address;
    isCommitted.current = true;
    setAsked(parseRequest(params));
  }, [address]);

  const write = useCallback(
    (replace: boolean) => {
      const next = formatRequest(latest.current);
      const text = JSON.stringify(next);
      if (text === written.current) return;
      written.current = text;
      host.go('search', next, { replace });
    },
    [host],
  );
  const commit = useCallback(() => {
    write(!isCommitted.current);
    isCommitted.current = true;
  }, [write]);

  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (JSON.stringify(formatRequest(latest.current)) === written.current) return;
      write(!isCommitted.current);
      isCommitted.current = false;
    }, DRAFT_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [asked.query, write]);
  const choice = JSON.stringify({ ...asked, query: '' });
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    write(false);
    isCommitted.current = true;
  }, [choice, write]);

  const change = (part: Partial<Asked>): void => setAsked((old) => ({ ...old, ...part }));
  return { asked, change, commit };
}

type ShownResults = ReturnType<typeof useShownResults>;

/** Returns the results that match the filters, the counts of the filters, and the selected result. */
function useShownResults(found: Found | null, asked: Asked) {
  const facets = useMemo(
    () => (found === null ? null : countFacets(found.everywhere, asked)),
    [found, asked],
  );
  const shown = useMemo(() => (found?.here ?? []).filter((result) => matches(result, asked)), [found, asked]);
  const isCut = (found?.everywhere.length ?? 0) >= MOST_RESULTS;
  return { facets, isCut, shown, selection: useSelection(shown, found?.query ?? '') };
}

/** The elements that take the focus. */
interface FocusTargets {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly list: RefObject<HTMLUListElement | null>;
}

/** The answer to the current request. */
interface AnswerState {
  readonly answering: Answering;
  /** The answer that is shown in place of the results; null when the results are shown. */
  readonly shown: Answering['question'];
  readonly show: () => void;
  readonly close: () => void;
}

/** Answers the current request. A change of the request shows the results again. */
function useCurrentAnswer(asked: Asked, commit: () => void, { input, list }: FocusTargets): AnswerState {
  const answering = useAnswer();
  const ask = answerAsk(asked);
  return {
    answering,
    shown: answering.question !== null && isSame(answering.question.ask, ask) ? answering.question : null,
    show() {
      if (ask.query === '') return input.current?.focus();
      commit();
      answering.show(ask);
    },
    close() {
      answering.close();
      // The list is rendered before it can take the focus.
      window.setTimeout(() => (list.current ?? input.current)?.focus(), 0);
    },
  };
}

/** Returns the request for an answer. Only wing and hall narrow an answer. */
function answerAsk({ query, wing, hall }: Asked): AnswerAsk {
  return { query: query.trim(), ...(wing !== null && { wing }), ...(hall !== null && { hall }) };
}

type LinkCopy = ReturnType<typeof useLinkCopy>;

/** Copies links to notes. `message` tells a screen reader the outcome. */
function useLinkCopy() {
  const { host } = useUi();
  const [message, setMessage] = useState('');
  const copy = (result: SearchResult): void => {
    host.copy(noteLink(result.path, result.title)).then(
      () => setMessage('Link copied'),
      () => setMessage('The system did not let the link be copied'),
    );
  };
  return { message, copy, clear: () => setMessage('') };
}

/** The panel with the selected note: next to the list in a wide pane, over the list in a medium one, absent in a narrow one. */
interface SidePanel {
  readonly isShown: boolean;
  /** True where the pane has no room for the panel. */
  readonly isNarrow: boolean;
  /** True when the panel covers the list. */
  readonly isOverList: boolean;
  /** Opens the panel over the list. Returns false where the panel is open or cannot be opened. */
  readonly open: () => boolean;
  /** Closes the panel. Returns false when it was closed. */
  readonly close: () => boolean;
}

function useSidePanel(root: RefObject<HTMLElement | null>): SidePanel {
  const [isOpen, setOpen] = useState(false);
  const width = useWidth(root);
  const isMedium = width !== null && width < WIDE_PANE && width >= NARROW_PANE;
  return {
    isNarrow: width !== null && width < NARROW_PANE,
    isShown: width !== null && (width >= WIDE_PANE || (isMedium && isOpen)),
    isOverList: isMedium && isOpen,
    open() {
      if (!isMedium || isOpen) return false;
      setOpen(true);
      return true;
    },
    close() {
      setOpen(false);
      return isOpen;
    },
  };
}

/** Gives the focus to the field when the screen opens without a query, else to the list once it has results. */
function useFirstFocus({ input, list }: FocusTargets, hasQuery: boolean, hasResults: boolean): void {
  const isAwaiting = useRef(hasQuery);
  useEffect(() => {
    if (!isAwaiting.current) input.current?.focus();
  }, []);
  useEffect(() => {
    if (!isAwaiting.current || !hasResults) return;
    isAwaiting.current = false;
    if (!isField(list.current?.ownerDocument.activeElement ?? null)) list.current?.focus();
  }, [hasResults]);
}

/** The search screen: the results of a query, narrowed by filters, next to the selected note; or the answer to the query. */
export function SearchScreen({ params }: { params: ScreenParams }) {
  const ui = useUi();
  const { asked, change, commit } = useRequest(params);
  const search = useSearch(asked);
  const [input, list] = [useRef<HTMLInputElement>(null), useRef<HTMLUListElement>(null)];
  const listId = useUniqueId();
  const answer = useCurrentAnswer(asked, commit, { input, list });
  const link = useLinkCopy();
  const results = useShownResults(search.found, asked);
  const { shown, selection } = results;
  const { result } = selection;

  const open = (newPane: boolean): void => {
    if (result === null) return;
    commit();
    openResult(ui.host, result, newPane);
  };
  const adopt = (): void | false => (result?.status === 'vault' ? openAdopt(ui, result.path) : false);
  const keys = useSearchKeys({
    ...{ input, list, answer, results, link, commit, open, adopt },
    panel: () => panel,
  });
  const panel = useSidePanel(keys.ref);
  useFirstFocus({ input, list }, asked.query !== '', shown.length > 0);
  useSelectionInView(list, result);

  return (
    <div class={frameClass(answer, panel)} {...keys}>
      <h1 class="brain-sr">Search</h1>
      <SearchBar
        input={input}
        listId={answer.shown === null ? listId : undefined}
        query={asked.query}
        found={search.found}
        shown={shown.length}
        onInput={(query) => change({ query })}
        onClear={() => {
          change({ query: '' });
          input.current?.focus();
        }}
        onAnswer={answer.show}
      />
      <FacetPanel facets={results.facets} isCut={results.isCut} asked={asked} onChange={change} />
      {answer.shown !== null && (
        <AnswerPane
          answering={answer.answering}
          question={answer.shown}
          isUnfiltered={hasTrustFilter(asked)}
          onClose={answer.close}
        />
      )}
      {answer.shown === null && (
        <ResultList
          id={listId}
          listRef={list}
          asked={asked}
          search={search}
          results={shown}
          selected={selection.index}
          onSelect={(index) => {
            selection.select(index);
            panel.open();
          }}
          onChange={change}
        />
      )}
      {answer.shown === null && result !== null && (
        <SelectedNote
          panel={panel}
          result={result}
          mode={search.found?.mode ?? 'bm25'}
          onOpen={open}
          onAdopt={() => void adopt()}
        />
      )}
      <span class="brain-sr" role="status">
        {link.message}
      </span>
      <Hints hints={hintsOf(answer, result)} />
    </div>
  );
}

/** The selected result next to the list, or only its buttons below the list of a narrow pane. */
function SelectedNote({
  panel,
  ...props
}: Parameters<typeof InspectPanel>[0] & { readonly panel: SidePanel }) {
  const { result, onOpen, onAdopt } = props;
  if (panel.isShown) return <InspectPanel {...props} />;
  if (!panel.isNarrow) return null;
  return (
    <div class="brain-foot" role="group" aria-label={result.title}>
      <button type="button" class="mod-cta" onClick={() => onOpen(false)}>
        Open <Key>↵</Key>
      </button>
      {result.status === 'vault' && (
        <button type="button" onClick={onAdopt}>
          Adopt <Key>A</Key>
        </button>
      )}
    </div>
  );
}

/** Scrolls the list to its selected result. */
function useSelectionInView(list: RefObject<HTMLUListElement | null>, result: SearchResult | null): void {
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [result?.path]);
}

/** Returns the keys in the last row of the screen. */
function hintsOf(answer: AnswerState, result: SearchResult | null) {
  if (answer.shown !== null) return answerHints;
  return result?.status === 'vault' ? ownersHints : searchHints;
}

function frameClass(answer: AnswerState, panel: SidePanel): string {
  if (answer.shown !== null) return 'brain-frame brain-find is-answering';
  return panel.isOverList ? 'brain-frame brain-find is-inspecting' : 'brain-frame brain-find';
}
