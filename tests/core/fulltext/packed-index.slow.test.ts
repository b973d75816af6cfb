import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { type Doc, emptyIndex, indexOf, packed, putDoc, seen, unpacked } from './index-model';

const DOCS: readonly Doc[] = [
  {
    path: 'b/mtu.md',
    title: 'WireGuard MTU',
    body: 'Set the MTU of the tunnel to 1420.',
    wing: 'net',
    hall: 'facts',
  },
  { path: 'a/東京.md', title: '東京の天気', body: '東京都の天気は晴れです。', wing: 'trips' },
  {
    path: 'c/odd\nname \ud800.md',
    title: 'Odd',
    body: 'A path with a line break and half a character.',
    raw: true,
  },
  { path: 'd/empty.md', title: '', body: '' },
  { path: 'e/long.md', title: 'Long', body: 'kettle tunnel '.repeat(90_000) },
  ...Array.from({ length: 50 }, (_, n) => ({
    path: `n/${n}`,
    title: `Note ${n}`,
    body: `tunnel word${n} and more`,
  })),
];
const QUERIES = ['wireguard mtu', '天気', 'tunnel', '"line break"', 'kettle', 'word7', 'wiregaurd'];
const byPath = new Map(DOCS.map((doc) => [doc.path, doc]));
const index = indexOf(DOCS);
const bare = emptyIndex();
const bytes = packed(index);

function answers(of: typeof index): unknown[] {
  return QUERIES.map((query) => seen(of.search(query, { limit: 40 })));
}

describe('a packed index', () => {
  it('answers as the one that it was made of, wherever its bytes stand', () => {
    for (const shift of [0, 1, 8]) {
      const elsewhere = new Uint8Array(bytes.length + shift);
      elsewhere.set(bytes, shift);
      const loaded = unpacked(elsewhere.subarray(shift), byPath);
      if (loaded === null) throw new Error('The index was refused.');
      expect(loaded.size).toBe(DOCS.length);
      expect(answers(loaded)).toEqual(answers(index));
      expect(seen(loaded.search('tunnel mtu', { limit: 9, wing: 'net' }))).toHaveLength(1);
    }
  });

  it('is the same bytes again after it was loaded, and whatever the order in which documents were put', () => {
    const loaded = unpacked(bytes.slice(), byPath);
    expect(loaded && packed(loaded)).toEqual(bytes);
  });

  it('has nothing of documents and terms that are gone', () => {
    const changed = indexOf([...DOCS, { path: 'gone', title: 'Gone', body: 'xylophone' }]);
    changed.drop('gone');
    const loaded = unpacked(packed(changed), byPath);
    expect(loaded && answers(loaded)).toEqual(answers(index));
    expect(loaded?.search('xylophone', { limit: 5 })).toEqual([]);
  });

  it('leaves out documents for which there is no item any more', () => {
    const fewer = DOCS.filter((_, n) => n % 3 !== 0);
    const loaded = unpacked(bytes.slice(), new Map(fewer.map((doc) => [doc.path, doc])));
    expect(loaded?.size).toBe(fewer.length);
    expect(loaded && answers(loaded)).toEqual(answers(indexOf(fewer)));
  });

  it('asks for every item once, a few in each step', () => {
    const many = Array.from({ length: 700 }, (_, n) => ({ path: `m/${n}`, title: 'Many', body: `pot ${n}` }));
    const asked: string[] = [];
    const steps = SearchIndex.unpackSteps<Doc>(packed(indexOf(many)), (path) => {
      asked.push(path);
      return { path, title: '', body: '' };
    });
    for (let before = 0; steps.next().done !== true; before = asked.length)
      expect(asked.length - before).toBeLessThanOrEqual(256);
    expect(asked.sort()).toEqual(many.map(({ path }) => path).sort());
  });

  it.each<[string, (index: typeof bare) => unknown]>([
    ['a document is put', (index) => putDoc(index, { path: 'b/new.md', title: 'Kettle', body: 'tunnel' })],
    ['a document is put anew', (index) => putDoc(index, { path: 'n/7', title: 'Seven', body: 'kettle' })],
    ['one that was gone is put', (index) => putDoc(index, { path: 'n/4', title: 'Four', body: 'kettle' })],
    ['a document is dropped', (index) => index.drop('n/8')],
    ['a search asks for a wing', (index) => seen(index.search('tunnel', { limit: 9, wing: 'net' }))],
    ['a search leaves out raw ones', (index) => seen(index.search('line', { limit: 9, reviewed: true }))],
    ['it is asked which document holds a term', (index) => index.documentsWithout('b/mtu.md')('tunnel')],
    ['it is asked whether one that is gone holds a term', (index) => index.documentsWithout('n/4')('tunnel')],
  ])('goes on as one built anew without the documents that are gone when %s', (_, act) => {
    const there = DOCS.filter(({ path }) => path !== 'n/4' && path !== 'a/東京.md');
    const loaded = unpacked(bytes.slice(), new Map(there.map((doc) => [doc.path, doc])));
    const anew = indexOf(there);
    expect(loaded && act(loaded)).toEqual(act(anew));
    expect(loaded && answers(loaded)).toEqual(answers(anew));
    expect(loaded?.size).toBe(anew.size);
  });

  it('is empty when nothing is in it', () => {
    const loaded = unpacked(packed(emptyIndex()), new Map());
    expect(loaded?.size).toBe(0);
    expect(loaded?.search('tunnel', { limit: 5 })).toEqual([]);
    if (loaded) putDoc(loaded, { path: 'a', title: 'Tunnel', body: '' });
    expect(loaded?.search('tunnel', { limit: 5 })).toHaveLength(1);
  });

  it('is refused when the index changed while it was packed', () => {
    const changing = indexOf(DOCS);
    const pieces: Uint8Array[] = [];
    for (const piece of changing.pack()) {
      pieces.push(piece);
      if (pieces.length === 4) putDoc(changing, { path: 'new', title: 'New', body: 'note' });
    }
    expect(pieces).toHaveLength(4);
    expect(unpacked(Uint8Array.from(pieces.flatMap((piece) => [...piece])), byPath)).toBeNull();
  });
});

describe('a damaged index', () => {
  /** Each is refused without an error, or nothing in it can be trusted. */
  function isRefused(damaged: Uint8Array): boolean {
    return unpacked(damaged, byPath) === null;
  }
  const small = packed(indexOf(DOCS.filter(({ path }) => path !== 'e/long.md')));

  it('is refused wherever a bit is flipped', () => {
    const missed: number[] = [];
    for (let at = 0; at < small.length; at += 1) {
      const damaged = small.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      if (!isRefused(damaged)) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  it('is refused wherever it is cut', () => {
    const missed: number[] = [];
    for (let length = 0; length < small.length; length += 1) {
      if (!isRefused(small.slice(0, length))) missed.push(length);
    }
    expect(missed).toEqual([]);
  });

  it.each([
    ['something after its end', (whole: Uint8Array) => Uint8Array.of(...whole, ...new Uint8Array(8))],
    ['another beginning', (whole: Uint8Array) => whole.slice(8)],
    [
      'its halves exchanged',
      (whole: Uint8Array) => {
        const half = 8 * Math.floor(whole.length / 16);
        return Uint8Array.of(...whole.slice(half), ...whole.slice(0, half));
      },
    ],
    ['nothing but zeros', (whole: Uint8Array) => new Uint8Array(whole.length)],
    ['nothing', () => new Uint8Array(0)],
  ])('is refused with %s', (_, damage) => {
    expect(isRefused(damage(small))).toBe(true);
  });
});
