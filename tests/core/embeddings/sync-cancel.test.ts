import { backfillEmbeddings, cancelBackfill } from '../../../src/core/search/backfill';
import { embedError } from '../../support/fake-embedder';
import { openHybridBrain } from '../../support/hybrid-brain';

/** A brain whose sync runs and waits for the embedder, until it is stopped. */
async function withRunningSync() {
  const brain = await openHybridBrain();
  brain.vault.outside('wiki/a/facts/one.md', 'One.');
  brain.embedder.before = (_texts, _kind, signal) =>
    new Promise((_, reject) => signal?.onStop(() => reject(embedError('stopped'))));
  const running = brain.run(backfillEmbeddings);
  while (brain.embedder.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return { ...brain, running };
}

describe('a cancel', () => {
  it('stops the sync that waits as well as the one that runs', async () => {
    const { run, running, embedder, vectors, hybrid } = await withRunningSync();
    const waiting = [run(backfillEmbeddings), run(backfillEmbeddings)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run(cancelBackfill)).toEqual({ cancelled: true });
    embedder.before = async () => undefined;
    expect(await running).toMatchObject({ added: 0 });
    for (const each of waiting) {
      expect(await each).toEqual({
        added: 0,
        deleted: 0,
        errors: [{ error: 'The sync was stopped before it began.' }],
      });
    }
    expect(hybrid.sync.state.progress).toBeNull();
    expect([embedder.calls.length, vectors.rows.size]).toEqual([1, 0]);
    expect(await run(cancelBackfill)).toEqual({ cancelled: false });
  });

  it('leaves alone what is asked for after it', async () => {
    const { run, running, embedder, vectors } = await withRunningSync();
    const waiting = run(backfillEmbeddings);
    await new Promise((resolve) => setImmediate(resolve));
    await run(cancelBackfill);
    embedder.before = async () => undefined;
    const later = run(backfillEmbeddings);
    await running;
    expect((await waiting).errors).toHaveLength(1);
    expect(await later).toEqual({ added: 1, deleted: 0, errors: [] });
    expect(vectors.rows.size).toBe(1);
  });
});

describe('a pause', () => {
  it('lasts until a backfill, whatever the clock and the vault say', async () => {
    const { run, running, embedder, vectors, vault, hybrid, time } = await withRunningSync();
    await run(cancelBackfill);
    await running;
    expect(hybrid.sync.state.paused).toBe(true);
    embedder.before = async () => undefined;
    const calls = embedder.calls.length;
    vault.outside('wiki/a/facts/two.md', 'Two.');
    await time.pass(600_000);
    expect([embedder.calls.length, vectors.rows.size]).toEqual([calls, 0]);
    expect(await run(backfillEmbeddings)).toEqual({ added: 2, deleted: 0, errors: [] });
    expect(hybrid.sync.state.paused).toBe(false);
    vault.outside('wiki/a/facts/three.md', 'Three.');
    await time.pass(600_000);
    expect(vectors.rows.size).toBe(3);
  });

  it('asks nothing of an embedder that is down', async () => {
    const { run, embedder, vault, hybrid, time } = await openHybridBrain();
    embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    for (let at = 0; at < 5; at += 1) vault.outside(`wiki/a/facts/n${at}.md`, `Note ${at}.`);
    await run(backfillEmbeddings);
    const calls = embedder.calls.length;
    await time.pass(15_000);
    // It is probed until a sync is cancelled.
    expect(embedder.calls.length).toBeGreaterThan(calls);
    const running = run(backfillEmbeddings);
    expect(await run(cancelBackfill)).toEqual({ cancelled: true });
    await running;
    const before = embedder.calls.length;
    await time.pass(600_000);
    expect([hybrid.sync.state.paused, embedder.calls.length]).toEqual([true, before]);
  });

  it('does not begin where no sync runs', async () => {
    const { run, hybrid } = await openHybridBrain();
    expect(await run(cancelBackfill)).toEqual({ cancelled: false });
    expect(hybrid.sync.state.paused).toBe(false);
  });
});

describe('after a sync', () => {
  it('the store is tidied when rows were written or removed, and only then', async () => {
    const { run, vault, vectors } = await openHybridBrain({ 'wiki/a/facts/one.md': 'One.' });
    expect(vectors.tidied).toBe(1);
    await run(backfillEmbeddings);
    expect(vectors.tidied).toBe(1);
    vault.outside('wiki/a/_index.md', '# a');
    vault.outside('wiki/a/facts/one.md', null);
    await run(backfillEmbeddings);
    expect(vectors.tidied).toBe(2);
  });

  it('a store that cannot be tidied is logged and fails nothing', async () => {
    const { run, vault, vectors, hybrid, brain } = await openHybridBrain();
    const warned = jest.spyOn(brain.log, 'warn');
    vectors.tidy = () => Promise.reject(new Error('no room'));
    vault.outside('wiki/a/facts/one.md', 'One.');
    expect(await run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
    expect(hybrid.sync.state.lastError).toBeNull();
    expect(warned).toHaveBeenCalledWith('embed.tidy', { reason: 'Error: no room' });
  });
});
