import * as fc from 'fast-check';
import {
  isChangedSinceReview,
  lastWritten,
  localDate,
  noteTime,
  parseTime,
  timestamp,
  type WallClock,
} from '../../../src/core/base/time';

describe('timestamp', () => {
  it.each([
    [new Date(Date.UTC(2026, 10, 20, 10, 32, 0)), '2026-11-20T10:32:00Z'],
    [new Date(Date.UTC(2026, 10, 20, 10, 32, 0, 999)), '2026-11-20T10:32:00Z'],
    [new Date(0), '1970-01-01T00:00:00Z'],
  ])('%s', (date, text) => {
    expect(timestamp(date)).toBe(text);
  });
});

describe('localDate', () => {
  it.each([
    [new Date(2026, 10, 20, 23, 59), '2026-11-20'],
    [new Date(2026, 0, 1), '2026-01-01'],
    [new Date(987, 1, 3), '0987-02-03'],
  ])('%s', (date, day) => {
    expect(localDate(date)).toBe(day);
  });
});

describe('parseTime', () => {
  it.each([
    ['2026-11-20T10:32:00Z', '2026-11-20T10:32:00.000Z'],
    ['2026-11-20t10:32:00z', '2026-11-20T10:32:00.000Z'],
    ['2026-11-20T10:32:00.5Z', '2026-11-20T10:32:00.500Z'],
    ['2026-11-20T10:32:00.123456789Z', '2026-11-20T10:32:00.123Z'],
    ['2026-11-20T10:32:00+02:00', '2026-11-20T08:32:00.000Z'],
    ['2026-11-20T10:32:00-05:30', '2026-11-20T16:02:00.000Z'],
    ['2026-11-20T10:32:00-0530', '2026-11-20T16:02:00.000Z'],
    ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0099-03-01', '0099-03-01T00:00:00.000Z'],
    ['2026-11-20 10:32', '2026-11-20T10:32:00.000Z'],
    ['2026-11-20 10:32:07', '2026-11-20T10:32:07.000Z'],
    ['2026-11-20T10:32', '2026-11-20T10:32:00.000Z'],
    [' 2026-11-20 ', '2026-11-20T00:00:00.000Z'],
    [1_763_634_720, '2025-11-20T10:32:00.000Z'],
    [1_763_634_720.25, '2025-11-20T10:32:00.250Z'],
    [1_763_634_720_000, '2025-11-20T10:32:00.000Z'],
    [0, '1970-01-01T00:00:00.000Z'],
  ])('%j', (value, iso) => {
    expect(parseTime(value)?.toISOString()).toBe(iso);
  });

  it.each([
    ...['', 'yesterday', '2026', '2026-11', '20.11.2026', '11/20/2026', '2026-11-20T', '2026-11-20T10', 'Z'],
    ...['2026-00-10', '2026-13-01', '2026-02-30', '2025-02-29', '2026-11-31', '2026-11-00', '12026-11-20'],
    ...['2026-11-20T24:00:00Z', '2026-11-20T10:60:00Z', '2026-11-20T10:32:61Z', '2026-11-20T10:32:00.Z'],
    ...[
      '2026-11-20T10:32:00+24:00',
      '2026-11-20T10:32:00+02:60',
      '2026-11-20T10:32:00+2',
      '2026-11-20T10:32:00+02',
      '2026-11-20T10:32:00+2400',
      '2026-11-20T10:32:00ZZ',
    ],
    ...['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '1763634720'],
    ...[NaN, Infinity, -Infinity, 1e300, -1e20, 253_402_300_800_000],
    ...[null, undefined, true, {}, [], new Date(0)],
  ])('finds no moment in %p', (value) => {
    expect(parseTime(value)).toBeNull();
  });

  it('reads back every timestamp, to the second', () => {
    const years = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(years, (date) => {
        expect(parseTime(timestamp(date))?.getTime()).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
      { numRuns: 1000 },
    );
  });

  it('never gives a moment that has no timestamp', () => {
    const values = fc.oneof(
      fc.double(),
      fc.stringMatching(/^\d{4}-[0-3]\d-[0-3]\d[T ][0-2]\d:[0-6]\d(:[0-6]\d)?([+-]\d\d:\d\d|Z)?$/),
    );
    fc.assert(
      fc.property(values, (value) => {
        const date = parseTime(value);
        if (date) expect(timestamp(date)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('lastWritten', () => {
  const times = { updated_at: '2026-03-01', promoted_at: '2026-02-01', created_at: '2026-01-01' };

  it.each<[Record<string, unknown>, string | undefined]>([
    [times, '2026-03-01T00:00:00Z'],
    [{ ...times, updated_at: undefined }, '2026-02-01T00:00:00Z'],
    [{ ...times, updated_at: 'yesterday', promoted_at: '' }, '2026-01-01T00:00:00Z'],
    [{ updated_at: '2026-03-01T12:00:00.9+02:00' }, '2026-03-01T10:00:00Z'],
    [{ created_at: ['2026-01-01'] }, undefined],
    [{ updated_at: 'yesterday', mtime: '2026-01-01' }, undefined],
    [{}, undefined],
  ])('%j: %s', (frontmatter, expected) => {
    expect(lastWritten(frontmatter)).toBe(expected);
  });
});

describe('noteTime', () => {
  /** Los Angeles in 2026: eight hours behind, seven from 8 March to 1 November, when a clock before the gap goes on. */
  const pacific: WallClock = (wall) => {
    const hours =
      wall.getTime() >= Date.UTC(2026, 2, 8, 3) && wall.getTime() < Date.UTC(2026, 10, 1, 2) ? 7 : 8;
    return wall.getTime() + hours * 3_600_000;
  };

  it.each([
    ['2026-04-08T22:30', '2026-04-09T05:30:00Z'],
    ['2026-04-08 22:30', '2026-04-09T05:30:00Z'],
    ['2026-04-08 22:30:15.5', '2026-04-09T05:30:15Z'],
    ['2026-01-08T22:30', '2026-01-09T06:30:00Z'],
    ['2026-04-08', '2026-04-08T07:00:00Z'],
    ['[[2026-04-08]]', '2026-04-08T07:00:00Z'],
    ['[[Daily/2026-04-08|that day]]', '2026-04-08T07:00:00Z'],
    ['[[Daily/2026-04-08.md#Morning]]', '2026-04-08T07:00:00Z'],
    [[['2026-04-08']], '2026-04-08T07:00:00Z'],
    ['2026-03-08T02:30', '2026-03-08T10:30:00Z'], // a clock never shows it; it is 03:30 there
    ['2026-04-08T22:30Z', '2026-04-08T22:30:00Z'],
    ['2026-04-08T22:30:00+02:00', '2026-04-08T20:30:00Z'],
    [1_763_634_720, '2025-11-20T10:32:00Z'],
  ])('%j', (value, moment) => {
    expect(timestamp(noteTime(value, pacific) ?? new Date(0))).toBe(moment);
  });

  it.each([
    [['2026-04-08']],
    [[['a'], ['b']]],
    ['[[note]]'],
    ['[[2026-02-30]]'],
    ['yesterday'],
    [null],
    [undefined],
    [''],
  ])('none in %j', (value) => {
    expect(noteTime(value, pacific)).toBeNull();
  });

  it('goes by the zone of the host', () => {
    expect(noteTime('2026-04-08T22:30')).toEqual(new Date(2026, 3, 8, 22, 30));
    expect(noteTime('2026-04-08')).toEqual(new Date(2026, 3, 8));
    expect(noteTime('0087-04-08')?.getFullYear()).toBe(87);
  });
});

describe('isChangedSinceReview', () => {
  it.each([
    [{ promoted_at: '2026-11-20T10:32:00Z', updated_at: '2026-11-20T10:32:01Z' }, true],
    [{ promoted_at: '2026-11-20T10:32:00Z', updated_at: '2026-11-20T10:32:00Z' }, false],
    [{ promoted_at: '2026-11-20T10:32:00Z', updated_at: '2026-11-19T10:32:00Z' }, false],
    [{ promoted_at: null, updated_at: '2026-11-19T10:32:00Z' }, false],
    [{ updated_at: '2026-11-19T10:32:00Z' }, false],
    [{ promoted_at: '2026-11-20T10:32:00Z' }, false],
  ])('%j', (frontmatter, changed) => {
    expect(isChangedSinceReview(frontmatter)).toBe(changed);
  });
});
