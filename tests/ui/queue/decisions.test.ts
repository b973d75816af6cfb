import { type Ask, type BrainClient, CallError } from '../../../src/core/registry/client';
import {
  type BulkItem,
  type BulkProgress,
  type Decided,
  keepDecisions,
  keptDecisions,
  notUndoable,
  obstacleOf,
  runBulk,
  withoutNotes,
} from '../../../src/ui/queue/decisions';
import { draftOf } from '../../../src/ui/queue/entry';
import { scriptedClient } from '../../support/ui/screen-page';
import { entry } from './entries';

describe('a bulk of decisions', () => {
  const ITEMS: readonly BulkItem[] = ['a', 'b', 'c'].map((name, index) => {
    const one = entry(name, index + 1);
    return { entry: one, draft: draftOf(one), obstacle: null };
  });

  function client(promote: (ask: Ask<'promote'>) => void): BrainClient {
    return scriptedClient({
      promote: (ask) => {
        promote(ask);
        return {
          path: `wiki/${ask.wing}/${ask.hall}/${ask.slug ?? ''}.md`,
          from: ask.path ?? '',
          wing: ask.wing,
          hall: ask.hall,
          slug: ask.slug ?? '',
          content_hash: '',
          promoted_at: '',
          index: '',
          tunnels: [],
          relinked: 0,
          refs: [],
          warnings: [],
        };
      },
    });
  }

  function run(made: BrainClient, cancelAfter = Infinity) {
    const seen: BulkProgress[] = [];
    const pauses: number[] = [];
    const result = runBulk(
      made,
      { kind: 'promote', items: ITEMS, reason: '' },
      {
        isCancelled: () => seen.filter(({ waiting }) => !waiting).length >= cancelAfter,
        onProgress: (progress) => seen.push(progress),
        onDecided: () => undefined,
        pause: async (ms) => void pauses.push(ms),
      },
    );
    return { result, seen, pauses };
  }

  it('goes one by one, in order, and counts', async () => {
    const asked: string[] = [];
    const { result, seen } = run(client(({ path = '' }) => void asked.push(path)));
    expect((await result).decided.map(({ path }) => path)).toEqual(
      ['a', 'b', 'c'].map((slug) => `wiki/homelab/facts/${slug}.md`),
    );
    expect(asked).toEqual(['raw/a.md', 'raw/b.md', 'raw/c.md']);
    expect(seen.map(({ done }) => done)).toEqual([1, 2, 3]);
  });

  it('goes on after a failure and says which and why', async () => {
    const { result } = run(
      client(({ path }) => {
        if (path === 'raw/b.md') throw new CallError('destination_exists', 'Taken.');
      }),
    );
    const { decided, failures } = await result;
    expect(decided.map(({ title }) => title)).toEqual(['a', 'c']);
    expect([...failures]).toEqual([['raw/b.md', 'Taken.']]);
  });

  it('stops before the next note when it is cancelled', async () => {
    const { result } = run(
      client(() => undefined),
      1,
    );
    expect((await result).decided).toHaveLength(1);
  });

  it('stops when no server answers: the others would fail alike', async () => {
    const { result } = run(
      client(() => {
        throw new CallError('unreachable', 'No answer.');
      }),
    );
    expect([...(await result).failures.keys()]).toEqual(['raw/a.md']);
  });

  it('gives the service the pause that it asks for, and gives up on one that asks for ever', async () => {
    let refusals = 2;
    const patient = run(
      client(() => {
        refusals -= 1;
        if (refusals >= 0) throw new CallError('rate_limited', 'Wait.', { retry_after: 7 });
      }),
    );
    expect((await patient.result).decided).toHaveLength(3);
    expect(patient.pauses).toEqual([7000, 7000]);
    expect(patient.seen.filter(({ waiting }) => waiting)).toHaveLength(2);
    const endless = run(
      client(() => {
        throw new CallError('rate_limited', 'Wait.', { retry_after: 1 });
      }),
    );
    expect((await endless.result).failures.size).toBe(3);
  });

  it('asks for the text that was listed, and says in its own words what was refused', async () => {
    const hashes: unknown[] = [];
    const { result } = run(
      client(({ path, expected_hash: hash }) => {
        hashes.push(hash);
        if (path === 'raw/a.md') throw new CallError('hash_mismatch', 'raw/a.md: repeat with expected_hash.');
        if (path === 'raw/b.md') throw new CallError('source_missing', 'List the queue again.');
      }),
    );
    expect([...(await result).failures]).toEqual([
      ['raw/a.md', 'Its file has changed. Look at the new text, then decide.'],
      ['raw/b.md', 'It is no longer in the queue.'],
    ]);
    expect(hashes).toEqual(ITEMS.map((item) => item.entry.content_hash));
  });

  it.each([
    [{ suggested: { slug: 'x' } }, 'No wing and no hall suggested'],
    [{ suggested: { slug: 'x', hall: 'facts' as const } }, 'No wing suggested'],
    [{ suggested: { slug: 'x', wing: 'w' } }, 'No hall suggested'],
    [{ warnings: ['Broken properties.'] }, 'Broken properties.'],
    [{}, null],
  ])('a note with %j: %s', (extra, expected) => {
    const one = entry('a', 1, extra);
    expect(obstacleOf(one, draftOf(one))).toBe(expected);
  });
});

