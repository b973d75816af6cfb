import type { RefObject } from 'preact';
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
/** A window of time (days). */
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

/** Loads the pass rates of a window of time, and those of twice that time for the comparison. */
function useRates(window: Window) {
  const rates = useCall('passRate', { window: `${window}d`, bucket: '1d' }, { keep: true });
  const longer = useCall('passRate', { window: `${Number(window) * 2}d` });
  const reload = (): void => {
    rates.reload();
    longer.reload();
  };
  useChanges(reload);
  return { rates, longer, reload };
}

/** Holds the skill and the day that the chart shows. Another skill clears the day. */
function useChosen(skills: readonly Skill[], initialSkill: string) {
  const [name, setName] = useState(initialSkill);
  const [day, setDay] = useState<number | null>(null);
  const skill = skills.find((one) => one.skill === name) ?? busiest(skills);
  const days = skill?.series?.length ?? 0;
  const choose = (next: string): void => {
    setName(next);
    setDay(null);
  };
  return {
    skill,
    day,
    setDay,
    choose,
    move(step: number): void | false {
      const next = skills[skills.findIndex((one) => one === skill) + step];
      if (next === undefined) return false;
      choose(next.skill);
    },
    moveDay(step: number): void | false {
      if (days === 0) return false;
      setDay(Math.min(Math.max((day ?? (step > 0 ? -1 : days)) + step, 0), days - 1));
    },
  };
}

interface RatesActions {
  readonly chosen: ReturnType<typeof useChosen>;
  readonly asTable: boolean;
  /** Shows the table in place of the chart, or the other way round. */
  readonly toggle: () => void;
  readonly nextWindow: () => void;
  readonly reload: () => void;
  readonly filterField: RefObject<HTMLInputElement | null>;
}

/** Binds the keys of the screen. Returns the properties of its outermost element. */
function useRatesKeys({ chosen, asTable, toggle, nextWindow, reload, filterField }: RatesActions) {
  const frame = useKeys({
    title: 'Keys in pass rates',
    help: HELP,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => chosen.move(1) },
      { keys: ['k', 'ArrowUp'], run: () => chosen.move(-1) },
      { keys: ['ArrowRight'], run: () => (asTable ? false : chosen.moveDay(1)) },
      { keys: ['ArrowLeft'], run: () => (asTable ? false : chosen.moveDay(-1)) },
      { keys: ['w'], run: nextWindow },
      { keys: ['t'], run: toggle },
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
  return frame;
}

/** The pass rates of the agents' skills by day. A skill without runs has no rate, which differs from a rate of zero. */
export function PassRatesScreen({ params }: { params: ScreenParams }) {
  const [window, setWindow] = useState<Window>('30');
  const [asTable, setAsTable] = useState(false);
  const [filter, setFilter] = useState('');
  const filterField = useRef<HTMLInputElement>(null);
  const { rates, longer, reload } = useRates(window);
  const all = rates.value?.by_skill ?? [];
  const shown = all.filter(({ skill }) => skill.toLowerCase().includes(filter.trim().toLowerCase()));
  const chosen = useChosen(shown, params.skill ?? '');

  const changeWindow = (next: Window): void => {
    setWindow(next);
    chosen.setDay(null);
  };
  const toggle = (): void => setAsTable(!asTable);
  const frame = useRatesKeys({
    ...{ chosen, asTable, toggle, reload, filterField },
    nextWindow: () => changeWindow(WINDOWS[(WINDOWS.indexOf(window) + 1) % WINDOWS.length] ?? '30'),
  });

  return (
    <div class="brain-frame brain-rates" {...frame}>
      <h1 class="brain-sr">Pass rates</h1>
      <RatesBar
        window={window}
        onWindow={changeWindow}
        rates={rates.value}
        filter={filter}
        onFilter={setFilter}
        filterField={filterField}
      />
      {chosen.skill === undefined ? (
        <div class="brain-rates-rest">
          {rates.error !== null && <FailureNotice error={rates.error} />}
          {rates.loading && <SkeletonLines lines={8} label="Reading the session logs" />}
          {rates.value !== null && (
            <Nothing
              all={all}
              window={window}
              onClear={() => setFilter('')}
              onWiden={() => changeWindow('90')}
            />
          )}
        </div>
      ) : (
        <>
          <SkillChart
            skill={chosen.skill}
            chosenDay={chosen.day}
            onChooseDay={chosen.setDay}
            asTable={asTable}
            onToggle={toggle}
            error={rates.error}
          />
          <SkillTable
            skills={shown}
            chosen={chosen.skill.skill}
            longer={longer.value}
            span={counted(Number(window), 'day')}
            onChoose={chosen.choose}
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

/** The choice of the window, the time that it covers, and the filter of the skills. */
function RatesBar(props: {
  readonly window: Window;
  readonly onWindow: (window: Window) => void;
  readonly rates: PassRates | null;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly filterField: RefObject<HTMLInputElement | null>;
}) {
  const { window, onWindow, rates, filter, onFilter, filterField } = props;
  return (
    <div class="brain-bar mod-head">
      <Segments
        label="Window"
        value={window}
        options={WINDOWS.map((value) => ({ value, label: `${value} d` }))}
        onChange={onWindow}
      />
      <span class="brain-count">{spanWords(rates?.series ?? [])}</span>
      <span class="brain-push" />
      <Malformed rates={rates} />
      <div class="brain-input mod-filter">
        <Icon name="search" />
        <input
          ref={filterField}
          type="search"
          aria-label="Filter skills"
          placeholder="Filter skills"
          value={filter}
          onInput={(event) => onFilter(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

/** Returns the skill with the most runs. */
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

/** The reason why no skill is listed: the filter, the window, or no logged run. */
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
