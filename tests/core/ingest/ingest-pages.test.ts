import fc from 'fast-check';
import { ingestPages } from '../../../src/core/ingest/operations';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const here = { wing: 'net', hall: 'facts' };
const wiki = { ...here, destination: 'wiki' };

function frontmatter(world: TestBrain, path: string) {
  return parseNote(world.files.get(path) ?? '').frontmatter;
}

function notes({ files }: TestBrain) {
  return Object.fromEntries([...files].filter(([path]) => path.endsWith('.md')));
}

it('takes null in a page for not given', async () => {
  const world = await openTestBrain();
  const none = { half_life: null, applies: null, claim_provenance: null, wing: null, tags: null };
  const answer = await world.run(ingestPages, {
    pages: [{ title: 'A', content: 'x', ...none }],
    source: null,
  });
  expect(answer).toMatchObject({ counts: { written: 1 }, pages: [{ status: 'written' }] });
  const fault = async (page: object) => (await world.refusal(ingestPages, { pages: [page] })).details;
  expect(await fault({ title: null, content: 'x' })).toMatchObject({ pages: [{ code: 'missing_field' }] });
  expect(await fault({ title: 'A', content: 'x', wings: null })).toMatchObject({
    pages: [{ code: 'unknown_field' }],
  });
});

it('writes the pages with everything that they say', async () => {
  const world = await openTestBrain();
  const answer = await world.run(ingestPages, {
    source: 'https://example.org/report',
    pages: [
      {
        title: 'WireGuard MTU',
        content: '---\nwing: ignored\ncolour: red\n---\nIt wants 1420.',
        ...here,
        slug: 'mtu',
        summary: 'In short',
        tags: ['#vpn', 'home lab'],
        aliases: ['Tunnel size'],
        type: 'note',
        domain: 'vpn',
        source: '[[wiki/gone]]',
        half_life: 'durable',
        claim_provenance: 'asserted',
        frontmatter: { rating: 5 },
      },
      { title: ' ', content: 'skipped' },
    ],
  });
  expect(answer).toMatchObject({
    source: 'https://example.org/report',
    extraction: 'structured',
    destination: 'raw',
    counts: { written: 1, duplicate: 0, rejected_before: 0, skipped: 1 },
    pages: [{ status: 'written', path: 'raw/2026-11-20-mtu.md' }, { status: 'skipped_empty_title' }],
  });
  expect(answer).not.toHaveProperty('original');
  expect(world.files.get('raw/2026-11-20-mtu.md')).toBe(`---
wing: net
hall: facts
created_at: 2026-11-20T10:32:00Z
type: note
domain: vpn
source_type: external
half_life: durable
claim_provenance: asserted
origin: http
written_by: laptop
colour: red
rating: 5
aliases: ["WireGuard MTU", "Tunnel size"]
tags: ["vpn", "home-lab"]
description: In short
source: wiki/gone
sources: ["https://example.org/report"]
extracted_by: structured
---
# WireGuard MTU

It wants 1420.`);
});

