import fc from 'fast-check';
import { codeUnitAt } from '../../../src/core/fulltext/words';

describe('codeUnitAt', () => {
  it('is the unit that charCodeAt tells, in whole texts, joined ones and slices', () => {
    const text = fc.string({ unit: 'binary', minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(text, text, fc.nat({ max: 18 }), (first, second, from) => {
        for (const each of [first, first + second, (first + second).slice(from)]) {
          for (let at = 0; at < each.length; at += 1) expect(codeUnitAt(each, at)).toBe(each.charCodeAt(at));
        }
      }),
    );
  });
});
