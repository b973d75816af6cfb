import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { planTerms } from '../../../src/core/fulltext/query';
import type { Field } from '../../../src/core/fulltext/reader';
import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { cpuMs } from '../../support/cpu';

interface Doc {
  readonly path: string;
  readonly title: string;
  readonly body: string;
}

function fieldsOf(doc: Doc): Field[] {
  return [
    { kind: 'name', text: doc.title },
    { kind: 'text', text: doc.body },
  ];
}

function put(index: SearchIndex<Doc>, doc: Doc): void {
  index.put(doc, index.prepare(fieldsOf(doc)));
}

function indexOf(docs: readonly Doc[]): SearchIndex<Doc> {
  const index = new SearchIndex<Doc>();
  for (const doc of docs) put(index, doc);
  return index;
}

const everything = { limit: 50, accept: () => true };

function found(index: SearchIndex<Doc>, query: string): string[] {
  return index.search(query, everything).map((hit) => hit.item.path);
}

/** Written so that each query below has one order that a reader would call right. */
const CORPUS: readonly Doc[] = [
  {
    path: 'mtu',
    title: 'WireGuard MTU',
    body: 'Set the MTU of the WireGuard tunnel to 1420, or large packets vanish.',
  },
  {
    path: 'vpn',
    title: 'VPN at home',
    body: 'The tunnel to the flat uses WireGuard. Peers are added by hand on the router.',
  },
  {
    path: 'router',
    title: 'Router',
    body: 'The router runs OpenWrt v23.05 and keeps its leases on the USB stick.',
  },
  {
    path: 'backup',
    title: 'Backups',
    body: 'Backups run at night with restic; the repository is on the NAS. Restore was tested in May.',
  },
  {
    path: 'nas',
    title: 'NAS',
    body: 'Two disks in a mirror. The backup repository and the photos are on it.',
  },
  {
    path: 'dsn',
    title: 'Database',
    body: 'The service reads BRAIN_PG_DSN at the start and trashFile never touches it.',
  },
  { path: 'cafe', title: 'Café Zürich', body: 'Der Kaffee in der Straße am See ist gut.' },
  { path: 'tokyo', title: '東京の天気', body: '東京都の天気は晴れです。水が必要。' },
  { path: 'hamlet', title: 'Hamlet', body: 'To be, or not to be, that is the question.' },
  {
    path: 'names',
    title: 'Naming',
    body: 'The question of what a thing is to be called, or not, comes last.',
  },
];