describe('links between the pages of a batch', () => {
  const pages = [
    { title: 'One', content: 'To [[Two]], [[three|the third]], [[Nothing]] and [[One]].' },
    { title: 'Two', content: '# Another heading\n\n## Part\n\nBack to [[one]].', aliases: ['Deux'] },
    { title: 'Three', content: 'To [[Deux#Part]], [[Another heading]] and [[Two#Gone]].' },
  ];

  it('lead to where the pages will stand in the queue, and follow them when they are promoted', async () => {
    const world = await openTestBrain();
    const answer = await world.run(ingestPages, { pages });
    expect(world.files.get('raw/2026-11-20-one.md')).toContain(
      'To [[raw/2026-11-20-two|Two]], [[raw/2026-11-20-three|the third]], Nothing and One.',
    );
    expect(world.files.get('raw/2026-11-20-three.md')).toContain(
      'To [[raw/2026-11-20-two#Part|Deux]], [[raw/2026-11-20-two|Another heading]] and [[raw/2026-11-20-two|Two]].',
    );
    expect(answer.pages.map(({ unlinked }) => unlinked)).toEqual([['Nothing', 'One'], [], []]);
    await world.run(promoteNote, { path: 'raw/2026-11-20-two.md', wing: 'net', hall: 'facts' }, person);
    expect(world.files.get('raw/2026-11-20-one.md')).toContain('To [[wiki/net/facts/two|Two]]');
    expect(world.files.get('wiki/net/facts/two.md')).toContain('Back to [[raw/2026-11-20-one|One]].');
  });

  it('may be Markdown links, by the name of the page or by that of its file', async () => {
    const world = await openTestBrain({ 'raw/stray.md': '# Stray\n' });
    const content =
      '[b](other-title.md) [c](2026-11-20-other-title.md) [d](./other-title.md#Part) [e](stray.md)';
    const { pages } = await world.run(ingestPages, {
      pages: [
        { title: 'One', content },
        { title: 'Other title', content: '# Other title\n\n## Part\n' },
      ],
    });
    const other = 'raw/2026-11-20-other-title';
    expect(world.files.get('raw/2026-11-20-one.md')).toContain(
      `[[${other}|b]] [[${other}|c]] [[${other}#Part|d]] e`,
    );
    expect(pages[0]?.unlinked).toEqual(['stray.md']);
  });

  it.each([
    ['a person', person],
    ['a token', callerWith(['read', 'review'])],
  ])('stay when %s promotes one after the other, in any order', async (_, reviewer) => {
    for (const [first, second] of [
      ['one', 'two'],
      ['two', 'one'],
    ]) {
      const world = await openTestBrain();
      await world.run(ingestPages, { pages });
      await world.run(promoteNote, { path: `raw/2026-11-20-${first}.md`, ...here }, reviewer);
      await world.run(promoteNote, { path: `raw/2026-11-20-${second}.md`, ...here }, reviewer);
      expect(world.files.get('wiki/net/facts/one.md')).toContain(
        'To [[wiki/net/facts/two|Two]], [[raw/2026-11-20-three|the third]], Nothing',
      );
      expect(world.files.get('wiki/net/facts/two.md')).toContain('Back to [[wiki/net/facts/one|One]].');
    }
  });

  it('are text when a token promotes a page whose mate was rejected, or that names another note of the queue', async () => {
    const world = await openTestBrain({
      'raw/stray.md': '# Stray\n\nDropped by hand, see [[raw/other]].\n',
      'raw/other.md': '# Other\n\nText.\n',
    });
    await world.run(ingestPages, { pages });
    const token = callerWith(['read', 'review']);
    await world.run(rejectNote, { path: 'raw/2026-11-20-two.md' }, token);
    await world.run(promoteNote, { path: 'raw/2026-11-20-one.md', ...here }, token);
    expect(world.files.get('wiki/net/facts/one.md')).toContain('To Two, [[raw/2026-11-20-three|the third]]');
    await world.run(promoteNote, { path: 'raw/stray.md', ...here }, token);
    expect(world.files.get('wiki/net/facts/stray.md')).toContain('see raw/other.');
  });

  it('stay in the wiki: a page there links to none that awaits review', async () => {
    const world = await openTestBrain();
    const [one, two, three] = pages;
    await world.run(ingestPages, {
      destination: 'wiki',
      pages: [{ ...one, ...here }, two, { ...three, ...here }],
    });
    expect(world.files.get('wiki/net/facts/one.md')).toContain(
      'To Two, [[wiki/net/facts/three|the third]], Nothing and One.',
    );
    expect(world.files.get('raw/2026-11-20-two.md')).toContain('Back to [[wiki/net/facts/one|One]].');
  });

  it('lead to the note that stands when it says the same', async () => {
    const world = await openTestBrain({ 'wiki/net/decisions/old.md': '# Twin\n\nSame words.\n' });
    await world.run(ingestPages, {
      ...wiki,
      pages: [
        { title: 'New', content: 'See [[Twin]].' },
        { title: 'Twin', content: 'Same words.' },
      ],
    });
    expect(world.files.get('wiki/net/facts/new.md')).toContain('See [[wiki/net/decisions/old|Twin]].');
  });

  it('go before notes of the same title that stand already', async () => {
    const world = await openTestBrain({ 'wiki/home/facts/two.md': '# Two\n\nQuite another.\n' });
    await world.run(ingestPages, { ...wiki, pages });
    expect(world.files.get('wiki/net/facts/one.md')).toContain('To [[wiki/net/facts/two|Two]]');
  });
});

