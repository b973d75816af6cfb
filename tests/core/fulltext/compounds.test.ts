import fc from 'fast-check';
import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { planSearch, splitWord } from '../../../src/core/fulltext/query';
import { Analyser } from '../../../src/core/fulltext/terms';

interface Doc {
  readonly path: string;
  readonly text: string;
}

function indexOf(texts: Readonly<Record<string, string>>): SearchIndex<Doc> {
  const index = new SearchIndex<Doc>();
  for (const [path, text] of Object.entries(texts)) {
    index.put({ path, text }, index.prepare([{ kind: 'text', text }]));
  }
  return index;
}

const filler = (word: string) => `${word} lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam`;

describe('a word that is written as one of several parts', () => {
  const texts = {
    ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`n${n}`, filler(`note${n}`)])),
    words: filler('backup disk server'),
    again: filler('backup disk server'),
    name: filler('MAX_OPEN_FILE_LIMIT'),
    'name too': filler('MAX_OPEN_FILE_LIMIT'),
  };

  it('counts for less than three words, however many parts it has', () => {
    const found = indexOf(texts).search('MAX_OPEN_FILE_LIMIT backup disk server', { limit: 4 });
    expect(found.map(({ item }) => item.path)).toEqual(['again', 'words', 'name', 'name too']);
  });

  it('counts in full where it is written as several words, and nowhere as one', () => {
    const apart = Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, text.replaceAll('_', ' ')]),
    );
    const found = indexOf(apart).search('MAX_OPEN_FILE_LIMIT backup disk server', { limit: 4 });
    expect(found.map(({ item }) => item.path)).toEqual(['name', 'name too', 'again', 'words']);
  });

  it('tells of its parts with the weight that each of them has', () => {
    const [hit] = indexOf(texts).search('MAX_OPEN_FILE_LIMIT', { limit: 1 });
    const [part] = indexOf(texts).search('limit', { limit: 1 });
    expect(hit?.terms.get('limit')).toBe(part?.terms.get('limit'));
  });
});

describe('a word that some write as one and others as two', () => {
  const spellings = ['Wi-Fi', 'wifi', 'WiFi', 'wi_fi', 'WI-FI', 'Wi\u2011Fi'];
  const found = (texts: Readonly<Record<string, string>>, query: string) =>
    indexOf(texts)
      .search(query, { limit: 10 })
      .map(({ item }) => item.path);

  it.each(spellings)('is found however it is written: %s', (query) => {
    const texts = Object.fromEntries(spellings.map((spelling) => [spelling, filler(spelling)]));
    expect(found(texts, query).sort()).toEqual([...spellings].sort());
  });

  it.each([
    ['plugins', 'a plug-in'],
    ['plug-ins', 'the plugin'],
    ['NodeJS', 'on Node.js'],
    ['GPT4', 'asks GPT-4'],
    ['trash_file', 'calls trashFiles'],
    ['Bürostuhl', 'ein Büro-Stuhl'],
    ['home lab', 'the homelab'],
    ['Home  Lab', 'the HOMELABS'],
    ['front matter', 'its frontmatter'],
    ['homelab', 'the home lab'],
    ['frontmatter', 'YAML front matters'],
  ])('%s finds: %s', (query, text) => {
    expect(found({ wanted: text, other: 'lorem ipsum' }, query)).toEqual(['wanted']);
  });

  it.each([
    ['1.2', 'version 12'],
    ['v1.2', 'v12'],
    ['2026-11-20', 'number 20261120'],
    ['ho, melab', 'the homelab'],
    ['in put', 'an input'],
    ['carpet', 'a pet in the car'],
    ['carpet', 'a pet car'],
  ])('%s does not find: %s', (query, text) => {
    expect(found({ other: text }, query)).toEqual([]);
  });

  it('counts no more as one than as two', () => {
    const texts = {
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, filler(`note${n}`)])),
      one: filler('homelab'),
      two: filler('home lab'),
    };
    const [first, second] = indexOf(texts).search('home lab', { limit: 3 });
    expect([first?.item.path, second?.item.path]).toEqual(['two', 'one']);
  });

  it('is looked for as two words only where it stands nowhere as one, and says so', () => {
    const index = indexOf({ two: 'a home lab', one: 'my homelab' });
    expect(index.search('homelab', { limit: 3 }).map(({ item }) => item.path)).toEqual(['one']);
    index.drop('one');
    const { guesses } = planSearch('homelab', index.analyser, index);
    expect(guesses).toEqual([{ word: 'homelab', terms: ['home', 'lab'] }]);
  });

  it('is taken apart where its halves stand together most', () => {
    const index = indexOf({ a: 'super man', b: 'sup erman', c: 'sup erman', d: 'supe rman rman supe supe' });
    const { guesses } = planSearch('superman', index.analyser, index);
    expect(guesses).toEqual([{ word: 'superman', terms: ['sup', 'erman'] }]);
  });
});

