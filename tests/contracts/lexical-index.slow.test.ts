import * as fc from 'fast-check';
import { SqlLexicalIndex } from '../../src/adapters/postgres/lexical-index';
import { finish } from '../../src/core/base/steps';
import { inMemory, type LexicalIndex, type LexicalRow } from '../../src/core/fulltext/lexical-index';
import { SearchIndex } from '../../src/core/fulltext/search-index';
import { textSearchDatabase } from '../support/textsearch-database';
import { nodePace } from '../support/node-pace';

interface Item {
  readonly path: string;
  readonly wing?: string;
  readonly hall?: string;
  readonly raw?: boolean;
}

interface Subject {
  readonly index: LexicalIndex<Item>;
  /** Gives the item of a document a new state, which an index outside of this process has not been told yet. */
  change(row: LexicalRow<Item>): void;
  close(): Promise<void>;
}

async function memory(): Promise<Subject> {
  const index = new SearchIndex<Item>((item) => item);
  const pace = nodePace();
  const change = ({ item, fields }: LexicalRow<Item>) => index.put(item, finish(index.prepareSteps(fields)));
  return {
    index: {
      ...inMemory(index, pace),
      put: async (rows) => rows.forEach(change),
      drop: async (paths) => paths.forEach((path) => index.drop(path)),
    },
    change,
    close: async () => undefined,
  };
}

/** @param answered is told of every statement, before the index goes on */
async function database(
  answered: (statement: string) => Promise<void> = async () => undefined,
): Promise<Subject> {
  const plain = await textSearchDatabase();
  const sql: typeof plain = {
    ...plain,
    async statement(...asked) {
      const rows = await plain.statement(...asked);
      await answered(asked[0]);
      return rows;
    },
  };
  const items = new Map<string, Item>();
  const pace = nodePace();
  const index = new SqlLexicalIndex<Item>(sql, {
    schema: 'Brain "words"',
    pace,
    facetsOf: (item) => item,
    itemOf: (path) => items.get(path),
  });
  return {
    index: {
      best: (...asked) => index.best(...asked),
      holders: (...asked) => index.holders(...asked),
      drop: (paths) => index.drop(paths),
      put: (rows) => {
        for (const { item } of rows) items.set(item.path, item);
        return index.put(rows);
      },
    },
    change: ({ item }) => void items.set(item.path, item),
    close: () => sql.close(),
  };
}

describe.each([
  ['memory', memory],
  ['Postgres with pg_textsearch', () => database()],
])('LexicalIndex in %s', (_, open) => contract(open));

function row(path: string, title: string, text: string, facets: Omit<Item, 'path'> = {}): LexicalRow<Item> {
  return {
    item: { path, ...facets },
    fields: [
      { kind: 'name', text: title },
      { kind: 'text', text },
    ],
  };
}

const NOTES: readonly [LexicalRow<Item>, ...LexicalRow<Item>[]] = [
  row('wiki/net/a.md', 'Tunnel', 'The MTU of the tunnel is 1420 bytes.', { wing: 'net', hall: 'facts' }),
  row('wiki/net/b.md', 'Peers', 'Every peer of the tunnel has a key.', { wing: 'net', hall: 'events' }),
  row('wiki/home/c.md', 'Kettle', 'Descale the kettle with vinegar. MTU is no word of kettles.', {
    wing: 'home',
    hall: 'facts',
  }),
  row('raw/d.md', 'Tunnel idea', 'A second tunnel for guests.', { raw: true }),
  row('own/e.md', 'Réseau', 'Le café près du réseau; frontmatter; 東京都の天気; PostgreSQL 16.2; wi-fi.'),
];

