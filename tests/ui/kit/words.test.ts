import { age, clock, count, counted, day, moment, percent } from '../../../src/ui/kit/words';

const NOW = new Date('2026-11-20T10:00:00Z');

it.each([
  ['2026-11-20T09:59:30Z', 'now'],
  ['2026-11-20T10:05:00Z', 'now'],
  ['2026-11-20T09:55:00Z', '5 min'],
  ['2026-11-20T07:00:00Z', '3 h'],
  ['2026-11-19T10:00:00Z', '1 d'],
  ['2026-11-14T09:12:00Z', '6 d'],
  ['2020-01-01T00:00:00Z', '2,515 d'],
  ['no time', 'now'],
])('the age of %s is %s', (then, words) => {
  expect(age(then, NOW)).toBe(words);
});

it('tells days and minutes in the time zone of the reader', () => {
  const local = new Date(2026, 10, 4, 9, 2);
  expect(day(local)).toBe('4 Nov 2026');
  expect(moment(local)).toBe('4 Nov 2026, 09:02');
  expect(clock(local)).toBe('09:02');
  expect(moment('some day')).toBe('some day');
});

it.each([
  [0, '0'],
  [999, '999'],
  [8412, '8,412'],
  [1234567, '1,234,567'],
])('%i is written %s', (number, words) => {
  expect(count(number)).toBe(words);
});

it('counts things and shares', () => {
  expect(counted(1, 'note')).toBe('1 note');
  expect(counted(1200, 'note')).toBe('1,200 notes');
  expect(counted(2, 'property', 'properties')).toBe('2 properties');
  expect(percent(0.974)).toBe('97\u2009%');
});
