import fc from 'fast-check';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { ingestPages, ingestText } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

const RAW = 'raw/2026-11-01-dns.md';
const HALL = { hall: 'facts' };

/** A vault with folders under `wiki/` in which nothing stands; `looks` counts how often they were asked for. */
async function withFolders(...names: string[]) {
  const world = await openTestBrain({ [RAW]: '# DNS\n\nUnbound answers.\n' });
  for (const name of ['wiki', ...names.map((each) => `wiki/${each}`)]) world.vault.folders.add(name);
  const looks = { count: 0 };
  const { subfolders } = world.vault;
  world.vault.subfolders = async (folder) => {
    if (folder === 'wiki') looks.count += 1;
    return subfolders(folder);
  };
  return { world, looks };
}

/** The folders under `wiki/` that hold a file. */
function filled({ files }: TestBrain): string[] {
  const tops = [...files.keys()]
    .filter((path) => path.startsWith('wiki/'))
    .map((path) => path.split('/')[1] ?? '');
  return [...new Set(tops)].sort();
}

type Make = (world: TestBrain, wing: string, more?: object) => Promise<{ path?: string | undefined }>;

const page = { title: 'Tunnel', content: 'WireGuard wants 1420.' };

async function firstPage(answer: Promise<unknown>): Promise<{ path?: string | undefined }> {
  return Object(await answer).pages[0];
}

const WAYS: [string, Make][] = [
  ['a write', (world, wing, more) => world.run(writeNote, { ...HALL, ...more, wing, content: 'text' })],
  [
    'a captured thought',
    (world, wing, more) => world.run(capture, { ...HALL, ...more, wing, text: 'A thought' }),
  ],
  ['a promotion', (world, wing, more) => world.run(promoteNote, { ...HALL, ...more, wing, path: RAW })],
  [
    'pages that name it',
    (world, wing, more) =>
      firstPage(
        world.run(ingestPages, { ...more, destination: 'wiki', pages: [{ ...page, ...HALL, wing }] }),
      ),
  ],
  [
    'pages that name none',
    (world, wing, more) =>
      firstPage(world.run(ingestPages, { ...HALL, ...more, destination: 'wiki', wing, pages: [page] })),
  ],
  [
    'a text',
    (world, wing, more) =>
      firstPage(
        world.run(ingestText, { ...HALL, ...more, destination: 'wiki', wing, text: '# Tunnel\n\nx\n' }),
      ),
  ],
];

describe.each(WAYS)('an empty folder is the wing of %s', (_, make) => {
  it.each([
    ['home-lab', ['Home_Lab'], 'Home_Lab'],
    ['Net Work', ['Net Work', 'net'], 'Net Work'],
    ['net-work', ['net work', 'Net Work', 'net-work'], 'net-work'],
    ['net-work', ['net work', 'NET WORK', 'Net Work'], 'NET WORK'],
    ['home-lab', ['.Home_Lab', '_Home_Lab', 'Home', 'Home_Lab (conflicted copy 2026-11-20)'], 'home-lab'],
  ])('%s among %j', async (wing, names, expected) => {
    const { world } = await withFolders(...names);
    const planned = await make(world, wing, { dry_run: true });
    expect(filled(world)).toEqual([]);
    const { path = '' } = await make(world, wing);
    expect(path.split('/').slice(0, 3)).toEqual(['wiki', expected, 'facts']);
    expect(planned.path).toBe(path);
    expect(filled(world)).toEqual([expected]);
    expect(parseNote(world.files.get(path) ?? '').frontmatter).toMatchObject({ wing: expected });
  });

  it('also when it holds an empty hall, and when it was made after the start', async () => {
    const { world } = await withFolders();
    for (const folder of ['wiki/Home_Lab', 'wiki/Home_Lab/facts']) world.vault.folders.add(folder);
    expect((await make(world, 'home-lab')).path).toMatch(/^wiki\/Home_Lab\/facts\//);
  });

  it('and the vault is not asked for one that is known', async () => {
    const { world, looks } = await withFolders('Home_Lab');
    world.vault.outside('wiki/HOME LAB/facts/old.md', 'old');
    expect((await make(world, 'home-lab')).path).toMatch(/^wiki\/HOME LAB\/facts\//);
    expect(looks.count).toBe(0);
  });
});

it('is what is suggested for a note that waits for review', async () => {
  const { world } = await withFolders('Home_Lab');
  const note = { ...HALL, wing: 'home-lab', content: 'text', slug: 'n' };
  const { path } = await world.run(writeNote, note, callerWith(['read', 'propose']));
  expect(parseNote(world.files.get(path) ?? '').frontmatter).toMatchObject({ wing: 'Home_Lab' });
});

it.each([1, 20])('asks once for a batch of %s pages in new wings', async (count) => {
  const { world, looks } = await withFolders('Wing_1');
  const pages = Array.from({ length: count }, (_, n) => ({
    title: `Page ${n}`,
    content: `Text ${n}`,
    ...HALL,
    wing: `wing-${n}`,
  }));
  await world.run(ingestPages, { destination: 'wiki', pages });
  expect(looks.count).toBe(1);
  expect(filled(world)).toHaveLength(count);
});

it('never leaves two folders that are one wing', async () => {
  const spelling = fc
    .tuple(
      fc.constantFrom('home', 'Home', 'HÖME', 'net'),
      fc.constantFrom('', ' ', '_', '--'),
      fc.constantFrom('lab', 'Lab', ''),
    )
    .map((parts) => parts.join('').trim());
  await fc.assert(
    fc.asyncProperty(spelling, fc.array(spelling, { minLength: 1, maxLength: 4 }), async (folder, wings) => {
      const { world } = await withFolders(folder);
      for (const [n, wing] of wings.entries()) {
        await world.run(writeNote, { ...HALL, wing, slug: `n${n}`, content: `text ${n}` });
      }
      const keys = [folder, ...filled(world).filter((name) => name !== folder)].map((name) =>
        sanitiseWing(name),
      );
      expect(new Set(keys).size).toBe(keys.length);
    }),
    { numRuns: 40 },
  );
});
