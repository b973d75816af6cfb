import * as z from 'zod';
import { operation } from '../operation/operation';
import { parseWindow, timestamp } from '../base/time';
import { countShape, timeShape } from '../operation/shapes';
import { type Outcome, readSessions } from './records';

const DAY_MS = 86_400_000;
/** Records at most this far in the future are counted, because clocks of the logging machines differ a little (ms). */
const CLOCK_SKEW_MS = 5 * 60_000;
/** The longest window with a series for every skill, in days: some logs have thousands of skills. */
const MAX_DAYS_BY_SKILL = 100;

const countFields = { pass: countShape, fail: countShape, skip: countShape, unknown: countShape };
const passRateShape = z
  .number()
  .nullable()
  .describe(
    'pass / (pass + fail), not rounded; null when nothing passed or failed, which is no data and not zero',
  );

const input = z.strictObject({
  skill: z
    .string()
    .min(1, 'must not be empty; leave it out for all skills')
    .optional()
    .describe('Exact name of a skill; all skills when left out'),
  window: z.string().default('7d').describe('How far to look back: hours such as 24h or days such as 7d'),
  bucket: z
    .enum(['1d'])
    .optional()
    .describe(
      'Also answer a series with one entry for each day (UTC), and up to 100 days also one for each skill',
    ),
});

const seriesShape = z.array(z.object({ start: timeShape, ...countFields, pass_rate: passRateShape }));

const output = z.object({
  skill: z.string().optional(),
  window: z.string(),
  since: timeShape,
  until: timeShape,
  ...countFields,
  total: countShape,
  pass_rate: passRateShape,
  by_skill: z
    .array(
      z.object({
        skill: z.string(),
        ...countFields,
        total: countShape,
        pass_rate: passRateShape,
        series: seriesShape.optional(),
      }),
    )
    .optional(),
  series: seriesShape.optional(),
  files: countShape.describe('Session logs read'),
  malformed: countShape.describe('Lines of these logs that are no record; not counted elsewhere'),
});

/** Counts the outcomes of skills over a window of time, from every session log in the vault. */
export const passRate = operation({
  name: 'pass-rate',
  scope: 'read',
  mutates: false,
  input,
  output,
  async run(brain, { skill, window, bucket }) {
    const until = brain.clock.now().getTime();
    const since = until - parseWindow(window);
    const [firstDay, lastDay] = [dayOf(since), dayOf(until)];
    const days = bucket === undefined ? 0 : lastDay - firstDay + 1;
    const all = noTally(days);
    const bySkill = new Map<string, Tally>();

    const { files, malformed } = await readSessions(brain.vault, (record) => {
      const at = record.at.getTime();
      if (at < since || at > until + CLOCK_SKEW_MS || (skill !== undefined && record.skill !== skill)) return;
      const own = bySkill.get(record.skill) ?? noTally(days > MAX_DAYS_BY_SKILL ? 0 : days);
      bySkill.set(record.skill, own);
      // A record from just after the coming midnight counts for the last day, so that the days add up to the total.
      const day = Math.min(dayOf(at), lastDay) - firstDay;
      for (const { counts, byDay } of [all, own]) {
        counts[record.outcome] += 1;
        const ofDay = byDay[day];
        if (ofDay) ofDay[record.outcome] += 1;
      }
    });
    const seriesOf = ({ byDay }: Tally) =>
      byDay.length === 0
        ? {}
        : {
            series: byDay.map((counts, index) => ({
              start: timestamp(new Date((firstDay + index) * DAY_MS)),
              ...counts,
              pass_rate: rateOf(counts),
            })),
          };

    return {
      ...(skill !== undefined && { skill }),
      window,
      since: timestamp(new Date(since)),
      until: timestamp(new Date(until)),
      ...withTotal(all.counts),
      ...(skill === undefined && {
        by_skill: [...bySkill]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, tally]) => ({ skill: name, ...withTotal(tally.counts), ...seriesOf(tally) })),
      }),
      ...seriesOf(all),
      files,
      malformed,
    };
  },
});

type Counts = Record<Outcome, number>;

/** Counts, in all and for each day. */
interface Tally {
  readonly counts: Counts;
  readonly byDay: readonly Counts[];
}

function noTally(days: number): Tally {
  return { counts: noCounts(), byDay: Array.from({ length: days }, noCounts) };
}

function noCounts(): Counts {
  return { pass: 0, fail: 0, skip: 0, unknown: 0 };
}

/** Returns the UTC day, counted from the epoch. */
function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS);
}

function rateOf({ pass, fail }: Counts): number | null {
  return pass + fail === 0 ? null : pass / (pass + fail);
}

function withTotal(counts: Counts) {
  const { pass, fail, skip, unknown } = counts;
  return { ...counts, total: pass + fail + skip + unknown, pass_rate: rateOf(counts) };
}
