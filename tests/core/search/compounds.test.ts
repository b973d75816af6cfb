import { Bm25Index } from '../../../src/core/search/bm25';

interface Doc {
  readonly path: string;
  readonly text: string;
}

function indexOf(texts: Readonly<Record<string, string>>): Bm25Index<Doc> {
  const index = new Bm25Index<Doc>();
  for (const [path, text] of Object.entries(texts)) {
    index.put({ path, text }, index.prepare([{ text, weight: 1 }]));
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
