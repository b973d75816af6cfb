import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { zoneOf } from '../../core/vocabulary/paths';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import type { DiffModel } from '../diff/model';
import { DiffView, type Layout } from '../diff/view';
import { openSearch } from '../found/modal';
import { Empty, FailureNotice, SkeletonLines } from '../kit/feedback';
import { Hints, Key, type KeyHelpGroup, useKeys } from '../kit/keys';
import { NARROW_PANE, useUniqueId, useWidth } from '../kit/lists';
import { counted } from '../kit/words';
import { DiffBar, DiffHead, DiffNotes } from './diff-panel';
import { openForget } from './forget';
import { type Reverted, RevertForm } from './revert';
import { readVersion, shortName, useHistory, VersionList } from './versions';

/** The keys that the last row of the screen shows. */
const historyHints = [
  { keys: ['J', 'K'], label: 'version' },
  {
    keys: ['N', 'P'],
    label: (
      <>
        <span class="brain-wide-only">next, previous</span> change
      </>
    ),
  },
  { keys: ['D'], label: 'layout', wide: true },
  { keys: ['B'], label: 'compare from here', wide: true },
  { keys: ['V'], label: 'revert', wide: true },
  { keys: ['?'], label: 'all keys' },
];

const historyHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Versions',
    lines: [
      { label: 'Older, newer', keys: ['J', 'K'] },
      { label: 'Compare from here, or as usual again', keys: ['B'] },
      { label: 'Revert', keys: ['V'] },
      { label: 'Open the note', keys: ['O'] },
      { label: 'Choose another note', keys: ['/'] },
    ],
  },
  {
    title: 'Changes',
    lines: [
      { label: 'Next, previous', keys: ['N', 'P'] },
      { label: 'Side by side or inline', keys: ['D'] },
      { label: 'With or without properties', keys: ['M'] },
      { label: 'With or without the stamps of the service', keys: ['S'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
];

const LAYOUT = 'history.layout';
const NOWHERE = { model: null, change: -1 };

type NoteHistory = ReturnType<typeof useHistory>;

/** The chosen layout of the comparison, which the host remembers. */
function useLayoutChoice(): readonly [Layout, (layout: Layout) => void] {
  const { host } = useUi();
  const [layout, setLayout] = useState<Layout>(() =>
    host.preferences.get(LAYOUT) === 'inline' ? 'inline' : 'side by side',
  );
  const choose = (chosen: Layout): void => {
    host.preferences.set(LAYOUT, chosen);
    setLayout(chosen);
  };
  return [layout, choose];
}

/** The index of the change that the reader is at, -1 before the first; another comparison begins at -1 again. */
function useChangeSteps(model: DiffModel | null, say: (words: string) => void) {
  const [at, setAt] = useState<{ readonly model: DiffModel | null; readonly change: number }>(NOWHERE);
  const change = at.model === model ? at.change : -1;
  const step = (by: number): void => {
    if (model === null || model.changes === 0) return;
    const next = Math.max(0, Math.min(change + by, model.changes - 1));
    setAt({ model, change: next });
    say(`Change ${next + 1} of ${model.changes}`);
  };
  return { change, step };
}

/** The parts that are compared beside the text, and the switches of them. */
function useShownParts(say: (words: string) => void) {
  const [properties, setProperties] = useState(true);
  const [stamps, setStamps] = useState(false);
  return {
    properties,
    stamps,
    toggleProperties: (): void => setProperties(!properties),
    toggleStamps: (): void => {
      setStamps(!stamps);
      say(stamps ? 'Stamps are hidden' : 'Stamps are shown');
    },
    showAll: (): void => {
      setProperties(true);
      setStamps(true);
    },
  };
}

/** The version that "revert" brings back, and the functions that open the layers for it and for forgetting the note. */
function useRevert(path: string, history: NoteHistory, say: (words: string) => void) {
  const { client, host } = useUi();
  const { versions, comparison } = history;
  const target = isRevertible(path) ? versions?.[comparison.target] : undefined;
  const current = versions?.[0];
  const name = target === undefined || versions === null ? null : shortName(target, versions, host.now());
  const onDone = ({ unlinked }: Reverted): void => {
    const gone =
      unlinked.length === 0 ? '' : `; ${counted(unlinked.length, 'link')} led nowhere and became text`;
    say(`Reverted to ${name}${gone}`);
    history.select(0);
    history.compareFrom(null);
    history.reload();
  };
  const revert = (): void => {
    if (target === undefined || current === undefined || name === null) return;
    readVersion(client, target.hash).then(
      (version) => {
        const close = host.openLayer(
          `Revert to ${name}`,
          <RevertForm
            path={path}
            version={version}
            expected={current.hash}
            close={() => close()}
            onStale={history.reload}
            onDone={onDone}
          />,
        );
      },
      () => say('That version could not be read. Nothing was changed.'),
    );
  };
  const forget = (): void => openForget({ host }, path, () => host.go('home', {}));
  return { targetName: name, revert, forget };
}

/** Returns the actions that move through the versions and choose the one that others are compared from. */
function versionSteps(
  { versions, selected, base, select, compareFrom }: NoteHistory,
  say: (words: string) => void,
) {
  const count = versions?.length ?? 0;
  return {
    move: (by: number): void => {
      select(Math.max(0, Math.min(selected + by, count - 1)));
      say('');
    },
    toggleBase: (): void => {
      compareFrom(base === selected ? null : selected);
      say(base === selected ? 'Compared with the version before' : 'Others are compared from this version');
    },
  };
}

/** The actions of the keys; `move` and `step` take a number of versions or changes, negative to go back. */
interface HistoryActions {
  readonly move: (by: number) => void;
  readonly step: (by: number) => void;
  readonly toggleLayout: () => void;
  readonly toggleProperties: () => void;
  readonly toggleStamps: () => void;
  readonly toggleBase: () => void;
  readonly revert: () => void;
  readonly open: () => void;
  readonly choose: () => void;
}

function useHistoryKeys(
  {
    move,
    step,
    toggleLayout,
    toggleProperties,
    toggleStamps,
    toggleBase,
    revert,
    open,
    choose,
  }: HistoryActions,
  area: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
) {
  return useKeys({
    title: 'Keys in the history',
    help: historyHelp,
    actions: [
      { keys: ['j'], run: () => move(1) },
      { keys: ['k'], run: () => move(-1) },
      // In the comparison the arrows scroll.
      { keys: ['ArrowDown'], run: (event) => (event.target === area.current ? false : move(1)) },
      { keys: ['ArrowUp'], run: (event) => (event.target === area.current ? false : move(-1)) },
      { keys: ['n'], run: () => step(1) },
      { keys: ['p'], run: () => step(-1) },
      { keys: ['d'], run: toggleLayout },
      { keys: ['m'], run: toggleProperties },
      { keys: ['s'], run: toggleStamps },
      { keys: ['b'], run: toggleBase },
      { keys: ['v'], run: revert },
      { keys: ['o'], run: open },
      { keys: ['/'], run: choose },
      {
        keys: ['F6'],
        inFields: true,
        run: (event) => (event.target === list.current ? area.current : list.current)?.focus(),
      },
    ],
  });
}

/** Scrolls to the current change in the comparison, and to the selected version in the list. */
function useScrollIntoView(
  area: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  at: { readonly change: number; readonly layout: Layout; readonly selected: number },
): void {
  const { change, layout, selected } = at;
  useEffect(() => {
    if (change < 0) return;
    area.current?.querySelector(`[data-change="${change}"]`)?.scrollIntoView({ block: 'center' });
  }, [change, layout]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
}

/** The history of the note at a path, beginning with a version or with the present one. */
function HistoryOfNote({ path, hash }: { readonly path: string; readonly hash: string | null }) {
  const ui = useUi();
  const { host } = ui;
  const [status, setStatus] = useState('');
  const { properties, stamps, toggleProperties, toggleStamps, showAll } = useShownParts(setStatus);
  const [chosenLayout, setLayout] = useLayoutChoice();
  const history = useHistory(path, hash, { properties, stamps });
  const { versions, selected, base, model } = history;
  const { change, step } = useChangeSteps(model, setStatus);
  const area = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const listId = useUniqueId();

  const { move, toggleBase } = versionSteps(history, setStatus);
  const { targetName, revert, forget } = useRevert(path, history, setStatus);
  const choose = (): void => openSearch(ui, (other) => host.go('history', { path: other }));
  const open = (): void => host.openNote(path);

  const toggleLayout = (): void => setLayout(chosenLayout === 'inline' ? 'side by side' : 'inline');
  const actions = {
    ...{ move, step, toggleLayout, toggleProperties, toggleStamps },
    ...{ toggleBase, revert, open, choose },
  };
  const keys = useHistoryKeys(actions, area, list);
  const width = useWidth(keys.ref);
  const isNarrow = width !== null && width < NARROW_PANE;
  const layout = isNarrow ? 'inline' : chosenLayout;

  useScrollIntoView(area, list, { change, layout, selected });

  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  return (
    <div class="brain-frame brain-past" {...keys}>
      <h1 class="brain-sr">History of {name}</h1>
      {versions === null ? (
        <section class="brain-list" aria-label="Versions">
          {history.loading && <SkeletonLines lines={6} label="Reading the versions" />}
        </section>
      ) : (
        <VersionList
          id={listId}
          path={path}
          versions={versions}
          selected={selected}
          base={base}
          listRef={list}
          onSelect={history.select}
          onOpen={open}
          onChoose={choose}
        />
      )}
      <section class="brain-diff-pane" aria-label="Changes">
        <DiffBar
          model={model}
          layout={isNarrow ? null : layout}
          {...{ properties, stamps, change }}
          target={targetName}
          onLayout={setLayout}
          onProperties={toggleProperties}
          onStamps={toggleStamps}
          onStep={step}
          onRevert={revert}
          onForget={forget}
        />
        <DiffPane
          history={history}
          hash={hash}
          properties={properties}
          stamps={stamps}
          layout={layout}
          hasHead={!isNarrow}
          change={change}
          areaRef={area}
          onShowAll={showAll}
        />
      </section>
      <span class="brain-sr" role="status">
        {status}
      </span>
      <Hints hints={historyHints} />
    </div>
  );
}

/** The comparison of two versions, below its bar. */
function DiffPane(props: {
  readonly history: NoteHistory;
  /** The version that the screen was opened with; null for the present one. */
  readonly hash: string | null;
  readonly properties: boolean;
  readonly stamps: boolean;
  readonly layout: Layout;
  readonly hasHead: boolean;
  readonly change: number;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  readonly onShowAll: () => void;
}) {
  const { history, hash, properties, stamps, layout, hasHead, change, areaRef, onShowAll } = props;
  const { versions, compared, model, error, reload } = history;
  return (
    <>
      {error !== null && (
        <FailureNotice error={error}>
          <button type="button" class="brain-plain" onClick={reload}>
            Try again
          </button>
        </FailureNotice>
      )}
      {hash !== null && versions !== null && versions.every((version) => version.hash !== hash) && (
        <p class="brain-past-gone brain-small brain-muted">
          The version that was asked for is not in the history of this note. You see the present one.
        </p>
      )}
      {compared !== null && hasHead && <DiffHead compared={compared} />}
      {model !== null && (
        <DiffNotes model={model} properties={properties} stamps={stamps} onShowAll={onShowAll} />
      )}
      {model !== null && model.rows.length > 0 && (
        <DiffView
          key={compared?.newer?.hash}
          model={model}
          layout={layout}
          areaRef={areaRef}
          change={change}
        />
      )}
      {model?.rows.length === 0 && <Empty icon="file-text" title="This version is empty" />}
    </>
  );
}

/** Returns true for a note that an update changes; notes of the queue and the root note are changed in other ways. */
function isRevertible(path: string): boolean {
  const zone = zoneOf(path);
  return zone === 'wiki' || zone === 'knowledge';
}

/** The versions of one note and the differences between them. Without a path, the screen asks for a note. */
export function HistoryScreen({ params }: { params: ScreenParams }) {
  const { path, hash } = params;
  if (path === undefined || path === '') return <NoNote />;
  return <HistoryOfNote key={`${path} ${hash ?? ''}`} path={path} hash={hash ?? null} />;
}

function NoNote() {
  const ui = useUi();
  const choose = (): void => openSearch(ui, (path) => ui.host.go('history', { path }));
  const keys = useKeys({
    title: 'Keys in the history',
    help: [{ title: 'History', lines: [{ label: 'Choose a note', keys: ['/'] }] }],
    actions: [{ keys: ['/'], run: choose }],
  });
  return (
    <div class="brain-frame brain-past mod-none" {...keys}>
      <h1 class="brain-sr">Note history</h1>
      <Empty icon="history" title="No note is chosen">
        <p>
          Every version of a note that the service replaced is kept. Choose a note to see what changed, and
          who changed it.
        </p>
        <button type="button" class="mod-cta" onClick={choose}>
          Choose a note <Key>/</Key>
        </button>
      </Empty>
      <Hints
        hints={[
          { keys: ['/'], label: 'choose a note' },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}
