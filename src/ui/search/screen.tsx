import type { RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { linkWords } from '../../core/markdown/link-words';
import { isHall } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { ANY, countFacets, fits, type Status } from '../found/facets';
import { SearchBar } from '../found/search-bar';
import { type Asked, isNarrowed, type SourceType, useSearch, useSelection } from '../found/use-search';
import { Hints, isField, isPressable, type KeyAction, type KeyHelpGroup, useKeys } from '../kit/keys';
import { NARROW_PANE, useUniqueId, useWidth, WIDE_PANE } from '../kit/lists';
import { type AnswerAsk, AnswerPane, isSame, useAnswer } from './answer';
import { FacetPanel, isTrustAsked } from './facet-panel';
import { InspectPanel } from './inspect';
import { ResultList } from './results';

/** A link to a note as it stands in another note: `[[wiki/homelab/facts/wireguard-mtu|WireGuard MTU]]`. */
export function noteLink(path: string, title: string): string {
  const words = linkWords(title);
  const target = path.replace(/\.md$/, '');
  return words === '' ? `[[${target}]]` : `[[${target}|${words}]]`;
}

/** The keys of the search, in its last row. */
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

/** While an answer stands in the place of the results. */
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

/** What the keys of the search do. */
interface SearchActs {
  readonly input: RefObject<HTMLInputElement | null>;
  /** The outermost element of the screen. */
  readonly root: () => HTMLElement | null;
  /** Whether an answer stands in the place of the results. */
  readonly hasAnswer: boolean;
  readonly showAnswer: () => void;
  readonly closeAnswer: () => void;
  readonly focusList: () => void;
  readonly keep: () => void;
  readonly move: (step: number) => void;
  /** Chooses a result; -1 is the last one. */
  readonly select: (index: number) => void;
  /** Opens the side panel over the list; answers false where there is nothing to open. */
  readonly inspect: () => boolean;
  /** Closes it; answers false when it was not open. */
  readonly closeInspect: () => boolean;
  readonly open: (newPane: boolean) => void;
  readonly history: () => void | false;
  readonly copy: () => void;
}

/** The keys of the search. Those of the results rest while an answer stands in their place. */
function searchKeys(acts: SearchActs): KeyAction[] {
  const { input, hasAnswer, focusList, open } = acts;
  const inList = (run: () => void | false) => () => (hasAnswer ? false : run());
  return [
    { keys: ['/'], run: () => input.current?.select() },
    { keys: ['j'], run: inList(() => acts.move(1)) },
    { keys: ['k'], run: inList(() => acts.move(-1)) },
    {
      keys: ['ArrowDown'],
      inFields: true,
      run: (event) => {
        if (hasAnswer || (isField(event.target) && event.target !== input.current)) return false;
        if (event.target === input.current) focusList();
        else acts.move(1);
        return undefined;
      },
    },
    { keys: ['ArrowUp'], run: inList(() => acts.move(-1)) },
    { keys: ['Home'], run: inList(() => acts.select(0)) },
    { keys: ['End'], run: inList(() => acts.select(-1)) },
    {
      keys: ['Shift+Enter'],
      inFields: true,
      run: (event) =>
        event.target !== input.current && isPressable(event.target) ? false : acts.showAnswer(),
    },
    {
      keys: ['Enter'],
      inFields: true,
      run: (event) => {
        if (event.target === input.current) {
          acts.keep();
          if (hasAnswer) acts.closeAnswer();
          else focusList();
          return undefined;
        }
        if (hasAnswer || isPressable(event.target)) return false;
        if (!acts.inspect()) open(false);
        return undefined;
      },
    },
    { keys: ['Mod+Enter'], inFields: true, run: inList(() => open(true)) },
    { keys: ['h'], run: inList(() => acts.history()) },
    { keys: ['y'], run: inList(() => acts.copy()) },
    {
      keys: ['Escape'],
      inFields: true,
      run: (event) => {
        if (hasAnswer) {
          acts.closeAnswer();
          return undefined;
        }
        if (!acts.closeInspect() && !isField(event.target)) return false;
        focusList();
        return undefined;
      },
    },
    { keys: ['F6'], inFields: true, run: (event) => nextPanel(acts.root(), event.target) },
  ];
}

/** Moves the focus to the next part of the screen, as F6 does everywhere. */
function nextPanel(root: HTMLElement | null, from: EventTarget | null): void {
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

/** What the parameters of the screen ask; whatever they cannot mean is left out. */
export function askedOf({ q, wing, hall, raw, writer, status, source, fresh }: ScreenParams): Asked {
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

/** The same as parameters, so that a link or a reload shows it again. */
export function paramsOf({ query, wing, hall, raw, writer, status, source, fresh }: Asked): ScreenParams {
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
  return text === 'wiki' || text === 'knowledge' || text === 'raw';
}

function isSource(text: string | undefined): text is SourceType {
  return text === 'internal' || text === 'external';
}

/** Typing that has rested for so long is what the person meant, and worth a place in the address. */
const KEEP_AFTER_MS = 1_200;

interface AskedState {
  readonly asked: Asked;
  readonly change: (part: Partial<Asked>) => void;
  /** The person means what is asked now: it gets a step of its own, to which going back leads. */
  readonly keep: () => void;
}

/**
 * What the screen asks: from the parameters, then from the person. A choice, and a query that was submitted, are steps of the
 * host. Typing that only rests replaces the step that is there, so that going back passes no half of a word; what was
 * submitted before is never replaced.
 */
function useAsked(params: ScreenParams): AskedState {
  const { host } = useUi();
  const [asked, setAsked] = useState(() => askedOf(params));
  const given = JSON.stringify(paramsOf(askedOf(params)));
  /** What the address says, or will say once the host has come round to it. */
  const kept = useRef(given);
  /** Whether the person meant that: a search that was opened with nothing to ask is nothing to come back to. */
  const isMeant = useRef(asked.query !== '' || isNarrowed(asked));
  const latest = useRef(asked);
  latest.current = asked;

  // Parameters that are not an echo of ours are a link, or a step back.
  useEffect(() => {
    if (given === kept.current) return;
    kept.current = given;
    isMeant.current = true;
    setAsked(askedOf(params));
  }, [given]);

  const put = useCallback(
    (replace: boolean) => {
      const next = paramsOf(latest.current);
      const text = JSON.stringify(next);
      if (text === kept.current) return;
      kept.current = text;
      host.go('search', next, { replace });
    },
    [host],
  );
  const keep = useCallback(() => {
    put(!isMeant.current);
    isMeant.current = true;
  }, [put]);

  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (JSON.stringify(paramsOf(latest.current)) === kept.current) return;
      put(!isMeant.current);
      isMeant.current = false;
    }, KEEP_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [asked.query, put]);
  const choice = JSON.stringify({ ...asked, query: '' });
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    put(false);
    isMeant.current = true;
  }, [choice, put]);

  const change = (part: Partial<Asked>): void => setAsked((old) => ({ ...old, ...part }));
  return { asked, change, keep };
}

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
  const frame = ['brain-frame', 'brain-find'];
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
