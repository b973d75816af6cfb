import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { unpromoteNote } from '../../../src/core/review/return';
import { linksIn } from '../../support/links-in';
import type { Brain } from '../../../src/core/operation/context';
import { fileName, vaultPath } from '../../../src/core/vocabulary/paths';
import { LinkTargets } from '../../obsidian/metadata/link-target';
import { agent, openTestBrain } from '../../support/test-brain';

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
    const path = 'wiki/e/facts/promoted';
    expect(held.get('wiki/e/facts/w.md')).toBe(`See [[${path}]], [[${path}|z]] and [z](${path}.md#Zed).\n`);
    expect(held.get('raw/2026-09-02-b.md')).toBe(`[[${path}#Zed|al]] ![[${path}]] \`[[${name}]]\`\n`);
    held.set('wiki/e/facts/w.md', '[[promoted|p]]\n');
    const again = await openTestBrain(Object.fromEntries(held));
    expect((await again.run(unpromoteNote, { path: to })).path).toMatch(/^raw\/.*promoted\.md$/);
    expect(again.files.get('wiki/e/facts/w.md')).toMatch(/^\[\[raw\/[\d-]+-promoted\|p\]\]\n$/);
  });

  it.each([
    ['a note of the wiki', { [`wiki/x/facts/${name}.md`]: 'x' }],
    ['another note of the queue', { [`raw/sub/${name}.md`]: 'x' }],
    ['a note that the service does not keep', { [`Journal/${name}.md`]: 'x' }],
    ['the name in another case', { [`Journal/${name.toUpperCase()}.md`]: 'x' }],
    ['the alias of a note', { 'wiki/x/facts/o.md': `---\naliases: ["${name}"]\n---\n` }],
  ])('stay where the name may mean %s', async (_, more) => {
    const { run, files: held } = await openTestBrain({ ...files, ...more });
    expect((await run(rejectNote, { path: raw, dry_run: true })).linked_from).toEqual([]);
    expect((await run(promoteNote, promotion)).relinked).toBe(0);
    expect(held.get('wiki/e/facts/w.md')).toBe(wiki);
    expect(held.get('raw/2026-09-02-b.md')).toBe(mate);
  });

  it('follow it past a rejected note of its name', async () => {
    const { run } = await openTestBrain({ ...files, [`raw/rejected/${name}.md`]: 'x' });
    expect((await run(promoteNote, promotion)).relinked).toBe(2);
  });

  it('stay where the vault cannot be looked through, and the promotion stands', async () => {
    const { run, vault, files: held } = await openTestBrain(files);
    const list = vault.list.bind(vault);
    vault.list = (folder) => {
      if (folder === '') throw new Error('EIO');
      return list(folder);
    };
    expect(await run(promoteNote, promotion)).toMatchObject({ path: to, relinked: 0 });
    expect(held.get('wiki/e/facts/w.md')).toBe(wiki);
  });

  it.each<[string, (brain: Brain) => Promise<unknown>]>([
    ['a promotion', (brain) => perform(brain, promoteNote, promotion, agent)],
    ['a rejection', (brain) => perform(brain, rejectNote, { path: raw }, agent)],
  ])('hold no other writer up while %s looks for the name on the disk', async (_, decide) => {
    const { brain, vault } = await openTestBrain(files);
    const list = vault.list.bind(vault);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    vault.list = async function* (...args) {
      isAsked();
      await held;
      yield* list(...args);
    };
    const deciding = decide(brain);
    await asked;
    const other = { wing: 'e', hall: 'facts', slug: 'other', content: '# Other\n' };
    expect(await perform(brain, writeNote, other, agent)).toMatchObject({ path: 'wiki/e/facts/other.md' });
    goOn();
    await deciding;
    expect(brain.catalog.record(vaultPath(raw))).toBeUndefined();
  });

  it('are looked for in no other file when nobody writes the name', async () => {
    const { run, vault } = await openTestBrain({ [raw]: '# Zed\n', 'wiki/e/facts/w.md': `[[raw/${name}]]` });
    const list = jest.spyOn(vault, 'list');
    expect((await run(promoteNote, promotion)).relinked).toBe(1);
    expect(list).not.toHaveBeenCalled();
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
    const said = links.map(({ kind, text: words, fragment }) => ({ kind, words, fragment }));
    const leads = links.map((each) => targets.resolve(each.target, source)?.path);
    return { around, said, leads, targets: links.map((each) => each.target) };
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
        const isOnly = others.every(
          (path) => path.startsWith('raw/rejected/') || fileName(path) !== `${name}.md`,
        );
        for (const source of sources) {
          const [was, is] = [seen(before, source), seen(files, source)];
          expect(is.around).toEqual(was.around);
          expect(is.said).toEqual(was.said);
          for (const [index, lead] of was.leads.entries()) {
            // A Markdown link counts from the folder of its note first, whatever Obsidian makes of the name.
            if (
              source === 'raw/s4.md' &&
              ['mdlink', 'image'].includes(was.said[index]?.kind ?? '') &&
              !isOnly
            )
              continue;
            const isPath = was.targets[index]?.includes('/') === true;
            // Of a name that several files have, nobody can tell which one was meant.
            if (lead === raw && (isOnly || isPath)) expect(is.leads[index]).toBe(to);
            // A path that Obsidian leads nowhere may be one that the service can follow.
            else if (lead !== raw && (lead !== undefined || !isPath)) expect(is.leads[index]).toBe(lead);
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
  const block = (see: string, up: string) =>
    `---\nsee: "[[${see}]]"\nup: ['[[${up}#Zed|it''s]]', "x [z](${up}.md)"]\ndeep:\n  of: {it: "![[${see}]]"}\n---\n`;
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
    expect(held.get('wiki/e/facts/w.md')).toBe(`${block(path, path)}text\n`);
    expect(held.get('raw/2026-09-02-b.md')).toBe(`${block(path, path)}text\n`);
    expect(held.get(to)).toContain(`\nme: "[[${path}]]"\n`);
    expect((await run(getNote, { path: to })).backlinks).toEqual(both);
    expect((await run(getNote, { path: 'wiki/e/facts/w.md' })).outgoing).toEqual([to]);
    const back = (await run(unpromoteNote, { path: to })).path.slice(0, -3);
    expect(held.get('wiki/e/facts/w.md')).toBe(`${block(back, back)}text\n`);
    expect(held.get(`${back}.md`)).toContain(`\nme: "[[${back}]]"\n`);
  });

  it('lead out to files of the vault', async () => {
    const { run } = await openTestBrain({
      'img/a b.png': 'x',
      'wiki/e/facts/w.md': '---\ncover: "[[img/a b.png]]"\nalso: "[x](/img/a%20b.png)"\n---\ntext\n',
    });
    expect((await run(getNote, { path: 'wiki/e/facts/w.md' })).outgoing).toEqual(['img/a b.png']);
  });
});
