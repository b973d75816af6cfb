import { useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { ScreenName, ScreenParams } from '../client/screens';
import { IntakePanel } from '../intake/panel';
import { intakeOf } from '../intake/sources';
import { useCall, useChanges } from '../kit/async';
import { Empty, FailureNotice, SkeletonLines } from '../kit/feedback';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { ScreenLink } from '../kit/screen-link';
import { count, counted } from '../kit/words';
import { parseWriter } from '../kit/writer';
import { GrowthChart } from './growth';
import { HeatMap } from './heat-map';
import { StateList } from './state';

type Overview = Answer<'overview'>;

/** The four key figures. Each links to its notes. */
function Figures({ overview }: { readonly overview: Overview }) {
  const { host } = useUi();
  const { notes, owner_notes: own, added, queue, stale, writes } = overview;
  return (
    <div class="brain-card brain-figures">
      <Figure screen="search" title="Notes" number={notes} words={notesWords(added, own)} />
      <Figure
        screen="queue"
        title="Waiting for review"
        number={queue.count}
        words={oldestWords(queue.oldest_at, host.now())}
      />
      <Figure screen="stale" title="Stale claims" number={stale} words="past their half-life" />
      <Figure screen="audit" title="Written this week" number={writes.notes} words={writerWords(writes)} />
    </div>
  );
}

function Figure(props: { screen: ScreenName; title: string; number: number; words: string }) {
  return (
    <ScreenLink screen={props.screen}>
      <span class="brain-small brain-muted">{props.title}</span>
      <span class="brain-figure">{count(props.number)}</span>
      <span class="brain-small brain-muted">{props.words}</span>
    </ScreenLink>
  );
}

/** Counts the new notes, and those of the owner, which are no reviewed ones. */
export function notesWords(added: number, own: number): string {
  const news = `${count(added)} new in the last 7 days`;
  return own === 0 ? news : `${news}; ${count(own)} of your own besides`;
}

/** Describes the age of the oldest note in the queue. */
export function oldestWords(oldest: string | undefined, now: Date): string {
  if (oldest === undefined) return 'nothing waits';
  const days = Math.floor((now.getTime() - new Date(oldest).getTime()) / 86_400_000);
  return days < 1 ? 'oldest from today' : `oldest ${counted(days, 'day')}`;
}

/** Counts the writers: agents and people apart. */
export function writerWords({ writers, writer_count: all }: Overview['writes']): string {
  if (all === 0) return 'by nobody';
  // Only the busiest writers are listed, so the kinds of the others are unknown.
  if (all > writers.length) return `by ${count(all)} writers`;
  const names = (isPerson: boolean) =>
    new Set(
      writers
        .map(({ written_by }) => parseWriter(written_by))
        .filter(({ person }) => person === isPerson)
        .map(({ name }) => name),
    ).size;
  const parts = [
    ...(names(false) > 0 ? [counted(names(false), 'agent')] : []),
    ...(names(true) > 0 ? [counted(names(true), 'person', 'people')] : []),
  ];
  return `by ${parts.join(' and ')}`;
}

type Ages = Answer<'overview'>['queue']['ages'];

const ROWS = [
  { age: 'under_1_day', words: 'Under 1 day' },
  { age: 'days_1_to_3', words: '1 to 3 days' },
  { age: 'days_4_to_7', words: '4 to 7 days' },
  { age: 'over_7_days', words: 'Over 7 days' },
] as const;

/** The ages of the notes in the queue. Those over a week are marked. */
function QueueAges({ ages }: { readonly ages: Ages }) {
  const most = Math.max(...ROWS.map(({ age }) => ages[age]), 1);
  return (
    <section class="brain-panel" aria-label="Age of the queue">
      <div class="brain-panel-head">
        <h2 class="brain-heading">Age of the queue</h2>
      </div>
      <div class="brain-ages">
        {ROWS.map(({ age, words }) => [
          <span key={`${age} words`}>{words}</span>,
          ages[age] === 0 ? (
            <span key={`${age} bar`} />
          ) : (
            <i
              key={`${age} bar`}
              class={age === 'over_7_days' ? 'mod-amber' : undefined}
              style={{ width: `${(ages[age] / most) * 100}%` }}
            />
          ),
          <span key={`${age} count`}>{count(ages[age])}</span>,
        ])}
      </div>
    </section>
  );
}

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Go to',
    lines: [
      { label: 'Review queue', keys: ['Q'] },
      { label: 'Search', keys: ['/'] },
      { label: 'Doctor', keys: ['D'] },
    ],
  },
  { title: 'Here', lines: [{ label: 'Growth as a table', keys: ['T'] }] },
];

/** The home screen: the notes by wing and hall, their growth, the queue, and the state of the service. */
export function HomeScreen(_: { params: ScreenParams }) {
  const { client, host } = useUi();
  const [asTable, setAsTable] = useState(false);
  const overview = useCall('overview', {}, { keep: true });
  const wings = useCall('wings', {}, { keep: true });
  useChanges(() => {
    overview.reload();
    wings.reload();
  });
  const toggle = (): void => setAsTable(!asTable);
  const frame = useKeys({
    title: 'Keys on this screen',
    help: HELP,
    actions: [
      { keys: ['q'], run: () => host.go('queue') },
      { keys: ['/'], run: () => host.go('search') },
      { keys: ['d'], run: () => host.go('doctor') },
      { keys: ['t'], run: toggle },
    ],
  });
  const error = overview.error ?? wings.error;
  return (
    <div class="brain-frame" {...frame}>
      <h1 class="brain-sr">Brain home</h1>
      <ScrollArea label="Overview">
        <div class="brain-home">
          {error !== null && (
            <div class="brain-home-wide">
              <FailureNotice error={error} />
            </div>
          )}
          {overview.value !== null && <Figures overview={overview.value} />}
          <div class="brain-home-main">
            {wings.loading && <SkeletonLines lines={6} label="Reading the wings" />}
            {wings.value !== null && wings.value.wings.length > 0 && <HeatMap wings={wings.value.wings} />}
            {wings.value?.wings.length === 0 && <NoNotes />}
            {overview.value !== null && (
              <GrowthChart growth={overview.value.growth} asTable={asTable} onToggle={toggle} />
            )}
          </div>
          <div class="brain-home-side">
            <IntakePanel intake={intakeOf(client)} />
            <StateList />
            {overview.value !== null && <QueueAges ages={overview.value.queue.ages} />}
          </div>
        </div>
      </ScrollArea>
      <Hints
        hints={[
          { keys: ['Q'], label: 'review queue' },
          { keys: ['/'], label: 'search' },
          { keys: ['D'], label: 'doctor', wide: true },
          { keys: ['T'], label: 'growth as a table', wide: true },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

function NoNotes() {
  const { host } = useUi();
  return (
    <Empty icon="inbox" title="No notes yet">
      <p>Notes appear here by wing and hall once you have promoted them from the review queue.</p>
      <div class="brain-row mod-wrap">
        <button type="button" onClick={() => host.go('imports')}>
          Bring notes from elsewhere
        </button>
        <button type="button" onClick={() => host.go('connect')}>
          Connect an agent
        </button>
      </div>
    </Empty>
  );
}
