import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { answers, PATHS, TEXTS } from '../../support/catalog-answers';
import { catalogWorld, type Opened, SNAPSHOT } from '../../support/catalog-world';
import { searchNotes } from '../../support/search-notes';

const MTU = 'wiki/net/facts/mtu.md';
const FILES = Object.fromEntries(PATHS.map((path, at) => [path, TEXTS[at % TEXTS.length] ?? '']));
const NOTES = PATHS.filter((path) => path.endsWith('.md') && !path.endsWith('_index.md'));

/** A vault that was opened and closed, long enough after its last change that no file is in doubt. */
async function closedWorld(files: Readonly<Record<string, string>> = FILES) {
  const world = catalogWorld(files);
  world.clock.advance(60_000);
  await (await world.open()).close();
  return world;
}

const MADE = Date.UTC(2026, 10, 20, 10, 32);

function anew(files: ReadonlyMap<string, string>): Catalog {
  const catalog = new Catalog();
  for (const [path, text] of files)
    catalog.put(vaultPath(path), text, { mtime: MADE, size: Buffer.byteLength(text), born: MADE });
  return catalog;
}

const textOf = (catalog: Catalog) => JSON.stringify(answers(catalog));
const complaints = ({ lines }: Opened) =>
  lines.filter(({ event }) => event === 'catalog.snapshot_unusable').map(({ fields }) => fields.message);

it('starts from a snapshot without reading a note, and answers as if all were read', async () => {
  const world = await closedWorld();
  const opened = await world.open();
  expect(opened.read).toEqual([]);
  expect(opened.lines).toEqual([]);
  expect(textOf(opened.catalog)).toBe(textOf(anew(world.vault.files)));
});

it('gives records back as they were, with front matter that has no prototype', async () => {
  const text = [
    '---',
    'title: Größe',
    'tags: [a, "b c"]',
    'origin: http',
    'written_by: laptop (claude)',
    'updated_at: 2026-01-02T03:04:05Z',
    'nested: {__proto__: x, list: [1, {a: b}]}',
    'toString: x',
    '---',
    '# \u{1F600} [[a|b]] ![[c]] [d](e.md) ![f](g.png) #tag ^id',
  ].join('\n');
  const world = await closedWorld({ [MTU]: text, 'knowledge/half.md': 'half \ud83d of a pair' });
  const first = anew(world.vault.files).record(vaultPath(MTU));
  const { catalog } = await world.open();
  const record = catalog.record(vaultPath(MTU));
  expect(record).toEqual(first);
  expect(Object.keys(record ?? {}).sort()).toEqual(Object.keys(first ?? {}).sort());
  expect(Object.getPrototypeOf(record?.frontmatter)).toBeNull();
  expect(Object.getPrototypeOf(record?.frontmatter.nested)).toBeNull();
  expect(record?.frontmatter.toString).toBe('x');
  expect(catalog.record(vaultPath('knowledge/half.md'))?.excerpt).toBe('half \ud83d of a pair');
});

it('reads what was changed, made and moved while the service was not running, and drops what is gone', async () => {
  const world = await closedWorld();
  world.clock.advance(10_000);
  world.vault.outside(MTU, '# Another text');
  world.vault.outside('knowledge/new.md', 'new');
  world.vault.outside('knowledge/peers.md', null);
  world.vault.outside('knowledge/moved.md', FILES['knowledge/mtu.md'] ?? '');
  world.vault.outside('knowledge/mtu.md', null);
  const opened = await world.open();
  expect(opened.read.sort()).toEqual(['knowledge/moved.md', 'knowledge/new.md', MTU]);
  const fresh = await catalogWorldOf(world.vault.files);
  expect(textWithoutTimes(opened.catalog)).toBe(textWithoutTimes(fresh));
});

it('reads a file whose time went back, as when a copy was put in its place', async () => {
  const world = await closedWorld();
  world.clock.advance(-3_600_000);
  world.vault.outside(MTU, TEXTS[1] ?? '');
  world.clock.advance(7_200_000);
  const opened = await world.open();
  expect(opened.read).toEqual([MTU]);
  expect(opened.catalog.record(vaultPath(MTU))?.excerpt).toBe('Plain words about the tunnel.');
});

it.each([
  [0, 'at the time of the snapshot'],
  [1900, 'just before it'],
])('reads a file again that was last changed %i ms earlier, %s: it may have changed since', async (age) => {
  const world = catalogWorld({ 'knowledge/a.md': 'old text' });
  world.clock.advance(age);
  const first = await world.open();
  // In one tick of the file system's clock, and of the same length: no time and no size tells.
  world.rewrite('knowledge/a.md', 'new text');
  await first.close();
  const opened = await world.open();
  expect(opened.read).toEqual(['knowledge/a.md']);
  expect(searchNotes(opened.catalog, 'new', { limit: 1 })).toHaveLength(1);
});

