import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { useCall, useChanges, useRested } from '../kit/async';
import { Empty, FailureNotice, Flag, SkeletonLines } from '../kit/feedback';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { useUniqueId } from '../kit/lists';
import { count } from '../kit/words';
import { Author } from '../kit/writer';
import { placeOf } from '../found/result-row';
import { readingWords } from '../found/use-search';

type Neighbours = Answer<'neighbours'>;
type Neighbour = Neighbours['neighbours'][number];

/** The time for which a note is in front before its neighbours are asked for (ms): a person may leaf through notes. */
const IN_FRONT_MS = 150;
/** The time without a change after which the neighbours are asked for again (ms): a note is saved while it is typed. */
const REST_MS = 3_000;

const isLike = ({ shared, by_meaning }: Neighbour): boolean => shared.length > 0 || by_meaning;

/** The groups in the order in which they are shown, with what each has of those that no group before it has taken. */
const GROUPS: readonly { readonly title: string; readonly fits: (note: Neighbour) => boolean }[] = [
  { title: 'Waits for review', fits: ({ status }) => status === 'raw' },
  { title: 'Claims of agents', fits: (note) => note.by_agent && (note.links_here || isLike(note)) },
  { title: 'Linked from', fits: ({ links_here }) => links_here },
  { title: 'Links to', fits: ({ linked }) => linked },
  { title: 'Similar', fits: isLike },
];

interface Group {
  readonly title: string;
  readonly notes: readonly Neighbour[];
}

/** Returns the groups that have notes; each note is in one. */
export function groupsOf(neighbours: readonly Neighbour[]): Group[] {
  const first = (note: Neighbour) => GROUPS.find(({ fits }) => fits(note));
  return GROUPS.map((group) => ({
    title: group.title,
    notes: neighbours.filter((note) => first(note) === group),
  })).filter(({ notes }) => notes.length > 0);
}

/** Returns why a note is a neighbour: `Links here, shares ocean and Tarkovsky`. */
export function reasonWords({ asks, links_here, linked, shared, by_meaning }: Neighbour): string {
  const asked = { replace: 'would take its place', forget: 'asks to forget it' } as const;
  const links = links_here && linked ? 'linked both ways' : links_here ? 'links here' : 'linked from here';
  const words = [
    ...(asks === undefined ? [] : [asked[asks]]),
    ...(links_here || linked ? [links] : []),
    ...(shared.length > 0 ? [`shares ${shared.join(', ')}`] : []),
    ...(by_meaning ? ['near in meaning'] : []),
  ].join('; ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const HINTS = [
  { keys: ['J', 'K'], label: 'note' },
  { keys: ['↵'], label: 'open' },
  { keys: ['Ctrl', '↵'], label: 'new tab', wide: true },
  { keys: ['?'], label: 'all keys' },
];

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Neighbours',
    lines: [
      { label: 'Next, previous', keys: ['J', 'K'] },
      { label: 'Open the note; what waits opens in the review queue', keys: ['↵'] },
      { label: 'Open in a new tab', keys: ['Ctrl', '↵'] },
      { label: 'Insert a link to it', keys: ['Shift', '↵'] },
    ],
  },
];

/** Asks for the neighbours of a note once it has been in front for a moment, and again when the vault has come to rest. */
function useNeighbours(path: string) {
  const wanted = useRested(path, IN_FRONT_MS);
  const [changes, setChanges] = useState(0);
  useChanges(() => setChanges((before) => before + 1));
  const rested = useRested(changes, REST_MS);
  const asked = useCall('neighbours', wanted === '' ? null : { path: wanted }, { keep: true });
  const { reload } = asked;
  useEffect(() => {
    if (rested > 0) reload();
  }, [rested]);
  return asked;
}

/**
 * The neighbours of the note that `path` names: what waits for review about it, claims of agents, links in both directions and
 * similar notes. A host that knows which note a person is in gives another path whenever that changes.
 */
export function NeighboursScreen({ params }: { readonly params: ScreenParams }) {
  const { path = '' } = params;
  const { host } = useUi();
  const { value, error, loading } = useNeighbours(path);
  const groups = groupsOf(value?.neighbours ?? []);
  const notes = groups.flatMap((group) => group.notes);
  const [chosen, setChosen] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const id = useUniqueId();
  const current = notes.find((note) => note.path === chosen) ?? notes[0];

  const open = (note: Neighbour | undefined, newPane: boolean): void | false => {
    if (note === undefined) return false;
    if (note.status === 'raw') host.go('queue', { path: note.path });
    else host.openNote(note.path, { newPane });
  };
  const move = (step: number): void => {
    const at = notes.findIndex((note) => note === current) + step;
    const next = notes[Math.max(0, Math.min(at, notes.length - 1))];
    if (next === undefined) return;
    setChosen(next.path);
    list.current?.focus({ preventScroll: true });
  };
  const frame = useKeys({
    title: 'Keys for neighbours',
    help: HELP,
    home: () => list.current,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => move(1) },
      { keys: ['k', 'ArrowUp'], run: () => move(-1) },
      { keys: ['Enter'], run: () => open(current, false) },
      { keys: ['Mod+Enter'], run: () => open(current, true) },
      {
        keys: ['Shift+Enter'],
        run: () => {
          if (current === undefined || host.insertLink === undefined) return false;
          host.insertLink(current.path, current.title);
        },
      },
    ],
  });
  return (
    <div class="brain-frame brain-neighbours" {...frame}>
      <h1 class="brain-sr">Neighbours</h1>
      <div class="brain-bar">
        <h2 class="brain-cut brain-bidi">{path === '' ? 'Neighbours' : (value?.title ?? '')}</h2>
        <span class="brain-count brain-push" role="status">
          {value !== null && path !== '' && count(notes.length)}
        </span>
      </div>
      <div class="brain-scroll" role="region" aria-label="Neighbours" tabIndex={notes.length === 0 ? 0 : -1}>
        {path === '' && (
          <Empty icon="git-fork" title="No note is open">
            <p>Open a note. What has to do with it is shown here.</p>
          </Empty>
        )}
        {path !== '' && error !== null && <NoAnswer error={error} />}
        {loading && <SkeletonLines lines={6} label="Looking for neighbours" />}
        {path !== '' && error === null && value !== null && (
          <>
            <State answer={value} />
            {notes.length > 0 && (
              <GroupList
                list={list}
                id={id}
                answer={value}
                groups={groups}
                current={current}
                onSelect={setChosen}
                onOpen={open}
              />
            )}
          </>
        )}
      </div>
      <Hints hints={HINTS} />
    </div>
  );
}

