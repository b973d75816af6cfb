import fc from 'fast-check';
import { occurrences } from '../../../src/core/model/quotes';
import { cpuMs } from '../../support/cpu';

const all = (text: string, wanted: string) => [...occurrences(text, wanted)];

it('finds every place, overlapping ones too', () => {
  expect(all('abababa', 'aba')).toEqual([0, 2, 4]);
  expect(all('abc', 'd')).toEqual([]);
  expect(all('ab', 'abc')).toEqual([]);
});

it('finds what looking at each place finds', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'aaaaaaaa'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (whole, wanted) => {
      fc.pre(wanted !== '');
      const places = Array.from(whole, (_, at) => at).filter((at) => whole.startsWith(wanted, at));
      expect(all(whole, wanted)).toEqual(places);
    }),
    { numRuns: 3_000 },
  );
});

it('takes linear time where both repeat themselves', () => {
  const text = 'a '.repeat(500_000);
  const started = cpuMs();
  expect(all(text, `${'a '.repeat(3_000)}b`)).toEqual([]);
  expect(all(text, `b${' a'.repeat(3_000)}`)).toEqual([]);
  expect(all(text, 'a '.repeat(3_000))).toHaveLength(497_001);
  expect(cpuMs() - started).toBeLessThan(2_000);
});
