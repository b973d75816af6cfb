import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { processTime } from '../../../src/adapters/host/device';
import { JoinedParts, partsOf } from '../../../src/adapters/texts/parts';
import { heapFor, PooledTextThreads, startTextThread } from '../../../src/adapters/texts/threads';
import { startWorker } from '../../../src/adapters/threads/worker';
import { apart, finish, inSlices, Pace, type TextCall } from '../../../src/core/base/steps';
import { TextFailed } from '../../../src/core/ports/ports';
import { gateApart } from '../../../src/core/gate/apart';
import { gate, type GateInput } from '../../../src/core/gate/gate';
import { FACTS, factSteps } from '../../../src/core/markdown/facts';

import { linkTargets } from '../../support/link-targets';

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** A call whose text makes `fakeThread` do what the text says. */
function call(text: string): TextCall {
  return {
    task: text,
    input: text,
    text,
    here: () => {
      throw new Error('It must not run here.');
    },
  };
}

/** A thread that does what its job says: answers, eats memory, loops, fails, or ends. */
function hostileThread() {
  return startWorker<never, never>({
    heapMib: 32,
    script: `
const { parentPort } = require('node:worker_threads');
const held = [];
const run = {
  answer: () => parentPort.postMessage({ result: 'fine' }),
  eat: () => { for (;;) held.push({ at: held.length, text: 'x' + held.length }); },
  loop: () => { for (;;); },
  fail: () => parentPort.postMessage({ failure: 'RangeError: too deep' }),
  end: () => process.exit(1),
};
parentPort.on('message', ({ task }) => run[task]());`,
  });
}

it('copies long lists and maps a part at a time', () => {
  const value = {
    text: 'x',
    none: undefined,
    short: [1, 2],
    deep: { long: Array.from({ length: 5000 }, (_, at) => ({ at })), map: new Map([['a', [1]]]) },
    many: new Map(Array.from({ length: 3000 }, (_, at) => [`k${at}`, at])),
  };
  const whole = new JoinedParts();
  let parts = 0;
  for (const part of partsOf(value)) {
    parts += 1;
    if ('items' in part) expect(part.items.length).toBeLessThanOrEqual(1024);
    whole.add(part);
  }
  expect(whole.value).toEqual(value);
  expect(parts).toBe(1 + 5 + 3);
  const list = new JoinedParts();
  for (const part of partsOf(value.deep.long)) list.add(part);
  expect(list.value).toEqual(value.deep.long);
});

describe('a thread of texts', () => {
  const threads = new PooledTextThreads({ start: startTextThread, used: processTime, sleep });
  const pace = new Pace(() => setImmediate(), { now: () => new Date() }, undefined, threads);
  afterAll(() => threads.close());

  it('finds the facts that are found here', async () => {
    const body = `# Title\n\n${'[[a]] '.repeat(3000)}\n\n[[a|b]] #tag ^id\n\n${'Some *words* with a [link](https://example.com/a).\n\n'.repeat(800)}`;
    expect(await inSlices(apart(FACTS, body), pace)).toEqual(finish(factSteps(body)));
  });

  it('gates as it is gated here', async () => {
    const input: GateInput = {
      body: `# Title\n\n[[known]] [[unknown]] <script>x</script>\n\n${'word [[unknown]] '.repeat(2000)}\n`,
      from: { path: null, wing: null, hall: null },
      targets: linkTargets([{ path: 'wiki/a/facts/known.md' }]),
      mode: 'full',
      activeContent: true,
    };
    expect(await inSlices(gateApart(input), pace)).toEqual(gate(input));
  });
});

it.each(['eat', 'fail', 'end'])('fails the call of a text that makes it %s, and no other', async (what) => {
  const threads = new PooledTextThreads({ start: hostileThread, used: processTime, sleep });
  const other = threads.run(call('answer'), 'b');
  await expect(threads.run(call(what), 'a')).rejects.toBeInstanceOf(TextFailed);
  expect(await other).toBe('fine');
  expect(await threads.run(call('answer'), 'a')).toBe('fine');
  threads.close();
});

it('ends a text that uses too much computing time, whatever the time of the clock', async () => {
  let [used, ticks] = [0, 0];
  const threads = new PooledTextThreads({
    start: hostileThread,
    used: () => used,
    sleep: async (ms) => {
      if (ms !== 250) return new Promise(() => undefined);
      await setImmediate();
      ticks += 1;
      // It gets no turn at first.
      if (ticks > 300) used += 250;
    },
  });
  await expect(threads.run(call('loop'), 'a')).rejects.toBeInstanceOf(TextFailed);
  expect(ticks).toBeGreaterThanOrEqual(380);
  threads.close();
});

it('reads one text of a caller at a time, and makes no caller wait for another', async () => {
  const started: string[] = [];
  let starts = 0;
  const ends = new Map<string, () => void>();
  const threads = new PooledTextThreads({
    start: () => {
      starts += 1;
      return {
        read({ task }) {
          started.push(task);
          return new Promise((resolve) => ends.set(task, () => resolve({ result: task })));
        },
        end: () => undefined,
      };
    },
    used: () => 0,
    sleep: () => new Promise(() => undefined),
  });
  const first = threads.run(call('a1'), 'a');
  const second = threads.run(call('a2'), 'a');
  const other = threads.run(call('b1'), 'b');
  await setImmediate();
  expect(started).toEqual(['a1', 'b1']);
  ends.get('b1')?.();
  expect(await other).toBe('b1');
  expect(started).toEqual(['a1', 'b1']);
  ends.get('a1')?.();
  await first;
  await setImmediate();
  ends.get('a2')?.();
  expect(await second).toBe('a2');
  threads.close();
  const before = starts;
  await expect(threads.run(call('a3'), 'a')).rejects.toMatchObject({ code: 'starting' });
  expect(starts).toBe(before);
});

it('blames no text when no thread can be started', async () => {
  const noStart = Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
  const failing = [
    () => {
      throw noStart;
    },
    () => ({ read: () => Promise.reject(noStart), end: () => undefined }),
  ];
  for (const start of failing) {
    const threads = new PooledTextThreads({ start, used: processTime, sleep });
    const failed = threads.run(call('text'), 'a');
    await expect(failed).rejects.toMatchObject({ code: 'busy', details: { retry_after: 5 } });
    threads.close();
  }
});

it('fails the job whose answer cannot be read', async () => {
  const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
    this.emit('messageerror', new Error('The answer cannot be read.'));
  });
  const thread = hostileThread();
  await expect(thread.read(call('answer') as never)).rejects.toThrow('cannot be read');
  thread.end();
  post.mockRestore();
});

it('gives a text a heap of its size', () => {
  const MIB = 1024 * 1024;
  expect([1, MIB, 4 * MIB, 8 * MIB, 50 * MIB].map(heapFor)).toEqual([128, 128, 256, 512, 512]);
});