describe('SqlLexicalIndex', () => {
  let answered: (statement: string) => Promise<void> = async () => undefined;
  let subject: Subject;
  beforeAll(async () => {
    subject = await database((statement) => answered(statement));
  }, 120_000);
  afterAll(() => subject.close());
  afterEach(() => {
    answered = async () => undefined;
  });

  it.each(['frontmater', 'frontm'])('looks up what is meant by the last of many words: %s', async (last) => {
    await subject.index.put(NOTES);
    const known =
      'mtu tunnel bytes every peer key descale kettle vinegar word second guests peers idea kettles 1420';
    const hits = await subject.index.best(`the is of a ${known} ${last}`, { limit: 10 });
    expect(hits.map(({ item }) => item.path)).toContain('own/e.md');
  });

  it.each([
    ['words', 'mtu tunnel', 8],
    ['quoted phrases', '"the tunnel" "a key"', 11],
  ])('takes few statements for %s', async (_, query, expected) => {
    await subject.index.put(NOTES);
    const statements: string[] = [];
    answered = async (statement) => void statements.push(statement);
    expect(await subject.index.best(query, { limit: 10 })).not.toEqual([]);
    expect(statements).toHaveLength(expected);
  });

  it('finds a note whose rank rises between two statements', async () => {
    // The longer a text, the lower its rank.
    const many = Array.from({ length: 250 }, (_, n) =>
      row(`many/${n}.md`, 'New', `new ${'word '.repeat(n)}`),
    );
    await subject.index.put(many);
    let isFirst = true;
    answered = async (statement) => {
      if (!isFirst || !statement.includes('to_bm25query')) return;
      isFirst = false;
      await subject.index.drop(many.slice(0, 60).map(({ item }) => item.path));
    };
    const accept = ({ path }: Item) => path === 'many/130.md';
    const hits = await subject.index.best('new', { limit: 10, accept });
    expect([isFirst, hits.map(({ item }) => item.path)]).toEqual([false, ['many/130.md']]);
  });
});

