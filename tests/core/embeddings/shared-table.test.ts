import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { fakeEmbedder } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { madeBy, type MemoryVectors, memoryVectors } from '../../support/memory-vectors';

const FILES = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`wiki/a/facts/n${at}.md`, `# N${at}\n\nA car ${at}.`]),
);
const CHANGED = 'The vectors were made by another model. Run backfill-embeddings to make them anew.';
const STOPPED = { added: 0, deleted: 0, errors: [{ error: CHANGED }] };
const BY_WORDS = { mode: 'bm25', degraded: true };
const BY_BOTH = { mode: 'hybrid', degraded: false };

const turn = () => new Promise((resolve) => setImmediate(resolve));
const query = ({ run }: HybridBrain) => run(queryNotes, { query: 'car' });

function device(vectors: MemoryVectors, model: string, files: Readonly<Record<string, string>> = FILES) {
  const embedder = fakeEmbedder();
  embedder.maker = model;
  return openHybridBrain(files, { vectors, embedder });
}

/** Begins a backfill that waits for its embedder. */
async function begin({ embedder, run }: HybridBrain) {
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  embedder.before = (_texts, kind) => (kind === 'document' ? gate : Promise.resolve());
  const calls = embedder.calls.length;
  const running = run(backfillEmbeddings);
  while (embedder.calls.length < calls + 2) await turn();
  return { running, go };
}

const arrive = ({ vault }: HybridBrain, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) vault.outside(path, text);
};

describe('a sync during which another device makes the vectors anew with its own model', () => {
  it('writes nothing among those, and ends as one of a model that was changed', async () => {
    const vectors = memoryVectors();
    const [b, a] = [await device(vectors, 'model-b'), await device(vectors, 'model-a')];
    const edited = Object.fromEntries(
      Object.keys(FILES).map((path) => [path, `# Edited\n\nA vehicle ${path}.`]),
    );
    arrive(b, edited);
    const { running, go } = await begin(b);
    arrive(a, edited);
    expect(await a.run(backfillEmbeddings)).toEqual({ added: 20, deleted: 0, errors: [] });
    const own = new Map(vectors.rows);
    go();
    expect(await running).toEqual(STOPPED);
    expect(vectors.rows).toEqual(own);
    expect(await vectors.maker()).toBe('model-a');
    expect((await b.run(status)).hybrid).toMatchObject({ state: 'model_changed', last_error: CHANGED });
    expect([await query(b), await query(a)]).toMatchObject([BY_WORDS, BY_BOTH]);
    expect(await a.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
  });

  it('moves no time and removes no row', async () => {
    const vectors = memoryVectors();
    const [b, a] = [await device(vectors, 'model-b'), await device(vectors, 'model-a')];
    b.clock.advance(60_000);
    for (const path of Object.keys(FILES)) b.vault.touch(path);
    b.vault.outside('wiki/a/facts/n0.md', null);
    // The other device is done while this one compares.
    const { stat } = b.vault;
    b.vault.stat = async (path) => {
      if (b.hybrid.sync.state.progress === null) return stat(path);
      b.vault.stat = stat;
      await a.run(backfillEmbeddings);
      return stat(path);
    };
    const times = () =>
      [...vectors.rows].map(([path, { updatedAt }]) => [String(path), updatedAt.getTime()] as const);
    expect(await b.run(backfillEmbeddings)).toEqual(STOPPED);
    expect(new Map(times())).toEqual(
      new Map(Object.keys(FILES).map((path) => [path, a.clock.now().getTime()])),
    );

    await vectors.clear(madeBy('model-b'));
    await b.run(backfillEmbeddings);
    b.clock.advance(60_000);
    for (const path of Object.keys(FILES).slice(1)) b.vault.touch(path);
    const read = b.vault.read.bind(b.vault);
    b.vault.read = async (path) => {
      if (b.hybrid.sync.state.progress?.phase !== 'embedding') return read(path);
      b.vault.read = read;
      await a.run(backfillEmbeddings);
      return read(path);
    };
    const calls = b.embedder.calls.length;
    expect(await b.run(backfillEmbeddings)).toEqual(STOPPED);
    expect(b.embedder.calls).toHaveLength(calls);
    expect(new Map(times())).toEqual(
      new Map(Object.keys(FILES).map((path) => [path, a.clock.now().getTime()])),
    );
  });

  it('does not take the table over while that one has no row yet', async () => {
    const vectors = memoryVectors();
    const a = await device(vectors, 'model-a', {});
    arrive(a, FILES);
    await vectors.clear(madeBy('model-a'));
    const { running, go } = await begin(a);
    const b = await device(vectors, 'model-b');
    expect(vectors.rows.size).toBe(0);
    expect(await vectors.maker()).toBe('model-a');
    expect(await query(b)).toMatchObject(BY_WORDS);
    expect((await b.run(status)).hybrid.state).toBe('model_changed');
    go();
    expect(await running).toEqual({ added: 20, deleted: 0, errors: [] });
    expect(await query(a)).toMatchObject(BY_BOTH);
  });

  it('comes second when both begin with a table of nobody', async () => {
    const vectors = memoryVectors();
    const [a, b] = [await device(vectors, 'model-a', {}), await device(vectors, 'model-b', {})];
    arrive(a, FILES);
    arrive(b, FILES);
    const first = await begin(a);
    const second = await begin(b);
    first.go();
    expect(await first.running).toEqual({ added: 20, deleted: 0, errors: [] });
    second.go();
    expect(await second.running).toEqual(STOPPED);
    expect(vectors.rows.size).toBe(20);
    expect(await vectors.maker()).toBe('model-a');
  });
});

describe('a search after another device has made the vectors anew', () => {
  it('goes by words, says so in the status, and goes by both once they are its own again', async () => {
    const vectors = memoryVectors();
    const [b, a] = [await device(vectors, 'model-b'), await device(vectors, 'model-a')];
    expect(await query(b)).toMatchObject(BY_BOTH);
    await a.run(backfillEmbeddings);
    expect(await query(b)).toMatchObject(BY_WORDS);
    expect((await b.run(status)).hybrid.state).toBe('model_changed');
    await b.run(backfillEmbeddings);
    expect([await query(b), await query(a)]).toMatchObject([BY_BOTH, BY_WORDS]);
  });

  it('leaves an empty table alone whose maker nobody noted', async () => {
    const vectors = memoryVectors();
    const brain = await device(vectors, 'model-b', {});
    expect(await query(brain)).toMatchObject(BY_BOTH);
    expect(await vectors.maker()).toBeNull();
  });
});
