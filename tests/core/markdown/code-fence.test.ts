import fc from 'fast-check';
import { fenceAround } from '../../../src/core/markdown/fence';

it.each(['`', '~'] as const)('is of three or more %s, and no part of the text', (character) => {
  const piece = fc.constantFrom('`', '~', '``', '~~~~', 'a', '\n');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const fence = fenceAround(text, character);
      expect(new Set(fence)).toEqual(new Set([character]));
      expect(text).not.toContain(fence);
      expect(fence.length === 3 || text.includes(fence.slice(1))).toBe(true);
      expect(fence.length).toBeGreaterThanOrEqual(3);
    }),
  );
});