describe('a search', () => {
  const index = indexOf(CORPUS);

  it.each([
    ['prefers the title and more of the words', 'wireguard mtu', ['mtu', 'vpn']],
    ['needs only one of the words', 'restic photos', ['backup', 'nas']],
    ['stems', 'backup repositories', ['backup', 'nas']],
    ['ignores stop words beside others', 'where is the router', ['router', 'vpn']],
    ['ranks by stop words when there is nothing else', 'to be or not', ['hamlet', 'names', 'mtu', 'vpn']],
    ['finds an identifier whole', 'BRAIN_PG_DSN', ['dsn']],
    ['finds an identifier by a part', 'dsn', ['dsn']],
    ['finds a hump', 'trash', ['dsn']],
    ['finds a version without its v', '23.05', ['router']],
    ['folds accents of the text', 'zurich strasse', ['cafe']],
    ['folds accents of the query', 'Röuter', ['router', 'vpn']],
    ['finds Han words inside a run', '天気', ['tokyo']],
    ['finds a single Han character inside a run', '都', ['tokyo']],
    ['finds a single Han character that stands alone in the text', '水', ['tokyo']],
    ['forgives a swapped pair', 'wiregaurd', ['mtu', 'vpn']],
    ['completes a beginning', 'openw', ['router']],
    ['completes the last word, whatever else it is', 'mirr', ['nas']],
    ['completes no word that a blank follows', 'op ', []],
    ['does not forgive where the word is right', 'mirror', ['nas']],
    ['holds a phrase together', '"not to be"', ['hamlet']],
    ['holds a phrase of telling words together', 'router "backup repository"', ['nas']],
    ['takes the words of a phrase as they stand', '"large packet"', []],
    ['wants every phrase', '"to be" "is the question"', ['hamlet']],
    ['knows other quotation marks', '„large packets“', ['mtu']],
    ['does not let a phrase run from the title into the body', '"mtu set"', []],
    ['does not forgive inside a phrase', '"large pakets"', []],
    ['takes a lone quotation mark for nothing', 'restic "', ['backup']],
    ['finds nothing for signs', '?! ""', []],
    ['finds nothing for nothing', '', []],
    ['finds nothing for a word unlike all', 'xylophone', []],
    ['takes query syntax for text', 'title:mtu -vpn +nas*', ['mtu', 'vpn', 'nas', 'backup']],
  ])('%s: %s', (_, query, expected) => {
    expect(found(index, query)).toEqual(expected);
  });

  it('does not depend on the order or the number of the words', () => {
    const scores = (query: string) =>
      index.search(query, everything).map(({ item, score }) => [item.path, score]);
    expect(scores('tunnel backup router mtu')).toEqual(scores('mtu mtu router tunnel backup router'));
  });

  it('orders equal scores by path', () => {
    const twins = ['b', 'a', 'c'].map((path) => ({ path, title: 'Twin', body: 'the same words' }));
    expect(found(indexOf(twins), 'same')).toEqual(['a', 'b', 'c']);
  });

  it('gives the first of a longer list when fewer are wanted', () => {
    const all = found(index, 'the router backup tunnel question');
    const few = index.search('the router backup tunnel question', { limit: 3, accept: () => true });
    expect(few.map((hit) => hit.item.path)).toEqual(all.slice(0, 3));
  });

  it('finds only what is accepted', () => {
    const hits = index.search('wireguard', { limit: 10, accept: (doc) => doc.path !== 'mtu' });
    expect(hits.map((hit) => hit.item.path)).toEqual(['vpn']);
  });

  it('says which terms were found, and that rare ones tell more', () => {
    const [hit] = index.search('wireguard mtu nonsense', everything);
    expect([...(hit?.terms.keys() ?? [])]).toEqual(['mtu', 'wireguard']);
    expect(hit?.terms.get('mtu')).toBeGreaterThan(hit?.terms.get('wireguard') ?? Infinity);
  });

  it('finds given terms', () => {
    const hits = index.run(planTerms(['mtu', 'absent'], index), everything);
    expect(hits.map((hit) => hit.item.path)).toEqual(['mtu']);
  });

  it('does not let a one-line note win by its brevity alone', () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(5);
    const short = { path: 'short', title: 'x', body: 'kettle' };
    const long = { path: 'long', title: 'y', body: `kettle kettle ${filler}` };
    const others = Array.from({ length: 20 }, (_, n) => ({ path: `o${n}`, title: 'z', body: filler }));
    expect(found(indexOf([short, long, ...others]), 'kettle')).toEqual(['long', 'short']);
  });

  it('finds the answer in one place of a long note', () => {
    const filler = Array.from({ length: 300 }, (_, n) => `filler${n}`);
    const apart = {
      path: 'apart',
      title: 'x',
      body: ['kettle', ...filler, 'descale', ...filler, 'vinegar'].join(' '),
    };
    const near = {
      path: 'near',
      title: 'x',
      body: [...filler, 'descale kettle vinegar', ...filler].join(' '),
    };
    expect(found(indexOf([apart, near]), 'descale the kettle with vinegar')).toEqual(['near', 'apart']);
  });
});

describe('a hostile query', () => {
  it('looks through a large note once, however many phrases must occur', () => {
    const note = { path: 'note', title: 'x', body: `${'1 '.repeat(500_000)}2` };
    const index = indexOf([note]);
    const phrases = Array.from({ length: 40 }, (_, n) => `"${'1 '.repeat(n + 2)}"`)
      .join(' ')
      .slice(0, 1900);
    const queries = ['"1" '.repeat(475), phrases, `"${'1 '.repeat(900)}2"`];
    const began = cpuMs();
    expect(queries.map((query) => found(index, query))).toEqual([['note'], ['note'], ['note']]);
    expect(cpuMs() - began).toBeLessThan(20_000);
  });

  it('still wants a phrase of one word to occur', () => {
    const index = indexOf(CORPUS);
    expect(found(index, 'router "usb"')).toEqual(['router']);
    expect(found(index, 'router "usb" "restic"')).toEqual([]);
    expect(found(index, 'router "kettle"')).toEqual([]);
  });
});

describe('the documents that hold every phrase', () => {
  const pathsOf = (index: SearchIndex<Doc>, query: string) => {
    const holders = finish(index.phraseHolders(query));
    return holders === null ? null : [...holders].sort();
  };

  it.each([
    ['"not to be"', ['hamlet']],
    ['mtu "large packets"', ['mtu']],
    ['"to be" "large packet"', []],
    ['not to be', null],
  ])('of %s are %j', (query, expected) => {
    expect(pathsOf(indexOf(CORPUS), query)).toEqual(expected);
    expect(pathsOf(indexOf([]), query)).toEqual(expected === null ? null : []);
  });

  it('are found a few at a time, while others come and go', () => {
    const many = Array.from({ length: 2000 }, (_, at) => ({
      path: `n${at}`,
      title: 'x',
      body: 'to be or not to be',
    }));
    const index = indexOf(many);
    const steps = index.phraseHolders('"not to be"');
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      count += 1;
      if (count !== 5) continue;
      for (const { path } of many.slice(1000)) index.drop(path);
      // New words take the place of many others.
      for (let at = 0; at < 10; at += 1)
        put(index, { path: `m${at}`, title: `y${at}`, body: 'it is not to be' });
    }
    expect(count).toBeGreaterThan(9);
    const found = step.value ?? new Set();
    expect(many.filter(({ path }) => found.has(path))).toEqual(many.slice(0, 1000));
  });
});

