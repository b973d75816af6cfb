import { Analyser } from '../../../src/core/search/analyse';
import { planSearch } from '../../../src/core/search/query-terms';

/** A vocabulary in which these terms occur; counts how often it is walked. */
function vocabularyOf(...known: string[]) {
  return {
    walks: 0,
    frequency: (term: string) => (known.includes(term) ? 1 : 0),
    near(): readonly string[] {
      this.walks += 1;
      return known.filter((term) => term === 'wireguard');
    },
    around(character: string): readonly string[] {
      this.walks += 1;
      return known.filter((term) => term !== character && term.includes(character));
    },
  };
}

function phrasesOf(query: string, ...known: string[]) {
  return planSearch(query, new Analyser(), vocabularyOf(...known)).phrases;
}

describe('planSearch', () => {
  it('walks the vocabulary only so often, whatever the query', () => {
    const vocabulary = vocabularyOf('wireguard', '水火');
    vocabulary.frequency = () => 0;
    const unknown = Array.from(
      { length: 200 },
      (_, n) => `wiregaurd 水 a-${'xyzzy-'.repeat(n % 5)}b "火"`,
    ).join(' ');
    const { groups } = planSearch(unknown, new Analyser(), vocabulary);
    expect(groups).toEqual([['wireguard'], ['水火']]);
    expect(vocabulary.walks).toBe(8);
  });

  it.each([
    ['as often as it is written', '"mtu vpn" "mtu vpn" «Mtu  Vpn»', [[['mtu'], ['vpn']]]],
    ['of one word', '"mtu" "mtu" “MTU”', [[['mtu']]]],
    [
      'in each of its orders',
      '"mtu vpn" "vpn mtu"',
      [
        [['mtu'], ['vpn']],
        [['vpn'], ['mtu']],
      ],
    ],
    ['with a word that does not occur', '"mtu three"', [[['mtu'], []]]],
    ['of nothing', '"" "?!"', []],
  ])('wants a phrase once: %s', (_, query, expected) => {
    expect(phrasesOf(query, 'mtu', 'vpn')).toEqual(expected);
  });

  it('wants the first sixteen phrases and scores the words of the others', () => {
    const words = Array.from({ length: 20 }, (_, n) => `w${n + 10}`);
    const query = words.map((word) => `"${word}"`).join(' ');
    const plan = planSearch(query, new Analyser(), vocabularyOf(...words));
    expect(plan.phrases).toEqual(words.slice(0, 16).map((word) => [[word]]));
    expect(plan.groups).toHaveLength(20);
  });
});
