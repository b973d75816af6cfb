import fc from 'fast-check';
import { queryNotes } from '../../../src/core/search/query';
import { compareSearches, fragmentOf, measuredWeight } from '../../../src/core/search/comparison';
import { statusChecks } from '../../../src/core/status/checks';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';

const NAMES = [
  'alpine',
  'basalt',
  'cobalt',
  'delta',
  'ember',
  'fjord',
  'garnet',
  'harbour',
  'indigo',
  'jasper',
];

/** A vault of notes with words of their own. */
const vaultOf = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const [a, b] = [NAMES[at % 10], NAMES[Math.floor(at / 10) % 10]];
      return [
        `wiki/net/facts/n${at}.md`,
        `# The ${a} ${b} pump\n\nIts ${b} valve is oiled in ${a} week, and the ${b} seal of number ${at} comes from ${a}, not from ${b} as it did.\n`,
      ];
    }),
  );

/** An embedder to which every text is noise. */
function noisyEmbedder() {
  const embedder = fakeEmbedder();
  let nth = 0;
  const { embed } = embedder;
  embedder.embed = async (texts, kind, signal) => {
    const made = await embed(texts, kind, signal);
    return made.map((vector) => vector.map((_, at) => Math.sin((nth += 1) * (at + 1))));
  };
  return embedder;
}

async function look({ brain, time }: HybridBrain) {
  const check = async () => (await statusChecks(brain)).find(({ name }) => name === 'search by meaning');
  let found = await check();
  while (found?.message.includes('is being compared') === true || brain.checks.compared?.isRunning === true) {
    await time.pass(100);
    found = await check();
  }
  return found;
}

it('finds no harm in an embedder that knows the words', async () => {
  const opened = await openHybridBrain(vaultOf(80));
  expect(await look(opened)).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/^Of 60 fragments .* comes first \d+ times by words/),
  });
});

it('warns of an embedder that makes search worse, with the figures', async () => {
  const opened = await openHybridBrain(vaultOf(80), { embedder: noisyEmbedder() });
  const { questions, words, both } = (await compareSearches(opened.brain)) ?? {};
  expect(questions).toBe(60);
  expect(both?.ndcg).toBeLessThan(Number(words?.ndcg) - 0.03);
  expect(await look(opened)).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('Words alone measure better'),
    action: 'open-settings',
  });
});

it('says nothing of a vault with few questions, and nothing without search by meaning', async () => {
  const few = await openHybridBrain(vaultOf(5));
  expect(await look(few)).toMatchObject({ state: 'ok', message: expect.stringContaining('too few notes') });
  few.embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
  await few.hybrid.nearest('a question', 5, async () => ({}));
  expect(await look(few)).toBeUndefined();
});

it('asks the embedder once a day', async () => {
  const opened = await openHybridBrain(vaultOf(40));
  const { embedder, clock } = opened;
  const asked = async () => {
    const before = embedder.calls.length;
    await look(opened);
    return embedder.calls.slice(before).filter(({ kind }) => kind === 'query').length;
  };
  expect(await asked()).toBeGreaterThanOrEqual(40);
  expect(await asked()).toBe(0);
  clock.advance(3_600_000);
  // The doctor's own look at the embedder is valid for a minute.
  expect(await asked()).toBeLessThanOrEqual(1);
  clock.advance(86_400_000);
  expect(await asked()).toBeGreaterThanOrEqual(40);
});

it('rests between the questions, so that the embedder answers others meanwhile', async () => {
  const { brain, embedder, time } = await openHybridBrain(vaultOf(40));
  await statusChecks(brain);
  const before = embedder.calls.length;
  await time.pass(1_000);
  expect(embedder.calls.length - before).toBeLessThanOrEqual(11);
  await time.pass(4_000);
  expect(embedder.calls.length - before).toBeGreaterThanOrEqual(39);
});

it('waits ten minutes after an embedder that failed in between, and pauses no search', async () => {
  const opened = await openHybridBrain(vaultOf(40));
  const { embedder, brain, clock } = opened;
  let left = 5;
  embedder.before = (_, kind) =>
    kind === 'query' && (left -= 1) < 0 ? Promise.reject(embedError('ECONNREFUSED')) : Promise.resolve();
  expect(await look(opened)).toMatchObject({ message: expect.stringContaining('another time') });
  expect([brain.hybrid?.isAnswering, brain.hybrid?.failure]).toEqual([true, null]);
  embedder.before = async () => undefined;
  clock.advance(60_000);
  expect(await look(opened)).toMatchObject({ message: expect.stringContaining('another time') });
  clock.advance(600_000);
  expect(await look(opened)).toMatchObject({ message: expect.stringContaining('Of 40 fragments') });
});

