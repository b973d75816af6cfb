import { sha256 } from '../../../src/core/base/hash';
import type { TextCall } from '../../../src/core/base/steps';
import { TextFailed, type TextThreads } from '../../../src/core/ports/ports';
import { LongTexts } from '../../../src/core/vault/long-texts';
import { createMemoryState } from '../../support/memory-state';
import { silentLog } from '../../support/silent-log';

const LINES = 'local.d1/texts.log';

function call(text: string): TextCall {
  return { task: 'facts', input: text, text, here: () => unused() };
}

function unused(): never {
  throw new Error('It is run by what the test gives.');
}

function world(state = createMemoryState()) {
  /** Starts the service, which ends without a word. */
  const start = (version = '1', textThreads?: TextThreads) => {
    const texts = new LongTexts({ state, log: silentLog(), device: 'd1', version, textThreads });
    return {
      texts,
      read: (text: string, here: () => Promise<unknown> = async () => 'read') =>
        texts.run(call(text), 'a', here).catch((error: unknown) => (error as { code?: unknown }).code),
    };
  };
  return { state, start };
}

const hanging = () => new Promise<never>(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('blames a text for two ends of the process while it was read alone, and for none before', async () => {
  const { start } = world();
  const first = start();
  void first.read('poison', hanging);
  void first.read('innocent', hanging);
  await turn();

  const second = start();
  expect(await second.read('other')).toBe('read');
  expect(await second.read('innocent')).toBe('read');
  void second.read('poison', hanging);
  await turn();
  // Nothing else is read beside a suspect.
  let isRead = false;
  void second.read('other').then(() => (isRead = true));
  await turn();
  expect(isRead).toBe(false);

  // One end of the process alone may have another reason.
  void start().read('poison', hanging);
  await turn();
  const fourth = start();
  expect(await fourth.read('poison')).toBe('too_entangled');
  expect(await fourth.read('innocent')).toBe('read');
  expect(await fourth.read('other')).toBe('read');
  // An upgrade reads it again, and so does someone who asks.
  expect(await start('2').read('poison')).toBe('read');
  const again = start();
  expect(await again.read('poison')).toBe('too_entangled');
  await again.texts.forgive();
  expect(await again.read('poison')).toBe('read');
  expect(await start().read('poison')).toBe('read');
});

it('reads a text like any other after one end alone, and after a process that has not read it', async () => {
  const { state, start } = world();
  void start().read('unlucky', hanging);
  await turn();
  void start().read('unlucky', hanging);
  await turn();
  expect(await start().read('unlucky')).toBe('read');
  void start().read('forgotten', hanging);
  await turn();
  expect(await start().read('other')).toBe('read');
  const last = start();
  void last.read('forgotten', hanging);
  expect(await last.read('other')).toBe('read');
  expect(state.files.get(LINES)?.split('\n')).toHaveLength(4);
});

it('drops its list seldom and without a wait for copies, and never leaves it endless', async () => {
  const { state, start } = world();
  const removed: unknown[] = [];
  const remove = state.remove.bind(state);
  state.remove = (path, sync) => {
    removed.push([path, sync]);
    return remove(path, sync);
  };
  const server = start();
  for (let at = 0; at < 499; at += 1) await server.read(`text ${at}`);
  expect(removed).toEqual([]);
  for (let at = 0; at < 100; at += 1) await server.read(`text ${at}`);
  expect(removed).toEqual([[LINES, false]]);
  expect(state.files.get(LINES)?.split('\n')).toHaveLength(199);
  await start().read('text');
  expect(removed).toHaveLength(2);
});

it('blames nobody when the process ends between two texts, or often at different ones', async () => {
  const { start } = world();
  for (const text of ['a', 'b', 'c', 'a', 'b', 'c']) {
    const server = start();
    await server.read('a');
    await server.read('b');
    await server.read('c');
    void server.read(text === 'a' ? 'x' : text === 'b' ? 'y' : 'z', hanging);
    await turn();
    const next = start();
    for (const each of ['x', 'y', 'z']) expect(await next.read(each)).toBe('read');
  }
});

it('blames a text for two ends of its thread, and none for one', async () => {
  const ends: string[] = [];
  const threads = (most: number): TextThreads => ({
    async run({ text }) {
      if (ends.filter((each) => each === text).length >= most) return 'read';
      ends.push(text);
      throw new TextFailed('out of memory');
    },
  });
  const { start, state } = world();
  expect(await start('1', threads(1)).read('once', unused)).toBe('read');
  expect(await start('1', threads(9)).read('always', unused)).toBe('too_entangled');
  expect(ends).toEqual(['once', 'always', 'always']);
  expect(await start('1', threads(9)).read('always', unused)).toBe('too_entangled');
  expect(ends).toHaveLength(3);
  expect(state.files.get('local.d1/entangled.json')).toContain(sha256('always'));
});

it('reads on when its list cannot be written or is damaged', async () => {
  const state = createMemoryState({ [LINES]: '+torn\n?\n', 'local.d1/entangled.json': '{"version' });
  const { start } = world(state);
  state.append = () => Promise.reject(new Error('no space left'));
  expect(await start().read('text')).toBe('read');
});
