import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { embedError, type FakeEmbedder } from '../../support/fake-embedder';
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
  for (let minute = 1; minute < 4; minute += 1) {
    await time.pass(60_000);
    expect(await embedderCheck()).toMatchObject({ state: 'failed' });
    expect(await run(queryNotes, { query: `car ${minute}` })).toMatchObject({ mode: 'bm25', degraded: true });
    expect((await run(backfillEmbeddings)).errors[0]?.error).toContain('HTTP 429');
  }
  await time.pass(100_000);
  expect(embedder.calls.length).toBe(calls);
  await time.pass(20_000);
  expect(await embedderCheck()).toMatchObject({ state: 'ok' });
  expect(await run(backfillEmbeddings)).toMatchObject({ errors: [] });
  expect(await run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'hybrid', degraded: false });
});

/** An embedder that answers so many calls after each time that it sends one away, and asks for that many seconds of rest. */
function limited(embedder: FakeEmbedder, calls: number, seconds: number): void {
  let left = 0;
  embedder.before = async () => {
    if (left > 0) left -= 1;
    else {
      left = calls;
      throw embedError('answered HTTP 429', { status: 429, retry_after: seconds });
    }
  };
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));

describe('a sync that an embedder asks to rest', () => {
  async function begun(seconds: number, calls = 0) {
    const brain = await openHybridBrain({}, { embedSyncInterval: 3600 });
    for (const [path, text] of Object.entries(many(200))) brain.vault.outside(path, text);
    limited(brain.embedder, calls, seconds);
    return { ...brain, backfill: brain.run(backfillEmbeddings) };
  }

  it('waits that long, and embeds every note', async () => {
    const { backfill, time, vectors } = await begun(1, 1);
    await time.pass(20_000);
    expect(await backfill).toEqual({ added: 200, deleted: 0, errors: [] });
    expect(vectors.rows.size).toBe(200);
  });

  it('can be cancelled meanwhile', async () => {
    const { backfill, hybrid, embedder, time } = await begun(30);
    await time.pass(1_000);
    expect(hybrid.sync.cancel()).toBe(true);
    expect((await backfill).errors[0]?.error).toContain('The sync was stopped; 200 notes wait');
    const calls = embedder.calls.length;
    await time.pass(120_000);
    expect(embedder.calls).toHaveLength(calls);
  });

  it('ends when the rest is long, and goes on by itself after it', async () => {
    const { backfill, vectors, embedder, time } = await begun(200);
    expect((await backfill).errors[0]?.error).toContain('HTTP 429');
    embedder.before = async () => undefined;
    await time.pass(190_000);
    expect(vectors.rows.size).toBe(0);
    await time.pass(80_000);
    expect(vectors.rows.size).toBe(200);
  });

  it('ends when the rests never do', async () => {
    const { backfill, time } = await begun(1);
    await time.pass(70_000);
    expect((await backfill).errors[0]?.error).toContain('HTTP 429');
  });
});

it('keeps the longer of two rests', async () => {
  const { run, embedder, time } = await openHybridBrain({ 'wiki/a/facts/one.md': 'A car.' });
  const answers: ((seconds: number) => void)[] = [];
  embedder.before = () =>
    new Promise((_, reject) =>
      answers.push((seconds) =>
        reject(embedError('answered HTTP 429', { status: 429, retry_after: seconds })),
      ),
    );
  const searches = ['one', 'two'].map((query) => run(queryNotes, { query }));
  await time.pass(100);
  expect(answers).toHaveLength(2);
  answers[0]?.(300);
  await time.pass(100);
  answers[1]?.(1);
  await Promise.all(searches);
  embedder.before = async () => undefined;
  const calls = embedder.calls.length;
  await time.pass(200_000);
  await run(status);
  expect(embedder.calls).toHaveLength(calls);
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
