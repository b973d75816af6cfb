import lunr from 'lunr';
import { isStopWord, isStopWordIn } from '../../../src/core/search/stop-words';
import { unitsOf } from '../../../src/core/search/unit-text';

const isLunrs = (word: string): boolean => lunr.stopWordFilter(new lunr.Token(word, {})) === undefined;

it("holds lunr's stop words and no others, as text and as units", () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const short = letters.flatMap((a) =>
    letters.flatMap((b) => [a, a + b, ...letters.flatMap((c) => [a + b + c])]),
  );
  const words =
    'able about across after almost also among been because cannot could dear does either else ever every from have hers him how however into just least like likely might most must neither often only other rather said says should since some than that their them then there these they this twas wants were what when where which while who whom why will with would your yourself constructor toString bathe ants'.split(
      ' ',
    );
  for (const word of [...short, ...words, '']) {
    expect([word, isStopWord(word)]).toEqual([word, isLunrs(word)]);
    expect([word, isStopWordIn(unitsOf(`x${word}x`), 1, 1 + word.length)]).toEqual([word, isLunrs(word)]);
  }
  // None is missing above: so many does lunr list.
  expect(new Set([...short, ...words].filter(isLunrs)).size).toBe(119);
});
