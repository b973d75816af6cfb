import lunr from 'lunr';
import { isStopWord } from '../../../src/core/search/stop-words';

const isLunrs = (word: string): boolean => lunr.stopWordFilter(new lunr.Token(word, {})) === undefined;

it("holds lunr's stop words and no others", () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const short = letters.flatMap((a) =>
    letters.flatMap((b) => [a, a + b, ...letters.flatMap((c) => [a + b + c])]),
  );
  const words =
    'about across almost because cannot either however likely neither rather should yourself their'.split(
      ' ',
    );
  for (const word of [...short, ...words]) expect([word, isStopWord(word)]).toEqual([word, isLunrs(word)]);
});