it('asks an embedder that fails every time ever more seldom', async () => {
  const { brain, embedder, time, clock, hybrid } = await openHybridBrain(vaultOf(40), {
    embedSyncInterval: 86_400,
  });
  let asked = 0;
  embedder.before = (_, kind) =>
    kind === 'query' && (asked += 1) % 6 === 0
      ? Promise.reject(embedError('HTTP 429', { status: 429 }))
      : Promise.resolve();
  for (let minute = 0; minute < 6 * 60; minute += 10) {
    await statusChecks(brain);
    await time.pass(5_000);
    clock.advance(595_000);
    await hybrid.nearest(`a question of minute ${minute}`, 5, async () => ({}));
  }
  // Every ten minutes it would be some 36 comparisons, beside one probe and one question each time.
  expect(asked).toBeLessThan(36 * 2 + 7 * 6);
}, 60_000);

it('asks for one note with each question, the same ones every time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 90 }), async (count) => {
      const { brain, embedder } = await openHybridBrain(vaultOf(count));
      const texts = () =>
        embedder.calls
          .splice(0)
          .filter(({ kind }) => kind === 'query')
          .flatMap(({ texts: asked }) => asked);
      texts();
      const first = await compareSearches(brain);
      const asked = texts();
      expect(new Set(asked).size).toBe(asked.length);
      expect(first?.questions).toBe(Math.min(60, asked.length));
      expect(await compareSearches(brain)).toEqual(first);
      expect(texts()).toEqual(asked);
    }),
    { numRuns: 10 },
  );
});

describe('fusion as it is measured', () => {
  const ask = (opened: HybridBrain) => opened.run(queryNotes, { query: 'alpine valve', limit: 5 });

  async function measured(opened: HybridBrain): Promise<number> {
    measuredWeight(opened.brain);
    while (opened.brain.checks.compared?.isRunning === true) await opened.time.pass(100);
    return measuredWeight(opened.brain);
  }

  it('lets meaning count a little until it is known what it is worth', async () => {
    const opened = await openHybridBrain(vaultOf(80), { fusion: 'measured' });
    expect(await ask(opened)).toMatchObject({ mode: 'hybrid', degraded: false });
    expect(measuredWeight(opened.brain)).toBe(0.1);
    expect(await measured(opened)).toBeGreaterThan(0.1);
    expect(await ask(opened)).toMatchObject({ mode: 'hybrid', degraded: false });
    expect(await look(opened)).toMatchObject({
      message: expect.stringMatching(/^Meaning counts \d+ % of what/),
    });
  });

  it('uses no vectors that find too little, and says so', async () => {
    const opened = await openHybridBrain(vaultOf(80), { fusion: 'measured', embedder: noisyEmbedder() });
    expect(await measured(opened)).toBe(0);
    const before = opened.embedder.calls.length;
    expect(await ask(opened)).toMatchObject({ mode: 'bm25', degraded: false });
    expect(opened.embedder.calls.length).toBe(before);
    expect(await look(opened)).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/^Meaning finds too little here/),
    });
  });

  it('lets meaning count a little in a vault that is too small to measure', async () => {
    const opened = await openHybridBrain(vaultOf(5), { fusion: 'measured' });
    expect(await measured(opened)).toBe(0.1);
  });

  it('keeps what was measured while it measures again, and when the embedder fails meanwhile', async () => {
    const opened = await openHybridBrain(vaultOf(40), { fusion: 'measured' });
    const first = await measured(opened);
    opened.clock.advance(2 * 86_400_000);
    opened.embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    expect(measuredWeight(opened.brain)).toBe(first);
    expect(opened.brain.checks.compared?.isRunning).toBe(true);
    expect(await measured(opened)).toBe(first);
    expect(opened.brain.checks.compared).toMatchObject({ failures: 1 });
    opened.embedder.before = async () => undefined;
    opened.clock.advance(600_001);
    expect(await measured(opened)).toBe(first);
    expect(opened.brain.checks.compared).toMatchObject({ failures: 0 });
  });

  it.each([
    ['a "quoted phrase" and -without path:here tag:x', /^[a-z ]+ $/],
    ['data:image/png;base64,' + 'iVBORw0KGgo'.repeat(40), /^[\p{L}\p{N} ]{1,700}$/u],
    ['会議は来週の月曜日に開かれます。場所は本社の三階です。', /^[\p{L} ]+ $/u],
  ])('asks for plain words of a note: %s', (part, expected) => {
    const text = `${part}\n`.repeat(6);
    expect(fragmentOf(text)).toMatch(expected);
  });
});
