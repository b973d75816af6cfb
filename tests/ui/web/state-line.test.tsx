import type { OperationName } from '../../../src/core/operation/descriptors';
import type { Pace } from '../../../src/ui/client/http';
import { type StateLine, useStateLine } from '../../../src/ui/web/state-line';
import { makeDom } from '../../support/ui/dom';
import { scriptedClient } from '../../support/ui/screen-page';
import { watcher } from '../intake/watcher';

const dom = makeDom();
afterEach(() => dom.show(null));

function world() {
  const asked: OperationName[] = [];
  const listeners = new Set<() => void>();
  const timers: { run: () => void; ms: number }[] = [];
  let visible = true;
  const answers = scriptedClient({
    pending: () => ({ count: 1, total: 14, pending: [] }),
    status: () => ({
      version: '1.2.3',
      notes: 0,
      index: { state: 'ready', notes: 0, waiting: 0 },
      hybrid: { state: 'off', configured: false, vectors: 0, waiting: 0 },
      watcher: watcher(),
      queue: { count: 14 },
      quarantine: [],
      checks: [
        { name: 'storage', state: 'failed', message: 'Full.' },
        { name: 'tokens', state: 'ok', message: 'Fine.' },
      ],
    }),
  });
  const client: typeof answers = {
    call(name, ask) {
      asked.push(name);
      return answers.call(name, ask);
    },
    changes(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const pace: Pace = {
    later(run, ms) {
      const timer = { run, ms };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    isVisible: () => visible,
    onVisible: () => () => undefined,
  };
  let line: StateLine = {};
  function Probe({ occasion }: { occasion: string }) {
    line = useStateLine(client, pace, occasion);
    return null;
  }
  return {
    show: (occasion: string) => dom.show(<Probe occasion={occasion} />),
    line: () => line,
    asked: () => asked.splice(0),
    change: () => listeners.forEach((listener) => listener()),
    timers,
    tick: () => timers.splice(0).forEach(({ run }) => run()),
    hide: () => (visible = false),
  };
}

it('asks after a change how many notes wait, and nothing that looks at the whole service', async () => {
  const { show, line, asked, change } = world();
  show('');
  await dom.settle();
  expect(line()).toEqual({ version: '1.2.3', pending: 14, failing: 1 });
  expect(asked().sort()).toEqual(['pending', 'status']);
  for (let times = 0; times < 3; times += 1) change();
  await dom.settle();
  expect(asked()).toEqual(['pending', 'pending', 'pending']);
});

it('looks at the whole service now and then while it can be seen, and on another occasion', async () => {
  const { show, asked, timers, tick, hide } = world();
  show('');
  await dom.settle();
  asked();
  expect(timers.map(({ ms }) => ms)).toEqual([300_000]);
  tick();
  await dom.settle();
  expect(asked()).toEqual(['status']);
  show('doctor');
  await dom.settle();
  expect(asked()).toEqual(['status']);
  expect(timers).toHaveLength(1);
  hide();
  tick();
  await dom.settle();
  expect(asked()).toEqual([]);
  dom.show(null);
  await dom.settle();
  expect(timers).toEqual([]);
});
