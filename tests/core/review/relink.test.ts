import { dirname, posix } from 'node:path';
import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { unpromoteNote } from '../../../src/core/review/return';
import { linksIn } from '../../support/links-in';
import { LinkTargets } from '../../obsidian/metadata/link-target';
import { openTestBrain } from '../../support/test-brain';

const name = '2026-09-01-zed';
const raw = `raw/${name}.md`;
const to = 'wiki/e/facts/promoted.md';
const promotion = { path: raw, wing: 'e', hall: 'facts', slug: 'promoted' };

describe('links by the name alone', () => {
  const wiki = `See [[${name}]], [[${name}|z]] and [z](${name}.md#Zed).\n`;
  const mate = `[[${name.toUpperCase()}#Zed|al]] ![[${name}]] \`[[${name}]]\`\n`;
  const files = { [raw]: '# Zed\n', 'wiki/e/facts/w.md': wiki, 'raw/2026-09-02-b.md': mate };

  it('follow the note into the wiki and back, and are named when it is rejected', async () => {
    const { run, files: held } = await openTestBrain(files);
    expect((await run(rejectNote, { path: raw, dry_run: true })).linked_from).toEqual([
      'raw/2026-09-02-b.md',
      'wiki/e/facts/w.md',
    ]);
    expect((await run(promoteNote, promotion)).relinked).toBe(2);
    expect(held.get('wiki/e/facts/w.md')).toBe(
      `See [[promoted|${name}]], [[promoted|z]] and [z](promoted.md#Zed).\n`,
    );
    expect(held.get('raw/2026-09-02-b.md')).toBe(`[[promoted#Zed|al]] ![[promoted]] \`[[${name}]]\`\n`);
    held.set('wiki/e/facts/w.md', '[[promoted|p]]\n');
    const again = await openTestBrain(Object.fromEntries(held));
    expect((await again.run(unpromoteNote, { path: to })).path).toMatch(/^raw\/.*promoted\.md$/);
    expect(again.files.get('wiki/e/facts/w.md')).toMatch(/^\[\[[\d-]+-promoted\|p\]\]\n$/);
  });

  it.each([
    ['a note of the wiki', { [`wiki/x/facts/${name}.md`]: 'x' }],
    ['another note of the queue', { [`raw/sub/${name}.md`]: 'x' }],
    ['a note of the owner', { [`Journal/${name}.md`]: 'x' }],
    ['a rejected note', { [`raw/rejected/${name}.md`]: 'x' }],
    ['the alias of a note', { 'wiki/x/facts/o.md': `---\naliases: ["${name}"]\n---\n` }],
  ])('follow it past %s with the same name, which they do not open', async (_, more) => {
    const { run } = await openTestBrain({ ...files, ...more });
    expect((await run(promoteNote, promotion)).relinked).toBe(2);
  });

  it.each([
    ['in the folder of the note', { [`wiki/e/facts/${name}.md`]: 'x' }],
    ['in the root', { [`${name.toUpperCase()}.md`]: 'x' }],
    ['with a shorter path', { [`Q/${name}.md`]: 'x' }],
  ])('stay where they open another file, %s', async (_, more) => {
    const { run, files: held } = await openTestBrain({ ...files, ...more });
    await run(promoteNote, promotion);
    expect(held.get('wiki/e/facts/w.md')).toBe(wiki);
  });

  it('stay where they open a file that is left out of reading', async () => {
    const left = { 'Q/today.md': 'x', [`Q/${name}.md`]: 'x' };
    const { run, files: held } = await openTestBrain({ ...files, ...left }, { exclude: ['Q'] });
    await run(promoteNote, promotion);
    expect(held.get('wiki/e/facts/w.md')).toBe(wiki);
    expect((await run(getNote, { path: 'wiki/e/facts/w.md' })).outgoing).toEqual([]);
  });

  it('are looked for in no file that has none of them, and on no disk', async () => {
    const { run, vault } = await openTestBrain({ ...files, 'wiki/e/facts/other.md': '[[w]]\n' });
    const [list, read] = [jest.spyOn(vault, 'list'), jest.spyOn(vault, 'read')];
    expect((await run(promoteNote, promotion)).relinked).toBe(2);
    expect(list).not.toHaveBeenCalled();
    expect(read.mock.calls.flat()).not.toContain('wiki/e/facts/other.md');
  });
});

