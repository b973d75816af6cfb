import * as fc from 'fast-check';
import { IS_NIGHT } from '../../support/by-night';
import { openQueueUnderKeys, type QueueUnderKeys } from './queue-under-keys';

// The screens take their timers from the window of the app, which a document without a browser does not have.
beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** What a person does, one after the other. */
type Act =
  | { readonly kind: 'down' | 'up'; readonly key: string }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'rewrite'; readonly index: number };

async function perform(queue: QueueUnderKeys, act: Act): Promise<void> {
  if (act.kind === 'wait') await queue.wait(act.ms);
  else if (act.kind === 'rewrite') queue.rewrite(act.index);
  else queue[act.kind](act.key);
  // Two keys are never pressed within one turn of the loop.
  await queue.wait(1);
}

const KEYS = [
  'a',
  'a',
  'a',
  'r',
  'Enter',
  'Enter',
  'j',
  'j',
  'k',
  'u',
  'Escape',
  'p',
  '2',
  'Escape',
] as const;
const delays = fc.array(fc.integer({ min: 0, max: 2500 }), { minLength: 1, maxLength: 12 });
const key = fc.constantFrom(...KEYS);
const press = (name: string): Act[] => [
  { kind: 'down', key: name },
  { kind: 'up', key: name },
];
const pause = (ms: number): Act[] => [{ kind: 'wait', ms }];
const act: fc.Arbitrary<readonly Act[]> = fc.oneof(
  { weight: 4, arbitrary: key.map(press) },
  // A person who waits until everything is there.
  { weight: 2, arbitrary: key.map((name) => [...pause(6000), ...press(name)]) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(['a'], ['r', 'Enter'])
      .map((names) => [...pause(3000), ...press('Escape'), ...pause(3000), ...names.flatMap(press)]),
  },
  // A key that is held down and repeats.
  {
    weight: 3,
    arbitrary: fc
      .tuple(key, fc.integer({ min: 1, max: 25 }))
      .map(([name, times]): Act[] => [
        ...Array.from({ length: times }, (): Act[] => [{ kind: 'down', key: name }, ...pause(33)]).flat(),
        { kind: 'up', key: name },
      ]),
  },
  // A key that is pressed before the one before is released.
  {
    weight: 3,
    arbitrary: fc
      .tuple(key, key, fc.constantFrom(1, 60, 3000))
      .map(([first, second, ms]): Act[] => [
        { kind: 'down', key: first },
        ...pause(ms),
        ...press(second),
        { kind: 'up', key: first },
      ]),
  },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3000 }).map(pause) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 3 }).map((index): Act[] => [{ kind: 'rewrite', index }]),
  },
);

/** Checks that every decision goes back to a press of its own, in their order: decisions are sent one after the other. */
function checkMade({ made, presses }: QueueUnderKeys): void {
  let next = 0;
  for (const { kind, path, hash } of made) {
    const keys = kind === 'promote' ? ['a', 'Enter'] : ['Enter'];
    const at = presses.findIndex(
      ({ key: name, shown, isStanding }, index) =>
        index >= next &&
        keys.includes(name) &&
        shown === `${path} ${hash}` &&
        (kind === 'reject' || isStanding),
    );
    expect({ kind, path, hash, press: at >= 0 ? 'found' : 'none', presses }).toMatchObject({
      press: 'found',
    });
    next = at + 1;
  }
}