describe('a change', () => {
  const word = fc.constantFrom(
    'tunnel',
    'Router',
    'mtu',
    'backup',
    'the',
    'nas_disk',
    '東京都',
    '東京',
    'restic',
    'kaffee',
    'tunel',
    'wireguard',
  );
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const doc = fc.record({ path: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), title: text, body: text });
  const change = fc.oneof(
    { weight: 3, arbitrary: doc },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  );
  const query = fc.oneof(
    text,
    fc.tuple(word, word).map((words) => `"${words.join(' ')}"`),
    fc.constantFrom('tunnle', 'wire', 'wireg', '京', 'nas', 'kafee restik'),
  );

  it('leaves the index exactly as one built anew, in scores, order and matched terms', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 20 }),
        fc.array(query, { maxLength: 4 }),
        (changes, queries) => {
          const index = new SearchIndex<Doc>();
          const current = new Map<string, Doc>();
          for (const step of changes) {
            if (typeof step === 'string') {
              index.drop(step);
              current.delete(step);
            } else {
              index.put(step, index.prepare(fieldsOf(step)));
              current.set(step.path, step);
            }
          }
          const anew = indexOf([...current.values()].reverse());
          expect(index.size).toBe(anew.size);
          const terms = [...anew.terms()].sort();
          expect([...index.terms()].sort()).toEqual(terms);
          expect(terms.map((term) => index.frequency(term))).toEqual(
            terms.map((term) => anew.frequency(term)),
          );
          for (const text of queries) {
            const answer = (each: SearchIndex<Doc>) =>
              each
                .search(text, everything)
                .map(({ item, score, terms: found }) => [item.path, score, [...found]]);
            expect(answer(index)).toEqual(answer(anew));
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('takes numbers of terms away only from those that no document holds, whatever was read in between', () => {
    const index = new SearchIndex<Doc>();
    const doc = (path: string, body: string) => ({ path, title: path, body });
    const passing = (n: number) => Array.from({ length: 3000 }, (_, at) => `passing${n}x${at}`).join(' ');
    const current = new Map<string, Doc>();
    let waiting: { doc: Doc; read: ReturnType<typeof index.prepare> } | null = null;
    for (let n = 0; n < 24; n += 1) {
      // A document that was read before numbers were taken away, and is put after that.
      if (waiting !== null) {
        index.put(waiting.doc, waiting.read);
        current.set(waiting.doc.path, waiting.doc);
      }
      const next = doc(`kept${n}`, `tunnel word${n} ${n % 2 === 0 ? 'restic runs' : 'café foo_bar'}`);
      waiting = n % 4 === 3 ? { doc: next, read: index.prepare(fieldsOf(next)) } : null;
      if (waiting === null) {
        index.put(next, index.prepare(fieldsOf(next)));
        current.set(next.path, next);
      }
      index.put(doc('passing', ''), index.prepare(fieldsOf(doc('passing', passing(n)))));
    }
    index.drop('passing');
    const anew = indexOf([...current.values()]);
    expect([...index.terms()].sort()).toEqual([...anew.terms()].sort());
    for (const query of [
      'tunnel word7',
      'word11',
      '"restic runs"',
      'tunel',
      'foo_bar',
      'passing3x5',
      'cafe word0',
    ]) {
      const answer = (each: SearchIndex<Doc>) =>
        each.search(query, everything).map(({ item, score, terms }) => [item.path, score, [...terms]]);
      expect(answer(index)).toEqual(answer(anew));
    }
  });

  it('leaves a long document that was read as it is, whatever is read before it is put', () => {
    const index = indexOf(CORPUS);
    const words = (letter: string, count: number): string =>
      Array.from({ length: count }, (_, at) => `${letter}${at.toString(36)}q`).join(' ');
    const long = { path: 'long', title: 'Long', body: words('x', 20_000) };
    const read = finish(index.prepareSteps(fieldsOf(long)));
    for (let other = 0; other < 20; other += 1) {
      const { edition } = index.prepare([{ kind: 'text', text: words(`other${other}`, 100) }]);
      expect(edition).toBe(read.edition);
    }
    index.put(long, read);
    expect(found(index, 'x5q')).toEqual(['long']);
  });

  it('is seen at once', () => {
    const index = indexOf(CORPUS);
    index.put({ path: 'nas', title: 'NAS', body: 'sold' }, index.prepare([{ kind: 'text', text: 'kettle' }]));
    expect(found(index, 'kettle')).toEqual(['nas']);
    expect(found(index, 'photos')).toEqual([]);
    index.drop('nas');
    expect(found(index, 'kettle')).toEqual([]);
    index.drop('nas');
    expect(index.size).toBe(CORPUS.length - 1);
  });
});
