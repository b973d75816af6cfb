import * as fc from 'fast-check';
import { parseWindow } from '../../../src/core/base/time';
import { refusal } from '../../support/refusal';

const HOUR = 3_600_000;

describe('parseWindow', () => {
  it.each([
    ['1h', HOUR],
    ['24h', 24 * HOUR],
    ['7d', 168 * HOUR],
    ['3650d', 87_600 * HOUR],
    ['87600h', 87_600 * HOUR],
  ])('%s', (text, length) => {
    expect(parseWindow(text)).toBe(length);
  });

  it.each([
    ...[
      '',
      '0d',
      '0h',
      '07d',
      '-1d',
      '+1d',
      '1.5d',
      '1',
      'd',
      '7D',
      '7 d',
      ' 7d',
      '7d ',
      '7d\n',
      '7w',
      '1d12h',
      '٧d',
    ],
    ...['3651d', '87601h', `${'9'.repeat(400)}d`],
  ])('refuses %j', (text) => {
    const { code, message } = refusal(() => parseWindow(text));
    expect(code).toBe('invalid_window');
    expect(message).toContain('"7d"');
  });

  it('reads every length up to ten years', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3650 }), (n) => {
        expect(parseWindow(`${n}d`)).toBe(n * 24 * HOUR);
        expect(parseWindow(`${n}h`)).toBe(n * HOUR);
      }),
      { numRuns: 1000 },
    );
  });
});
