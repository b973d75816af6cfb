import * as fc from 'fast-check';
import * as z from 'zod';
import type { Caller } from '../../../src/core/access/tokens';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import type { Brain } from '../../../src/core/operation/context';
import { changeVault } from '../../../src/core/operation/change';
import { type Operation, operation, perform } from '../../../src/core/operation/operation';
import type { StateStore } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { promoteNote } from '../../../src/core/review/promote';
import { indexWings } from '../../../src/core/wings/operations';
import { createMemoryState, type MemoryState } from '../../support/memory-state';
import { createMemoryVault, type MemoryVault } from '../../support/memory-vault';
import { refusalOf } from '../../support/refusal';
import { agent, callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

/** Writes a new note at every call, however often it is made. */
const add = operation({
  name: 'add',
  scope: 'write',
  mutates: true,
  input: z.strictObject({ text: z.string(), long: z.number().optional(), dry_run: z.boolean().optional() }),
  output: z.object({ path: z.string(), more: z.string() }),
  run: (brain, { text, long = 0, dry_run: dryRun }) =>
    changeVault(
      brain,
      async () => {
        const number = brain.whole.catalog.pathsBelow('wiki/net/facts/').length;
        const path = vaultPath(`wiki/net/facts/${text}-${number}.md`);
        const step = { kind: 'create', path, text: `# ${text}\n` } as const;
        return { plan: { op: 'add', steps: [step] }, result: { path, more: 'x'.repeat(long) } };
      },
      { dryRun },
    ),
});

const open: TestBrain[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** The two places of a vault: the disk of one server, and what several servers share. */
const PLACES = ['alone', 'shared'] as const;
type Place = (typeof PLACES)[number];

interface Held {
  readonly vault: MemoryVault;
  readonly state: MemoryState;
}

/** Opens a brain on a vault and a state, which may be those of another one. */
async function brainOn(
  place: Place,
  { vault = createMemoryVault(), state = createMemoryState() }: Partial<Held> = {},
  sleep?: () => Promise<void>,
): Promise<TestBrain> {
  const on =
    place === 'alone' ? { vault, state } : { vault: together(vault, state), state: replacing(state) };
  const opened = await openTestBrain({}, { rateLimit: 0 }, undefined, { on, ...(sleep && { sleep }) });
  open.push(opened);
  return opened;
}

/** A state that others write to as well. */
function replacing(state: MemoryState): MemoryState {
  return Object.assign(state, {
    replace: async (path: string, text: string, was: string | null) => {
      if ((state.files.get(path) ?? null) !== was) return false;
      state.files.set(path, text);
      return true;
    },
  });
}

/** A vault that makes changes together with those of its state, or none of them. */
function together(vault: MemoryVault, state: MemoryState): MemoryVault {
  let turn: Promise<unknown> = Promise.resolve();
  return Object.assign(vault, {
    together: <T>(work: (stores: { vault: MemoryVault; state: StateStore }) => Promise<T>): Promise<T> => {
      const done = turn.then(async () => {
        const before = [new Map(vault.files), new Map(state.files)] as const;
        try {
          return await work({ vault: { ...vault, together: undefined }, state });
        } catch (error) {
          restore(vault.files, before[0]);
          restore(state.files, before[1]);
          throw error;
        }
      });
      turn = done.catch(() => undefined);
      return done;
    },
  });
}

function restore(files: Map<string, string>, before: ReadonlyMap<string, string>): void {
  files.clear();
  for (const [path, text] of before) files.set(path, text);
}

/** Asks with a key. Resolves with the answer, and whether it is that of a former call. */
async function ask(
  { brain }: { readonly brain: Brain },
  op: Operation,
  input: object,
  key: unknown = 'k-1',
  caller: Caller = agent,
): Promise<{ readonly answer: unknown; readonly isReplayed: boolean }> {
  let isReplayed = false;
  const answer: unknown = await perform(brain, op, input, caller, {
    key,
    replayed: () => void (isReplayed = true),
  });
  return { answer: JSON.parse(JSON.stringify(answer)), isReplayed };
}

const notesOf = ({ files }: Pick<TestBrain, 'files'>): string[] =>
  [...files.keys()].filter((path) => path.startsWith('wiki/') && !path.endsWith('/_index.md')).sort();

/** The paths of the state in which keys are kept. */
const keysIn = ({ files }: MemoryState): string[] => [...files.keys()].filter((path) => /keys/.test(path));

describe.each(PLACES)('a change with a key, in a vault that is %s', (place) => {
  it('is made once and answered the same, also after a restart, and not after a day', async () => {
    const first = await brainOn(place);
    const { answer, isReplayed } = await ask(first, add, { text: 'one' });
    expect(isReplayed).toBe(false);
    expect(await ask(first, add, { text: 'one' })).toEqual({ answer, isReplayed: true });
    await first.close();
    const again = await brainOn(place, first);
    expect(await ask(again, add, { text: 'one', dry_run: false })).toEqual({
      answer,
      isReplayed: true,
    });
    expect(notesOf(again)).toHaveLength(1);
    again.clock.advance(24 * 60 * 60 * 1000);
    expect((await ask(again, add, { text: 'one' })).isReplayed).toBe(false);
    expect(notesOf(again)).toHaveLength(2);
  });

  it('is refused with another input, and is another change for another token or operation', async () => {
    const brain = await brainOn(place);
    await ask(brain, add, { text: 'one' });
    const before = notesOf(brain);
    const refused = await refusalOf(ask(brain, add, { text: 'two' }));
    expect([refused.code, refused.details]).toEqual(['key_reused', { made: false }]);
    expect(notesOf(brain)).toEqual(before);
    await ask(brain, add, { text: 'one' }, 'k-1', callerWith(undefined, 'desktop'));
    await ask(brain, writeNote, { content: 'one', wing: 'net', hall: 'facts', slug: 'one' });
    expect(notesOf(brain)).toHaveLength(3);
  });

  it('is made once by two calls at a time', async () => {
    const brain = await brainOn(place);
    const calls = await Promise.all([1, 2, 3].map(() => ask(brain, add, { text: 'one' })));
    expect(new Set(calls.map(({ answer }) => JSON.stringify(answer))).size).toBe(1);
    expect(calls.filter(({ isReplayed }) => isReplayed)).toHaveLength(2);
    expect(notesOf(brain)).toHaveLength(1);
  });

  it('keeps no refusal and no dry run', async () => {
    const brain = await brainOn(place);
    const note = { content: 'text', wing: 'net', hall: 'facts', slug: 'mtu' };
    brain.vault.outside('wiki/net/facts/mtu.md', '# Mine\n');
    expect((await refusalOf(ask(brain, writeNote, note))).code).toBe('note_exists');
    brain.vault.outside('wiki/net/facts/mtu.md', null);
    await ask(brain, writeNote, { ...note, dry_run: true });
    expect(keysIn(brain.state)).toEqual([]);
    expect((await ask(brain, writeNote, { ...note, content: 'other' })).isReplayed).toBe(false);
  });

  it('tells what was done when the answer was too long to be kept', async () => {
    const brain = await brainOn(place);
    await ask(brain, add, { text: 'one', long: 70_000 });
    const { code, details, message } = await refusalOf(ask(brain, add, { text: 'one', long: 70_000 }));
    expect([code, details]).toEqual([
      'key_reused',
      { made: true, notes: [{ path: 'wiki/net/facts/one-0.md', content_hash: expect.any(String) }] },
    ]);
    expect(message).toMatch(/was done.*wiki\/net\/facts\/one-0\.md/);
  });

  it('goes by the rights of the moment', async () => {
    const brain = await brainOn(place);
    const note = { content: 'text', wing: 'net', hall: 'facts', slug: 'mtu' };
    const may = callerWith(['read', 'write']);
    await ask(brain, writeNote, note, 'k', may);
    expect((await ask(brain, writeNote, note, 'k', may)).isReplayed).toBe(true);
    const now = (limits: Caller['limits'], scopes = may.scopes): Caller => ({
      ...may,
      scopes,
      ...(limits && { limits }),
    });
    const refusal = (caller: Caller) => refusalOf(ask(brain, writeNote, note, 'k', caller));
    expect((await refusal(now(undefined, new Set(['read'])))).code).toBe('forbidden_scope');
    expect((await refusal(now({ writeWings: ['other'] }))).code).toBe('forbidden_scope');
    expect((await refusal(now({ read: ['wiki/other'] }))).code).toBe('forbidden_scope');
    const blind = await refusal(now(undefined, new Set(['write'])));
    expect(blind.code).toBe('key_reused');
    const narrowed = await refusal(now({ read: ['wiki/net'] }));
    expect([narrowed.code, narrowed.details]).toEqual([
      'key_reused',
      { made: true, notes: [expect.objectContaining({ path: 'wiki/net/facts/mtu.md' })] },
    ]);
  });

  it('changes nothing when the key is none, and passes over a key where nothing changes', async () => {
    const brain = await brainOn(place);
    for (const key of ['', 'a b', 'ü', 'x'.repeat(129), 7, null, ['a', 'b']]) {
      const refused = await refusalOf(ask(brain, add, { text: 'one' }, key));
      expect([refused.code, refused.details]).toEqual(['invalid_field', { field: 'Idempotency-Key' }]);
      await ask(brain, add, { text: 'one', dry_run: true }, key);
    }
    expect(notesOf(brain)).toEqual([]);
    await ask(brain, add, { text: 'one' }, '!'.repeat(128));
    expect((await ask(brain, indexWings, {}, 'k')).isReplayed).toBe(false);
    expect((await ask(brain, indexWings, {}, 'k')).isReplayed).toBe(false);
  });

  it('happens once in any order of calls, refusals, restarts and other callers', async () => {
    const call = fc.record({
      op: fc.constantFrom('add', 'write'),
      key: fc.constantFrom('a', 'b', 'c'),
      text: fc.constantFrom('one', 'two'),
      who: fc.constantFrom('laptop', 'desktop'),
      tries: fc.boolean(),
      restarts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), async (calls) => {
        let brain = await brainOn(place);
        const made = new Map<string, { readonly text: string; readonly answer: unknown }>();
        for (const { op, key, text, who, tries, restarts } of calls) {
          if (restarts) {
            await brain.close();
            brain = await brainOn(place, brain);
          }
          const before = new Map(brain.files);
          const id = [op, key, who].join();
          const former = made.get(id);
          const [operation, input] =
            op === 'add'
              ? [add, { text, dry_run: tries }]
              : [writeNote, { content: text, wing: 'net', hall: 'facts', slug: 'n', dry_run: tries }];
          const outcome = await ask(brain, operation, input, key, callerWith(undefined, who)).catch(
            (error: unknown) => error,
          );
          if (outcome instanceof BrainError) {
            expect(outcome.code).toBe(former === undefined || tries ? 'note_exists' : 'key_reused');
            expect(brain.files).toEqual(before);
          } else if (tries) {
            expect(brain.files).toEqual(before);
          } else if (former === undefined) {
            expect(outcome).toMatchObject({ isReplayed: false });
            made.set(id, { text, answer: Object(outcome).answer });
          } else {
            expect(former.text).toBe(text);
            expect(outcome).toEqual({ answer: former.answer, isReplayed: true });
            expect(brain.files).toEqual(before);
          }
        }
        const captured = [...made.keys()].filter((id) => id.startsWith('add'));
        expect(notesOf(brain).filter((path) => path.includes('-'))).toHaveLength(captured.length);
        await brain.close();
      }),
      { numRuns: 8 },
    );
  });
});

/** Everything a process does to its files; from the `last`th call on nothing reaches them, as after its end. */
function cutAfter(held: Held, last: number): { readonly count: () => number } {
  let count = 0;
  const step = (): void => {
    count += 1;
    if (count > last) throw new Error('The process has ended.');
  };
  held.vault.intercept = step;
  for (const name of ['write', 'writeBytes', 'create', 'append', 'remove'] as const) {
    const act: (...given: never[]) => Promise<unknown> = held.state[name];
    Object.assign(held.state, {
      [name]: async (...given: never[]) => {
        step();
        return act(...given);
      },
    });
  }
  return { count: () => count };
}

/** What is left of a process that has ended. */
function left({ vault, state }: Held): Held {
  const own = createMemoryState(Object.fromEntries(state.files));
  for (const [path, bytes] of state.blobs) own.blobs.set(path, bytes);
  return { vault: createMemoryVault(Object.fromEntries(vault.files)), state: own };
}

it.each([
  ['a note', add, { text: 'one' }],
  ['an update', updateNote, { path: 'wiki/net/facts/old-0.md', content: '# New', reason: 'newer' }],
  ['a promotion', promoteNote, { path: 'raw/dns.md', wing: 'net', hall: 'facts' }],
] as const)('finds, after a cut at any point, whether %s was made', async (_, op, input) => {
  const begin = (): Held => ({
    vault: createMemoryVault({ 'raw/dns.md': '# DNS\n', 'wiki/net/facts/old-0.md': '# Old\n' }),
    state: createMemoryState(),
  });
  const plain = await brainOn('alone', begin());
  const { answer } = await ask(plain, op, input);
  let replays = 0;
  for (let last = 0; ; last += 1) {
    const held = begin();
    const brain = await brainOn('alone', held);
    const cut = cutAfter(held, last);
    await ask(brain, op, input).catch(() => undefined);
    const isWhole = cut.count() <= last;
    const next = await brainOn('alone', left(held));
    const second = await ask(next, op, input);
    expect(next.files).toEqual(plain.files);
    expect(second.answer).toEqual(answer);
    const changes = (await (await next.brain.past.read()).of([op.name])).length;
    // A change of one file may be cut before its line.
    expect(changes).toBeLessThanOrEqual(1);
    if (second.isReplayed) replays += 1;
    if (isWhole) break;
  }
  expect(replays).toBeGreaterThan(1);
});

it('lets one of two servers make a change, and both give its answer', async () => {
  const held = { vault: createMemoryVault(), state: createMemoryState() };
  const wait = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const mine = await brainOn('shared', held, wait);
  const other = await brainOn('shared', held, wait);
  const [a, b] = await Promise.all([mine, other].map((brain) => ask(brain, add, { text: 'one' })));
  expect(a?.answer).toEqual(b?.answer);
  expect([a?.isReplayed, b?.isReplayed].sort()).toEqual([false, true]);
  expect(notesOf(mine)).toHaveLength(1);
});

it('removes the keys of days past', async () => {
  for (const place of PLACES) {
    const brain = await brainOn(place);
    await ask(brain, add, { text: 'one' });
    const first = keysIn(brain.state);
    brain.clock.advance(2 * 24 * 60 * 60 * 1000);
    await ask(brain, add, { text: 'two' }, 'k-2');
    expect(keysIn(brain.state)).toHaveLength(1);
    expect(keysIn(brain.state)).not.toEqual(first);
  }
});

/** Gives a note a text. */
const put = operation({
  name: 'put',
  scope: 'write',
  mutates: true,
  input: z.strictObject({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: (brain, { text }) =>
    changeVault(brain, async () => {
      const before = sha256((await brain.vault.read(NOTE)) ?? '');
      return {
        plan: { op: 'put', steps: [{ kind: 'edit', path: NOTE, before, text }] },
        result: { text },
        forOwner: true,
      };
    }),
});
const NOTE = vaultPath('wiki/net/facts/note.md');

it('is not taken for made when it failed and an older change had written, or replaced, the same text', async () => {
  const world = await brainOn('alone');
  await world.vault.create(NOTE, 'X');
  await world.brain.refresh();
  await ask(world, put, { text: 'Y' }, 'other');
  const { edit } = world.vault;
  world.vault.edit = () => Promise.reject(new Error('The disk is away.'));
  await expect(ask(world, put, { text: 'X' })).rejects.toThrow('The disk is away.');
  world.vault.edit = edit;
  expect(await ask(world, put, { text: 'X' })).toEqual({ answer: { text: 'X' }, isReplayed: false });
  expect(await world.vault.read(NOTE)).toBe('X');
});

it('is not taken for made when its key was used more than a day before', async () => {
  const world = await brainOn('alone');
  await ask(world, add, { text: 'one' });
  world.clock.advance(25 * 60 * 60 * 1000);
  const { create } = world.vault;
  world.vault.create = () => Promise.reject(new Error('The disk is away.'));
  await expect(ask(world, add, { text: 'one' })).rejects.toThrow('The disk is away.');
  world.vault.create = create;
  expect((await ask(world, add, { text: 'one' })).isReplayed).toBe(false);
  expect(notesOf(world)).toHaveLength(2);
});

it.each([
  ['was stopped', { cancelled: true }],
  ['began a job that is forgotten', { job: 'gone', status: 'running' }],
] as const)('goes on with a call of which only the answer is kept when it %s', async (_, first) => {
  const answers: Readonly<Record<string, unknown>>[] = [first, { done: true }];
  const long = operation({
    name: 'long',
    scope: 'write',
    mutates: true,
    keyed: 'answer',
    input: z.strictObject({}),
    output: z.record(z.string(), z.unknown()),
    run: async () => answers.shift() ?? {},
  });
  for (const place of PLACES) {
    answers.splice(0, answers.length, first, { done: true });
    const world = await brainOn(place);
    expect((await ask(world, long, {})).answer).toEqual(first);
    expect(await ask(world, long, {})).toEqual({ answer: { done: true }, isReplayed: false });
    expect(await ask(world, long, {})).toEqual({ answer: { done: true }, isReplayed: true });
  }
});