describe('one key', () => {
  const open = (delay: number, notes = 100) => openQueueUnderKeys({ notes, delays: [delay] });
  const tap = async (queue: QueueUnderKeys, key: string): Promise<void> => {
    queue.down(key);
    await queue.wait(30);
    queue.up(key);
    await queue.wait(30);
  };

  it('decides once a note is shown, and says before why it does nothing', async () => {
    const queue = await open(2500);
    await queue.wait(2600);
    await tap(queue, 'a');
    expect(queue.made).toEqual([]);
    expect(queue.bar()).toContain('the gate and the similar notes of note-000 are not all shown yet');
    await queue.wait(3000);
    expect(queue.made).toEqual([]);
    expect(queue.bar()).toContain('note-000 is shown now. The key before did nothing.');
    await tap(queue, 'a');
    expect(queue.made.map(({ kind, path }) => [kind, path])).toEqual([['promote', 'raw/note-000.md']]);
    queue.close();
  });

  it('decides on one note however long it is held down', async () => {
    const queue = await open(1);
    await queue.wait(500);
    for (let turn = 0; turn < 60; turn += 1) {
      queue.down('a');
      await queue.wait(33);
    }
    queue.up('a');
    expect(queue.made).toHaveLength(1);
    await queue.wait(300);
    await tap(queue, 'a');
    expect(queue.made).toHaveLength(2);
    queue.close();
  });

  it('shows the similar notes anew after a write, also those that were read ahead', async () => {
    const queue = await open(400);
    const facts = (): string => queue.dom.container.querySelector('.brain-decision')?.textContent ?? '';
    await queue.wait(6000);
    queue.write('written-before');
    await queue.wait(10);
    await tap(queue, 'j');
    await tap(queue, 'a');
    expect(queue.made).toEqual([]);
    await queue.wait(6000);
    expect(facts()).toContain('Twin of note-001');
    expect(facts()).toContain('written-before');
    queue.write('written-after');
    await queue.wait(6000);
    expect(facts()).toContain('written-after');
    await tap(queue, 'a');
    expect(queue.made.map(({ path }) => path)).toEqual(['raw/note-001.md']);
    queue.close();
  });

  it('asks again after a check of the place that failed, and says so', async () => {
    const queue = await openQueueUnderKeys({ notes: 3, delays: [100], busy: 1 });
    await queue.wait(3000);
    await tap(queue, 'a');
    expect(queue.made).toEqual([]);
    expect(queue.bar()).toContain('the check where note-000 goes failed, and runs again now');
    await queue.wait(3000);
    await tap(queue, 'a');
    expect(queue.made.map(({ path }) => path)).toEqual(['raw/note-000.md']);
    queue.close();
  });

  it.each([
    ['two notes that stay ticked', 2, () => undefined],
    ['nothing once the selection is cleared', 0, (queue: QueueUnderKeys) => tap(queue, 'Escape')],
    ['nothing once one is no longer ticked', 0, (queue: QueueUnderKeys) => tap(queue, 'x')],
    ['nothing once the hall is another', 0, (queue: QueueUnderKeys) => tap(queue, '2')],
    [
      'nothing once they are ticked anew',
      0,
      async (queue: QueueUnderKeys) => {
        await tap(queue, 'x');
        await tap(queue, 'x');
      },
    ],
    ['nothing once the screen is left', 0, (queue: QueueUnderKeys) => queue.close()],
  ] as const)('promotes after the check of two notes %s', async (_, count, change) => {
    const queue = await open(400);
    await queue.wait(3000);
    for (const key of ['x', 'j', 'x']) await tap(queue, key);
    await queue.wait(3000);
    await tap(queue, 'a');
    await queue.wait(100);
    await change(queue);
    await queue.wait(6000);
    expect(queue.made).toHaveLength(count);
    queue.close();
  });
});

it('decides on nothing but the text, gate and similar notes that were painted before the key went down', async () => {
  let [drawn, decisions] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 25 }), delays, async (acts, late) => {
      drawn += 1;
      const queue = await openQueueUnderKeys({
        notes: 100,
        delays: late,
        withoutHall: (index) => index % 5 === 3,
      });
      await queue.wait(6000);
      for (const one of acts.flat()) await perform(queue, one);
      checkMade(queue);
      decisions += queue.made.length;
      queue.close();
    }),
    { numRuns: IS_NIGHT ? 20 : 6, endOnFailure: true },
  );
  // Otherwise the test would say nothing.
  expect(decisions).toBeGreaterThan(drawn);
}, 240_000);
