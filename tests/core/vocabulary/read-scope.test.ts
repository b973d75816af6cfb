import fc from 'fast-check';
import {
  appExclusions,
  excludeFault,
  ReadScope,
  scopeSentence,
} from '../../../src/core/vocabulary/read-scope';

const NONE = { scope: 'vault', exclude: [], own: [] } as const;

describe('ReadScope', () => {
  it.each([
    ['wiki/net/facts/mtu.md', false],
    ['knowledge/old.md', false],
    ['raw/rejected/x.md', false],
    ['inbox/drop.pdf', false],
    ['sessions/2026-01.abc.jsonl', true],
    ['.brain/history/aa/x.md', true],
    ['.obsidian/app.json', true],
    ['Projects/.trash/x.md', true],
    ['Diary/today.md', false],
    ['today.md', false],
    ['Pictures/a.png', false],
    ['code/node_modules/pkg/README.md', true],
    ['notes/plan.sync-conflict-20261120-103200-ABCDEFG.md', true],
    ['Wiki/net/facts/mtu.md', false],
  ])('reads the whole vault by default: %s left out: %s', (path, expected) => {
    expect(new ReadScope(NONE).leavesOut(path)).toBe(expected);
  });

  it.each([
    ['Diary/today.md', true],
    ['Diary', true],
    ['AGENTS.md', true],
    ['wiki/net/facts/mtu.md', false],
    ['inbox/drop.pdf', false],
  ])('reads only the folders of the service when asked: %s left out: %s', (path, expected) => {
    expect(new ReadScope({ ...NONE, scope: 'brain' }).leavesOut(path)).toBe(expected);
  });

  it.each<[entry: string, out: string[], kept: string[]]>([
    [
      'Private',
      ['Private/a.md', 'Private', 'private/b/c.md', 'PRIVATE/x.md'],
      ['Private notes/a.md', 'x/Private/a.md'],
    ],
    ['/Private/', ['Private/a.md'], ['Privateer.md']],
    ['./Journal/2019', ['Journal/2019/x.md'], ['Journal/2020/x.md', 'Journal/20190.md']],
    ['Journal/today.md', ['Journal/today.md'], ['Journal/today.mdx', 'today.md']],
    ['*.excalidraw.md', ['a.excalidraw.md', 'Draw/deep/b.excalidraw.md'], ['a.md', 'excalidraw.md']],
    ['Archive/**', ['Archive/a.md', 'Archive/b/c.md'], ['Archive.md', 'x/Archive/a.md']],
    ['**/Old/**', ['Old/a.md', 'x/y/Old/z.md'], ['Older/a.md']],
    ['Journal/*/draft.md', ['Journal/2026/draft.md'], ['Journal/draft.md', 'Journal/a/b/draft.md']],
    ['Work/{a,b}', ['Work/a/x.md', 'Work/b'], ['Work/c/x.md']],
    ['Areas/Private (me)', ['Areas/Private (me)', 'Areas/Private (me)/a.md'], ['Areas/Private/a.md']],
    ['Work/Q&A (2024)', ['work/q&a (2024)/deep/a.md'], ['Work/Q&A/a.md']],
    ['[draft]', ['[draft]/a.md', 'x/d'], ['drafts/a.md']],
    ['_*', ['_templates/x.md', 'a/_draft.md'], ['a_b.md']],
    ['Größe', ['Größe/x.md', 'GRÖSSE/x.md'], ['Gross/x.md']],
    ['Caf\u0065\u0301', ['Café/x.md'], ['Cafe/x.md']],
    [
      'istanbul',
      ['İstanbul/x.md', 'I\u0307stanbul/x.md', 'ISTANBUL/x.md', 'ıstanbul/x.md'],
      ['Stanbul/x.md'],
    ],
    ['İSTANBUL', ['istanbul/x.md', 'İstanbul/x.md'], ['a/İstanbul/x.md']],
    ['istanbul*', ['a/İstanbul 2026.md', 'ıstanbul/x.md'], ['a/Ankara.md']],
    ['gezi/*istanbul*/**', ['Gezi/Eski İstanbul/x.md'], ['Gezi/İzmir/x.md']],
    ['STRASSE*', ['Straße 7/x.md'], ['Strasbourg/x.md']],
    ['*ΟΔΟΣ', ['Η ΟΔΟΣ/x.md', 'οδοσ/x.md', 'η οδος/x.md'], ['οδ/x.md']],
    ['ＰＲＩＶＡＴＥ*', ['private notes/x.md'], ['public/x.md']],
    ['＊', ['＊/x.md'], ['a/x.md', 'ab/x.md']],
    ['ﬁles/*.md', ['Files/x.md'], ['Files/x.txt']],
  ])('leaves out what the entry %s names', (entry, out, kept) => {
    const scope = new ReadScope({ ...NONE, exclude: [entry] });
    expect(out.filter((path) => !scope.leavesOut(path))).toEqual([]);
    expect(kept.filter((path) => scope.leavesOut(path))).toEqual([]);
  });

  it('never leaves out a file of the service’s own folders', () => {
    const scope = new ReadScope({
      ...NONE,
      exclude: ['wiki', '**', '*.md'],
      app: { filters: ['/./', 'raw'], templates: ['knowledge'], unread: [] },
    });
    for (const path of ['wiki/a/facts/b.md', 'raw/x.md', 'knowledge/y.md', 'inbox/z.pdf'])
      expect(scope.leavesOut(path)).toBe(false);
    expect(scope.leavesOut('Diary/today.md')).toBe(true);
  });

  it('leaves out what the service itself uses elsewhere', () => {
    const scope = new ReadScope({ ...NONE, own: ['Guide/AGENTS.md', 'Clippings', 'inbox'] });
    expect(scope.leavesOut('Guide/AGENTS.md')).toBe(true);
    expect(scope.leavesOut('Guide/other.md')).toBe(false);
    expect(scope.leavesOut('Clippings/page.md')).toBe(true);
    expect(scope.leavesOut('inbox/page.md')).toBe(false);
  });

  it('leaves out what Obsidian excludes, and the folders of templates', () => {
    const scope = new ReadScope({
      ...NONE,
      app: {
        filters: ['Archive/', '/secret-\\d+/', '/(/', 'Mee', '/^Only$/'],
        templates: ['Extras/Templates', ''],
        unread: [],
      },
    });
    for (const path of [
      'Archive/a.md',
      'archive/b/c.md',
      'x/secret-12.md',
      'Meeting.md',
      'Extras/Templates/t.md',
      'Only/a.md',
    ])
      expect(scope.leavesOut(path)).toBe(true);
    for (const path of ['Archived.md', 'x/secret-.md', 'Extras/a.md', 'x/Archive/a.md'])
      expect(scope.leavesOut(path)).toBe(false);
    expect(scope.excluded.map(({ what, by }) => `${by}: ${what}`)).toEqual([
      'excluded files of Obsidian: Archive/',
      'excluded files of Obsidian: /secret-\\d+/',
      'excluded files of Obsidian: Mee',
      'excluded files of Obsidian: /^Only$/',
      'template folder: Extras/Templates',
    ]);
    expect(scope.unusable).toHaveLength(1);
  });

  it('leaves out what is below a folder that it leaves out', () => {
    const name = fc.constantFrom('a', 'B', 'Archive', 'x.md', '.git', 'node_modules', '_t');
    const entry = fc.constantFrom('Archive', '_*', 'a/B', '**/x.md', 'B/**', 'a/*');
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 4 }),
        name,
        fc.array(entry),
        (names, below, exclude) => {
          const scope = new ReadScope({ ...NONE, exclude });
          const folder = names.join('/');
          return !scope.leavesOut(folder) || scope.leavesOut(`${folder}/${below}`);
        },
      ),
    );
  });
});

