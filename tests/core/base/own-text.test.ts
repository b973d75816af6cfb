import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { detachMap, detachString, detachValue } from '../../../src/core/base/text';

it('is the very same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(detachString(text)).toBe(text);
    }),
  );
});

it('is the same value, with maps that have no prototype', () => {
  const value = { list: ['a', { b: 'c' }], none: null, ['__proto__']: { x: 'y' }, toString: 'z' };
  const own = detachMap(value);
  expect(JSON.stringify(own)).toBe(JSON.stringify(value));
  expect(Object.getPrototypeOf(own)).toBeNull();
  expect(Object.getPrototypeOf(own.__proto__)).toBeNull();
  expect(detachValue(7)).toBe(7);
});

it('does not keep a long text alive for a short piece of it', () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const keptBy = (piece: (text: string) => string): number => {
    gc();
    const before = process.memoryUsage().heapUsed;
    const pieces = Array.from({ length: 20 }, (_, n) => piece(`${n} `.repeat(200_000).slice(1000, 1040)));
    gc();
    const kept = process.memoryUsage().heapUsed - before;
    expect(pieces).toHaveLength(20);
    return kept;
  };
  // The texts are 8 MB together. Other work of the process may let go of memory meanwhile, so one clear round in five will do.
  const rounds = Array.from({ length: 5 }, () => keptBy((text) => text) - keptBy(detachString));
  expect(Math.max(...rounds)).toBeGreaterThan(5e6);
});
