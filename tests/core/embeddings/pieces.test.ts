import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import {
  chunksOf,
  DIMENSIONS,
  embedPieces,
  halves,
  MAX_CHUNKS,
  normalised,
  piecesHash,
  pieceSteps,
  pool,
  textOf,
} from '../../../src/core/embeddings/pieces';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeEmbedder } from '../../support/fake-embedder';
import { cosine } from '../../support/memory-vectors';

/** Half a character. */
const CUT = /\p{Surrogate}/u;
const path = vaultPath('wiki/net/facts/mtu.md');
const piecesOf = (at: VaultPath, text: string) => finish(pieceSteps(at, text));
const prose = (text: string) => ({ isHeading: false, text });
const heading = (text: string) => ({ isHeading: true, text });
const axis = (at: number, length = 1) =>
  Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === at ? length : 0));

describe('what is embedded of a note', () => {
  it('is its words under title, tags and summary, without front matter, comments and link syntax', () => {
    const note = [
      '---',
      'wing: net',
      'tags: [vpn, "mtu"]',
      'description: Why the tunnel is small',
      '---',
      '# The MTU',
      '',
      'See **[[wiki/net/facts/dns|the resolver]]** and [docs](https://example.com/x). %%hidden%% #field',
      '',
      '<!-- secret -->',
      '## Limits',
      '```sh',
      'ip link',
      '```',
    ].join('\n');
    expect(piecesOf(path, note).map(textOf)).toEqual([
      'The MTU\nvpn, mtu, field. Why the tunnel is small\nThe MTU\nSee the resolver and docs. #field\nLimits\nip link',
    ]);
  });

  it.each([
    ['description: "概要は[[コアプラグイン|コアプラグイン]]です。"', 'mtu\n概要はコアプラグインです。'],
    [
      'summary: See [[wiki/net/facts/dns]] and [docs](https://example.com/x) %%hidden%%',
      'mtu\nSee wiki/net/facts/dns and docs',
    ],
    ['title: "The [[vpn|tunnel]]"', 'The tunnel'],
    ['tags: ["[[vpn|tunnel]]", mtu]', 'mtu\ntunnel, mtu'],
    ['description: "1 < 2, at [most] 5 % <!-- so -->"', 'mtu\n1 < 2, at [most] 5 %'],
    ['description: "Plain * words_with 1. signs"', 'mtu\nPlain * words_with 1. signs'],
    ['title: "%%only this%%"\ndescription: "%%and this%%"', 'mtu'],
    ['description: ["One [[a|link]]", two]', 'mtu\nOne link. two'],
  ])('has no link syntax of the front matter either: %s', (front, expected) => {
    expect(piecesOf(path, `---\n${front}\n---\n`).map(textOf)).toEqual([expected]);
  });

  it('is the title when there is nothing else, so never empty', () => {
    expect(piecesOf(path, '').map(textOf)).toEqual(['mtu']);
    expect(piecesOf(path, '---\nwing: net\n---\n%%only this%%\n').map(textOf)).toEqual(['mtu']);
  });

  it('carries the title in every piece of a long note', () => {
    const pieces = piecesOf(path, `# Long\n\n${'A sentence of words. '.repeat(500)}`);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.every((piece) => textOf(piece).startsWith('Long\n'))).toBe(true);
  });

  it('has a hash that follows the words and the maker, and nothing else', () => {
    const hash = (note: string, maker = 'm') => piecesHash(piecesOf(path, note), maker);
    const plain = hash('# T\n\nWords.');
    expect(hash('---\nupdated_at: 2026-01-01T00:00:00Z\n---\n# T\n\n**Words**.\n')).toBe(plain);
    expect(hash('# T\n\nOther words.')).not.toBe(plain);
    expect(hash('# T\n\nWords.', 'other')).not.toBe(plain);
  });
});

