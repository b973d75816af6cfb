import { ERROR_CODES } from '../../../src/core/base/errors';
import { errorWords } from '../../../src/ui/kit/error-words';

it('has plain words for every code, each its own', () => {
  const words = ERROR_CODES.map(errorWords);
  expect(words.filter((each) => each === 'Failed' || each.includes('_'))).toEqual([]);
  expect(new Set(words).size).toBe(words.length);
});

it.each(['', 'a_code_of_tomorrow', 'constructor'])('says of %p that it failed', (code) => {
  expect(errorWords(code)).toBe('Failed');
});
