import { queryNotes } from '../../../src/core/search/query';
import { embedError } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';

const note = (front: string, body: string) => `---\n${front}\n---\n${body}\n`;

const FILES = {
  'wiki/Home Lab/facts/auto.md': note('wing: Home Lab', '# Automobile\n\nThe automobile stands outside.'),
  'wiki/Home Lab/decisions/van.md': note('wing: Home Lab', '# Vehicle\n\nWe keep one vehicle.'),
  'wiki/net/facts/car.md': note('source_type: external\nwritten_by: laptop (claude)', '# Car\n\nA car.'),
  'wiki/net/facts/rain.md': note(
    'source_type: internal\nwritten_by: laptop',
    '# Rain\n\nIt is wet, says the car.',
  ),
  'knowledge/old-car.md': 'An old car.',
  'raw/2026-11-01-car.md': 'A car that nobody has looked at.',
};

const paths = async ({ run }: HybridBrain, input: object) =>
  (await run(queryNotes, input)).results.map(({ path }) => path);

describe('a query by words and meaning', () => {
  it('finds what shares no word with it, and says how each was found', async () => {
    const { run } = await openHybridBrain(FILES);
    const { mode, degraded, results } = await run(queryNotes, { query: 'car', explain: true });
    expect({ mode, degraded }).toEqual({ mode: 'hybrid', degraded: false });
    const [first] = results;
    expect(first).toMatchObject({
      path: 'wiki/net/facts/car.md',
      ranks: { bm25: expect.any(Number), vector: 1 },
    });
    expect(first?.score).toBeCloseTo(1 / (60 + (first?.ranks?.bm25 ?? 0)) + 1 / 61, 6);
    const auto = results.find(({ path }) => path.endsWith('auto.md'));
    expect(auto).toMatchObject({
      title: 'Automobile',
      wing: 'Home Lab',
      hall: 'facts',
      status: 'wiki',
      excerpt: 'The automobile stands outside.',
      ranks: { vector: expect.any(Number) },
      terms: [],
    });
    expect(auto?.ranks?.bm25).toBeUndefined();
    // Notes of knowledge/ have no vector and are found by their words all the same.
    expect(results.find(({ path }) => path.startsWith('knowledge/'))?.ranks).toEqual({
      bm25: expect.any(Number),
    });
  });

  it('shows scores to six significant digits, so that neighbours in a long list differ', async () => {
    const wheels = Array.from({ length: 50 }, (_, at) => [`wiki/a/facts/n${at}.md`, 'Spokes.']);
    const { run } = await openHybridBrain(Object.fromEntries(wheels));
    const { results } = await run(queryNotes, { query: 'zebra', limit: 50, explain: true });
    expect(results).toHaveLength(50);
    // Found by their meaning alone.
    expect(results[0]?.score).toBe(0.0163934);
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ ranks }) => Number((1 / (60 + (ranks?.vector ?? 0))).toPrecision(6))),
    );
    expect(new Set(results.map(({ score }) => score)).size).toBe(50);
  });

  it('lets raw notes in by their words alone, when asked to', async () => {
    const brain = await openHybridBrain(FILES);
    expect(await paths(brain, { query: 'car' })).not.toContain('raw/2026-11-01-car.md');
    const { results } = await brain.run(queryNotes, { query: 'car', include_raw: true, explain: true });
    expect(results.find(({ status }) => status === 'raw')?.ranks).toEqual({ bm25: expect.any(Number) });
    expect(await paths(brain, { query: 'car', status: 'raw' })).toEqual(['raw/2026-11-01-car.md']);
  });

  it('applies wing and hall to both sides, in any spelling', async () => {
    const brain = await openHybridBrain(FILES);
    const van = 'wiki/Home Lab/decisions/van.md';
    expect((await paths(brain, { query: 'car', wing: 'home-lab' })).sort()).toEqual([
      van,
      'wiki/Home Lab/facts/auto.md',
    ]);
    expect(await paths(brain, { query: 'car', wing: 'Home Lab', hall: 'decisions' })).toEqual([van]);
    expect(await paths(brain, { query: 'car', hall: 'decisions' })).toEqual([van]);
    expect(await paths(brain, { query: 'car', wing: 'nowhere' })).toEqual([]);
  });

  it.each([
    [{ source_type: 'external' }, ['wiki/net/facts/car.md']],
    [{ written_by: 'laptop' }, ['wiki/net/facts/car.md', 'wiki/net/facts/rain.md']],
    [{ written_by: 'laptop (claude)' }, ['wiki/net/facts/car.md']],
    [{ written_by: 'lap' }, []],
    [{ status: 'knowledge' }, ['knowledge/old-car.md']],
    [{ status: 'wiki', source_type: 'internal' }, ['wiki/net/facts/rain.md']],
  ])('applies %j to both sides', async (filter, expected) => {
    const brain = await openHybridBrain(FILES);
    expect((await paths(brain, { query: 'car', ...filter })).sort()).toEqual(expected);
  });

  it.each([
    ['"says the car"', ['wiki/net/facts/rain.md']],
    ['"stands OUTSIDE" car', ['wiki/Home Lab/facts/auto.md']],
    ['"zebra crossing" car', []],
    ['"car" vehicle', ['knowledge/old-car.md', 'wiki/net/facts/car.md', 'wiki/net/facts/rain.md']],
  ])('wants %s to occur, however near the meaning is', async (query, expected) => {
    const brain = await openHybridBrain(FILES);
    expect((await paths(brain, { query })).sort()).toEqual(expected);
  });

  it('keeps to the operators of a query on both sides', async () => {
    const brain = await openHybridBrain(FILES);
    const found = async (query: string) => (await paths(brain, { query })).toSorted();
    expect(await found('car path:wiki/net -wet')).toEqual(['wiki/net/facts/car.md']);
    expect(await found('car -path:net -old')).toEqual([
      'wiki/Home Lab/decisions/van.md',
      'wiki/Home Lab/facts/auto.md',
    ]);
    expect(await found('car source_type:internal')).toEqual(['wiki/net/facts/rain.md']);
  });

  it('drops vectors whose note is gone before they take a rank', async () => {
    const brain = await openHybridBrain(FILES);
    brain.vault.outside('wiki/net/facts/car.md', null);
    const { results } = await brain.run(queryNotes, { query: 'car', explain: true });
    expect(results.map(({ path }) => path)).not.toContain('wiki/net/facts/car.md');
    expect(results.some(({ ranks }) => ranks?.vector === 1)).toBe(true);
  });

  it('drops a note that only vectors found and whose file has gone without an event, and lets the next one up', async () => {
    const wheels = Array.from({ length: 30 }, (_, at) => [`wiki/a/facts/n${at}.md`, 'Spokes.']);
    const brain = await openHybridBrain(Object.fromEntries(wheels));
    const ask = (limit: number) => paths(brain, { query: 'zebra', limit });
    const all = await ask(30);
    expect(all).toHaveLength(30);
    const gone = all.filter((_, at) => at < 4 || at === 7);
    for (const path of gone) brain.files.delete(path);
    const left = all.filter((path) => !gone.includes(path));
    expect(await ask(10)).toEqual(left.slice(0, 10));
    expect(await ask(30)).toEqual(left);
    const { results } = await brain.run(queryNotes, { query: 'zebra', limit: 3, explain: true });
    expect(results.map(({ ranks }) => ranks)).toEqual([{ vector: 1 }, { vector: 2 }, { vector: 3 }]);
  });

  it('looks on the disk at no more notes than it shows, and keeps what cannot be looked at', async () => {
    const brain = await openHybridBrain(FILES);
    const stat = jest.spyOn(brain.vault, 'stat').mockRejectedValue(new Error('EACCES'));
    const { results } = await brain.run(queryNotes, { query: 'car', limit: 4, explain: true });
    expect(results).toHaveLength(4);
    const byMeaning = results.filter(({ ranks }) => ranks?.bm25 === undefined).map(({ path }) => path);
    expect(byMeaning.length).toBeGreaterThan(0);
    expect(stat.mock.calls.map(([path]) => String(path)).sort()).toEqual(byMeaning.sort());
  });

  it('tells of the vault as it is when the vectors are there, not as it was when they were asked for', async () => {
    const brain = await openHybridBrain(FILES);
    const [car, rain] = ['wiki/net/facts/car.md', 'wiki/net/facts/rain.md'];
    const asked: Promise<string[]>[] = [];
    let answer: () => void = () => undefined;
    brain.embedder.before = () => new Promise<void>((resolve) => (answer = resolve));
    const before = brain.embedder.calls.length;
    asked.push(paths(brain, { query: 'car', written_by: 'laptop' }));
    while (brain.embedder.calls.length === before) await new Promise(setImmediate);
    brain.vault.outside(car, null);
    brain.vault.outside(rain, note('written_by: phone', '# Rain\n\nIt is wet, says the car.'));
    brain.embedder.before = async () => undefined;
    // Whoever asks meanwhile sees both changes.
    expect(await paths(brain, { query: 'car', written_by: 'laptop' })).toEqual([]);
    answer();
    expect(await Promise.all(asked)).toEqual([[]]);
  });

  it('loses none of few fresh notes among many stale ones, on either side', async () => {
    const stale = 'half_life: volatile\nclaim_provenance: asserted\ncreated_at: 2020-01-01T00:00:00Z';
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`wiki/a/facts/s${at}.md`, note(stale, '# Car\n\nA car.')]),
    );
    const fresh = Object.fromEntries(
      ['vehicle', 'automobile', 'car'].map((word, at) => [
        `wiki/b/facts/f${at}.md`,
        `The far ${word} by the sea.`,
      ]),
    );
    const brain = await openHybridBrain({ ...many, ...fresh });
    expect((await paths(brain, { query: 'car', limit: 10 })).some((path) => path in fresh)).toBe(false);
    expect((await paths(brain, { query: 'car', limit: 10, not_stale: true })).sort()).toEqual(
      Object.keys(fresh).sort(),
    );
  });
});