describe('pieces', () => {
  it('break at headings once they are half full, else between blocks', () => {
    const block = (length: number) => prose('w'.repeat(length));
    const sizes = (...blocks: Parameters<typeof chunksOf>[0]) =>
      chunksOf(blocks).map((chunk) => chunk.length);
    expect(sizes(block(1600), heading('Two'), block(100))).toEqual([1600, 104]);
    expect(sizes(block(100), heading('Two'), block(100))).toEqual([205]);
    expect(sizes(block(2000), block(900), block(200))).toEqual([2901, 200]);
  });

  it('break a long block after a sentence, else after a word, else anywhere', () => {
    const sentences = chunksOf([prose('One sentence here. '.repeat(300))]);
    expect(sentences.every((chunk) => chunk.endsWith('.'))).toBe(true);
    const words = chunksOf([prose('word '.repeat(1000))]);
    expect(words.every((chunk) => /^(?:word )*word$/.test(chunk))).toBe(true);
    expect(chunksOf([prose('x'.repeat(7000))]).map((chunk) => chunk.length)).toEqual([3000, 3000, 1000]);
  });

  it('are shorter in scripts that take a token a character', () => {
    const chunks = chunksOf([prose('東京は日本の首都です。'.repeat(300))]);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(1200);
    expect(chunks.every((chunk) => chunk.endsWith('。'))).toBe(true);
    // A few words of another script do not make a text one of it.
    const mixed = chunksOf([prose(`${'Plain words here. '.repeat(200)}東京`)]);
    expect(mixed[0]?.length).toBeGreaterThan(1200);
  });

  it('are 32 at most', () => {
    expect(chunksOf([prose('x'.repeat(1_000_000))])).toHaveLength(MAX_CHUNKS);
  });

  it('lose no word, cut no character, and stay within their length', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constant('😀'.repeat(900))),
    );
    fc.assert(
      fc.property(text, (texts) => {
        const chunks = chunksOf(texts.map(prose));
        const bare = (all: readonly string[]) => all.join('').replace(/\s+/g, '');
        if (chunks.length < MAX_CHUNKS) expect(bare(chunks)).toBe(bare(texts));
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(3000);
          expect(chunk.trim()).not.toBe('');
          expect(CUT.test(chunk)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are halved without loss, each half shorter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2 }), (text) => {
        const [left, right] = halves(text);
        expect(left + right).toBe(text);
        expect(left).not.toBe('');
        expect(CUT.test(left)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('one vector of many', () => {
  it('is the mean of their directions, by the root of their length, the first one more', () => {
    const one = pool([
      { vector: axis(0, 5), length: 100 },
      { vector: axis(1, 0.1), length: 400 },
    ]);
    // 1.5 × 10 against 20.
    expect(one?.[0]).toBeCloseTo(15 / 25, 6);
    expect(one?.[1]).toBeCloseTo(20 / 25, 6);
  });

  it('is the vector itself, at length 1, when there is one piece', () => {
    expect(pool([{ vector: axis(3, 7), length: 0 }])).toEqual(axis(3));
  });

  it('is none when there are none, or they cancel each other out', () => {
    expect(pool([])).toBeNull();
    expect(normalised(new Float32Array(3))).toBeNull();
    expect(
      pool([
        { vector: axis(0, 1), length: 4 },
        { vector: axis(0, -1), length: 9 },
      ]),
    ).toBeNull();
  });
});

describe('embedding pieces', () => {
  it('asks once for all of them', async () => {
    const embedder = fakeEmbedder();
    await embedPieces(embedder, piecesOf(path, `# T\n\n${'A sentence. '.repeat(900)}`), 'document');
    expect(embedder.calls).toHaveLength(1);
    expect(embedder.calls[0]?.texts.length).toBeGreaterThan(2);
  });

  it('halves what is too long until it fits, and stays near the whole', async () => {
    const note = `# T\n\n${'The car stands in the rain. '.repeat(150)}`;
    const whole = await embedPieces(fakeEmbedder(), piecesOf(path, note), 'document');
    const embedder = fakeEmbedder();
    embedder.limit = 700;
    const parts = await embedPieces(embedder, piecesOf(path, note), 'document');
    const sent = embedder.calls.flatMap(({ texts }) => texts).filter((text) => text.length <= 700);
    expect(sent.every((text) => text.startsWith('T\n'))).toBe(true);
    expect(cosine(whole, parts)).toBeGreaterThan(0.99);
  });

  it('gives up below 200 characters, and on every other failure at once', async () => {
    const embedder = fakeEmbedder();
    embedder.limit = 0;
    const pieces = piecesOf(path, 'word '.repeat(100));
    await expect(embedPieces(embedder, pieces, 'document')).rejects.toMatchObject({ code: 'embed_error' });
    expect(embedder.calls.length).toBeLessThanOrEqual(4);
    embedder.calls.length = 0;
    embedder.before = () => Promise.reject(new Error('gone'));
    await expect(embedPieces(embedder, pieces, 'document')).rejects.toThrow('gone');
    expect(embedder.calls).toHaveLength(1);
  });
});
