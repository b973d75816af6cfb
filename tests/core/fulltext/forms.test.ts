import fc from 'fast-check';
import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { startOf, stemOf } from '../../../src/core/fulltext/stems';
import { dictionaryOf } from './packed-terms';
import { type Doc, indexOf, packed, putDoc, unpacked } from './index-model';

const docs = (texts: Readonly<Record<string, string>>): Doc[] =>
  Object.entries(texts).map(([path, body]) => ({ path, title: path, body }));
const found = (texts: Readonly<Record<string, string>>, query: string): string[] =>
  indexOf(docs(texts))
    .search(query, { limit: 30 })
    .map(({ item }) => item.path);

const letters = fc.string({ unit: fc.constantFrom(...'abelst'), minLength: 1, maxLength: 7 });
const word = fc.tuple(letters, fc.constantFrom('', 's', 'ing', 'ed', 'ly', 'ies', 'y', 'iliti', 'able', 'e'));
const words = word.map((parts) => parts.join(''));

describe('the forms of a word', () => {
  it('are all terms with its stem', () => {
    fc.assert(
      fc.property(fc.uniqueArray(words, { maxLength: 40 }), words, (vocabulary, asked) => {
        const dictionary = dictionaryOf(vocabulary);
        const forms = () =>
          dictionary
            .formsOf(stemOf(asked))
            .map((number) => dictionary.text(number))
            .sort();
        const before = vocabulary.filter((each) => stemOf(each) === stemOf(asked)).sort();
        expect(forms()).toEqual(before);
        dictionary.keepOnly((number) => number % 2 === 0);
        const kept = vocabulary.filter((_, at) => at % 2 === 1 && before.includes(vocabulary[at] ?? ''));
        expect(forms()).toEqual(kept.sort());
      }),
    );
  });

  it('begin with the same letters', () => {
    fc.assert(fc.property(words, (each) => expect(each.startsWith(startOf(stemOf(each)))).toBe(true)));
  });

  it('are found by any of them, the one that is asked for first', () => {
    const others = Object.fromEntries(
      Array.from({ length: 15 }, (_, n) => [`n${n}`, 'incapacitated people rest']),
    );
    const texts = { ...others, wanted: `incapacitating ${'more words of another kind '.repeat(12)}` };
    expect(found(texts, 'incapacitating')).toHaveLength(16);
    expect(found(texts, 'incapacitating')[0]).toBe('wanted');
    expect(found(texts, '"incapacitating"')).toEqual(['wanted']);
  });

  it('are found from a file as before, and with what is added to it', () => {
    const all = docs({ a: 'one server', b: 'two servers', c: 'serving tea' });
    const index = unpacked(packed(indexOf(all)), new Map(all.map((doc) => [doc.path, doc])));
    if (index === null) throw new Error('The bytes are refused.');
    putDoc(index, { path: 'd', title: 'd', body: 'a serverless night of servers' });
    const paths = (query: string) => index.search(query, { limit: 9 }).map(({ item }) => item.path);
    expect(paths('server ').sort()).toEqual(['a', 'b', 'd']);
    expect(paths('serverl')).toEqual(['d']);
  });
});

it('puts a rare form first that is asked for, however frequent the others are', () => {
  const others = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`n${n}`, 'connected connected connection connecting']),
  );
  const texts = { ...others, wanted: `connects ${'more words of another kind '.repeat(30)}` };
  expect(found(texts, 'connects ')[0]).toBe('wanted');
});

it('plans a query once until the index changes', () => {
  const index = indexOf(docs({ a: 'a kettle of tea' }));
  const plan = index.plan('kettel');
  expect(index.plan('kettel')).toBe(plan);
  expect(index.plan('kettel', false)).not.toBe(plan);
  putDoc(index, { path: 'b', title: 'b', body: 'the kettel' });
  expect(index.plan('kettel').guesses).toEqual([]);
});

it('counts each completion once', () => {
  const many = Array.from(
    { length: 6000 },
    (_, n) => `wor${n.toString(36).replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)] ?? '')}`,
  );
  const index = indexOf(docs({ a: many.join(' '), hidden: 'tea' })).seenBy((path) => path !== 'hidden');
  const counted = jest.spyOn(index, 'documents');
  index.search('wor', { limit: 1 });
  expect(counted.mock.calls.length).toBeLessThan(1.1 * new Set(many).size + 50);
});

