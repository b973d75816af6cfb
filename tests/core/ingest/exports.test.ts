import fc from 'fast-check';
import { finish, Pace } from '../../../src/core/base/steps';
import type { DocumentText } from '../../../src/core/documents/ports';
import { Exports } from '../../../src/core/ingest/exports';
import { FolderLinks } from '../../../src/core/ingest/folder-links';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { linksIn } from '../../support/links-in';
import { Catalog } from '../../../src/core/catalog/catalog';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { cpuMs } from '../../support/cpu';

const pace = new Pace(() => Promise.resolve(), { now: () => new Date() });
const textOf = (markdown: string): DocumentText => ({ markdown, converted: false, warnings: [] });

/** Recognises a folder and translates its files. */
async function translated(files: Readonly<Record<string, string>>) {
  const all = Object.entries(files).map(([place, text]) => ({ place, text: async () => textOf(text) }));
  const exports = await Exports.in(all, [], pace);
  const texts = new Map<string, DocumentText>();
  for (const [place, text] of Object.entries(files)) {
    if (!exports.isLeftOut(place)) texts.set(place, finish(exports.translate(place, textOf(text))));
  }
  return { exports, texts };
}

const ID = (n: number) => n.toString(16).padStart(32, 'a');
const UUID = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const DAY = { 'journals/2024_01_05.md': '- day\n' };
const IN_NOTION = { [`Other ${ID(1)}.md`]: '# Other\n' };
const IN_BEAR = { 'Tags.md': '# Tags\n#two words#\n', 'Pump.md': '# Pump\n' };

it.each([
  ['a link by a path that lacks the ids of folders', `[o](A/Other%20${ID(1)}.md)`, `[o](${ID(1)})`],
  ['a link to a part of a page', `[o](Other%20${ID(1)}.md#x)`, `[o](${ID(1)})`],
  [
    'an address with the id in groups',
    `<https://acme.notion.site/Other-${ID(1).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}>`,
    `[Other](${ID(1)})`,
  ],
  [
    'a page that is not in the folder',
    `[o](https://www.notion.so/O-${ID(2)})`,
    `[o](https://www.notion.so/O-${ID(2)})`,
  ],
  ['a link to the web', '[x](https://example.com/a.md)', '[x](https://example.com/a.md)'],
  ['an aside that has no end', '<aside>\nwords', '<aside>\nwords'],
  ['an aside in an item', '- a\n    <aside>\n    x\n    </aside>\nb', '- a\n    > [!note]\n    > x\n\nb'],
  ['code', `\`\`\`\n[o](Other%20${ID(1)}.md)\n\`\`\``, `\`\`\`\n[o](Other%20${ID(1)}.md)\n\`\`\``],
])('translates in Notion %s', async (_, text, expected) => {
  const place = `Page ${ID(0)}.md`;
  const { texts } = await translated({ ...IN_NOTION, [place]: text });
  expect(texts.get(place)?.markdown).toBe(expected);
  expect(texts.get(place)?.title).toBe('Page');
});

it.each([
  ['of one of its own names', 'Status: Done\nMy key: x', { Status: 'Done', 'My key': 'x' }, ''],
  ['that may be a sentence', 'Note: this is one', {}, 'Note: this is one\n'],
  ['that may be a dialogue', 'Anna: hello\nBert: hi', {}, 'Anna: hello\nBert: hi\n'],
  ['with a line that is none', 'Status: Done\nand more', {}, 'Status: Done\nand more\n'],
  [
    'of the service',
    'Status: Done\nwing: home\nLocked: yes',
    { Status: 'Done' },
    'wing: home\nLocked: yes\n',
  ],
])('takes lines below the title of a Notion page %s', async (_, block, properties, kept) => {
  const place = `Page ${ID(0)}.md`;
  const { texts } = await translated({ [place]: `# Page\n\n${block}\n` });
  expect(texts.get(place)?.properties).toEqual(properties);
  expect(texts.get(place)?.markdown.trim()).toBe(`# Page\n\n${kept}`.trim());
});

