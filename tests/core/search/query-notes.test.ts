import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { completePath } from '../../../src/core/notes/targets';
import { Pace } from '../../../src/core/base/steps';
import { queryNotes } from '../../../src/core/search/query';
import { agent, callerWith, openTestBrain } from '../../support/test-brain';

const FILES = {
  'wiki/Home Lab/facts/nas.md':
    '---\nwing: Home Lab\nhall: facts\ncreated_at: 2026-01-02T03:04:05Z\nhalf_life: volatile\nclaim_provenance: asserted\norigin: mcp\nwritten_by: laptop\n---\n# The NAS\n\nTwo disks in a mirror hold the photos.\n',
  'wiki/net/facts/mtu.md':
    '---\nwing: net\nhall: facts\ncreated_at: 2026-11-19T00:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\n---\nThe MTU of the tunnel is 1420.\n',
  'wiki/net/_index.md': '# net\n\nmirror tunnel photos',
  'knowledge/old.md': 'A mirror hangs in the hall.',
  'raw/2026-11-01-idea.md': '---\nwing: net\n---\nA mirror for the tunnel?',
  'raw/rejected/bad.md': 'A mirror, rejected.',
  'sessions/x.md': 'mirror',
};

describe('query', () => {
  it('answers with the documented shape, leaving out what is not known', async () => {
    const { run } = await openTestBrain(FILES);
    expect(await run(queryNotes, { query: 'photos on disks' })).toEqual({
      query: 'photos on disks',
      mode: 'bm25',
      degraded: false,
      count: 1,
      results: [
        {
          path: 'wiki/Home Lab/facts/nas.md',
          title: 'The NAS',
          excerpt: 'Two disks in a mirror hold the photos.',
          passages: ['Two disks in a mirror hold the photos.'],
          wing: 'Home Lab',
          hall: 'facts',
          score: expect.any(Number),
          origin: 'mcp',
          written_by: 'laptop',
          status: 'wiki',
          updated_at: '2026-01-02T03:04:05Z',
          date: '2026-01-02T03:04:05Z',
          stale: true,
          reviewed: null,
        },
      ],
    });
    const { results } = await run(queryNotes, { query: 'hangs' });
    expect(results).toEqual([
      {
        path: 'knowledge/old.md',
        title: 'old',
        excerpt: 'A mirror hangs in the hall.',
        passages: ['A mirror hangs in the hall.'],
        score: expect.any(Number),
        status: 'knowledge',
        date: '2026-11-20T10:32:00Z',
        stale: false,
        reviewed: null,
      },
    ]);
  });

  it('explains when asked', async () => {
    const { run } = await openTestBrain(FILES);
    const asked = { query: 'the tunel mirror', include_raw: true };
    const { results, guessed } = await run(queryNotes, { ...asked, explain: true });
    expect(guessed).toEqual([{ word: 'tunel', terms: ['tunnel'] }]);
    expect(await run(queryNotes, asked)).not.toHaveProperty('guessed');
    const asTyped = await run(queryNotes, { query: 'tunnel xylophone', explain: true });
    expect(asTyped).not.toHaveProperty('guessed');
    expect(results[0]).toMatchObject({
      path: 'raw/2026-11-01-idea.md',
      ranks: { bm25: 1 },
      terms: ['mirror', 'tunnel'],
    });
    expect(results.map(({ ranks }) => ranks?.bm25)).toEqual(results.map((_, index) => index + 1));
  });

  it.each([
    ['reviewed notes only', { query: 'mirror' }, ['knowledge/old.md', 'wiki/Home Lab/facts/nas.md']],
    [
      'raw notes when asked',
      { query: 'mirror', include_raw: true },
      ['knowledge/old.md', 'raw/2026-11-01-idea.md', 'wiki/Home Lab/facts/nas.md'],
    ],
    ['a wing in any spelling', { query: 'mirror', wing: 'HOME lab' }, ['wiki/Home Lab/facts/nas.md']],
    ['a hall', { query: 'mirror', hall: 'facts' }, ['wiki/Home Lab/facts/nas.md']],
    ['wing and hall', { query: 'mirror tunnel', wing: 'net', hall: 'facts' }, ['wiki/net/facts/mtu.md']],
    ['nothing in an unknown wing', { query: 'mirror', wing: 'elsewhere' }, []],
    ['nothing for signs alone', { query: '?!' }, []],
    ['nothing for an empty phrase beside words that do not occur', { query: '"" xylophone' }, []],
    ['null as not given', { query: 'hangs', wing: null, limit: null }, ['knowledge/old.md']],
  ])('finds %s', async (_, input, expected) => {
    const { run } = await openTestBrain(FILES);
    const { results, count } = await run(queryNotes, input);
    expect(results.map(({ path }) => path).sort()).toEqual(expected);
    expect(count).toBe(expected.length);
  });

  it('gives as many as asked for, ten unless told', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`knowledge/n${n + 10}.md`, 'the same mirror']),
    );
    const { run } = await openTestBrain(files);
    const found = async (limit?: number) =>
      (await run(queryNotes, { query: 'mirror', ...(limit !== undefined && { limit }) })).results.map(
        ({ path }) => path,
      );
    const all = Object.keys(files);
    expect(await found()).toEqual(all.slice(0, 10));
    expect(await found(1)).toEqual(all.slice(0, 1));
    expect(await found(50)).toEqual(all.slice(0, 50));
  });

  it.each([
    ['no query', {}, 'missing_field'],
    ['an empty query', { query: '' }, 'empty_query'],
    ['white space', { query: ' \n\t\u3000' }, 'empty_query'],
    ['a character that nobody sees', { query: '\u200b' }, 'empty_query'],
    ['a query that is too long', { query: 'x'.repeat(2001) }, 'invalid_field'],
    ['a query that is no text', { query: 7 }, 'invalid_field'],
    ['a hall outside the set', { query: 'x', hall: 'gossip' }, 'invalid_hall'],
    ['a path as wing', { query: 'x', wing: '../x' }, 'invalid_wing'],
    ['a limit of nothing', { query: 'x', limit: 0 }, 'invalid_field'],
    ['a limit too high', { query: 'x', limit: 51 }, 'invalid_field'],
    ['half a result', { query: 'x', limit: 1.5 }, 'invalid_field'],
    ['a number in words', { query: 'x', limit: '5' }, 'invalid_field'],
    ['a domain', { query: 'x', domain: 'net' }, 'unknown_field'],
    ['a misspelt filter', { query: 'x', wings: 'net' }, 'unknown_field'],
  ])('refuses %s', async (_, input, code) => {
    const { refusal } = await openTestBrain(FILES);
    expect(await refusal(queryNotes, input)).toMatchObject({ code });
  });

  it('needs the scope to read', async () => {
    const { refusal } = await openTestBrain(FILES);
    expect(await refusal(queryNotes, { query: 'x' }, callerWith(['propose']))).toMatchObject({
      code: 'forbidden_scope',
    });
  });

  it('takes the longest query that is allowed', async () => {
    const { run } = await openTestBrain(FILES);
    const { count } = await run(queryNotes, { query: `mirror ${'word '.repeat(398)}`.slice(0, 2000) });
    expect(count).toBe(2);
  });

  it('sees what others changed on disk, without walking the vault', async () => {
    const { run, vault } = await openTestBrain(FILES);
    vault.outside('wiki/net/facts/new.md', 'A kettle.');
    vault.list = () => {
      throw new Error('the vault was walked');
    };
    const { results } = await run(queryNotes, { query: 'kettle' }, agent);
    expect(results.map(({ path }) => path)).toEqual(['wiki/net/facts/new.md']);
    vault.outside('wiki/net/facts/new.md', null);
    expect((await run(queryNotes, { query: 'kettle' })).results).toEqual([]);
  });
});