it('numbers names that are taken, in the vault and in the batch', async () => {
  const world = await openTestBrain({ 'wiki/net/facts/MTU.md': 'another' });
  const answer = await world.run(ingestPages, {
    ...wiki,
    pages: ['first', 'second', 'third'].map((content) => ({ title: 'Mtu', content })),
  });
  expect(answer.pages.map(({ path }) => path)).toEqual(
    ['mtu-2', 'mtu-3', 'mtu-4'].map((slug) => `wiki/net/facts/${slug}.md`),
  );
});

it('takes a page that says the same as another of the batch once, with the sources of both', async () => {
  const world = await openTestBrain();
  const answer = await world.run(ingestPages, {
    pages: [
      { title: 'One', content: 'Same **words**.', source: 'https://e.org/1' },
      { title: 'one', content: 'same words', source: 'https://e.org/2' },
      { title: 'One!', content: 'Same words!', source: 'https://e.org/1?utm_source=x' },
    ],
  });
  expect(answer.counts).toEqual({ written: 1, duplicate: 2, rejected_before: 0, skipped: 0 });
  expect(answer.pages[1]?.duplicate_of).toBe('raw/2026-11-20-one.md');
  expect(frontmatter(world, 'raw/2026-11-20-one.md').sources).toEqual(['https://e.org/1', 'https://e.org/2']);
});

it('names similar notes that were reviewed', async () => {
  const world = await openTestBrain({ 'wiki/net/facts/mtu.md': '# MTU\n\nWireGuard wants 1420 bytes.\n' });
  const answer = await world.run(ingestPages, {
    pages: [{ title: 'WireGuard', content: 'Why WireGuard wants less than 1500 bytes.' }],
  });
  expect(answer.pages[0]?.similar).toEqual([
    { path: 'wiki/net/facts/mtu.md', title: 'MTU', stale: false, shared: ['WireGuard', 'bytes'] },
  ]);
});

it.each([
  ['a hall that is none', { hall: 'misc' }, 'invalid_hall'],
  ['a wing that is a path', { wing: '../etc' }, 'invalid_wing'],
  ['a slug that is a path', { slug: 'a/b' }, 'invalid_slug'],
  ['a slug that another note has', { slug: 'taken', ...here }, 'note_exists'],
  ['half an envelope', { half_life: 'durable' }, 'invalid_envelope'],
  ['a half-life that is none', { half_life: 'long' }, 'invalid_envelope'],
  ['a source type that is none', { source_type: 'book' }, 'invalid_source_type'],
  ['front matter that cannot be merged', { content: '---\n? a\n---\nx' }, 'invalid_frontmatter'],
  ['no content', { content: ' \n' }, 'empty_content'],
  ['content beyond the limit', { content: 'x'.repeat(1024 * 1024 + 1) }, 'too_large'],
  ['an unknown field', { body: 'x' }, 'unknown_field'],
  ['a title beyond the limit', { title: 'x'.repeat(201) }, 'invalid_field'],
  ['no content at all', { content: undefined }, 'missing_field'],
])('refuses the whole batch for a page with %s', async (_, fault, code) => {
  const { refusal } = await openTestBrain({ 'wiki/net/facts/taken.md': 'another' });
  const good = { title: 'Good', content: 'Words.', ...here };
  const refused = await refusal(ingestPages, {
    destination: 'wiki',
    pages: [good, { title: 'Bad', content: 'Others.', ...fault }, { title: '', content: '' }],
  });
  expect(refused).toMatchObject({
    code: 'invalid_field',
    details: { pages: [{ index: 1, code, message: expect.stringMatching(/.{10}/) }] },
  });
});