it.each([
  ['Private', null],
  ['*.md', null],
  ['', 'An empty entry would leave out the whole vault.'],
  ['/', 'An empty entry would leave out the whole vault.'],
  ['!Private', '"!Private" begins with "!", and there is no entry that takes a folder back in.'],
  ['a\\b', '"a\\b" has a backslash. Separate folders with "/".'],
])('says what is wrong with the entry %j: %j', (entry, fault) => {
  expect(excludeFault(entry)).toBe(fault);
});

describe('appExclusions', () => {
  const from = (files: Readonly<Record<string, string>>) =>
    appExclusions(async (path) => {
      if (files[path] === 'EACCES') throw new Error('EACCES');
      return files[path] ?? null;
    }, '.obsidian');

  it('reads the settings of the app and of both template plugins', async () => {
    expect(
      await from({
        '.obsidian/app.json': '\uFEFF{"userIgnoreFilters":["Archive/","/^x/",7]}',
        '.obsidian/templates.json': '{"folder":"Extras/Templates"}',
        '.obsidian/plugins/templater-obsidian/data.json': '{"templates_folder":"T","trigger":true}',
      }),
    ).toEqual({ filters: ['Archive/', '/^x/'], templates: ['Extras/Templates', 'T'], unread: [] });
  });

  it('leaves nothing out without settings', async () => {
    expect(await from({})).toEqual({ filters: [], templates: [], unread: [] });
    expect(await from({ '.obsidian/app.json': '{"userIgnoreFilters":null}' })).toEqual({
      filters: [],
      templates: [],
      unread: [],
    });
  });

  it.each([
    ['{"userIgnore', 'is not JSON'],
    ['', 'is not JSON'],
    ['\0\0\0', 'is not JSON'],
    ['[]', 'holds something else than settings'],
    ['null', 'holds something else than settings'],
    ['{"userIgnoreFilters":{"0":"Private/"}}', 'holds something else than settings'],
    ['EACCES', 'cannot be read (Error: EACCES)'],
  ])('closes the vault outside the service’s folders when app.json is %j', async (text, reason) => {
    const app = await from({ '.obsidian/app.json': text, '.obsidian/templates.json': '{"folder":"T"}' });
    expect(app.unread).toEqual([`.obsidian/app.json ${reason}`]);
    const scope = new ReadScope({ scope: 'vault', exclude: [], own: [], app });
    expect(['Private/diary.md', 'Notes/x.md', 'wiki/a/facts/b.md'].map((at) => scope.leavesOut(at))).toEqual([
      true,
      true,
      false,
    ]);
    expect(scopeSentence(scope)).toBe(
      `Only the folders of the service are read, because .obsidian/app.json ${reason}: what it leaves out is unknown.`,
    );
  });
});