describe('a place without notes', () => {
  const many = Object.fromEntries(
    ['household', 'homelab', 'tools', 'books', 'garden', 'music', 'cars', 'health', 'Home Cinema'].map(
      (wing) => [`wiki/${wing}/facts/a.md`, 'A mirror.'],
    ),
  );

  it('is told with the nearest wings', async () => {
    const { run } = await openTestBrain({
      'wiki/homelab/facts/a.md': 'x',
      'wiki/household/facts/a.md': 'x',
      'wiki/tools/facts/a.md': 'x',
    });
    expect(await run(queryNotes, { query: 'x', wing: 'homelabs' })).toMatchObject({
      count: 0,
      results: [],
      warnings: ['No wing "homelabs". Wings: homelab, household, tools.'],
    });
  });

  it('is told with at most eight of them', async () => {
    const { run } = await openTestBrain(many);
    const { warnings } = await run(queryNotes, { query: 'mirror', wing: 'home-cinemas' });
    expect(warnings).toEqual([
      expect.stringMatching(/^No wing "home-cinemas"\. Wings: Home Cinema, (?:[\w ]+, ){6}[\w ]+ …\.$/),
    ]);
  });

  it('is looked for in slices among many notes, as are completions and the nearest names', async () => {
    const files = Array.from({ length: 2000 }, (_, at) => [`Areas/${at}/note.md`, 'x']);
    const { run, refusal } = await openTestBrain(Object.fromEntries(files));
    const pieces = jest.spyOn(Pace.prototype, 'run');
    const { warnings } = await run(queryNotes, { query: 'mirror', under: 'Areas/1999x' });
    expect(warnings).toEqual([expect.stringMatching(/^No folder "Areas\/1999x"\. Folders: Areas\/199, /)]);
    expect(pieces.mock.calls.length).toBeGreaterThan(14);
    pieces.mockClear();
    expect((await run(completePath, { typed: 'areas/77' })).paths).toHaveLength(11);
    expect(pieces.mock.calls.length).toBeGreaterThan(7);
    pieces.mockClear();
    expect((await refusal(getNote, { path: 'Areas/1999y/note.md' })).message).toContain(
      'Nearest: Areas/0/note.md',
    );
    expect(pieces.mock.calls.length).toBeGreaterThan(7);
  });

  it('has nothing to name in an empty vault', async () => {
    const { run } = await openTestBrain();
    expect((await run(queryNotes, { query: 'x', wing: 'a', under: 'wiki/b' })).warnings).toEqual([
      'No wing "a". There are no wings yet.',
      'No folder "wiki/b". There are no notes yet.',
    ]);
  });

  it.each([
    { query: 'mirror', wing: 'home lab' },
    { query: 'nothing here', wing: 'net' },
    { query: 'nothing here', under: 'wiki/net' },
    { query: 'nothing here' },
  ])('is not told for %j', async (input) => {
    const { run } = await openTestBrain(FILES);
    expect(await run(queryNotes, input)).not.toHaveProperty('warnings');
  });

  it('is told by an answer too', async () => {
    const { run } = await openTestBrain(FILES);
    expect(await run(answerNotes, { query: 'mirror', wing: 'nets', under: 'wiki/nett' })).toMatchObject({
      answer: null,
      reason: 'no_matches',
      warnings: [
        'No wing "nets". Wings: net, Home Lab.',
        expect.stringMatching(/^No folder "wiki\/nett"\. Folders: wiki\/net, /),
      ],
    });
  });
});