it.each([
  [
    'Notion',
    `Page ${ID(0)}.md`,
    '# Page\n\nStatus: Done\nNote: one\nStatus: Open\nDue:\nTags: a, b\ntags: c\n\nText.\n',
    { Status: 'Done', Note: 'one', tags: ['a', 'b'] },
    '# Page\n\nStatus: Open\nDue: \ntags: c\n\nText.\n',
  ],
  [
    'Logseq',
    'pages/a.md',
    'rating:: one\ntags:: a\nTAGS:: b\nrating:: two\n\n- Text.\n',
    { rating: 'one', tags: ['a'] },
    'TAGS:: b\nrating:: two\n\n- Text.\n',
  ],
  [
    'Logseq, all in one block',
    'pages/a.md',
    '- rating:: one\n  rating:: two\n- Text.\n',
    {},
    '- rating:: one\n  rating:: two\n- Text.\n',
  ],
  [
    'Logseq with a key of the service',
    'pages/a.md',
    'tunnels:: [[b]]\nrating:: one\n\n- Text.\n',
    { rating: 'one' },
    'tunnels:: [[b]]\n\n- Text.\n',
  ],
])('loses no property of %s', async (_, place, markdown, properties, expected) => {
  const { texts } = await translated({ ...DAY, [place]: markdown });
  expect(texts.get(place)?.properties).toEqual(properties);
  expect(texts.get(place)?.markdown).toBe(expected);
});

it('keeps a title of its own that a day of Logseq has as a further name', async () => {
  const { texts } = await translated({ 'journals/2024_01_05.md': 'title:: Wedding\n\n- x\n' });
  expect(texts.get('journals/2024_01_05.md')).toMatchObject({
    title: '2024-01-05',
    properties: { aliases: ['Jan 5th, 2024', 'Wedding'] },
  });
});

it.each([
  ['Notion', `Page ${ID(0)}.md`, '# Page\n\nCreated: x\n', ': '],
  ['Logseq', 'pages/a.md', '', ':: '],
])(
  'keeps the properties of %s in the text that front matter has no room for',
  async (_, place, head, sign) => {
    for (const [count, value] of [
      [30_000, 'v'],
      [100, '\u4e2d'.repeat(400)],
      [2, Array.from({ length: 500 }, (_item, n) => `t${n}`).join(', ')],
    ] as const) {
      const names = Array.from({ length: count }, (_item, n) =>
        count === 2 ? ['tags', 'alias'][n] : `k${n}`,
      );
      const lines = names.map((name) => `${name}${sign}${value}`).join('\n');
      const { texts } = await translated({ ...DAY, [place]: `${head}${lines}\n\n- Text.\n` });
      const { properties = {}, markdown = '' } = texts.get(place) ?? {};
      expect(new TextEncoder().encode(JSON.stringify(properties)).length).toBeLessThan(56 * 1024);
      for (const name of names) {
        expect(Object.hasOwn(properties, name ?? '') !== markdown.includes(`${name}${sign}`)).toBe(true);
      }
    }
  },
);

it.each([
  ['an unknown block', `((${UUID(9)})) [x](((${UUID(9)})))`, `((${UUID(9)})) [x](((${UUID(9)})))`],
  ['a tag that Obsidian does not have', '#[[C++ notes]] #[[2024]]', '[[C++ notes]] [[2024]]'],
  ['states of tasks', '- NOW a\n- CANCELED b\n- TODOS c', '- [ ] NOW a\n- [x] CANCELED b\n- TODOS c'],
  ['text about tasks', 'TODO is a word', 'TODO is a word'],
  ['properties of blocks', '- a\n  b:: c\n- d', '- a\n  b:: c\n- d'],
  ['code', '- ```\n  collapsed:: true\n  ((x))\n  ```', '- ```\n  collapsed:: true\n  ((x))\n  ```'],
  ['Windows lines', `- a\r\n  id:: ${UUID(1)}\r\n- b\r\n`, `- a ^${UUID(1)}\n- b\n`],
])('translates in Logseq %s', async (_, text, expected) => {
  const { texts } = await translated({ ...DAY, 'pages/x.md': text });
  expect(texts.get('pages/x.md')?.markdown).toBe(expected);
});

it.each([
  ['C# and F# are languages', 'C# and F# are languages'],
  ['#one #two #three', '#one #two #three'],
  ['#a b# and #c/d e#', '#a-b and #c/d-e'],
  ['std::vector<int>::iterator', 'std::vector<int>::iterator'],
  ['[[Pump/Parts]] [[None/Parts]] [[Pump/Parts|p]]', '[[Pump#Parts]] [[None/Parts]] [[Pump#Parts|p]]'],
  ['`#a b#`', '`#a b#`'],
])('translates %j of Bear', async (text, expected) => {
  const { texts } = await translated({ ...IN_BEAR, 'x.md': text });
  expect(texts.get('x.md')?.markdown).toBe(expected);
});

