import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { asCallError, useCall, useChanges } from '../kit/async';
import { Menu, type MenuOption, Segments } from '../kit/controls';
import { Empty, FailureNotice, failureWords, Notice, SkeletonLines } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { Hints, isPressable, type KeyHelpGroup, useKeys } from '../kit/keys';
import { counted, moment } from '../kit/words';
import { parseWriter } from '../kit/writer';

type Decided = Answer<'decisions'>['decisions'][number];
type Kind = Decided['kind'];

const KINDS: Readonly<Record<Kind, readonly [icon: IconName, words: string]>> = {
  promoted: ['check', 'Promoted'],
  rejected: ['ban', 'Rejected'],
  withdrawn: ['undo-2', 'Withdrawn'],
  restored: ['undo-2', 'Put back'],
  adopted: ['folder-input', 'Adopted'],
  returned: ['undo-2', 'Given back'],
  replaced: ['copy', 'Replaced'],
  confirmed: ['shield-check', 'Confirmed'],
  moved: ['arrow-right', 'Moved'],
  undone: ['rotate-ccw', 'Undone'],
};

/** The two logs of the audit screen. */
export function WhichLog({ shown }: { readonly shown: 'decisions' | 'calls' }) {
  const { host } = useUi();
  return (
    <Segments
      label="Log"
      value={shown}
      options={[
        { value: 'decisions', label: 'Decisions' },
        { value: 'calls', label: 'Tool calls' },
      ]}
      onChange={(next) =>
        host.go('audit', next === 'decisions' ? { show: 'decisions' } : {}, { replace: true })
      }
    />
  );
}

/** The number of decisions that are read first, and that each "more" adds; the service gives at most 200 at a time. */
const ROWS = 50;
const MAX_ROWS = 200;

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Decisions',
    lines: [
      { label: 'Older, newer', keys: ['J', 'K'] },
      { label: 'Open the note', keys: ['↵'] },
      { label: 'Put the note back', keys: ['P'] },
      { label: 'Only rejected, or all again', keys: ['F'] },
    ],
  },
];
const HINTS = [
  { keys: ['J', 'K'], label: 'move' },
  { keys: ['↵'], label: 'open note' },
  { keys: ['P'], label: 'put back' },
  { keys: ['F'], label: 'only rejected', wide: true },
  { keys: ['?'], label: 'all keys' },
] as const;

/** Names a row of the log. */
function keyOf({ at, path, kind }: Decided): string {
  return `${at} ${path} ${kind}`;
}

/** Reads the decisions, and holds the filter, the current one, and the outcome of the last one that was taken back. */
function useDecisions(params: ScreenParams) {
  const { client } = useUi();
  const [only, setOnly] = useState<Kind | null>(params.kind === 'rejected' ? 'rejected' : null);
  const [limit, setLimit] = useState(ROWS);
  /** The current row, and its place for the case that it leaves the log; null before the first one is there. */
  const [at, setAt] = useState<{ readonly key: string; readonly index: number } | null>(null);
  const [problem, setProblem] = useState<{ title: string; error: CallError } | null>(null);
  const [restored, setRestored] = useState<string | null>(null);
  const asked = { limit, ...(only !== null && { kind: only }), ...(params.path && { path: params.path }) };
  const read = useCall('decisions', asked, { keep: true });
  const { value, reload } = read;
  useChanges(reload);
  const decisions = value?.decisions ?? [];
  const found = at === null ? 0 : decisions.findIndex((decision) => keyOf(decision) === at.key);
  const index = found >= 0 ? found : Math.min(at?.index ?? 0, Math.max(decisions.length - 1, 0));
  const current = decisions[index];
  const currentKey = current === undefined ? null : keyOf(current);
  useEffect(() => {
    // Held from when it is shown: a newer decision above it moves it down.
    if (currentKey !== null) setAt({ key: currentKey, index });
  }, [currentKey, index]);
  return {
    ...{ read, only, decisions, index, problem, restored, current },
    rest: limit < MAX_ROWS ? (value?.total ?? 0) - decisions.length : 0,
    more: () => setLimit(Math.min(limit + ROWS, MAX_ROWS)),
    go: (to: number): void => {
      const next = Math.max(0, Math.min(to, decisions.length - 1));
      const row = decisions[next];
      setAt(row === undefined ? null : { key: keyOf(row), index: next });
    },
    filter: (kind: Kind | null): void => {
      setOnly(kind);
      setLimit(ROWS);
      setAt(null);
    },
    restore: async ({ path, title, take_back: operation }: Decided): Promise<void> => {
      if (operation === undefined) return;
      setProblem(null);
      setRestored(null);
      try {
        const { path: now } = await client.call(operation, { path });
        setRestored(`${title} ${now.startsWith('raw/') ? 'waits in the queue' : `is at ${now}`} again.`);
      } catch (thrown) {
        setProblem({ title, error: asCallError(thrown) });
      }
      reload();
    },
  };
}