describe('a folder as filter', () => {
  const found = async (under: string, more: object = {}) => {
    const { run } = await openTestBrain(FILES);
    const { results } = await run(queryNotes, { query: 'mirror tunnel', under, ...more });
    return results.map(({ path }) => path).sort();
  };
  const everywhere = ['knowledge/old.md', 'wiki/Home Lab/facts/nas.md', 'wiki/net/facts/mtu.md'];

  it.each<[string, string[]]>([
    ['wiki', everywhere.slice(1)],
    ['wiki/net', ['wiki/net/facts/mtu.md']],
    ['wiki/net/', ['wiki/net/facts/mtu.md']],
    ['./wiki/net//', ['wiki/net/facts/mtu.md']],
    ['/wiki/Home Lab', ['wiki/Home Lab/facts/nas.md']],
    ['brain/knowledge', ['knowledge/old.md']],
    ['wiki/ne', []],
    ['', everywhere],
    ['/', everywhere],
    ['.', everywhere],
    ['./', everywhere],
    ['raw', ['raw/2026-11-01-idea.md']],
    ['raw/rejected', []],
  ])('%j', async (under, paths) => {
    expect(await found(under)).toEqual(paths);
  });

  it('goes with the other filters', async () => {
    expect(await found('wiki', { wing: 'net' })).toEqual(['wiki/net/facts/mtu.md']);
    expect(await found('wiki/net', { wing: 'home-lab' })).toEqual([]);
    expect(await found('wiki', { status: 'knowledge' })).toEqual([]);
  });

  it('limits an answer', async () => {
    const { run } = await openTestBrain(FILES);
    const { nearest, citations } = await run(answerNotes, { query: 'mirror', under: 'knowledge' });
    expect(new Set([...nearest, ...citations].map(({ path }) => path))).toEqual(
      new Set(['knowledge/old.md']),
    );
  });

  it.each(['..', 'wiki/../..', 'wiki/./net', 'a\\b', 'wiki//net'])('refuses %j', async (under) => {
    const { refusal } = await openTestBrain(FILES);
    expect((await refusal(queryNotes, { query: 'x', under })).code).toBe('path_not_allowed');
    expect((await refusal(answerNotes, { query: 'x', under })).code).toBe('path_not_allowed');
  });
});
