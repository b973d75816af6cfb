import * as fc from 'fast-check';
import { offsetsOf, rowAt } from '../../../src/ui/kit/lists';

it('finds the row in which a pixel lies, as counting does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      fc.nat(20_000),
      (heights, pixel) => {
        let row = 0;
        let bottom = heights[0] ?? 0;
        while (row < heights.length - 1 && pixel >= bottom) {
          row += 1;
          bottom += heights[row] ?? 0;
        }
        expect(rowAt(offsetsOf(heights), pixel)).toBe(row);
      },
    ),
  );
});

it('finds nothing wrong with an empty list', () => {
  expect(offsetsOf([])).toEqual([0]);
  expect(rowAt([0], 100)).toBe(0);
});