/** What people and their rules decided about notes, newest first. A note that is as it was decided can be put back where it was. */
export function DecisionsLog({ params }: { readonly params: ScreenParams }) {
  const { host } = useUi();
  const log = useDecisions(params);
  const { read, only, index, current, go, filter, restore } = log;
  const list = useRef<HTMLUListElement>(null);
  const open = (): void => void (current !== undefined && host.openNote(current.path));
  const keys = useKeys({
    title: 'Keys in the log of decisions',
    help: HELP,
    home: () => list.current,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => go(index + 1) },
      { keys: ['k', 'ArrowUp'], run: () => go(index - 1) },
      { keys: ['Home'], run: () => go(0) },
      { keys: ['Enter'], run: (event) => (isPressable(event.target) ? false : open()) },
      { keys: ['p'], run: (event) => (event.repeat || !current ? undefined : void restore(current)) },
      { keys: ['f'], run: () => filter(only === null ? 'rejected' : null) },
    ],
  });
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [index]);
  return (
    <div class="brain-frame brain-decisions" {...keys}>
      <h1 class="brain-sr">Decisions</h1>
      <div class="brain-bar mod-head" role="search" aria-label="Filter the decisions">
        <WhichLog shown="decisions" />
        <KindMenu value={only} onChoose={filter} />
        <span class="brain-push" />
        <span class="brain-count" role="status">
          {read.value !== null && counted(read.value.total, 'decision')}
        </span>
      </div>
      <DecisionList log={log} listRef={list} />
      <Hints hints={HINTS} />
    </div>
  );
}

/** The decisions, or why there are none. */
function DecisionList(props: {
  readonly log: ReturnType<typeof useDecisions>;
  readonly listRef: RefObject<HTMLUListElement | null>;
}) {
  const { log, listRef } = props;
  const { read, only, decisions, index, problem, restored, go, restore } = log;
  const { value, error, loading, reload } = read;
  return (
    <div class="brain-decided-main brain-scroll" tabIndex={-1}>
      {error !== null && (
        <FailureNotice error={error}>
          <button type="button" class="brain-plain" onClick={reload}>
            Try again
          </button>
        </FailureNotice>
      )}
      {problem !== null && (
        <Notice tone="red">
          {problem.title} was not put back. {failureWords(problem.error)}
        </Notice>
      )}
      {restored !== null && <Notice icon="undo-2">{restored}</Notice>}
      {value === null && loading && <SkeletonLines lines={8} label="Reading the decisions" />}
      {value !== null && decisions.length === 0 && (
        <Empty icon="scroll-text">
          <p>{only === null ? 'Nothing was decided yet.' : `Nothing was ${only} yet.`}</p>
        </Empty>
      )}
      <ul ref={listRef} class="brain-decided" tabIndex={0} aria-label="Decisions">
        {decisions.map((decision, row) => (
          <DecisionRow
            key={keyOf(decision)}
            decision={decision}
            current={row === index}
            onChoose={() => go(row)}
            onRestore={() => void restore(decision)}
          />
        ))}
      </ul>
      {log.rest > 0 && (
        <button type="button" onClick={log.more}>
          Show more
        </button>
      )}
    </div>
  );
}

const KIND_OPTIONS: readonly MenuOption<Kind | ''>[] = [
  { value: '', label: 'All decisions' },
  // The type of Object.keys is string[].
  ...(Object.keys(KINDS) as readonly Kind[]).map((value) => ({ value, label: KINDS[value][1] })),
];

function KindMenu({ value, onChoose }: { value: Kind | null; onChoose: (kind: Kind | null) => void }) {
  return (
    <Menu
      aria-label="Kind"
      value={value ?? ''}
      options={KIND_OPTIONS}
      onChange={(kind) => onChoose(kind === '' ? null : kind)}
    />
  );
}

function DecisionRow(props: {
  readonly decision: Decided;
  readonly current: boolean;
  readonly onChoose: () => void;
  readonly onRestore: () => void;
}) {
  const { decision, current, onChoose, onRestore } = props;
  const { kind, title, path, from, at, by, reason, rule, take_back: back } = decision;
  const { host } = useUi();
  const [icon, words] = KINDS[kind];
  return (
    <li aria-current={current ? 'true' : undefined} onClick={onChoose}>
      <Icon name={icon} class={kind === 'rejected' ? 'brain-warn' : 'brain-ok'} />
      <div>
        <p>
          {words}{' '}
          <button type="button" class="brain-notelink" onClick={() => host.openNote(path)}>
            {title}
          </button>
        </p>
        {reason !== undefined && <p class="brain-prose">{reason}</p>}
        <p class="brain-small brain-muted">
          {moment(at)}, {by === undefined ? 'by whom is not known' : `by ${nameOf(by)}`}
          {rule !== undefined && `, rule “${rule}”`}, {from !== undefined && `${from} to `}
          {path}
        </p>
      </div>
      {back !== undefined && (
        <button type="button" aria-label={`Put back ${title}`} onClick={onRestore}>
          Put back
        </button>
      )}
    </li>
  );
}

/** Returns the name of who decided, without the rule that acted. */
function nameOf(by: string): string {
  return parseWriter(by.replace(/\/rule:.*$/s, '')).name;
}