it.each<[string, Record<string, string>, string[]]>([
  ['plain notes', { 'a.md': '# A\n', 'journals/today.md': '# T\n', 'pages/b.md': 'key:: value\n' }, []],
  ['a hash for a name', { [`${ID(0)}.md`]: '# A\n' }, []],
  ['headings of an old style', { 'a.md': '#My project#\n\n#How to use it#\n\nText.\n' }, []],
  [
    'notes in a folder named logseq',
    { ...DAY, 'logseq/a.md': 'x' },
    ['The folder was read as a Logseq graph.'],
  ],
  [
    'settings and backups of Logseq',
    { ...DAY, 'logseq/config.edn': '', 'logseq/bak/pages/a/1.md': 'x', 'logseq/.recycle/pages_b.md': 'x' },
    ['The folder was read as a Logseq graph. 3 files were left out: settings and backups of Logseq.'],
  ],
  [
    'a graph without journals',
    { 'g/pages/b.md': `- x\n  id:: ${UUID(1)}\n` },
    ['The folder was read as a Logseq graph.'],
  ],
  [
    'bundles of another program',
    { 'A.textbundle/text.md': 'x', 'A.textbundle/info.json': '{}' },
    ['Text bundles were read as notes. One file was left out: descriptions of text bundles.'],
  ],
])('recognises %s', async (_, files, told) => {
  expect((await translated(files)).exports.told).toEqual(told);
});

it.each([
  ['- # Plan\n- x\n', '# Page\n\n- # Plan\n- x\n'],
  ['tags:: a\n\n# Plan\n', '# Page\n\n\n# Plan\n'],
  ['- # Page\n- # Plan\n', '- # Page\n- # Plan\n'],
  ['- ## Plan\n', '- ## Plan\n'],
  ['---\ntags: a\n---\n# Plan\n', '---\ntags: a\n---\n# Plan\n'],
])('shows the name of a page of Logseq above its headings: %j', async (markdown, expected) => {
  const { texts } = await translated({ ...DAY, 'pages/Page.md': markdown });
  expect(texts.get('pages/Page.md')?.markdown).toBe(expected);
});

it('takes the title of a page of Logseq from its front matter', async () => {
  const text = '---\ntitle: Own title\nalias: Other\n---\n- words\n';
  const { exports, texts } = await translated({ ...DAY, 'pages/x.md': text });
  expect(texts.get('pages/x.md')).toMatchObject({ markdown: text, title: 'Own title' });
  expect(exports.names('pages/x.md')).toEqual(['Own title', 'Other']);
});

it('links the pages of a Notion export as HTML', async () => {
  const place = `Page ${ID(0)}.html`;
  const files = { [place]: `[o](https://www.notion.so/Other-${ID(1)})\n`, [`Other ${ID(1)}.html`]: 'x' };
  expect((await translated(files)).texts.get(place)?.markdown).toBe(`[o](${ID(1)})\n`);
});

/** Writes pages with links between them, as a program exports them. */
const WRITERS: Readonly<
  Record<string, (titles: readonly string[], links: readonly [number, number][]) => Record<string, string>>
> = {
  Notion(titles, links) {
    const place = (n: number) =>
      `${n % 2 === 0 ? '' : `Folder ${ID(99)}/`}${titles[n]?.replaceAll('/', ' ').slice(0, 6).trim()} ${ID(n)}.md`;
    return Object.fromEntries(
      titles.map((title, n) => {
        const up = n % 2 === 0 ? '' : '../';
        const own = links
          .filter(([from]) => from === n)
          .map(([, to], at) => {
            if (at % 2 === 1) return `[l](https://www.notion.so/x-${ID(to)}?pvs=4)`;
            return `[l](${up}${place(to).split('/').map(encodeURIComponent).join('/')})`;
          });
        return [place(n), `# ${title}\n\n${own.join(' and ')}\n`];
      }),
    );
  },
  Logseq(titles, links) {
    const pages = titles.map((title, n) => {
      const own = links
        .filter(([from]) => from === n)
        .map(([, to], at) => {
          return ['- [[TITLE]]', `\t- ((${UUID(to)}))`, `- {{embed ((${UUID(to)}))}}`][at % 3]?.replace(
            'TITLE',
            titles[to] ?? '',
          );
        });
      return [
        `pages/${title.replace(/\//g, '___')}.md`,
        `- words ${n}\n  id:: ${UUID(n)}\n${own.join('\n')}\n`,
      ];
    });
    return { ...DAY, ...Object.fromEntries(pages) };
  },
  Bear(titles, links) {
    const pages = titles.map((title, n) => {
      const own = links
        .filter(([from]) => from === n)
        .map(([, to], at) => `[[${titles[to]}${at % 2 === 1 ? '/Part' : ''}]]`);
      return [`${title.replace(/\//g, '-')}.md`, `# ${title}\n#two words#\n\n${own.join(', ')}\n\n## Part\n`];
    });
    return Object.fromEntries(pages);
  },
};