describe('a promotion', () => {
  const link = fc.constantFrom(
    ...[
      name,
      name.toUpperCase(),
      `${name}.md`,
      `raw/${name}`,
      `/raw/${name}.md`,
      `/${name}`,
      `sub/${name}`,
    ].flatMap((target) => [
      `[[${target}]]`,
      `[[${target}|z]]`,
      `![[${target}]]`,
      `[[${target}#Zed|a b]]`,
      `[t](${target})`,
      `![t](<${target}> "y")`,
    ]),
    ...[`[t](./${name}.md)`, `[t](../${name}.md#h)`, `[[../raw/${name}]]`, `[[../../../raw/${name}|z]]`],
    ...['[[alpha]]', '[[raw/alpha|a]]', '[a](alpha.md)', `\`[[${name}]]\``, `%%[[${name}]]%%`, '[[#Zed]]'],
    `| [[${name}\\|t]] |\n|---|\n`,
  );
  const body = fc
    .array(fc.tuple(fc.constantFrom('', ' text ', '\n\n', '\r\n', ' é [x] '), link), { maxLength: 5 })
    .map((parts) => parts.flat().join(' '));
  const sources = [
    'wiki/e/facts/s.md',
    'wiki/f/decisions/s2.md',
    'knowledge/s3.md',
    'raw/s4.md',
    'raw/sub/s5.md',
  ];
  const twins = [
    ...[`raw/sub/${name}.md`, `wiki/e/facts/${name}.md`, `knowledge/${name}.md`, `Journal/${name}.md`],
    ...[
      `${name}.md`,
      `inbox/${name}.md`,
      `raw/rejected/${name}.md`,
      `wiki/e/${name}.png`,
      `raw/${name}.md.png`,
    ],
  ];
  const world = fc.record({
    bodies: fc.tuple(...sources.map(() => body)),
    twins: fc.subarray(twins, { maxLength: 2 }),
    block: fc.constantFrom('', '---\na: 1\n---\n'),
  });

  /** The links of a text, where each leads by Obsidian's rule, and all that stands around them. */
  const seen = (files: ReadonlyMap<string, string>, source: string) => {
    const text = files.get(source) ?? '';
    const targets = new LinkTargets([...files.keys()].map((path) => ({ path })));
    const links = linksIn(text);
    const around = [0, ...links.map((each) => each.to)].map((from, index) =>
      text.slice(from, links[index]?.from),
    );
    const bare = (each: (typeof links)[number]): string =>
      each.fragment === null ? each.target : `${each.target} > ${each.fragment}`;
    const shown = links.map((each) => [each.fragment, each.text ?? (each.kind === 'wikilink' && bare(each))]);
    const leads = links.map((each) => targets.resolve(each.target, source)?.path);
    return { around, shown, leads, links };
  };

  it('leaves every link leading to the same note as before, and every other byte', async () => {
    let [drawn, followed, stayed] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(world, async ({ bodies, twins: others, block }) => {
        drawn += 1;
        const texts = sources.map((source, index) => [source, block + (bodies[index] ?? '')]);
        const { run, files } = await openTestBrain({
          ...Object.fromEntries([...texts, ...others.map((path) => [path, 'x'])]),
          [raw]: '# Zed\n',
          'raw/alpha.md': '# Alpha\n',
        });
        const before = new Map(files);
        await run(promoteNote, promotion);
        for (const source of sources) {
          const [was, is] = [seen(before, source), seen(files, source)];
          expect(is.around).toEqual(was.around);
          expect(is.shown).toEqual(was.shown);
          for (const [index, lead] of was.leads.entries()) {
            // A Markdown link counts from the folder of its note first, whatever Obsidian makes of the name.
            const { target = '', kind = '' } = was.links[index] ?? {};
            const isNear = (kind === 'mdlink' || kind === 'image') && !target.startsWith('/');
            const near = posix.join(dirname(source), target).toLowerCase();
            if (
              isNear &&
              [...before.keys()].some((path) => [near, `${near}.md`].includes(path.toLowerCase()))
            )
              continue;
            // A path that Obsidian leads nowhere may be one that the service can follow.
            if (lead !== undefined || !target.includes('/'))
              expect([target, is.leads[index]]).toEqual([target, lead === raw ? to : lead]);
            if (lead === raw && is.leads[index] === to) followed += 1;
            else if (lead !== undefined) stayed += 1;
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(followed, stayed)).toBeGreaterThan(drawn / 3);
  });
});

describe('links in properties', () => {
  const block = (see: string, up: string, words = '') =>
    `---\nsee: "[[${see}${words}]]"\nup: ['[[${up}#Zed|it''s]]', "x [z](${up}.md)"]\ndeep:\n  of: {it: "![[${see}]]"}\n---\n`;
  const files = {
    [raw]: `---\nme: "[[raw/${name}]]"\n---\n# Zed\n`,
    'wiki/e/facts/w.md': `${block(`raw/${name}`, `raw/${name}`)}text\n`,
    'raw/2026-09-02-b.md': `${block(name, `raw/${name}`)}text\n`,
  };

  it('are backlinks, and follow the note into the wiki and back', async () => {
    const { run, files: held } = await openTestBrain(files);
    const both = ['raw/2026-09-02-b.md', 'wiki/e/facts/w.md'];
    expect((await run(rejectNote, { path: raw, dry_run: true })).linked_from).toEqual(both);
    expect((await run(getNote, { path: raw })).backlinks).toEqual(both);
    expect((await run(promoteNote, promotion)).relinked).toBe(2);
    const path = to.slice(0, -3);
    expect(held.get('wiki/e/facts/w.md')).toBe(`${block(path, path, `|raw/${name}`)}text\n`);
    expect(held.get('raw/2026-09-02-b.md')).toBe(`${block('promoted', path, `|${name}`)}text\n`);
    expect(held.get(to)).toContain(`\nme: "[[${path}|raw/${name}]]"\n`);
    expect((await run(getNote, { path: to })).backlinks).toEqual(both);
    expect((await run(getNote, { path: 'wiki/e/facts/w.md' })).outgoing).toEqual([to]);
    await run(unpromoteNote, { path: to });
    for (const [at, text] of Object.entries(files)) expect([at, held.get(at)]).toEqual([at, text]);
  });

  it('lead out to files of the vault', async () => {
    const { run } = await openTestBrain({
      'img/a b.png': 'x',
      'wiki/e/facts/w.md': '---\ncover: "[[img/a b.png]]"\nalso: "[x](/img/a%20b.png)"\n---\ntext\n',
    });
    expect((await run(getNote, { path: 'wiki/e/facts/w.md' })).outgoing).toEqual(['img/a b.png']);
  });
});
