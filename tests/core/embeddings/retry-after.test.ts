import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { embedError } from '../../support/fake-embedder';
import { openHybridBrain } from '../../support/hybrid-brain';

it('asks an embedder nothing before the time that it has asked for, whoever wants to', async () => {
  const { run, vault, embedder, time } = await openHybridBrain({ 'wiki/a/facts/one.md': 'A car.' });
  const embedderCheck = async () => (await run(status)).checks.find(({ name }) => name === 'embedder');
  embedder.before = () => Promise.reject(embedError('answered HTTP 429', { status: 429, retry_after: 300 }));
  await time.pass(1_000);
  expect(await embedderCheck()).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('HTTP 429'),
  });
  embedder.before = async () => undefined;
  const calls = embedder.calls.length;
  vault.outside('wiki/a/facts/two.md', 'Some rain.');
  for (let minute = 1; minute < 5; minute += 1) {
    await time.pass(60_000);
    expect(await embedderCheck()).toMatchObject({ state: 'failed' });
    expect(await run(queryNotes, { query: `car ${minute}` })).toMatchObject({ mode: 'bm25', degraded: true });
    expect((await run(backfillEmbeddings)).errors[0]?.error).toContain('HTTP 429');
  }
  expect(embedder.calls.length).toBe(calls);
  await time.pass(60_000);
  expect(await embedderCheck()).toMatchObject({ state: 'ok' });
  expect(await run(backfillEmbeddings)).toMatchObject({ errors: [] });
  expect(await run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'hybrid', degraded: false });
});

it('asks again at once when the clock was set back', async () => {
  const { run, embedder, time, clock } = await openHybridBrain({ 'wiki/a/facts/one.md': 'A car.' });
  await time.pass(1_000);
  embedder.before = () => Promise.reject(embedError('answered HTTP 429', { status: 429, retry_after: 300 }));
  await run(status);
  embedder.before = async () => undefined;
  clock.advance(-3_600_000);
  const { checks } = await run(status);
  expect(checks.find(({ name }) => name === 'embedder')).toMatchObject({ state: 'ok' });
});
