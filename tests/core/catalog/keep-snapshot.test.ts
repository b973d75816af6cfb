import type { Catalog } from '../../../src/core/catalog/catalog';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { catalogWorld, SNAPSHOT } from '../../support/catalog-world';

const A = vaultPath('knowledge/a.md');

/** A vault that has just been read, and the times at which its snapshot was written. */
async function opened(files: Readonly<Record<string, string>> = { [A]: 'a' }) {
  const world = catalogWorld(files);
  world.clock.advance(60_000);
  const writes: number[] = [];
  const write = world.state.writeBytes;
  world.state.writeBytes = async (path, bytes) => {
    writes.push(bytes.length);
    return write(path, bytes);
  };
  const { catalog, ...first } = await world.open();
  const put = (text: string) => catalog.put(A, text, { mtime: 1, size: text.length });
  return { world, writes, catalog, put, ...first };
}

it('takes a snapshot soon after the start, and none while nothing changes', async () => {
  const { writes, wake, close } = await opened();
  expect(writes).toHaveLength(0);
  await wake();
  expect(writes).toHaveLength(1);
  for (let looks = 0; looks < 30; looks += 1) await wake();
  await close();
  expect(writes).toHaveLength(1);
});

it('takes none at all when the one that was read tells everything', async () => {
  const { world, wake, close } = await opened();
  await wake();
  await close();
  const before = world.snapshot;
  const next = await world.open();
  await next.wake();
  await next.close();
  expect(world.snapshot).toBe(before);
});

it('takes the next one when the vault has been quiet after a change', async () => {
  const { writes, put, wake } = await opened();
  await wake();
  put('one');
  await wake();
  put('two');
  await wake();
  expect(writes).toHaveLength(1);
  await wake();
  expect(writes).toHaveLength(2);
});

it('takes one all the same when the vault is never quiet', async () => {
  const { writes, put, wake } = await opened();
  await wake();
  for (let look = 0; look < 45; look += 1) {
    put(`text ${look}`);
    await wake();
  }
  expect(writes).toHaveLength(3);
});

it('takes a last one at the end, when there is need', async () => {
  const { world, writes, put, close } = await opened();
  put('at the end');
  await close();
  expect(writes).toHaveLength(1);
  const { catalog } = await world.open();
  // The catalog had been told of a text that does not stand on the disk.
  expect(catalog.record(A)?.excerpt).toBe('a');
});

it('takes none while another server keeps it, and goes on when that has ended', async () => {
  const { world, writes, put, wake, close } = await opened();
  world.isKeeper = false;
  await wake();
  expect(writes).toHaveLength(0);
  world.isKeeper = true;
  await wake();
  expect(writes).toHaveLength(1);
  world.isKeeper = false;
  put('at the end');
  await close();
  expect(writes).toHaveLength(1);
});

/** Does something before each piece of the index is given. */
function beforePieces(catalog: Catalog, work: () => void): void {
  const pack = catalog.packIndex.bind(catalog);
  catalog.packIndex = function* () {
    for (const piece of pack()) {
      work();
      yield piece;
    }
  };
}

it('gives up when the end takes too long, and leaves the old one as it was', async () => {
  const { world, catalog, writes, put, wake, close } = await opened();
  await wake();
  put('late');
  beforePieces(catalog, () => world.clock.advance(1000));
  await close();
  expect(writes).toHaveLength(1);
});

it('is of no use when a change comes between its pieces, and is taken anew', async () => {
  const { writes, catalog, put, wake, close } = await opened();
  let changes = 0;
  beforePieces(catalog, () => {
    if ((changes += 1) === 3) put('between');
  });
  await wake();
  expect(changes).toBe(3);
  expect(writes).toHaveLength(0);
  await wake();
  await wake();
  expect(writes).toHaveLength(1);
  await close();
  expect(writes).toHaveLength(1);
});

it('is tried again after two looks, four and so on, in a vault that is never quiet', async () => {
  const { writes, catalog, put, wake } = await opened();
  let tries = 0;
  let isCut = true;
  const pack = catalog.packIndex.bind(catalog);
  catalog.packIndex = () => {
    tries += 1;
    if (isCut) put(`between ${tries}`);
    return pack();
  };
  const triesOfLooks: number[] = [];
  for (let look = 0; look < 8; look += 1) {
    put(`text ${look}`);
    await wake();
    triesOfLooks.push(tries);
  }
  expect(triesOfLooks).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
  isCut = false;
  for (let look = 8; look < 40; look += 1) {
    put(`text ${look}`);
    await wake();
  }
  // The next one after a good one waits for twenty looks again.
  expect([tries, writes.length]).toEqual([5, 2]);
});

it('logs that it cannot be written, and goes on', async () => {
  const { world, writes, put, lines, wake, close } = await opened();
  world.state.writeBytes = () => Promise.reject(new Error('ENOSPC'));
  await wake();
  put('more');
  await wake();
  await wake();
  await close();
  expect(writes).toHaveLength(0);
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual(
    Array(3).fill('warn catalog.snapshot'),
  );
  expect(world.state.blobs.has(SNAPSHOT)).toBe(false);
});

it('keeps none that is too large, says so once, and packs none again', async () => {
  const world = catalogWorld({ [A]: 'a' });
  world.clock.advance(60_000);
  await (await world.open()).close();
  const before = world.snapshot;
  const { opening, catalog, lines, wake, close } = world.start('/elsewhere', 100);
  await opening.read;
  let packed = 0;
  beforePieces(catalog, () => (packed += 1));
  await wake();
  const once = packed;
  catalog.put(A, 'b', { mtime: 1, size: 1 });
  await wake();
  await wake();
  await close();
  expect(once).toBeGreaterThan(0);
  expect(packed).toBe(once);
  expect(lines.filter(({ event }) => event === 'catalog.snapshot_too_large')).toEqual([
    expect.objectContaining({
      level: 'warn',
      fields: expect.objectContaining({ bytes: expect.any(Number), limit: 100 }),
    }),
  ]);
  expect(world.snapshot).toBe(before);
});

it('takes none of a vault that could not be read', async () => {
  const world = catalogWorld({ [A]: 'a' });
  world.vault.list = () => {
    throw new Error('EIO');
  };
  const { opening, close } = world.start();
  opening.read.catch(() => undefined);
  await expect(opening.firstTry).rejects.toThrow('EIO');
  await close();
  expect(world.state.blobs.size).toBe(0);
});
