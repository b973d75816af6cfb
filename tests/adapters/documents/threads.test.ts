import { DocumentThreads } from '../../../src/adapters/documents/threads';
import { OutOfMemory } from '../../../src/adapters/threads/pool';

/** Returns the name of the document of a job. */
const nameIn = (job: object): string => ('name' in job ? String(job.name) : '');

it('reads however many documents it is asked for, two at once, and refuses none of them', async () => {
  let running = 0;
  let most = 0;
  let started = 0;
  const threads = new DocumentThreads({
    startThread: () => {
      running += 1;
      most = Math.max(most, running);
      started += 1;
      return {
        read: (job) =>
          new Promise<void>((resolve) => setImmediate(resolve)).then(() => ({
            text: { markdown: nameIn(job), warnings: [] },
          })),
        end: () => void (running -= 1),
      };
    },
    used: () => 0,
    sleep: () => new Promise(() => undefined),
  });
  const names = Array.from({ length: 300 }, (_, number) => `${number}.md`);
  const texts = await Promise.all(
    names.map((name) => threads.read({ kind: 'markdown', name, bytes: new Uint8Array() })),
  );
  expect(texts.map(({ markdown }) => markdown)).toEqual(names);
  expect(most).toBe(2);
  expect(started).toBeLessThanOrEqual(6);
  threads.close();
  expect(running).toBe(0);
});

/** Threads that answer by a script: a text, a refusal, or a failure of the thread itself. */
function scripted(answers: readonly ('text' | 'refusal' | Error)[]) {
  const script = [...answers];
  const ended: number[] = [];
  let started = 0;
  let wake: () => void = () => undefined;
  const threads = new DocumentThreads({
    startThread: () => {
      const number = (started += 1);
      return {
        async read(job) {
          const next = script.shift() ?? 'text';
          if (next instanceof Error) throw next;
          return next === 'text'
            ? { text: { markdown: `${nameIn(job)} by ${number}`, warnings: [] } }
            : { error: { code: 'no_text', message: 'none' } };
        },
        end: () => void ended.push(number),
      };
    },
    used: () => 0,
    sleep: (ms) => (ms === 5_000 ? new Promise((resolve) => (wake = resolve)) : new Promise(() => undefined)),
  });
  const read = (name: string, kind: 'html' | 'pdf' = 'html', size = 1) =>
    threads.read({ kind, name, bytes: new Uint8Array(size) }).then(
      ({ markdown }) => markdown,
      (error: unknown) => String(error),
    );
  return { threads, read, ended, idleIsOver: () => wake() };
}

it('reads small documents in one thread, and each PDF and each large one in its own', async () => {
  const { read, ended, threads } = scripted(['text', 'refusal']);
  expect([await read('a'), await read('b'), await read('c')]).toEqual([
    'a by 1',
    'BrainError: none',
    'c by 1',
  ]);
  expect(await read('d', 'pdf')).toBe('d by 2');
  expect(await read('e', 'html', 2 * 1024 * 1024)).toBe('e by 3');
  expect(ended).toEqual([2, 3]);
  threads.close();
  expect(ended).toEqual([2, 3, 1]);
});

it('tries a document once more in a new thread when a used one fails', async () => {
  const { read, ended } = scripted([
    'text',
    new Error('broken'),
    'text',
    new OutOfMemory('heap'),
    new OutOfMemory('heap'),
  ]);
  expect(await read('a')).toBe('a by 1');
  expect(await read('b')).toBe('b by 2');
  expect(ended).toEqual([1]);
  expect(await read('c')).toMatch(/c needs too much memory/);
  expect(ended).toEqual([1, 2, 3]);
});

it('ends a thread that nobody needs for some seconds, or that has read a hundred documents', async () => {
  const { read, ended, idleIsOver } = scripted([]);
  expect(await read('a')).toBe('a by 1');
  idleIsOver();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([1]);
  for (let at = 0; at < 100; at += 1) expect(await read('b')).toBe('b by 2');
  expect(ended).toEqual([1, 2]);
  expect(await read('c')).toBe('c by 3');
});

/** A reader whose thread never answers for `slow`, with the computing time that the process uses in each tick. */
function hanging(tick: () => number) {
  let [started, used, ticks] = [0, 0, 0];
  const threads = new DocumentThreads({
    startThread: () => {
      started += 1;
      return {
        read: (job) =>
          nameIn(job) === 'slow'
            ? new Promise(() => undefined)
            : Promise.resolve({ text: { markdown: nameIn(job), warnings: [] } }),
        end: () => undefined,
      };
    },
    used: () => used,
    sleep: async (ms) => {
      if (ms !== 250) return new Promise(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      ticks += 1;
      used += tick();
    },
  });
  const read = (name: string) => threads.read({ kind: 'html', name, bytes: new Uint8Array(1) });
  return { threads, read, started: () => started, ticks: () => ticks };
}

it('gives a document its computing time once, also in a used thread', async () => {
  const { read, started, ticks } = hanging(() => 250);
  await read('fast');
  await expect(read('slow')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('slow was not read within 20 s of computing time') as string,
  });
  expect(started()).toBe(1);
  expect(ticks()).toBeGreaterThanOrEqual(80);
});

it('fails no document because the machine slept or was busy', async () => {
  // The process was stopped for hours of wall time and got no computing time, or was given it all at once.
  const { threads, read, ticks } = hanging(() => (ticks() % 10 === 0 ? 3_600_000 : 0));
  const slow = read('slow').catch((error: unknown) => error);
  while (ticks() < 400) await new Promise((resolve) => setImmediate(resolve));
  threads.close();
  expect(await slow).toMatchObject({ code: 'busy' });
});
