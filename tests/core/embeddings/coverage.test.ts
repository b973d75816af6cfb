import fc from 'fast-check';
import { Coverage } from '../../../src/core/embeddings/coverage';
import { writeNote } from '../../../src/core/notes/write';
import { backfillEmbeddings, cancelBackfill } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { madeBy, memoryVectors } from '../../support/memory-vectors';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));

const asked = async ({ run }: HybridBrain) => {
  const { mode, degraded } = await run(queryNotes, { query: 'note' });
  return { mode, degraded };
};

const BY_WORDS = { mode: 'bm25', degraded: true };
const BY_BOTH = { mode: 'hybrid', degraded: false };

describe('search while the vectors are first made', () => {
  it('goes by words alone, and says so, until half of many notes have one', async () => {
    const brain = await openHybridBrain();
    for (const [path, text] of Object.entries(many(500))) brain.vault.outside(path, text);
    const seen = new Map<number, { mode: string; degraded: boolean }>();
    brain.embedder.before = async (_texts, kind) => {
      const { size } = brain.vectors.rows;
      if (kind === 'document' && !seen.has(size)) seen.set(size, await asked(brain));
    };
    await brain.run(backfillEmbeddings);
    expect([...seen.keys()].some((rows) => rows > 0 && rows < 250)).toBe(true);
    expect([...seen.keys()].some((rows) => rows >= 250 && rows < 500)).toBe(true);
    for (const [rows, found] of seen)
      expect({ rows, ...found }).toEqual({ rows, ...(rows < 250 ? BY_WORDS : BY_BOTH) });
    expect(await asked(brain)).toEqual(BY_BOTH);
  });

  it('asks no embedder meanwhile, and the status says how far it is', async () => {
    const brain = await openHybridBrain();
    for (const [path, text] of Object.entries(many(300))) brain.vault.outside(path, text);
    brain.embedder.before = async () => {
      if (brain.embedder.calls.length === 3) await brain.run(cancelBackfill);
    };
    await brain.run(backfillEmbeddings);
    const rows = brain.vectors.rows.size;
    expect(rows).toBeGreaterThan(0);
    expect(await asked(brain)).toEqual(BY_WORDS);
    expect(brain.embedder.calls.some(({ kind }) => kind === 'query')).toBe(false);
    expect((await brain.run(status)).hybrid).toMatchObject({ state: 'degraded', vectors: rows });
    expect(brain.hybrid.failure).toBe(
      `${rows} of 300 notes in wiki/ have a vector; from 100 on, search goes by meaning too.`,
    );
    brain.embedder.before = async () => undefined;
    await brain.run(backfillEmbeddings);
    expect((await brain.run(status)).hybrid.state).toBe('ready');
    expect(brain.hybrid.failure).toBeNull();
  });

  it('goes by words alone again when many notes have come that have none yet, and after their sync by both', async () => {
    const brain = await openHybridBrain(many(3));
    expect(await asked(brain)).toEqual(BY_BOTH);
    for (const [path, text] of Object.entries(many(204))) brain.vault.outside(path, text);
    expect(await asked(brain)).toEqual(BY_WORDS);
    await brain.time.pass(60_000);
    expect(await asked(brain)).toEqual(BY_BOTH);
  });

  it('goes by both all the time while few notes have none', async () => {
    const brain = await openHybridBrain();
    const write = (filename: string) =>
      brain.run(writeNote, { wing: 'b', hall: 'facts', filename, content: `A note, ${filename}.` });
    expect(await asked(brain)).toEqual(BY_BOTH);
    await write('one');
    await brain.run(backfillEmbeddings);
    for (const filename of ['two', 'three', 'four']) await write(filename);
    expect(brain.vectors.rows.size).toBe(1);
    expect(await asked(brain)).toEqual(BY_BOTH);
    expect((await brain.run(queryNotes, { query: 'note' })).count).toBe(4);
    expect((await brain.run(status)).hybrid.state).toBe('ready');
  });
});

