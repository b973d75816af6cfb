import { planSearch } from '../../../src/core/fulltext/query';
import { stemOf } from '../../../src/core/fulltext/stems';
import { isStopWord } from '../../../src/core/fulltext/stop-words';
import { Analyser } from '../../../src/core/fulltext/terms';

/** A vocabulary in which these terms occur; counts how often it is walked. */
function vocabularyOf(...known: string[]) {
  const numbers = (isFound: (term: string) => boolean): readonly number[] =>
    known.flatMap((term, at) => (isFound(term) ? [at + 1] : []));
  return {
    walks: 0,
    number: (term: string) => known.indexOf(term) + 1,
    text: (number: number) => known[number - 1] ?? '',
    documents: () => 1,
    isStopWord: (number: number) => isStopWord(known[number - 1] ?? ''),
    areAdjacent: () => false,
    relatives: () => [],
    compounds: () => [],
    forms(stem: string): readonly number[] {
      return numbers((term) => this.number(term) > 0 && stemOf(term) === stem);
    },
    beginning(term: string): readonly number[] {
      return numbers((other) => other !== term && other.startsWith(term));
    },
    near(): readonly number[] {
      this.walks += 1;
      return numbers((term) => term === 'wireguard');
    },
    around(character: string): readonly number[] {
      this.walks += 1;
      return numbers((term) => term !== character && term.includes(character));
    },
  };
}

/** The phrases and groups of a plan with their terms as texts. */
function planned(query: string, vocabulary: ReturnType<typeof vocabularyOf>) {
  const plan = planSearch(query, new Analyser(), vocabulary);
  const texts = (groups: readonly (readonly number[])[]) => groups.map((group) => group.map(vocabulary.text));
  return {
    ...plan,
    groups: texts(plan.groups.map(({ ids }) => ids)),
    phrases: plan.phrases.map(({ terms }) => texts(terms.map(({ matches }) => matches))),
  };
}

describe('planSearch', () => {
  it('walks the vocabulary only so often, whatever the query', () => {
    const vocabulary = vocabularyOf('wireguard', '水火');
    vocabulary.number = () => 0;
    const unknown = Array.from(
      { length: 200 },
      (_, n) => `wiregaurd 水 a-${'xyzzy-'.repeat(n % 5)}b "火"`,
    ).join(' ');
    const { groups } = planned(unknown, vocabulary);
    expect(groups).toEqual([['水火'], ['wireguard']]);
    // Eight for the words, one for the phrase.
    expect(vocabulary.walks).toBe(9);
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
    expect(planned(query, vocabularyOf('mtu', 'vpn')).phrases).toEqual(expected);
  });

  it('wants the first sixteen phrases and scores the words of the others', () => {
    const words = Array.from({ length: 20 }, (_, n) => `w${n + 10}`);
    const query = words.map((word) => `"${word}"`).join(' ');
    const plan = planned(query, vocabularyOf(...words));
    expect(plan.phrases).toEqual(words.slice(0, 16).map((word) => [[word]]));
    expect(plan.groups).toHaveLength(20);
  });

  it('scores a word once, and stop words only when there is nothing else', () => {
    const groupsOf = (query: string) => planned(query, vocabularyOf('mtu', 'the', 'vpn', 'of')).groups;
    expect(groupsOf('The MTU of the VPN, mtu')).toEqual([['mtu'], ['vpn']]);
    expect(groupsOf('of the')).toEqual([['of'], ['the']]);
    expect(groupsOf('absent')).toEqual([]);
  });

  it('tells the parts of a word from the whole, without those that are words of the query or tell nothing', () => {
    const known = [
      'post',
      'gre',
      'sql',
      'postgresql',
      'up',
      'to',
      'uptodate',
      'date',
      'l',
      'index',
      'git',
      'hub',
      'github',
    ];
    const compoundsOf = (query: string) => {
      const vocabulary = vocabularyOf(...known);
      return planSearch(query, new Analyser(), vocabulary).compounds.map(({ whole, parts }) => [
        ...[whole, ...parts].flatMap(({ ids }) => ids.map(vocabulary.text)),
      ]);
    };
    expect(compoundsOf('PostgreSQL')).toEqual([['postgresql', 'sql']]);
    expect(compoundsOf('sql of PostgreSQL')).toEqual([['postgresql']]);
    expect(compoundsOf('up-to-date GitHub’s')).toEqual([
      ['uptodate', 'up', 'date'],
      ['github', 'git', 'hub'],
    ]);
    expect(compoundsOf('git-hub')).toEqual([['github', 'git', 'hub']]);
    // Where the whole stands nowhere the parts are all there is, and an apostrophe makes none.
    expect(compoundsOf("hub-git l'index index")).toEqual([]);
  });

  it('takes no word of another language for an English stop word that it is folded to', () => {
    const groupsOf = (query: string) => planned(query, vocabularyOf('a', 'is', 'mtu', 'it')).groups;
    expect(groupsOf('a mtu is')).toEqual([['mtu']]);
    expect(groupsOf('à mtu ís')).toEqual([['a'], ['mtu'], ['is']]);
    expect(groupsOf('it’s mtu')).toEqual([['mtu']]);
  });

  it('puts what a character stands for before the words as they were typed, whatever their order', () => {
    const vocabulary = vocabularyOf('火水', '火', '水火', '山川');
    const expected = [['火水', '火', '水火'], ['山川'], ['水火']];
    expect(planned('火 水火 山川', vocabulary).groups).toEqual(expected);
    expect(planned('山川 水火 火 火', vocabulary).groups).toEqual(expected);
  });

  it('puts very many words into one order', () => {
    const words = Array.from({ length: 200 }, (_, n) => `w${n + 100}`);
    const turned = planned(words.toReversed().join(' '), vocabularyOf(...words));
    expect(turned.groups).toEqual(words.map((word) => [word]));
  });

  it('knows the whole sequence only when every word occurs', () => {
    const sequenceOf = (query: string) => planned(query, vocabularyOf('mtu', 'vpn')).sequence;
    expect(sequenceOf('vpn mtu vpn')).toEqual([2, 1, 2]);
    expect(sequenceOf('vpn absent mtu')).toEqual([]);
    expect(sequenceOf('mtu '.repeat(65))).toEqual([]);
  });
});