describe('decisions that are kept for a screen', () => {
  function session(start: Record<string, string> = {}) {
    const kept = new Map(Object.entries(start));
    return {
      kept,
      get: (key: string) => kept.get(key) ?? null,
      set: (key: string, value: string) => void kept.set(key, value),
    };
  }

  const note = (name: string, kind: Decided['kind'] = 'promoted'): Decided => ({
    title: name,
    kind,
    path: kind === 'promoted' ? `wiki/homelab/facts/${name}.md` : `raw/rejected/${name}.md`,
    from: `raw/${name}.md`,
  });
  const [A, B, C] = [note('a'), note('b', 'rejected'), note('c')];

  it('are the same for a screen that is opened anew', () => {
    const shelf = session();
    expect(keptDecisions(shelf)).toEqual([]);
    keepDecisions(shelf, [[A], [B, C]]);
    expect(keptDecisions(shelf)).toEqual([[A], [B, C]]);
  });

  it.each(['', 'no JSON', '{}', '[[]]', '[[{}]]', '[{}]', JSON.stringify([[{ ...A, kind: 'burnt' }]])])(
    'are none when %p was kept',
    (text) => expect(keptDecisions(session({ 'queue.decisions': text }))).toEqual([]),
  );

  it('forget the oldest, and never a part of one', () => {
    const shelf = session();
    const many = Array.from({ length: 400 }, (_, index) => note(`n${index}`));
    keepDecisions(shelf, [[A], many, many]);
    expect(keptDecisions(shelf)).toEqual([many]);
    const all = [...many, ...many];
    keepDecisions(shelf, [[A], all]);
    expect(keptDecisions(shelf)).toEqual([all]);
  });

  it('lose notes that are back, and are gone with their last one', () => {
    expect(withoutNotes([[A], [B, C]], [B])).toEqual([[A], [C]]);
    expect(withoutNotes([[A], [B, C]], [C, B])).toEqual([[A]]);
  });

  describe('after a reload', () => {
    const asked: string[] = [];
    const client = (answers: Record<string, string | CallError>) => {
      const back = ({ path, dry_run: dry }: { path: string; dry_run?: boolean | undefined }) => {
        asked.push(path);
        const answer = answers[path];
        if (dry !== true || answer === undefined) throw new Error('Only to be asked, never to be done.');
        if (answer instanceof CallError) throw answer;
        return { path: answer, from: path };
      };
      return scriptedClient({ unpromote: back, restore: back });
    };
    beforeEach(() => asked.splice(0));

    it('those at the end that cannot be taken back are told, up to the first that can', async () => {
      const made = client({
        [C.path]: new CallError('source_missing', 'Gone.'),
        [B.path]: B.from,
      });
      expect(await notUndoable(made, [[A], [B, C]])).toEqual([C]);
      expect(asked).toEqual([C.path, B.path]);
    });

    it('one that would go elsewhere is another note', async () => {
      expect(await notUndoable(client({ [A.path]: 'raw/other.md' }), [[A]])).toEqual([A]);
    });

    it('nothing is known when nobody answers', async () => {
      const silent = client({ [A.path]: new CallError('unreachable', 'No answer.') });
      await expect(notUndoable(silent, [[A]])).rejects.toThrow('No answer.');
    });
  });
});