describe('a word with a hyphen and a phrase in quotes', () => {
  const holds = (text: string, phrase: string): boolean =>
    indexOf({ a: text }).search(`"${phrase}"`, { limit: 1 }).length === 1;
  // Of many such words the stem of the whole reaches into the last part: webserv, userag, datacent, windows.
  const words = [
    ...['web-server', 'web-servers', 'user-agent', 'up-to-date', 'data-center', 'window-size', 'end-user'],
    ...['time-table', 'out-of-date', 'error-rate', 'self-hosted', 'real-time', 'semi-final', 'well-known'],
  ];

  it.each(words)('are the same, whichever of them is looked for: %s', (word) => {
    const apart = word.replaceAll('-', ' ');
    expect([holds(`the ${word} log`, `${apart} log`), holds(`the ${apart} log`, `${word} log`)]).toEqual([
      true,
      true,
    ]);
  });

  it('are the same for any parts whose stems have three letters', () => {
    const ends = ['', 's', 'ed', 'ing', 'er', 'ation', 'ment', 'ness', 'ly', 'y', 'e', 'ize', 'ful', 'ical'];
    const part = fc
      .tuple(
        fc.constantFrom('serv', 'cent', 'agent', 'gener', 'stat', 'nat', 'tim', 'read'),
        fc.constantFrom(...ends),
      )
      .map((both) => both.join(''));
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), (parts) => {
        expect(holds(`the ${parts.join('-')} log`, `${parts.join(' ')} log`)).toBe(true);
        expect(holds(`the ${parts.join(' ')} log`, `${parts.join('-')} log`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a word that is joined to another one', () => {
  const first = (texts: Readonly<Record<string, string>>, query: string) =>
    indexOf(texts).search(query, { limit: 1 })[0]?.item.path;
  const many = (text: string) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}`, text]));

  it.each([
    ['V-2 rocket', 'the V-2 was built', 'step 2 of the plan'],
    ['U.S. policy', 'the U.S. was there', 'what is with us in it'],
    ['W.H.O. report', 'the W.H.O. was there', 'who was that'],
    ['I.T. report', 'the I.T. was there', 'it was that'],
  ])('is looked for as itself: %s', (query, wanted, other) => {
    expect(first({ ...many(filler(other)), wanted: filler(wanted) }, query)).toBe('wanted');
    expect(first({ ...many(filler(other)), wanted: filler(wanted) }, query.split(' ')[0] ?? '')).toBe(
      'wanted',
    );
  });

  it('is none where the two are a stop word, or end within a character', () => {
    expect(first({ a: 'or else', b: 'what an el' }, 'el se')).toBe('b');
    expect(first({ a: 'ab cd' }, 'ab\u{10428}cd')).toBeUndefined();
  });

  it('takes no guess from others that are typed wrongly', () => {
    const query = 'bratwurst kartoffel sauerkraut zwiebel wiregaurd';
    expect(first({ a: 'the wireguard tunnel' }, query)).toBe('a');
  });

  it('is looked for in few ways, however many there are', () => {
    let looks = 0;
    const everything = {
      number: () => 1,
      text: () => '',
      documents: () => 1,
      isStopWord: () => false,
      forms: () => [1],
      relatives: () => [],
      compounds: () => [],
      beginning: () => [],
      near: () => [],
      around: () => [],
      areAdjacent: () => (looks += 1) < 0,
    };
    expect(splitWord('z'.repeat(100), everything)).toBeNull();
    expect(looks).toBe(4);
    const plan = planSearch(Array<string>(20).fill('z'.repeat(90)).join(' '), new Analyser(), {
      ...everything,
      number: (term) => (term.length < 80 ? 1 : 0),
      forms: (stem) => (stem.length < 80 ? [1] : []),
    });
    expect([plan.groups, looks]).toEqual([[], 4 + 4 * 4]);
  });
});