it('does not believe what it knew of a file that had changed and was not read yet', async () => {
  const world = catalogWorld({ 'knowledge/a.md': 'old text' });
  world.clock.advance(60_000);
  const first = await world.open();
  world.rewrite('knowledge/a.md', 'new text');
  first.catalog.markDirty({ kind: 'changed', path: vaultPath('knowledge/a.md') });
  await first.close();
  expect((await world.open()).read).toEqual(['knowledge/a.md']);
});

it('does not read again what is told as changed while it starts, and looks as it has looked for long', async () => {
  const world = await closedWorld();
  const opened = world.start();
  for (const path of PATHS) opened.catalog.markDirty({ kind: 'changed', path });
  await opened.opening.read;
  expect(opened.read).toEqual([]);
  expect(opened.catalog.dirtyCount).toBe(0);
  expect(textOf(opened.catalog)).toBe(textOf(anew(world.vault.files)));
});

it('reads what is changed while it starts', async () => {
  const world = await closedWorld();
  const opened = world.start();
  // Of the same length, and told.
  world.vault.outside(
    'knowledge/mtu.md',
    TEXTS[PATHS.findIndex((path) => path === 'knowledge/mtu.md') % TEXTS.length] ?? '',
  );
  await opened.opening.read;
  expect(opened.read).toEqual(['knowledge/mtu.md']);
});

it('reads a file again that was no text', async () => {
  const world = await closedWorld({ 'knowledge/a.md': 'a', 'knowledge/b.md': 'b' });
  const first = await world.open();
  first.catalog.addUnreadable(vaultPath('knowledge/a.md'), 'no text');
  await first.close();
  const opened = await world.open();
  expect(opened.read).toEqual(['knowledge/a.md']);
  expect(searchNotes(opened.catalog, 'a', { limit: 1 })).toHaveLength(1);
});

describe('a snapshot that cannot be used', () => {
  const spoilt = async (spoil: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) => {
    const world = await closedWorld();
    world.state.blobs.set(SNAPSHOT, spoil(world.snapshot));
    const opened = await world.open();
    expect(textOf(opened.catalog)).toBe(textOf(anew(world.vault.files)));
    expect(opened.read.sort()).toEqual([...NOTES].sort());
    expect(complaints(opened)).toHaveLength(1);
    await opened.close();
    expect((await world.open()).read).toEqual([]);
  };
  const withWord = (bytes: Uint8Array<ArrayBuffer>, at: number, by: number) => {
    new Uint32Array(bytes.buffer)[at] = (new Uint32Array(bytes.buffer)[at] ?? 0) + by;
    return bytes;
  };

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
    ['empty', () => new Uint8Array()],
    ['of another kind', (bytes) => withWord(bytes, 0, 1)],
    ['of an older format', (bytes) => withWord(bytes, 1, -1)],
    ['of a newer format', (bytes) => withWord(bytes, 1, 1)],
    ['of another analysis', (bytes) => withWord(bytes, 2, 1)],
    ['with a head of no sensible length', (bytes) => withWord(bytes, 3, 1 << 30)],
    ['longer than it says', (bytes) => Uint8Array.from([...bytes, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['all zeros', (bytes) => bytes.fill(0)],
  ])('is made anew when it is %s', (_, spoil) => spoilt(spoil));

  it('is made anew wherever it is cut off', async () => {
    const { length } = (await closedWorld()).snapshot;
    for (let part = 1; part < 24; part += 1)
      await spoilt((bytes) => bytes.slice(0, Math.floor((length * part) / 24)));
    await spoilt((bytes) => bytes.slice(0, -8));
  });

  it('is made anew whatever bit of it is wrong', async () => {
    const { length } = (await closedWorld()).snapshot;
    await fc.assert(
      fc.asyncProperty(fc.nat(length - 1), fc.nat(7), (at, bit) =>
        spoilt((bytes) => {
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          return bytes;
        }),
      ),
      { numRuns: 200 },
    );
  }, 60_000);

  it('is made anew in another folder, though the files look the same', async () => {
    const world = await closedWorld();
    const opened = await world.open('/home/me/copy');
    expect(opened.read.sort()).toEqual([...NOTES].sort());
    expect(complaints(opened)).toEqual(['The snapshot is made anew: it was taken of another folder.']);
  });

  it('is made anew when it cannot be read at all', async () => {
    const world = await closedWorld();
    world.state.readBytes = () => Promise.reject(new Error('EIO'));
    const opened = await world.open();
    expect(opened.read.sort()).toEqual([...NOTES].sort());
    expect(complaints(opened)).toHaveLength(1);
  });
});

async function catalogWorldOf(files: ReadonlyMap<string, string>): Promise<Catalog> {
  return (await catalogWorld(Object.fromEntries(files)).open()).catalog;
}

function textWithoutTimes(catalog: Catalog): string {
  return textOf(catalog).replace(/"mtime":\d+/g, '');
}
