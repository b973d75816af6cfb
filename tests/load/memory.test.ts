import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { driveMix, fillQueue, makeVault, steadyMix } from '../../bench/mixed';
import { randomFrom, serveWatched } from '../../bench/support';

/**
 * The short form of `npm run bench -- memory leaks 100000`. Calls that leave the vault as large as it was leave the heap as large
 * as it was, too. What every call holds is a request, an answer, a caller and a line of the log: if any of it were kept, that
 * would be two KiB a call at the least. Half a KiB is allowed for what fills up slowly, such as caches and compiled code.
 */
const NOTES = 100;
const SETTLING = 3500;
const CALLS = 3000;
const MAX_GROWTH = CALLS * 512;

it('holds no memory of the calls that are over', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'brain-memory-'));
  const vault = path.join(folder, 'vault');
  const random = randomFrom(5);
  await makeVault(vault, NOTES);
  const queue = await fillQueue(vault, 32, random);
  const { served, health } = await serveWatched(folder, vault);
  try {
    const next = steadyMix(NOTES, queue, random);
    const warm = await driveMix(served, 16, next, (sent) => sent < SETTLING);
    const before = await health();
    const { errors, firstErrors } = await driveMix(served, 16, next, (sent) => sent < CALLS);
    const after = await health();
    expect([...warm.firstErrors, ...firstErrors]).toEqual([]);
    expect(errors).toBe(0);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(MAX_GROWTH);
    expect(after.external - before.external).toBeLessThan(MAX_GROWTH);
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);
