import * as fc from 'fast-check';
import { lastWritten, localDate, parseTime, timestamp } from '../../../src/core/rules/time';

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