describe.each(Object.keys(WRITERS))('an export of %s', (program) => {
  const letters = program === 'Bear' ? 'abcäZ 0' : 'abcäZ/0';
  const title = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 }).map(
    (s) =>
      `n${s
        .replace(/\/+/g, '/')
        .replace(/^\/|\/$/g, '')
        .trim()}x`,
  );
  const graph = fc
    .uniqueArray(title, { minLength: 2, maxLength: 7, selector: (each) => each.toLowerCase() })
    .chain((titles) => {
      const number = fc.nat(titles.length - 1);
      return fc.tuple(
        fc.constant(titles),
        fc.uniqueArray(
          fc.tuple(number, number).filter(([a, b]) => a !== b),
          { maxLength: 12, selector: String },
        ),
      );
    });

  it('has as many links after it as before, each to the page that was meant', () =>
    fc.assert(
      fc.asyncProperty(graph, async ([titles, links]) => {
        const files = WRITERS[program]?.(titles, links) ?? {};
        const { exports, texts } = await translated(files);
        const places = Object.keys(files).filter((place) => place !== 'journals/2024_01_05.md');
        const at = (place: string) => vaultPath(`raw/p${places.indexOf(place)}.md`);
        const linked = [...texts].map(([place, text]) => {
          const { headings, blockIds, h1 } = markdownFacts(text.markdown);
          const page = {
            path: at(place),
            title: text.title ?? h1 ?? '',
            aliases: [],
            queued: true,
            facts: { headings, blockIds },
          };
          return { place, pages: [page], names: exports.names(place) };
        });
        const folder = finish(FolderLinks.steps(linked, ''));
        for (const [n, place] of places.entries()) {
          const targets = folder.targets({ place, queued: true })(new Catalog());
          const found = linksIn(texts.get(place)?.markdown ?? '').map(({ kind, target, fragment }) => {
            const resolution = targets.within?.(target, kind === 'mdlink', at(place)) ?? null;
            const path = resolution !== null && 'path' in resolution ? (resolution.path ?? null) : null;
            if (fragment?.startsWith('^')) expect(path !== null && targets.holds(path, fragment)).toBe(true);
            return path;
          });
          expect(found).toEqual(links.filter(([from]) => from === n).map(([, to]) => at(places[to] ?? '')));
        }
      }),
    ));
});

it.each([
  [
    'Notion',
    `Page ${ID(0)}.md`,
    [`[x](Other%20${ID(1)}.md) `, '<aside>\n', '](', '`a` ', 'Status: x\n', '((('],
  ],
  [
    'Logseq',
    'pages/x.md',
    ['- ((', '[[', '{{embed ((', '\t- TODO ', '  id:: ', '#[[a ', '^^a', 'a:: b\n', '{{query ', '!['],
  ],
  ['Bear', 'x.md', ['#a ', '::a', '[[a/', "<a href='", '#a b# ']],
])('translates hostile text of %s in small steps and linear time', async (_, place, parts) => {
  const others = { ...IN_NOTION, ...DAY, ...IN_BEAR };
  for (const part of parts) {
    const { exports } = await translated({ ...others, [place]: 'x' });
    const times = [100_000, 800_000].map((length) => {
      const text = textOf(part.repeat(length / part.length));
      const begun = cpuMs();
      const longest = () => {
        let most = 0;
        for (const work = exports.translate(place, text); ;) {
          const start = cpuMs();
          if (work.next().done === true) return most;
          most = Math.max(most, cpuMs() - start);
        }
      };
      const first = longest();
      const took = cpuMs() - begun;
      // A collection of garbage may fall into a step; not into the same one twice.
      expect([part, first < 200 || longest() < 200]).toEqual([part, true]);
      return took;
    });
    expect([part, (times[1] ?? 0) < 20 * (times[0] ?? 0) + 200]).toEqual([part, true]);
  }
});

it('recognises a folder of 100,000 files in small steps', async () => {
  const files = Array.from({ length: 100_000 }, (_, n) => ({
    place: `folder ${n % 100}/Page ${n} ${ID(n)}.md`,
    text: async () => textOf(''),
  }));
  const longest: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    let most = 0;
    const run = async <T>(work: () => T): Promise<T> => {
      const start = cpuMs();
      const result = work();
      most = Math.max(most, cpuMs() - start);
      return result;
    };
    const exports = await Exports.in(files, [], { run });
    expect(exports.names(files[5]?.place ?? '')).toEqual([ID(5)]);
    longest.push(most);
  }
  // A collection of garbage falls into one step of one time.
  expect(Math.min(...longest)).toBeLessThan(100);
});
