import fc from 'fast-check';
import lunr from 'lunr';
import { isStopWord } from '../../../src/core/fulltext/stop-words';
import { Analyser } from '../../../src/core/fulltext/terms';

const lunrs = (word: string): string => lunr.stemmer(new lunr.Token(word, {})).toString();

const analyser = new Analyser();

/** The stem of a word that stands between others. */
function ours(word: string): string | undefined {
  const terms = analyser.all(`eed ${word} ing`);
  expect(terms).toEqual(['e', expect.any(String), 'ing']);
  return terms[1];
}

/** What the steps of the algorithm cut off, look for, or leave. */
const PIECES =
  'sses ies ss s eed ed ing at bl iz y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize ion sion tion e ll l b c d yy a o u w x hop sky bb pp tt'.split(
    ' ',
  );
const piece = fc.oneof(fc.constantFrom(...PIECES), fc.stringMatching(/^[a-z]{1,3}$/));
const word = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));

it.each([
  ['caresses', 'caress'],
  ['ponies', 'poni'],
  ['agreed', 'agre'],
  ['feed', 'feed'],
  ['bled', 'bled'],
  ['ated', 'at'],
  ['hopping', 'hop'],
  ['hoping', 'hope'],
  ['sky', 'ski'],
  ['yield', 'yield'],
  ['generalization', 'gener'],
  ['controlling', 'control'],
  ['is', 'is'],
])('%s is %s', (from, to) => {
  expect(ours(from)).toBe(to);
});

it("is what lunr's stemmer gives, letter by letter", () => {
  fc.assert(
    fc.property(
      word.filter((each) => !isStopWord(each)),
      (each) => expect(ours(each)).toBe(lunrs(each)),
    ),
    { numRuns: 20_000 },
  );
});

it("is what lunr's stemmer gives for every word of one to three letters", () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const two = letters.flatMap((a) => letters.map((b) => a + b));
  const all = [...letters, ...two, ...two.flatMap((ab) => letters.map((c) => ab + c))];
  expect(all.filter((each) => !isStopWord(each) && ours(each) !== lunrs(each))).toEqual([]);
});
