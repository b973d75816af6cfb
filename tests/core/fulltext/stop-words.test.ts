import lunr from 'lunr';
import { readFileSync } from 'node:fs';
import { isStopWord, isStopWordIn } from '../../../src/core/fulltext/stop-words';
import { unitsOf } from '../../../src/core/fulltext/words';

const isLunrs = (word: string): boolean => lunr.stopWordFilter(new lunr.Token(word, {})) === undefined;
const isOurs = (word: string): boolean[] => [
  isStopWord(word),
  isStopWordIn(unitsOf(`x${word}x`), 1, 1 + word.length),
];

/** The list in lunr's own source, which does not give it away otherwise. */
function listed(): string[] {
  const source = readFileSync(require.resolve('lunr'), 'utf8');
  const list = /lunr\.stopWordFilter = lunr\.generateStopWordFilter\(\[([^\]]*)\]/.exec(source)?.[1] ?? '';
  return Array.from(list.matchAll(/'([^']+)'/g), ([, word = '']) => word);
}

it('knows every word that lunr lists, as text and as units', () => {
  const words = listed();
  expect(words).toHaveLength(119);
  for (const word of words) expect([word, isLunrs(word), ...isOurs(word)]).toEqual([word, true, true, true]);
});

it('knows no others', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const short = letters.flatMap((a) =>
    letters.flatMap((b) => [a, a + b, ...letters.flatMap((c) => [a + b + c])]),
  );
  const like = ['yourself', 'bathe', 'theme', 'ants', 'constructor', 'toString', 'The', ''];
  for (const word of [...short, ...like])
    expect([word, ...isOurs(word)]).toEqual([word, isLunrs(word), isLunrs(word)]);
});
