import * as fc from 'fast-check';
import { isBlank, withoutNul } from '../../../src/core/base/text';

const UNSEEN = [
  ...' \t\r\n\0\u00a0\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f\u3000',
  '\u{e0100}',
  '\u{e0041}',
];

describe('a text', () => {
  it('of which nothing can be seen is blank, whatever it is made of', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...UNSEEN)), (parts) => isBlank(parts.join(''))));
  });

  it.each(['a', '.', '家', '👩\u200d🚒', '❤\ufe0f', '1\ufe0f\u20e3', '\u0301', '\ufffd'])(
    'with %s in it is not, wherever that stands',
    (seen) => {
      const around = fc.array(fc.constantFrom(...UNSEEN)).map((parts) => parts.join(''));
      fc.assert(fc.property(around, around, (before, after) => !isBlank(before + seen + after)));
    },
  );

  it('keeps its length and all but its NULs', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\0', '\ufffd', '👩') }), (text) => {
        const without = withoutNul(text);
        return (
          without.length === text.length &&
          !without.includes('\0') &&
          without === text.split('\0').join('\ufffd')
        );
      }),
    );
  });
});
