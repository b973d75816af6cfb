import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentsOf, generatedDocument, markdownDocument } from '../../bench/corpus';
import { queryLists } from '../../bench/search-worker';

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

describe('the generator', () => {
  const documents = [...documentsOf({ seed: 4 }, 600)];

  it('makes the same bytes from the same seed, on every machine', () => {
    expect(digest(documents)).toMatchInlineSnapshot(`"fbba69b8b35eac88"`);
    expect(digest([...documentsOf({ seed: 5 }, 600)])).not.toBe(digest(documents));
  });

  it('makes note n whatever the count', () => {
    expect([...documentsOf({ seed: 4 }, 40)]).toEqual(documents.slice(0, 40));
    expect(generatedDocument(4, 599)).toEqual(documents[599]);
  });

  it('has words as prose has: few are frequent, new ones come for ever', () => {
    const distinctIn = (count: number): number =>
      new Set(documents.slice(0, count).flatMap(({ text }) => text.toLowerCase().match(/\p{L}+/gu) ?? []))
        .size;
    const growth = Math.log(distinctIn(600) / distinctIn(150)) / Math.log(4);
    expect(growth).toBeGreaterThan(0.4);
    expect(growth).toBeLessThan(0.9);
  });

  it('lets words cluster: one that a note has twice comes more often than by chance', () => {
    const english = documents.filter(({ text }) => /^[\p{ASCII}\s]*$/u.test(text));
    const lists = english.map(({ text }) => text.toLowerCase().match(/[a-z]{4,}/g) ?? []);
    const all = lists.flat();
    const homes = new Map<string, number>();
    const counts = new Map<string, number>();
    for (const list of lists) for (const word of new Set(list)) homes.set(word, (homes.get(word) ?? 0) + 1);
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
    const rare = [...homes].filter(([, found]) => found >= 3 && found <= english.length / 20);
    const repeats =
      rare.reduce((sum, [word, found]) => sum + (counts.get(word) ?? 0) / found, 0) / rare.length;
    expect(rare.length).toBeGreaterThan(300);
    // Spread evenly, a word of so few notes would stand hardly ever twice in one: about 1.05.
    expect(repeats).toBeGreaterThan(1.3);
  });

  it('writes about a fifth of the notes in other scripts', () => {
    const share = documents.filter(({ text }) => /[\u0400-\uffff]/.test(text)).length / documents.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.25);
  });
});

describe('a folder of Markdown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brain-corpus-'));
  beforeAll(() => {
    mkdirSync(join(folder, 'sub'));
    for (let n = 0; n < 12; n += 1) {
      const text = `# Note ${n}\n\nOwn words ${n} here.\n\n## Part ${n}\n\nThe rest of ${n}.\n`;
      writeFileSync(join(folder, n % 2 === 0 ? 'sub' : '.', `n${n}.md`), text);
    }
    writeFileSync(join(folder, 'image.png'), 'no note');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives the real notes first, then recombined ones out of their paragraphs', () => {
    const documents = [...documentsOf({ folder, seed: 4 }, 30)];
    const real = documents.slice(0, 12);
    expect(new Set(real.map(({ title }) => title)).size).toBe(12);
    expect(real.every(({ path }) => !path.startsWith('recombined/'))).toBe(true);
    const paragraphs = new Set(real.flatMap(({ text }) => text.split('\n\n').map((part) => part.trim())));
    const made = documents.slice(12);
    expect(made).toHaveLength(18);
    for (const { text } of made) {
      for (const part of text.split('\n\n')) expect(paragraphs).toContain(part.trim());
    }
    expect(digest([...documentsOf({ folder, seed: 4 }, 30)])).toBe(digest(documents));
  });

  it('takes only as many as it is asked for', () => {
    expect([...documentsOf({ folder, seed: 4 }, 5)]).toHaveLength(5);
  });
});

it.each([
  ['---\ntitle: x\n---\n# Hello\n\n## A\n\ntext', 'Hello', 'A'],
  ['no heading', 'file', ''],
  ['## Only a part\n\ntext', 'file', 'Only a part'],
])('reads title and headings of %j', (source, title, headings) => {
  expect(markdownDocument('a/file.md', source)).toMatchObject({ path: 'a/file.md', title, headings });
});

it('keeps of a link what a reader sees', () => {
  const { text } = markdownDocument(
    'a.md',
    'see [[Other note|that]], [[Third]] and [this](http://x.example/y)',
  );
  expect(text).toBe('see that, Third and this');
});

describe('the queries', () => {
  const documents = [...documentsOf({ seed: 4 }, 300)];
  const lists = queryLists(documents, 40, 1);

  it('come from documents, in nine lists, the same each time', () => {
    expect(lists.map(({ name }) => name)).toEqual([
      '1 word, topical',
      '3 words, topical',
      '8 words, topical',
      '1 word, frequent',
      '3 words, frequent',
      '8 words, frequent',
      '1 word, prose',
      '3 words, prose',
      '8 words, prose',
    ]);
    for (const { timed, words } of lists) {
      expect(timed).toHaveLength(40);
      for (const query of timed) expect(query.split(' ')).toHaveLength(words);
    }
    expect(queryLists(documents, 40, 1)).toEqual(lists);
  });

  it('has topical words in three documents to a tenth of them, and frequent ones in more', () => {
    const texts = documents.map(({ text }) => new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]{2,}/gu)));
    for (const { timed, kind } of lists) {
      if (kind === 'prose') continue;
      const [least, most] = kind === 'topical' ? [3, 30] : [31, 300];
      for (const word of timed.flatMap((query) => query.split(' '))) {
        const homes = texts.filter((words) => words.has(word)).length;
        expect(homes).toBeGreaterThanOrEqual(least);
        expect(homes).toBeLessThanOrEqual(most);
      }
    }
  });

  it('says when a corpus is too short for them', () => {
    expect(() => queryLists([{ path: 'a', title: 'a', headings: '', text: 'two words' }], 1, 1)).toThrow(
      /has \d words for a query/,
    );
  });
});
