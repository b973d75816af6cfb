import { type Pace, pollChanges } from '../../../src/ui/client/http';

/** A window that is driven by hand. */
function world() {
  const timers: { run: () => void; ms: number }[] = [];
  const seen = new Set<() => void>();
  let visible = true;
  const pace: Pace = {
    later(run, ms) {
      const timer = { run, ms };
      timers.push(timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    isVisible: () => visible,
    onVisible(run) {
      seen.add(run);
      return () => seen.delete(run);
    },
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  let answers: string | Error = 'a';
  let asked = 0;
  const poll = pollChanges(async () => {
    asked += 1;
    if (answers instanceof Error) throw answers;
    return answers;
  }, pace);
  return {
    poll,
    timers,
    seen,
    asked: () => asked,
    answer: (next: string | Error) => (answers = next),
    show: async (now: boolean) => {
      visible = now;
      if (now) for (const run of seen) run();
      await settle();
    },
    tick: async () => {
      for (const timer of timers.splice(0)) timer.run();
      await settle();
    },
    settle,
  };
}

it('asks every two seconds while somebody listens, and tells of changes alone', async () => {
  const { poll, timers, asked, answer, tick, settle } = world();
  let told = 0;
  expect(asked()).toBe(0);
  const stop = poll.listen(() => (told += 1));
  await settle();
  expect([asked(), told]).toEqual([1, 0]);
  expect(timers.map(({ ms }) => ms)).toEqual([2000]);
  await tick();
  expect([asked(), told]).toEqual([2, 0]);
  answer('b');
  await tick();
  expect([asked(), told]).toEqual([3, 1]);
  await tick();
  expect([asked(), told]).toEqual([4, 1]);
  stop();
  stop();
  expect(timers).toEqual([]);
  await tick();
  expect(asked()).toBe(4);
});

it('tells every listener, also one that listens twice', async () => {
  const { poll, answer, tick, settle } = world();
  const told: string[] = [];
  const one = () => told.push('one');
  const stops = [poll.listen(one), poll.listen(one), poll.listen(() => told.push('two'))];
  await settle();
  answer('b');
  await tick();
  expect(told).toEqual(['one', 'one', 'two']);
  stops[0]?.();
  answer('c');
  await tick();
  expect(told.slice(3)).toEqual(['one', 'two']);
});

it('rests while nobody can see the page, and looks at once when it comes into sight', async () => {
  const { poll, timers, asked, answer, show, tick, settle } = world();
  let told = 0;
  poll.listen(() => (told += 1));
  await settle();
  await show(false);
  await tick();
  expect(timers).toEqual([]);
  expect(asked()).toBe(1);
  answer('b');
  await show(true);
  expect([asked(), told]).toEqual([2, 1]);
  expect(timers).toHaveLength(1);
});

it('goes on after a failure, and tells afterwards even when the mark is the same', async () => {
  const { poll, answer, tick, settle } = world();
  let told = 0;
  poll.listen(() => (told += 1));
  await settle();
  answer(new Error('gone'));
  await tick();
  await tick();
  expect(told).toBe(0);
  answer('a');
  await tick();
  expect(told).toBe(1);
});

it('hands a failure to whoever asks it to look', async () => {
  const { poll, answer } = world();
  answer(new Error('gone'));
  await expect(poll.pollNow()).rejects.toThrow('gone');
});
