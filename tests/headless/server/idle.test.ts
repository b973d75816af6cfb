import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { watchIdle } from '../../../src/headless/server/idle';

const IDLE_MS = 150;

/** Runs `work` beside a watch; resolves with the time until the watch ends (ms). */
async function idleAfter(
  work: (handler: (req: IncomingMessage, res: ServerResponse) => void) => Promise<void>,
  isBusy: () => boolean,
): Promise<number> {
  const watch = watchIdle(() => undefined, IDLE_MS, isBusy);
  let hasEnded = false;
  void watch.ended.then(() => (hasEnded = true));
  const begin = performance.now();
  await work(watch.handler);
  expect(hasEnded).toBe(false);
  await watch.ended;
  return performance.now() - begin;
}

describe('the watch of an idle server', () => {
  it('does not end while a request is open, and then after the whole time', async () => {
    const answer = new ServerResponse(new IncomingMessage(new Socket()));
    const work = async (handler: (req: IncomingMessage, res: ServerResponse) => void): Promise<void> => {
      handler(answer.req, answer);
      await setTimeout(3 * IDLE_MS);
      answer.emit('close');
    };
    expect(await idleAfter(work, () => false)).toBeGreaterThan(4 * IDLE_MS - 10);
  });

  it('keeps no process once it is closed, whatever ends later', () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const answer = new ServerResponse(new IncomingMessage(new Socket()));
    const watch = watchIdle(
      () => undefined,
      IDLE_MS,
      () => false,
    );
    watch.handler(answer.req, answer);
    watch.close();
    answer.emit('close');
    expect(timers()).toBe(before);
  });

  it('does not end while work goes on for which no request waits', async () => {
    let isBusy = true;
    const work = async (): Promise<void> => {
      await setTimeout(5 * IDLE_MS);
      isBusy = false;
    };
    await idleAfter(work, () => isBusy);
  });
});
