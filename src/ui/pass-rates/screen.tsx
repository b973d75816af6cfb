import { useRef, useState } from 'preact/hooks';
import type { ScreenParams } from '../client/screens';
import { useCall, useChanges } from '../kit/async';
import { Segments } from '../kit/controls';
import { Empty, FailureNotice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { count, counted } from '../kit/words';
import { SkillChart } from './charts';
import { type PassRates, type Skill, spanWords } from './days';
import { SkillTable } from './table';

const WINDOWS = ['7', '30', '90'] as const;
/** In days. */
type Window = (typeof WINDOWS)[number];

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Skills and days',
    lines: [
      { label: 'Next or former skill', keys: ['J', 'K'] },
      { label: 'Next or former day', keys: ['→', '←'] },
      { label: 'Filter skills', keys: ['/'] },
    ],
  },
  {
    title: 'View',
    lines: [
      { label: 'Next window of time', keys: ['W'] },
      { label: 'As a table, as a chart', keys: ['T'] },
      { label: 'Read the logs again', keys: ['R'] },
    ],
  },
];

/** How often the skills of agents passed, by day: a skill without runs has no rate, which is not a rate of zero. */
export function PassRatesScreen({ params }: { params: ScreenParams }) {
  const [window, setWindow] = useState<Window>('30');
  const [asked, setAsked] = useState(params.skill ?? '');
  const [day, setDay] = useState<number | null>(null);
  const [asTable, setAsTable] = useState(false);
  const [filter, setFilter] = useState('');
  const filterField = useRef<HTMLInputElement>(null);
  const rates = useCall('passRate', { window: `${window}d`, bucket: '1d' }, { keep: true });
  const longer = useCall('passRate', { window: `${Number(window) * 2}d` });
  const reload = (): void => {
    rates.reload();
    longer.reload();
  };
  useChanges(reload);

  const all = rates.value?.by_skill ?? [];
  const shown = all.filter(({ skill }) => skill.toLowerCase().includes(filter.trim().toLowerCase()));
  const chosen = shown.find(({ skill }) => skill === asked) ?? busiest(shown);
  const days = chosen?.series?.length ?? 0;

  const choose = (skill: string): void => {
    setAsked(skill);
    setDay(null);
  };
  const move = (step: number): void | false => {
    const next = shown[shown.findIndex((one) => one === chosen) + step];
    if (next === undefined) return false;
    choose(next.skill);
  };
  const moveDay = (step: number): void | false => {
    if (days === 0 || asTable) return false;
    setDay(Math.min(Math.max((day ?? (step > 0 ? -1 : days)) + step, 0), days - 1));
  };
  const view = (next: Window): void => {
    setWindow(next);
    setDay(null);
  };
  const frame = useKeys({
    title: 'Keys in pass rates',
    help: HELP,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => move(1) },
      { keys: ['k', 'ArrowUp'], run: () => move(-1) },
      { keys: ['ArrowRight'], run: () => moveDay(1) },
      { keys: ['ArrowLeft'], run: () => moveDay(-1) },
      { keys: ['w'], run: () => view(WINDOWS[(WINDOWS.indexOf(window) + 1) % WINDOWS.length] ?? '30') },
      { keys: ['t'], run: () => setAsTable(!asTable) },
      { keys: ['r'], run: reload },
      { keys: ['/'], run: () => filterField.current?.focus() },
      {
        keys: ['Escape'],
        inFields: true,
        run: () => {
          if (frame.ref.current?.ownerDocument.activeElement !== filterField.current) return false;
          frame.ref.current?.focus();
          return undefined;
        },
      },
    ],
  });

  return (
    <div class="brain-frame brain-rates" {...frame}>
      <h1 class="brain-sr">Pass rates</h1>
      <div class="brain-bar mod-head">
        <Segments
          label="Window"
          value={window}
          options={WINDOWS.map((value) => ({ value, label: `${value} d` }))}
          onChange={view}
        />
        <span class="brain-count">{spanWords(rates.value?.series ?? [])}</span>
        <span class="brain-push" />
        <Malformed rates={rates.value} />
        <div class="brain-input mod-filter">
          <Icon name="search" />
          <input
            ref={filterField}
            type="search"
            aria-label="Filter skills"
            placeholder="Filter skills"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </div>
      </div>
      {chosen === undefined ? (
        <div class="brain-rates-rest">
          {rates.error !== null && <FailureNotice error={rates.error} />}
          {rates.loading && <SkeletonLines lines={8} label="Reading the session logs" />}
          {rates.value !== null && (
            <Nothing all={all} window={window} onClear={() => setFilter('')} onWiden={() => view('90')} />
          )}
        </div>
      ) : (
        <>
          <SkillChart
            skill={chosen}
            chosenDay={day}
            onChooseDay={setDay}
            asTable={asTable}
            onToggle={() => setAsTable(!asTable)}
            error={rates.error}
          />
          <SkillTable
            skills={shown}
            chosen={chosen.skill}
            longer={longer.value}
            span={counted(Number(window), 'day')}
            onChoose={choose}
          />
        </>
      )}
      <Hints
        hints={[
          { keys: ['J', 'K'], label: 'skill' },
          { keys: ['←', '→'], label: 'day' },
          { keys: ['W'], label: 'window', wide: true },
          { keys: ['T'], label: asTable ? 'as a chart' : 'as a table', wide: true },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

/** The skill with the most runs says the most. */
function busiest(skills: readonly Skill[]): Skill | undefined {
  return skills.reduce<Skill | undefined>(
    (most, one) => (one.total > (most?.total ?? -1) ? one : most),
    undefined,
  );
}

function Malformed({ rates }: { readonly rates: PassRates | null }) {
  if (rates === null || rates.malformed === 0) return null;
  return (
    <span
      class="brain-small brain-muted"
      title={`Lines of the ${counted(rates.files, 'log')} in sessions that are no record of a run. They are counted nowhere.`}
    >
      {rates.malformed === 1 ? '1 line' : `${count(rates.malformed)} lines`} could not be read
    </span>
  );
}

/** Nothing to show: because of the filter, of the window, or because no run was ever logged. */
function Nothing(props: {
  readonly all: readonly Skill[];
  readonly window: Window;
  readonly onClear: () => void;
  readonly onWiden: () => void;
}) {
  const { all, window, onClear, onWiden } = props;
  if (all.length > 0) {
    return (
      <Empty icon="search" title="No skill has this in its name">
        <button type="button" onClick={onClear}>
          Show all {count(all.length)}
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="chart-line" title={`No runs in the last ${window} days`}>
      <p>
        Agents log each run of a skill, passed, failed or skipped, with POST /sessions or as lines in the
        folder sessions. The chart begins with the first one.
      </p>
      {window !== '90' && (
        <button type="button" onClick={onWiden}>
          Look at 90 days
        </button>
      )}
    </Empty>
  );
}
