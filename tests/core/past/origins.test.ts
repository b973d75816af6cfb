import { asciiJson } from '../../../src/core/base/json';
import { sha256 } from '../../../src/core/base/hash';
import { allOrigins, originOf } from '../../../src/core/past/origins';
import { Past, type PastReader } from '../../../src/core/past/past';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { createMemoryState } from '../../support/memory-state';

const A = vaultPath('wiki/net/facts/a.md');
const B = vaultPath('wiki/net/facts/b.md');
const RAW = vaultPath('raw/a.md');
const pace = { run: async <T>(work: () => T): Promise<T> => work() };

type Move = readonly [op: string, from: string, to: string];

/** Returns the reader of a past with these moves, one each second, and with other files of the state. */
async function pastWith(moves: readonly Move[], files: Record<string, string> = {}): Promise<PastReader> {
  const hash = sha256('text');
  const lines = moves.map(([op, from, to], at) =>
    asciiJson({
      id: `x.y.${at}`,
      at: 1000 * at + 1000,
      op,
      notes: [
        [to, null, hash, 'main', from],
        [from, hash, null],
      ],
    }),
  );
  const state = createMemoryState({ 'past/testtest.a.1.jsonl': `${lines.join('\n')}\n`, ...files });
  return new Past(state, pace).read();
}

const toAndFro = (count: number): Move[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? ['move', A, B] : ['move', B, A]));

it.each<[string, Move[], string | null]>([
  ['promoted', [['promote', RAW, A]], RAW],
  [
    'promoted and moved',
    [
      ['promote', RAW, B],
      ['move', B, A],
    ],
    RAW,
  ],
  ['moved there and back', [['promote', RAW, A], ...toAndFro(4)], RAW],
  ['adopted', [['adopt', 'Own/a.md', A]], null],
  [
    'promoted, and another before it',
    [
      ['promote', 'raw/old.md', A],
      ['reject', A, B],
      ['promote', RAW, A],
    ],
    RAW,
  ],
  ['moved, and never in the queue', toAndFro(4), null],
])('tells the name in the queue of a note that was %s', async (_, moves, origin) => {
  const past = await pastWith(moves);
  expect(await originOf(past, A)).toBe(origin);
  expect((await allOrigins(past)).get(A) ?? null).toBe(origin);
});

it('goes by the log of earlier versions for what happened before', async () => {
  const old = `${JSON.stringify({ path: A, from: RAW })}\n{"path":"wiki/x.md","from":"Own/x.md"}\n{"pa`;
  const past = await pastWith([['move', A, B]], { 'origins/otherone.jsonl': old });
  expect(await originOf(past, B)).toBe(RAW);
  expect([...(await allOrigins(past))]).toEqual([
    [A, RAW],
    [B, RAW],
  ]);
});

it('looks once at each place, however often a note was moved to and fro', async () => {
  const past = await pastWith(toAndFro(60));
  const naming = jest.spyOn(past, 'naming');
  expect(await originOf(past, A)).toBeNull();
  expect(naming).toHaveBeenCalledTimes(2);
});