it('counts a misspelled word less than an unfinished one', () => {
  const texts = { a: 'a kettle', b: 'the frontmatter' };
  expect(found(texts, 'kettel frontm')).toEqual(['b', 'a']);
  expect(found({ a: texts.b, b: texts.a }, 'kettel frontm')).toEqual(['a', 'b']);
});

describe('the last word of a query', () => {
  const vault = {
    kubernetes: 'the Kubernetes cluster',
    kubevirt: 'KubeVirt runs machines',
    zebra: 'a zebra in a zoo',
    import: 'importing notes is important',
    tube: 'a tube of paint',
  };

  it.each([
    ['kuber', ['kubernetes']],
    ['kube', ['kubernetes', 'kubevirt']],
    ['kube ', ['kubevirt']],
    ['zeb', ['zebra']],
    ['z', ['zebra']],
    ['z ', []],
    ['importin', ['import']],
    ['cluster kub', ['kubernetes', 'kubevirt']],
  ])('%j finds what begins with it', (query, expected) => {
    expect(found(vault, query).sort()).toEqual(expected);
  });

  it('counts more as it stands than as the beginning of another word', () => {
    expect(found({ longer: 'networkmanager', word: 'network' }, 'network')).toEqual(['word', 'longer']);
  });

  it('finds something from the first letter of any word on', () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom(...'abcдеצ東1é'), minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, fc.nat(11), fc.integer({ min: 1, max: 6 }), (all, at, size) => {
        const wanted = Array.from(all[at % all.length] ?? '');
        const typed = wanted.slice(0, size).join('');
        expect(found({ note: all.join(' ') }, typed)).toEqual(['note']);
      }),
    );
  });
});

it('lets no rare longer word outweigh a frequent one that was typed', () => {
  const index = new SearchIndex<{ readonly path: string }>();
  const put = (path: string, ...names: string[]) =>
    index.put(
      { path },
      index.prepare([
        ...names.map((text) => ({ kind: 'name' as const, text })),
        {
          kind: 'text',
          text: `${names[0] ?? ''} ${!path.startsWith('shelf') ? `replaced a ${path.split('/')[0] ?? ''}` : `one disk among ${'other words '.repeat(50)}`}`,
        },
      ]),
    );
  for (let at = 0; at < 30; at += 1) put(`disk/${at}`, `Disk ${at}`);
  for (let at = 0; at < 30; at += 1) put(`other/${at}`, `Rack ${at}`);
  put('shelf/1', 'Shelf', 'disk-58');
  expect(index.search('disk', { limit: 1 })[0]?.item.path).toMatch(/^disk/);
  expect(index.search('disk', { limit: 40 })).toHaveLength(31);
});

it('puts the note with the very form first when that form alone is typed, above notes full of its other forms', () => {
  const others = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`other/${at}`, `identify ${'identified identifying '.repeat(9)}`]),
  );
  const rest = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`rest/${at}`, 'a zebra in a zoo']));
  const long = `identifies ${'zebras said much else '.repeat(30)}`;
  expect(found({ ...others, ...rest, long }, 'identifies ')[0]).toBe('long');
});

it.each(['grüne', 'Schöne', 'ältere'])('counts %j once, though it has two spellings', (word) => {
  const vault = {
    ...Object.fromEntries([1, 2, 3].map((at) => [`often/${at}`, `${word} Tasse`])),
    ...Object.fromEntries([1, 2].map((at) => [`rare/${at}`, 'kleine Lampe'])),
  };
  expect(found(vault, `${word} Lampe `).slice(0, 2).sort()).toEqual(['rare/1', 'rare/2']);
});

it('finds a name in both spellings by either', () => {
  const vault = { umlaut: 'bei Müller', spelled: 'bei Mueller', bare: 'bei Muller' };
  expect(found(vault, 'Müller').sort()).toEqual(['bare', 'spelled', 'umlaut']);
  expect(found(vault, 'Mueller').sort()).toEqual(['spelled', 'umlaut']);
});