describe('search after a start', () => {
  it('goes by both with a full table at once, which is counted once, though no sync has looked at it', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(20), { vectors })).close();
    const { count } = vectors;
    let counts = 0;
    vectors.count = (maker) => {
      counts += 1;
      return count(maker);
    };
    // The sync comes to nothing; a search gets through.
    vectors.known = () => Promise.reject(new Error('later'));
    const brain = await openHybridBrain(many(20), { vectors });
    for (let times = 0; times < 3; times += 1) expect(await asked(brain)).toEqual(BY_BOTH);
    expect(counts).toBe(1);
  });

  it('goes by words alone with a nearly empty one, though no sync has looked at it', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(2), { vectors })).close();
    vectors.known = () => Promise.reject(new Error('later'));
    const brain = await openHybridBrain(many(203), { vectors });
    expect(await asked(brain)).toEqual(BY_WORDS);
  });

  it('counts no row whose note is gone, once a sync has looked', async () => {
    const brain = await openHybridBrain(many(201));
    for (const [path, text] of Object.entries(many(201))) {
      brain.vault.outside(path, null);
      brain.vault.outside(path.replace('wiki/a/', 'wiki/b/'), text);
    }
    const seen: { mode: string; degraded: boolean }[] = [];
    brain.embedder.before = async (_texts, kind) => {
      if (kind === 'document') seen.push(await asked(brain));
    };
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 201, deleted: 201, errors: [] });
    expect(seen[0]).toEqual(BY_WORDS);
    expect(await asked(brain)).toEqual(BY_BOTH);
  });
});

describe('the figure that is kept', () => {
  const catalogOf = (notes: number) => {
    const catalog = {
      count: notes,
      revision: notes,
      looks: 0,
      name: 'notes in wiki/',
      records: () => {
        catalog.looks += 1;
        return { length: catalog.count };
      },
    };
    return catalog;
  };

  it('is thin below half and not from half on, whatever comes later', () => {
    const catalog = catalogOf(1000);
    const coverage = new Coverage(catalog);
    expect(coverage.isThin).toBe(false);
    coverage.set(499);
    expect(coverage.isThin).toBe(true);
    coverage.add(1);
    expect(coverage.isThin).toBe(false);
    catalog.count = 1001;
    catalog.revision += 1;
    expect(coverage.isThin).toBe(true);
    catalog.count = 2;
    catalog.revision += 1;
    expect(coverage.isThin).toBe(false);
  });

  it('is thin only where more than 200 notes have none, and says from how many on it is not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }), (notes, rows) => {
        const coverage = new Coverage(catalogOf(notes));
        coverage.set(rows);
        const isThin = rows < notes / 2 && notes - rows > 200;
        expect(coverage.isThin).toBe(isThin);
        const said = coverage.reason?.match(/^(\d+) of (\d+) notes .* from (\d+) on,/)?.slice(1);
        expect(said?.slice(0, 2)).toEqual(isThin ? [`${rows}`, `${notes}`] : undefined);
        if (said === undefined) return;
        coverage.set(Number(said[2]) - 1);
        expect(coverage.isThin).toBe(true);
        coverage.add(1);
        expect(coverage.isThin).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('needs no look at the notes while too few can have come since the last one', () => {
    const catalog = catalogOf(1000);
    const coverage = new Coverage(catalog);
    coverage.set(900);
    for (let change = 0; change < 800; change += 1) {
      catalog.count += 1;
      catalog.revision += 1;
      expect(coverage.isThin).toBe(false);
    }
    expect(catalog.looks).toBe(1);
    catalog.count += 1;
    catalog.revision += 1;
    expect(coverage.isThin).toBe(true);
    expect(catalog.looks).toBe(2);
  });

  it('is not overwritten by a count that comes late', async () => {
    const coverage = new Coverage(catalogOf(10));
    const looking = coverage.count(memoryVectors(), madeBy('m'));
    coverage.set(10);
    await looking;
    expect(coverage.isThin).toBe(false);
  });
});