function contract(open: () => Promise<Subject>): void {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  }, 120_000);
  afterAll(() => subject.close());
  beforeEach(async () => {
    const all = await subject.index.best('tunnel kettle peer réseau new old', { limit: 100 });
    await subject.index.drop(all.map(({ item }) => item.path));
    await subject.index.put(NOTES);
  });

  const found = async (query: string, options = {}) =>
    (await subject.index.best(query, { limit: 10, ...options })).map(({ item }) => item.path);

  it('finds what has any of the words, the best first', async () => {
    expect(await found('mtu tunnel')).toEqual([
      'wiki/net/a.md',
      'raw/d.md',
      'wiki/home/c.md',
      'wiki/net/b.md',
    ]);
    expect(await found('zeppelin')).toEqual([]);
    expect(await found('')).toEqual([]);
  });

  it('gives scores that fall, and the terms that were found', async () => {
    const hits = await subject.index.best('mtu tunnels', { limit: 10 });
    const scores = hits.map(({ score }) => score);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    expect(hits.map(({ terms }) => [...terms.keys()])).toEqual([
      ['mtu', 'tunnel'],
      ['tunnel'],
      ['mtu'],
      ['tunnel'],
    ]);
    expect(hits[0]?.terms.get('mtu')).toBeGreaterThan(hits[0]?.terms.get('tunnel') ?? Infinity);
  });

  it.each([
    ['wing', { wing: 'net' }, ['wiki/net/a.md', 'wiki/net/b.md']],
    ['hall', { hall: 'facts' }, ['wiki/net/a.md', 'wiki/home/c.md']],
    ['wing and hall', { wing: 'net', hall: 'events' }, ['wiki/net/b.md']],
    ['review', { reviewed: true }, ['wiki/net/a.md', 'wiki/home/c.md', 'wiki/net/b.md']],
    ['folder', { under: 'wiki/net' }, ['wiki/net/a.md', 'wiki/net/b.md']],
    ['part of a folder name', { under: 'wiki/ne' }, []],
    ['wildcards of a database', { under: 'w%/net' }, []],
    ['an unknown wing', { wing: 'nowhere' }, []],
    ['a wing with NUL', { wing: 'n\0' }, []],
    ['a test', { accept: (item: Item) => item.path.endsWith('c.md') }, ['wiki/home/c.md']],
  ])('filters by %s before the limit', async (_, filter, expected) => {
    expect(await found('tunnel mtu', filter)).toEqual(expected);
    if (expected.length > 0)
      expect(await found('tunnel mtu', { ...filter, limit: 1 })).toEqual(expected.slice(0, 1));
  });

  it.each([
    ['wing', { wing: 'net' }, ['wiki/net/b.md']],
    ['hall', { hall: 'facts' }, ['wiki/home/c.md']],
    ['review', { reviewed: true }, ['wiki/home/c.md', 'wiki/net/b.md']],
    ['a test', { accept: (item: Item) => item.wing === 'net' }, ['wiki/net/b.md']],
  ])('filters by %s as an item is, not as it was put', async (_, filter, expected) => {
    const [{ item, fields }] = NOTES;
    subject.change({ item: { path: item.path, wing: 'old', hall: 'old', raw: true }, fields });
    expect(await found('tunnel mtu', filter)).toEqual(expected);
  });

  it.each([
    ['other forms of a word', 'descaling kettles', 'wiki/home/c.md'],
    ['accents left out', 'reseau cafe', 'own/e.md'],
    ['a script without spaces', '天気', 'own/e.md'],
    ['identifiers and versions', 'postgresql 16.2', 'own/e.md'],
    ['compounds', 'wifi', 'own/e.md'],
    ['two words written as one', 'front matter', 'own/e.md'],
    ['a misspelt word', 'vinegr', 'wiki/home/c.md'],
    ['the start of a word', 'postgr', 'own/e.md'],
    ['stop words, where there is nothing else', 'with', 'wiki/home/c.md'],
  ])('knows %s', async (_, query, expected) => {
    expect((await found(query))[0]).toBe(expected);
  });

  it('demands quoted phrases', async () => {
    expect(await found('"tunnel is" mtu')).toEqual(['wiki/net/a.md']);
    expect(await found('"mtu tunnel"')).toEqual([]);
    expect(await subject.index.holders('tunnel mtu')).toBeNull();
    expect(await subject.index.holders('"the tunnel" "a key"')).toEqual(new Set(['wiki/net/b.md']));
    expect(await subject.index.holders('"the tunnel"', ['wiki/net/b.md', 'raw/d.md', 'gone.md'])).toEqual(
      new Set(['wiki/net/b.md']),
    );
  });

  it('finds the only note that passes a test among many better ones', async () => {
    const many = Array.from({ length: 450 }, (_, n) => row(`many/${n}.md`, 'New new', 'new, again new'));
    await subject.index.put([...many, row('many/last.md', 'Other', `new ${'and other words '.repeat(40)}`)]);
    expect(await found('new', { accept: (item: Item) => item.path === 'many/last.md' })).toEqual([
      'many/last.md',
    ]);
    expect(await subject.index.best('new', { limit: 1000 })).toHaveLength(451);
    await subject.index.drop([...many.map(({ item }) => item.path), 'many/last.md']);
    expect(await found('new')).toEqual([]);
  });

  it('finds what was put last, and nothing that was dropped', async () => {
    await subject.index.put([row('own/e.md', 'New', 'new words'), row('own/f.md', 'Other', 'new too')]);
    expect(await found('new')).toEqual(['own/e.md', 'own/f.md']);
    expect(await found('réseau')).toEqual([]);
    await subject.index.drop(['own/e.md', 'never/there.md']);
    expect(await found('new')).toEqual(['own/f.md']);
  });

  it('takes any text, and any question', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, async (body, query) => {
        await subject.index.put([row('odd.md', query, `old ${body}`)]);
        expect(await found('old')).toEqual(['odd.md']);
        await subject.index.best(query, { limit: 3 });
        await subject.index.best(`"${body}" ${query}`, { limit: 3, wing: query, under: body });
      }),
      { numRuns: 25 },
    );
  });
}
