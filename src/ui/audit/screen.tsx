import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import type { ScreenParams } from '../client/screens';
import { DecisionsLog, WhichLog } from '../decisions/screen';
import { IconButton } from '../kit/controls';
import { Empty, FailureNotice, Notice, SkeletonLines } from '../kit/feedback';
import { Hints, isField, isPressable, type KeyHelpGroup, useKeys } from '../kit/keys';
import { useWidth, WIDE_PANE } from '../kit/lists';
import { count, seconds } from '../kit/words';
import { CallPanel, CallStrip, CallTable } from './calls';
import { ChainState } from './chain';
import { type AuditFilter, FilterBar, filterFromParams, isNarrowed, noteFilter, matchesText } from './filter';
import { useUndo } from './undo';
import { callKey, useAudit } from './use-audit';
import { agentOf, type AuditCall, outcomeOf, subjectOf } from './words';

/** The keys that the last row of the screen shows. */
const auditHints = [
  { keys: ['J', 'K'], label: 'move' },
  { keys: ['D'], label: 'diff' },
  { keys: ['O'], label: 'open note', wide: true },
  { keys: ['/'], label: 'filter', wide: true },
  { keys: ['F'], label: 'only this agent', wide: true },
  { keys: ['U'], label: 'undo', wide: true },
  { keys: ['?'], label: 'all keys' },
] as const;

const auditHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Calls',
    lines: [
      { label: 'Older, newer', keys: ['J', 'K'] },
      { label: 'What the call changed', keys: ['D'] },
      { label: 'Open the note', keys: ['O'] },
      { label: 'Facts of the call, in a small pane', keys: ['↵'] },
    ],
  },
  {
    title: 'Undo',
    lines: [{ label: 'What a writer did, since a time', keys: ['U'] }],
  },
  {
    title: 'Filter',
    lines: [
      { label: 'By note', keys: ['/'] },
      { label: 'Only this agent, or all again', keys: ['F'] },
      { label: 'Leave the field, close the facts', keys: ['Esc'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
];

/** The number of rows that are drawn first, and that each "more" adds. */
const ROWS = 50;

/** The tool calls of agents: whether each succeeded, and what it changed. With `show` = `decisions`, the log of decisions. */
export function AuditScreen({ params }: { params: ScreenParams }) {
  const key = JSON.stringify(params);
  return params.show === 'decisions' ? (
    <DecisionsLog key={key} params={params} />
  ) : (
    <AuditLog key={key} params={params} />
  );
}

type CallList = ReturnType<typeof useCallList>;

/** Returns the calls that fit the filter, the selected one of them, and the actions that change both. */
function useCallList(params: ScreenParams) {
  const [filter, setFilter] = useState(() => filterFromParams(params));
  const [limit, setLimit] = useState(ROWS);
  const [selected, setSelected] = useState<string | null>(null);
  const audit = useAudit(filter);
  const { read } = audit;
  const calls = useMemo(
    () => (read?.calls ?? []).filter((call) => matchesText(filter, call)),
    [read, filter],
  );
  const index = Math.max(
    0,
    calls.findIndex((call) => callKey(call) === selected),
  );
  const current = calls[index] ?? null;
  const change = (part: Partial<AuditFilter>): void => {
    setFilter((old) => ({ ...old, ...part }));
    setLimit(ROWS);
  };
  const select = (call: AuditCall): void => setSelected(callKey(call));
  const showMore = (): void => setLimit(limit + ROWS);
  const move = (step: number): void => {
    const to = Math.max(0, Math.min(index + step, calls.length - 1));
    const call = calls[to];
    if (call === undefined) return;
    select(call);
    if (to >= limit) showMore();
  };
  return { audit, filter, calls, limit, selected, current, change, select, move, showMore };
}

type CallActions = ReturnType<typeof callActions>;

/** Returns the actions on the selected call; `path` is that of its note, when it has exactly one. */
function callActions(host: UiHost, { current, filter, change }: CallList) {
  const path = current === null ? undefined : subjectOf(current).path;
  const diff = (): void => {
    if (current === null || path === undefined) return;
    const hash = current.content_hash;
    host.go('history', { path, ...(hash !== undefined && current.paths.length === 1 && { hash }) });
  };
  const open = (): void => void (path !== undefined && host.openNote(path));
  const onlyAgent = (): void => {
    if (filter.agent !== null) change({ agent: null });
    else if (current !== null) change({ agent: current.actor });
  };
  return { path, diff, open, onlyAgent };
}

/** The elements that take the focus, and whether the details of a call cover the list, in a pane too narrow for both. */
interface AuditView {
  readonly inspecting: boolean;
  readonly setInspecting: (inspecting: boolean) => void;
  readonly area: RefObject<HTMLDivElement | null>;
  readonly note: RefObject<HTMLInputElement | null>;
}

/** Binds the keys of the screen; `isWide` is true when its pane has room for the details beside the list. */
function useAuditKeys(
  { calls, move }: CallList,
  { diff, open, onlyAgent, undo }: CallActions & { readonly undo: () => void },
  { inspecting, setInspecting, area, note }: AuditView,
) {
  const keys = useKeys({
    title: 'Keys in the audit log',
    help: auditHelp,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => move(1) },
      { keys: ['k', 'ArrowUp'], run: () => move(-1) },
      { keys: ['Home'], run: () => move(-calls.length) },
      { keys: ['d'], run: diff },
      { keys: ['o'], run: open },
      { keys: ['f'], run: onlyAgent },
      { keys: ['u'], run: () => undo() },
      { keys: ['/'], run: () => (firstShown(note.current, keys.ref.current)?.focus(), undefined) },
      {
        keys: ['Enter'],
        run: (event) => {
          if (isWide || isPressable(event.target)) return false;
          setInspecting(true);
          return undefined;
        },
      },
      {
        keys: ['Escape'],
        inFields: true,
        run: (event) => {
          if (inspecting) setInspecting(false);
          else if (!isField(event.target)) return false;
          area.current?.focus();
          return undefined;
        },
      },
      {
        keys: ['F6'],
        inFields: true,
        run: (event) =>
          (event.target === area.current
            ? firstShown(note.current, keys.ref.current)
            : area.current
          )?.focus(),
      },
    ],
  });
  const width = useWidth(keys.ref);
  const isWide = width === null || width >= WIDE_PANE;
  return { keys, isWide };
}

function AuditLog({ params }: { readonly params: ScreenParams }) {
  const { host } = useUi();
  const list = useCallList(params);
  const { audit, filter, calls, selected, current, change } = list;
  const [inspecting, setInspecting] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  const details = useRef<HTMLDivElement>(null);
  const note = useRef<HTMLInputElement>(null);
  const actions = callActions(host, list);
  const undo = useUndo(filter.agent, audit.agents, audit.reload);
  const view = { inspecting, setInspecting, area, note };
  const { keys, isWide } = useAuditKeys(list, { ...actions, undo }, view);

  useEffect(() => {
    area.current?.querySelector('tr[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  // The details cover the list, which had the focus.
  useEffect(() => {
    if (inspecting && !isWide) details.current?.focus({ preventScroll: true });
  }, [inspecting]);

  // A link may ask to undo what a writer did.
  useEffect(() => {
    if (params.undo !== undefined) undo({ actor: params.undo });
  }, [params.undo]);

  const { read } = audit;
  return (
    <div
      class={inspecting && !isWide ? 'brain-frame brain-audit is-inspecting' : 'brain-frame brain-audit'}
      {...keys}
    >
      <h1 class="brain-sr">Audit</h1>
      <FilterBar filter={filter} agents={audit.agents} tools={audit.tools} noteRef={note} onChange={change}>
        <WhichLog shown="calls" />
        <ChainState check={audit.check} />
        <IconButton
          icon="undo-2"
          label="Undo what a writer did"
          title="Undo what a writer did"
          onClick={() => undo()}
        />
        <IconButton icon="refresh-cw" label="Read the log again" onClick={audit.reload} />
      </FilterBar>
      {read !== null && <CallStrip read={read} calls={calls} time={filter.time} current={current} />}
      <Calls
        list={list}
        areaRef={area}
        onSelect={(call) => {
          list.select(call);
          if (!isWide) setInspecting(true);
        }}
      />
      {current !== null && (isWide || inspecting) && (
        <CallPanel
          call={current}
          areaRef={details}
          onDiff={actions.path === undefined ? null : actions.diff}
          onNote={actions.path === undefined ? null : actions.open}
          onAgent={actions.onlyAgent}
          onUndo={outcomeOf(current).kind === 'changed' ? () => undo(current) : null}
          isOnlyAgent={filter.agent !== null}
        />
      )}
      <span class="brain-sr" role="status">
        {selected !== null && current !== null && callWords(current)}
      </span>
      <Hints hints={auditHints} />
    </div>
  );
}

/** The table of calls, or why there is none. */
function Calls(props: {
  readonly list: CallList;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  readonly onSelect: (call: AuditCall) => void;
}) {
  const { list, areaRef, onSelect } = props;
  const { audit, filter, calls, limit, current, change, showMore } = list;
  const { read } = audit;
  const { host } = useUi();
  return (
    <div class="brain-audit-main">
      {audit.error !== null && (
        <FailureNotice error={audit.error}>
          <button type="button" class="brain-plain" onClick={audit.reload}>
            Try again
          </button>
        </FailureNotice>
      )}
      {read !== null && read.total > read.calls.length && (
        <Notice icon="info">
          These are the newest {count(read.calls.length)} of {count(read.total)} calls. Choose an agent, a
          tool or a shorter time to see the others.
        </Notice>
      )}
      {read === null && audit.loading && <SkeletonLines lines={8} label="Reading the audit log" />}
      {calls.length > 0 && (
        <CallTable
          calls={calls.slice(0, limit)}
          current={current}
          now={host.now()}
          rest={calls.length - limit}
          areaRef={areaRef}
          onSelect={onSelect}
          onMore={showMore}
        />
      )}
      {read !== null && calls.length === 0 && (
        <NoCalls
          filter={filter}
          onClear={() => change({ agent: null, tool: null, outcome: 'all', ...noteFilter('') })}
          onAll={() => change({ time: 'all' })}
        />
      )}
    </div>
  );
}

function NoCalls(props: {
  readonly filter: AuditFilter;
  readonly onClear: () => void;
  readonly onAll: () => void;
}) {
  const { filter, onClear, onAll } = props;
  const { host } = useUi();
  if (isNarrowed(filter)) {
    return (
      <Empty icon="scroll-text">
        <p role="status">No call fits.</p>
        <button type="button" onClick={onClear}>
          Clear the filter
        </button>
      </Empty>
    );
  }
  if (filter.time !== 'all') {
    return (
      <Empty icon="scroll-text">
        <p role="status">No agent has called in this time.</p>
        <button type="button" onClick={onAll}>
          Show all time
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="scroll-text" title="No agent has called yet">
      <p>Every tool call of an agent is written down here, whatever becomes of it.</p>
      <button type="button" onClick={() => host.go('connect')}>
        Connect an agent
      </button>
    </Empty>
  );
}

/** Returns a row in one sentence, for screen readers. */
function callWords(call: AuditCall): string {
  const { main, aside } = subjectOf(call);
  const parts = [call.tool, agentOf(call).name, main, aside, outcomeOf(call).words, seconds(call.ts)];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** Returns the field for a note, or in a narrow pane, where it is not drawn, the first menu. */
function firstShown(field: HTMLElement | null, root: HTMLElement | null): HTMLElement | null {
  if (field !== null && field.offsetParent !== null) return field;
  return root?.querySelector<HTMLElement>('.brain-bar select') ?? null;
}