it('names every page that is wrong', async () => {
  const { refusal } = await openTestBrain();
  const bad = { title: 'Bad', content: 'x', slug: '..' };
  const { details, message } = await refusal(ingestPages, {
    pages: [bad, { title: 'Good', content: 'x' }, { ...bad, slug: 'con' }],
  });
  expect(details).toMatchObject({ pages: [{ index: 0 }, { index: 2 }] });
  expect(message).toMatch(/^2 pages of the batch cannot be used, so none was written\. pages\[0\]: /);
});

it.each([
  ['no page', { pages: [] }, 'invalid_field'],
  ['too many pages', { pages: Array(201).fill({ title: 'x', content: 'x' }) }, 'invalid_field'],
  ['no list', {}, 'missing_field'],
  ['a bad wing for all', { pages: [{ title: 'x', content: 'x' }], wing: '.git' }, 'invalid_wing'],
  ['a field that is none', { pages: [{ title: 'x', content: 'x' }], force: true }, 'unknown_field'],
])('refuses %s', async (_, raw, code) => {
  const { refusal } = await openTestBrain();
  expect((await refusal(ingestPages, raw)).code).toBe(code);
});

it('lets a token that may only propose change no note', async () => {
  const world = await openTestBrain({ 'wiki/net/facts/t.md': '# T\n\nSame words.\n' });
  const answer = await world.run(
    ingestPages,
    {
      ...wiki,
      pages: [
        { title: 'T', content: 'Same words.', source: 'https://e.org' },
        { title: 'New', content: 'New.' },
      ],
    },
    callerWith(['propose']),
  );
  expect(answer.pages.map(({ path }) => path)).toEqual(['raw/2026-11-20-t.md', 'raw/2026-11-20-new.md']);
  expect(world.files.get('wiki/net/facts/t.md')).toBe('# T\n\nSame words.\n');
});

const word = fc.constantFrom('red', 'green', 'blue', '[[Red]]', '[[Green]]', '**blue**', '<b>x</b>');
const content = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const page = fc.record(
  {
    title: fc.constantFrom('Red', 'Green', 'Blue', 'red!', ' ', '東京'),
    content,
    wing: fc.constantFrom('net', 'home'),
    hall: fc.constantFrom('facts', 'decisions'),
    source: fc.constantFrom('https://e.org/a', 'https://e.org/a?utm_x=1', 'A book'),
  },
  { requiredKeys: ['title', 'content'] },
);

it('writes nothing when the same batch comes again, and no two notes that say the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(page, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('raw', 'wiki'),
      async (pages, destination) => {
        const world = await openTestBrain({ 'wiki/net/facts/old.md': '# Old\n\nred green\n' });
        const dry = await world.run(ingestPages, { pages, destination, dry_run: true });
        const first = await world.run(ingestPages, { pages, destination });
        const shown = new Map(dry.pages.map(({ path = '', text }) => [path, text]));
        for (const { path = '', status } of first.pages) {
          if (status === 'written') expect(shown.get(path)).toBe(world.files.get(path));
        }
        const after = [...world.files];
        const again = await world.run(ingestPages, { pages, destination });
        expect([...world.files]).toEqual(after);
        expect(again.counts).toEqual({
          ...first.counts,
          written: 0,
          duplicate: first.counts.written + first.counts.duplicate,
        });
        const keys = world.brain.catalog.notes().map((note) => note.content_key);
        expect(new Set(keys).size).toBe(keys.length);
        expect(Object.values(notes(world)).join('')).not.toContain('[[Red]]');
        await world.close();
      },
    ),
    { numRuns: 60 },
  );
});
