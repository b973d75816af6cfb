import { CallError } from '../../../src/core/registry/client';
import { type AsyncState, useAsync } from '../../../src/ui/kit/async';
import { makeDom } from '../../support/ui/dom';

// The hook takes its timers from the window, which the tests lend it from Node.
Object.assign(globalThis, { window: { setTimeout, clearTimeout } });

const dom = makeDom();
let state: AsyncState<string>;
function Probe({ id, run, keep = false }: { id: string | null; run: () => Promise<string>; keep?: boolean }) {
  state = useAsync(id, run, { keep });
  return null;
}
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** A promise whose end the test decides. */
function open() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
afterEach(() => dom.show(null));

it('shows an answer, and nothing as loading that comes soon', async () => {
  dom.show(<Probe id="a" run={() => Promise.resolve('A')} />);
  expect(state).toMatchObject({ value: null, loading: false, error: null });
  await dom.settle();
  expect(state).toMatchObject({ value: 'A', loading: false, error: null });
});

it('shows that it is loading only after a while', async () => {
  const answer = open();
  dom.show(<Probe id="a" run={() => answer.promise} />);
  await later(100);
  expect(state.loading).toBe(false);
  await later(300);
  expect(state.loading).toBe(true);
  answer.resolve('A');
  await dom.settle();
  expect(state).toMatchObject({ value: 'A', loading: false });
});

it('never shows the answer to another question', async () => {
  const [slow, quick] = [open(), open()];
  dom.show(<Probe id="slow" run={() => slow.promise} />);
  await dom.settle();
  dom.show(<Probe id="quick" run={() => quick.promise} />);
  await dom.settle();
  quick.resolve('quick');
  await dom.settle();
  slow.resolve('slow');
  await dom.settle();
  expect(state.value).toBe('quick');
  dom.show(<Probe id="third" run={() => new Promise(() => undefined)} />);
  expect(state.value).toBeNull();
});

it('shows answers as they come while it is asked again and again, and never an older one after a newer', async () => {
  const asked = [open(), open(), open()];
  let run = 0;
  dom.show(
    <Probe id="a" run={() => asked[(run += 1) - 1]?.promise ?? Promise.reject(new Error('Too often'))} />,
  );
  state.reload();
  state.reload();
  asked[0]?.resolve('first');
  await dom.settle();
  expect(state.value).toBe('first');
  asked[2]?.resolve('third');
  await dom.settle();
  asked[1]?.reject(new Error('late'));
  await dom.settle();
  expect(state).toMatchObject({ value: 'third', error: null });
});

it('keeps the former answer for the next question when told to', async () => {
  dom.show(<Probe id="a" keep run={() => Promise.resolve('A')} />);
  await dom.settle();
  dom.show(<Probe id="b" keep run={() => new Promise(() => undefined)} />);
  expect(state.value).toBe('A');
});

it('keeps what is shown while it asks again, and when that fails', async () => {
  const answers = [Promise.resolve('first'), Promise.reject(new CallError('internal', 'No.', {}, 'r1'))];
  dom.show(<Probe id="a" run={() => answers.shift() ?? Promise.resolve('third')} />);
  await dom.settle();
  state.reload();
  expect(state.value).toBe('first');
  await dom.settle();
  expect(state).toMatchObject({ value: 'first', error: { code: 'internal', requestId: 'r1' } });
  state.reload();
  await dom.settle();
  expect(state).toMatchObject({ value: 'third', error: null });
});

it('makes every failure a CallError', async () => {
  dom.show(<Probe id="a" run={() => Promise.reject(new TypeError('Broken'))} />);
  await dom.settle();
  expect(state.error).toBeInstanceOf(CallError);
  expect(state.error).toMatchObject({ code: 'internal', message: 'Broken' });
});

it('asks nothing without a question', async () => {
  let asked = 0;
  const run = () => Promise.resolve(`${(asked += 1)}`);
  dom.show(<Probe id={null} run={run} />);
  await dom.settle();
  state.reload();
  expect(asked).toBe(0);
  expect(state).toMatchObject({ value: null, loading: false, error: null });
});

describe('an answer that is asked for ahead', () => {
  let asked: string[] = [];
  function Reader({ id, next, version = 0 }: { id: string; next: string | null; version?: number }) {
    const runOf = (key: string) => (): Promise<string> => {
      asked.push(key);
      return answers(key);
    };
    state = useAsync(id, runOf(id), {
      ahead: { next: next === null ? null : { key: next, run: runOf(next) }, version },
    });
    return null;
  }
  let answers: (key: string) => Promise<string>;
  beforeEach(() => {
    asked = [];
    answers = (key) => Promise.resolve(key.toUpperCase());
  });

  it('is shown with the first rendering, and asked for once', async () => {
    dom.show(<Reader id="a" next="b" />);
    expect(asked).not.toContain('b');
    await dom.settle();
    expect(asked).toEqual(['a', 'b']);
    dom.show(<Reader id="b" next={null} />);
    expect(state).toMatchObject({ value: 'B', loading: false, error: null });
    await dom.settle();
    expect(state.value).toBe('B');
    expect(asked).toEqual(['a', 'b']);
  });

  it('is awaited when it is still to come', async () => {
    const slow = open();
    answers = (key) => (key === 'b' ? slow.promise : Promise.resolve(key));
    dom.show(<Reader id="a" next="b" />);
    await dom.settle();
    dom.show(<Reader id="b" next={null} />);
    expect(state.value).toBeNull();
    slow.resolve('late');
    await dom.settle();
    expect(state.value).toBe('late');
    expect(asked).toEqual(['a', 'b']);
  });

  it('is asked for anew when it failed, and when its version is over', async () => {
    answers = (key) => (key === 'b' ? Promise.reject(new Error('down')) : Promise.resolve(key));
    dom.show(<Reader id="a" next="b" />);
    await dom.settle();
    answers = (key) => Promise.resolve(`${key} again`);
    dom.show(<Reader id="b" next="c" />);
    expect(state.value).toBeNull();
    await dom.settle();
    expect(state.value).toBe('b again');
    dom.show(<Reader id="c" next={null} version={1} />);
    expect(state.value).toBeNull();
    await dom.settle();
    expect(asked).toEqual(['a', 'b', 'b', 'c', 'c']);
  });

  it('is of no use for another key', async () => {
    dom.show(<Reader id="a" next="b" />);
    await dom.settle();
    dom.show(<Reader id="c" next={null} />);
    expect(state.value).toBeNull();
    await dom.settle();
    expect(state.value).toBe('C');
  });
});