/** Why there are no neighbours: the note is not read, or the question failed. */
function NoAnswer({ error }: { readonly error: NonNullable<ReturnType<typeof useNeighbours>['error']> }) {
  const { host } = useUi();
  if (!['note_not_found', 'path_not_allowed'].includes(error.code)) return <FailureNotice error={error} />;
  return (
    <Empty icon="eye-off" title="This note is not read">
      <p>
        It is left out by the settings, was rejected, or is no note. So nothing is known of its neighbours.
      </p>
      {host.openSettings !== undefined && (
        <button type="button" onClick={host.openSettings}>
          Open the settings
        </button>
      )}
    </Empty>
  );
}

/** What a person has to know of the answer: that it is not whole yet, or goes by words alone, or is empty. */
function State({ answer }: { readonly answer: Neighbours }) {
  const { neighbours, meaning, reading } = answer;
  return (
    <>
      {reading !== undefined && <p class="brain-neighbours-state">{readingWords(reading)}</p>}
      {meaning === 'degraded' && (
        <p class="brain-neighbours-state">
          <Flag icon="triangle-alert" tone="amber" title="Search by meaning is set up and does not answer">
            By words alone
          </Flag>
        </p>
      )}
      {neighbours.length === 0 && (
        <Empty icon="git-fork" title="No neighbours yet">
          <p>No note links here, shares a rare word with this one, or waits for review about it.</p>
        </Empty>
      )}
    </>
  );
}

/** The groups as one list, in which the keys move. */
function GroupList(props: {
  readonly list: RefObject<HTMLDivElement | null>;
  readonly id: string;
  readonly answer: Neighbours;
  readonly groups: readonly Group[];
  readonly current: Neighbour | undefined;
  readonly onSelect: (path: string) => void;
  readonly onOpen: (note: Neighbour, newPane: boolean) => void;
}) {
  const { list, id, answer, groups, current, onSelect, onOpen } = props;
  const notes = groups.flatMap((group) => group.notes);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.path]);
  return (
    <div
      class="brain-items"
      role="listbox"
      tabIndex={0}
      ref={list}
      aria-label={`Neighbours of ${answer.title}`}
      aria-activedescendant={`${id}-${notes.findIndex((note) => note === current)}`}
    >
      {groups.map((group) => (
        <GroupRows
          key={group.title}
          id={id}
          group={group}
          notes={notes}
          total={totalOf(group, answer)}
          current={current}
          onSelect={onSelect}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

/** Returns how many notes there are of a group, also those that are not listed. */
function totalOf({ title, notes }: Group, { neighbours, links_here, linked }: Neighbours): number {
  const hidden = {
    'Linked from': links_here - neighbours.filter((note) => note.links_here).length,
    'Links to': linked - neighbours.filter((note) => note.linked).length,
  }[title];
  return notes.length + (hidden ?? 0);
}

function GroupRows(props: {
  readonly id: string;
  readonly group: Group;
  readonly notes: readonly Neighbour[];
  readonly total: number;
  readonly current: Neighbour | undefined;
  readonly onSelect: (path: string) => void;
  readonly onOpen: (note: Neighbour, newPane: boolean) => void;
}) {
  const { id, group, notes, total, current, onSelect, onOpen } = props;
  return (
    <div role="group" aria-label={group.title}>
      <div class="brain-heading brain-neighbours-head" role="presentation">
        {group.title} <span class="brain-count">{count(total)}</span>
      </div>
      {group.notes.map((note) => (
        <div
          key={note.path}
          id={`${id}-${notes.indexOf(note)}`}
          class={note === current ? 'brain-entry is-current' : 'brain-entry'}
          role="option"
          aria-selected={note === current}
          title={note.path}
          onClick={(event) => {
            onSelect(note.path);
            onOpen(note, event.ctrlKey || event.metaKey);
          }}
        >
          <b class="brain-strong brain-bidi">{note.title}</b>
          {group.title !== 'Links to' && <p class="brain-entry-excerpt">{note.excerpt}</p>}
          <div class="brain-entry-meta brain-result-meta">
            <span>{reasonWords(note)}</span>
            <Author isOwners={!note.by_agent} origin={note.origin} writtenBy={note.written_by} />
            {note.status !== 'raw' && <span class="brain-address">{placeOf(note)}</span>}
            {note.stale && (
              <Flag icon="hourglass" tone="amber" title="Past its half-life">
                Stale
              </Flag>
            )}
          </div>
        </div>
      ))}
    </div>
  );
}
