import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { moveNote } from '../../../src/core/review/move';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { LinkTargets } from '../../obsidian/metadata/link-target';
import { linksIn } from '../../support/links-in';
import { openTestBrain, person, type TestBrain } from '../../support/test-brain';

/** Links of a note to itself, in every form. */
const LINKS = [
  '[[Self#Part]]',
  '![[Self#Part]]',
  '[[Own/Self#Part|words]]',
  '[[Self]]',
  '[x](Self.md#Part)',
  '[x](../Own/Self.md#Part)',
  '[[#Part]]',
];
const text = (links: readonly string[]): string =>
  `---\nsee: "[[Self]]"\n---\n# Self\n\n${links.join('\n\n')}\n\n## Part\n\nText.\n`;
const PLACE = { wing: 'net', hall: 'facts', slug: 'other' };

/** Checks that every link of the note at the path leads to the note itself. */
async function areAlive({ run, files }: TestBrain, path: string): Promise<void> {
  const { outgoing } = await run(getNote, { path });
  expect(outgoing).toEqual([]);
  const app = new LinkTargets([...files.keys()].map((each) => ({ path: each })));
  for (const { target } of linksIn(files.get(path) ?? ''))
    expect([target, target === '' ? path : app.resolve(target, path)?.path]).toEqual([target, path]);
}

describe('links of a note to itself', () => {
  it('follow it on every way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(LINKS, { minLength: 1 }), async (links) => {
        const opened = await openTestBrain({ 'Own/Self.md': text(links) });
        const { run, files } = opened;
        const { path } = await run(adoptNote, { path: 'Own/Self.md', ...PLACE }, person);
        await areAlive(opened, path);
        const { path: moved } = await run(moveNote, { path, slug: 'third', wing: 'lab' }, person);
        await areAlive(opened, moved);
        await run(
          updateNote,
          { path: moved, content: `${files.get(moved) ?? ''}\nMore.\n`, reason: 'more' },
          person,
        );
        const { path: back } = await run(unpromoteNote, { path: moved }, person);
        await areAlive(opened, back);
        expect(back).toBe('Own/Self.md');
      }),
      { numRuns: 30 },
    );
  });

  it('follow it from the queue', async () => {
    const opened = await openTestBrain({
      'raw/2026-11-01-dns.md': '# DNS\n\nSee [[2026-11-01-dns#Part]].\n\n## Part\n',
    });
    const { path, refs } = await opened.run(promoteNote, { path: 'raw/2026-11-01-dns.md', ...PLACE }, person);
    await areAlive(opened, path);
    expect(opened.files.get(path)).toContain('#Part');
    expect(refs.every(({ unlinked }) => !unlinked)).toBe(true);
  });
});

it('leads a picture of an adopted note to the file that it showed, also beside one with the same path', async () => {
  const text =
    'A ![plan|100](<../img/p one.png>) [![x](<../img/p one.png>)](https://example.org/) ![n](img/q.png)\n';
  const { run, files } = await openTestBrain({
    'A/N.md': text,
    'img/p one.png': '',
    'A/img/p one.png': '',
    'A/img/q.png': '',
    'img/q.png': '',
  });
  const { path } = await run(adoptNote, { path: 'A/N.md', ...PLACE }, person);
  const led =
    '![plan|100](/img/p%20one.png) [![x](/img/p%20one.png)](https://example.org/) ![[A/img/q.png|n]]';
  expect(files.get(path)).toContain(led);
  await run(unpromoteNote, { path }, person);
  expect(files.get('A/N.md')).toBe(text);
});
