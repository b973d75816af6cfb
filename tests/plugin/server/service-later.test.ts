import { Alarm, setTimer } from '../../../src/plugin/server/timers';
import { manualTime } from '../../support/manual-later';

function alarmed() {
  const time = manualTime();
  const alarm = new Alarm(time.clock, time.later);
  let rung = 0;
  return { time, alarm, set: (ms: number) => alarm.set(ms, () => (rung += 1)), rung: () => rung };
}

it('rings once, when its time has come', () => {
  const { time, set, rung } = alarmed();
  set(60_000);
  time.pass(59_999);
  expect(rung()).toBe(0);
  time.pass(1);
  expect(rung()).toBe(1);
  time.pass(600_000);
  expect(rung()).toBe(1);
  expect(time.waiting).toBe(0);
});

it('rings soon after a sleep in which its time has passed', () => {
  const { time, set, rung } = alarmed();
  set(60_000);
  time.sleep(3_600_000);
  time.pass(10_000);
  expect(rung()).toBe(1);
});

it('does not wait longer when the clock is set back', () => {
  const { time, set, rung } = alarmed();
  set(60_000);
  time.sleep(-86_400_000);
  time.pass(60_000);
  expect(rung()).toBe(1);
});

it('forgets what was set before, and what was cleared', () => {
  const { time, alarm, set, rung } = alarmed();
  set(1_000);
  set(5_000);
  time.pass(4_999);
  expect(rung()).toBe(0);
  time.pass(1);
  expect(rung()).toBe(1);
  set(1_000);
  alarm.clear();
  time.pass(10_000);
  expect(rung()).toBe(1);
});

it('has timers of this machine', async () => {
  await new Promise<void>((resolve) => {
    const callOff = setTimer(1, () => {
      throw new Error('was called off');
    });
    callOff();
    // An unreferenced timer alone would let the process end.
    const keep = setInterval(() => undefined, 1_000);
    setTimer(5, () => {
      clearInterval(keep);
      resolve();
    });
  });
});
