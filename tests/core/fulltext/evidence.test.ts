import fc from 'fast-check';
import { mostHoldersOfRare } from '../../../src/core/fulltext/evidence';
import { SearchIndex } from '../../../src/core/fulltext/search-index';

interface Item {
  readonly path: string;
  readonly raw: boolean;
}

function indexOf(texts: readonly { readonly words: readonly string[]; readonly raw?: boolean }[]) {
  const index = new SearchIndex<Item>(({ raw }) => ({ raw }));
  texts.forEach(({ words, raw = false }, n) => {
    index.put({ path: `${n}.md`, raw }, index.prepare([{ kind: 'text', text: words.join(' ') }]));
  });
  return index;
}

describe('mostHoldersOfRare', () => {
  it.each([
    [0, 3],
    [1, 3],
    [9, 3],
    [16, 4],
    [99, 9],
    [100, 10],
    [400, 20],
    [10_000, 100],
  ])('of %d documents is %d', (documents, most) => {
    expect(mostHoldersOfRare(documents)).toBe(most);
  });
});

describe('evidence', () => {
  it.each([
    ['a word of three documents', ['ptp'], 'ptp', true],
    ['a stop word', ['the'], 'the', false],
    ['one letter', ['x'], 'x', false],
    ['a number of two digits', ['42'], '42', false],
    ['a number of four digits', ['1420'], '1420', true],
    ['a pair of characters of a script without spaces', ['同步'], '同步', true],
  ])('knows %s', (_, words, term, isRare) => {
    const index = indexOf([{ words }, { words }, { words }]);
    expect(index.evidence([term], undefined, false).isEmpty).toBe(!isRare);
  });

  it('counts neither queued documents nor the document itself', () => {
    const words = ['ptp'];
    const queued = Array.from({ length: 8 }, () => ({ words, raw: true }));
    const index = indexOf([{ words }, { words }, { words }, { words }, ...queued]);
    expect(index.evidence(words, undefined, false).isEmpty).toBe(true);
    const evidence = index.evidence(words, '0.md', false);
    expect(index.rareTermsIn('1.md', evidence)).toEqual(words);
    expect(index.rareTermsIn('0.md', evidence)).toEqual([]);
    expect(index.rareTermsIn('5.md', evidence)).toEqual([]);
  });

  it('is what counting over all documents says, after any changes', () => {
    const word = fc.constantFrom('alpha', 'bravo', 'delta', 'gamma', 'omega', 'sigma');
    const text = fc.record({ words: fc.uniqueArray(word, { maxLength: 6 }), raw: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(29), text), { maxLength: 10 }),
        fc.uniqueArray(word),
        fc.boolean(),
        (texts, changes, wanted, isQueued) => {
          const index = indexOf(texts);
          const now = new Map(texts.map((each, n) => [`${n}.md`, each]));
          for (const [n, each] of changes) {
            const path = `${n}.md`;
            if (each.words.length === 0) {
              index.drop(path);
              now.delete(path);
            } else {
              const document = index.prepare([{ kind: 'text', text: each.words.join(' ') }]);
              index.put({ path, raw: each.raw }, document);
              now.set(path, each);
            }
          }
          const terms = wanted.flatMap((each) => index.analyser.terms(each));
          const own = '0.md';
          const others = [...now].filter(([path, { raw }]) => path !== own && raw === isQueued);
          const rare = wanted.filter((each) => {
            const holders = others.filter(([, { words }]) => words.includes(each)).length;
            return holders > 0 && holders <= mostHoldersOfRare(others.length);
          });
          const evidence = index.evidence(terms, own, isQueued);
          expect(evidence.isEmpty).toBe(rare.length === 0);
          for (const [path, { words }] of others) {
            const shared = rare.filter((each) => words.includes(each));
            const found = index.rareTermsIn(path, evidence);
            expect([...found].sort()).toEqual(shared.flatMap((each) => index.analyser.terms(each)).sort());
          }
        },
      ),
    );
  });
});
