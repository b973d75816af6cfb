import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { intakeOf } from '../ingest/intake-of';
import { IntakePanel } from '../ingest/intake-panel';
import { Empty } from '../parts/empty';
import { Hints } from '../parts/hints';
import type { KeyHelpGroup } from '../parts/keys';
import { FailureNotice } from '../parts/problem';
import { ScrollArea } from '../parts/scroll-area';
import { SkeletonLines } from '../parts/skeleton';
import { useCall } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import { useKeys } from '../parts/use-keys';
import type { ScreenParams } from '../screens';
import { Figures } from './figures';
import { GrowthChart } from './growth-chart';
import { HeatMap } from './heat-map';
import { QueueAges } from './queue-ages';
import { StateList } from './state-list';

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

/** What is in the brain, how it grows, what waits, and how the service is. */
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
    <div class="brain-home-frame" {...frame}>
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
      <button type="button" onClick={() => host.go('connect')}>
        Connect an agent
      </button>
    </Empty>
  );
}