describe('a query whose vectors fail', () => {
  it('is answered by words alone and says so', async () => {
    const brain = await openHybridBrain(FILES);
    const before = await paths(brain, { query: 'car', limit: 3 });
    brain.embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    for (let at = 0; at < 5; at += 1) {
      const answer = await brain.run(queryNotes, { query: 'car', explain: true });
      expect(answer).toMatchObject({ mode: 'bm25', degraded: true });
      expect(answer.results.length).toBeGreaterThan(0);
      expect(answer.results.every(({ ranks }) => ranks?.vector === undefined)).toBe(true);
    }
    const queries = brain.embedder.calls.filter(({ kind }) => kind === 'query').length;
    // One found it dead; the others did not ask.
    expect(queries).toBe(2);
    brain.embedder.before = async () => undefined;
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ degraded: true });
    // It was refused at once, which is nothing that searches would have to be kept from for long.
    brain.clock.advance(10);
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'hybrid', degraded: false });
    expect(await paths(brain, { query: 'car', limit: 3 })).toEqual(before);
  });

  it('does not wait for a slow embedder, and takes its late answer as a sign of life', async () => {
    const brain = await openHybridBrain(FILES);
    let answer: () => void = () => undefined;
    brain.embedder.before = () => new Promise<void>((resolve) => (answer = resolve));
    const asked = brain.run(queryNotes, { query: 'car' });
    await brain.time.pass(4_000);
    expect(await asked).toMatchObject({ mode: 'bm25', degraded: true });
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ degraded: true });
    answer();
    brain.embedder.before = async () => undefined;
    await brain.time.pass(1);
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'hybrid' });
  });

  it('lets one query try again while the others do without', async () => {
    const brain = await openHybridBrain(FILES);
    await brain.run(queryNotes, { query: 'car' });
    brain.vectors.isDown = true;
    await brain.run(queryNotes, { query: 'car' });
    brain.clock.advance(20_000);
    const before = brain.embedder.calls.length;
    const answers = await Promise.all([1, 2, 3].map(() => brain.run(queryNotes, { query: 'car' })));
    expect(answers.every(({ degraded }) => degraded)).toBe(true);
    expect(brain.embedder.calls.length).toBe(before + 1);
    brain.vectors.isDown = false;
    // A clock that was set back makes no endless rest.
    brain.clock.advance(-3_600_000);
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'hybrid' });
  });

  it('asks an embedder that sends it away once in fifteen seconds, and never more', async () => {
    const { run, embedder, time } = await openHybridBrain(FILES);
    embedder.before = () => Promise.reject(embedError('HTTP 401', { status: 401 }));
    const calls = embedder.calls.length;
    for (let second = 0; second < 30; second += 1) {
      expect(await run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'bm25', degraded: true });
      await time.pass(1_000);
    }
    expect(embedder.calls.length - calls).toBe(2);
  });

  it('does not use the vectors of another model', async () => {
    const first = await openHybridBrain(FILES);
    await first.close();
    await first.vectors.mark('older-model');
    const brain = await openHybridBrain(FILES, { vectors: first.vectors });
    expect(await brain.run(queryNotes, { query: 'car' })).toMatchObject({ mode: 'bm25', degraded: true });
    expect(brain.embedder.calls).toHaveLength(0);
  });
});

it('works out what may pass only when vectors can be asked', async () => {
  const { hybrid, vectors, time } = await openHybridBrain(FILES);
  const filter = jest.fn(() => Promise.resolve({}));
  expect(await hybrid.nearest('car', 10, filter)).not.toBeNull();
  vectors.isDown = true;
  expect(await hybrid.nearest('car', 10, filter)).toBeNull();
  expect(filter).toHaveBeenCalledTimes(2);
  expect(await hybrid.nearest('car', 10, filter)).toBeNull();
  expect(filter).toHaveBeenCalledTimes(2);
  vectors.isDown = false;
  await time.pass(15_000);
  expect(await hybrid.nearest('car', 10, filter)).not.toBeNull();
  expect(filter).toHaveBeenCalledTimes(3);
});
