import { rateChange, changeWords } from '../../../src/ui/pass-rates/table';
import {
  chartWords,
  type Day,
  dayWords,
  labelledDays,
  longDay,
  ratePaths,
  rateWords,
  shortDay,
  spanWords,
  splitByData,
} from '../../../src/ui/pass-rates/days';
import { totalWords } from '../../../src/ui/pass-rates/charts';

const day = (number: number, pass: number, fail: number, skip = 0): Day => ({
  start: `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`,
  pass,
  fail,
  skip,
  unknown: 0,
  pass_rate: pass + fail === 0 ? null : pass / (pass + fail),
});

/** A gap, a day with nothing but failures, a gap, and two days that passed. */
const DAYS = [day(1, 0, 0), day(2, 0, 3), day(3, 0, 0, 2), day(4, 1, 1), day(5, 2, 0)];

it('names days in UTC, wherever the reader is', () => {
  expect([longDay('2026-11-13T00:00:00Z'), shortDay('2026-11-13T00:00:00Z')]).toEqual([
    '13 November',
    '13 Nov',
  ]);
  expect(shortDay('2026-05-01T00:00:00Z')).toBe('1 May');
  expect(spanWords(DAYS)).toBe('1 Nov to 5 Nov 2026');
  expect(spanWords([])).toBe('');
});

it('keeps no data apart from zero', () => {
  expect([rateWords(null), rateWords(0), rateWords(1)]).toEqual(['No data', '0\u2009%', '100\u2009%']);
  expect(dayWords(day(1, 0, 0))).toBe('No run that passed or failed');
  expect(dayWords(day(1, 0, 0, 3))).toBe('No run that passed or failed, 3 skipped');
  expect(dayWords(day(1, 0, 2))).toBe('0 passed, 2 failed');
  expect(dayWords({ ...day(1, 4, 2, 1), unknown: 1 })).toBe('4 passed, 2 failed, 1 skipped, 1 unknown');
});

it('breaks the line where there is no data, and never falls to zero there', () => {
  expect(splitByData(DAYS)).toEqual([
    { from: 0, to: 1, hasData: false },
    { from: 1, to: 2, hasData: true },
    { from: 2, to: 3, hasData: false },
    { from: 3, to: 5, hasData: true },
  ]);
  const { line, dots, lone } = ratePaths(DAYS, { width: 1000, top: 0, height: 200 });
  expect(line).toBe('M300.0 200.0M700.0 100.0L900.0 0.0');
  expect(dots).toBe('M300.0 200.0h.01M700.0 100.0h.01M900.0 0.0h.01');
  expect(lone).toBe('M300.0 200.0h.01');
  expect(ratePaths([day(1, 0, 0)], { width: 10, top: 0, height: 10 })).toEqual({
    line: '',
    dots: '',
    lone: '',
  });
});

it('tells the chart in words', () => {
  expect(chartWords('deploy', DAYS)).toBe(
    'Pass rate of deploy per day: lowest 0\u2009% on 2 November, last 100\u2009% on 5 November. No data on 2 days.',
  );
  expect(chartWords('deploy', [day(1, 0, 0)])).toBe('Pass rate of deploy per day: no data.');
});

it.each([1, 2, 7, 8, 31, 91])('labels at most seven of %i days, the last one among them', (count) => {
  const days = Array.from({ length: count }, (_, index) => day((index % 28) + 1, 1, 0));
  const labels = labelledDays(days);
  expect(labels.at(-1)).toBe(count - 1);
  expect(labels.length).toBeLessThanOrEqual(7);
  expect(labels.length).toBeGreaterThanOrEqual(Math.min(count, 4));
});

describe('the change', () => {
  const counts = (pass: number, fail: number) => ({
    skill: 'deploy',
    pass,
    fail,
    skip: 0,
    unknown: 0,
    total: pass + fail,
    pass_rate: pass + fail === 0 ? null : pass / (pass + fail),
  });
  const longer = (pass: number, fail: number) => ({
    window: '60d',
    since: '',
    until: '',
    ...counts(pass, fail),
    by_skill: [counts(pass, fail)],
    files: 1,
    malformed: 0,
  });

  it('is against the time before alone', () => {
    expect(rateChange(counts(9, 1), longer(14, 6))).toBe(40);
    expect(rateChange(counts(1, 1), longer(11, 1))).toBe(-50);
  });

  it('is nothing where one of the two has no data', () => {
    expect(rateChange(counts(0, 0), longer(5, 5))).toBeNull();
    expect(rateChange(counts(5, 5), longer(5, 5))).toBeNull();
    expect(rateChange(counts(5, 5), null)).toBeNull();
    expect(rateChange({ ...counts(5, 5), skill: 'other' }, longer(9, 9))).toBeNull();
  });

  it('is told in points', () => {
    expect([40, -17, 1, 0, null].map(changeWords)).toEqual([
      '+40 points',
      '−17 points',
      '+1 point',
      'no change',
      '',
    ]);
  });

  it('comes with totals', () => {
    expect(totalWords({ ...counts(86, 11), skip: 4 })).toBe('86 of 97 passed, 4 skipped');
    expect(totalWords({ ...counts(0, 0), skip: 3, unknown: 2 })).toBe(
      'No run that passed or failed, 3 skipped, 2 with an unknown outcome',
    );
  });
});
