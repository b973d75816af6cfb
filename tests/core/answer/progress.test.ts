import { answerNotes } from '../../../src/core/answer/operation';
import { BrainError } from '../../../src/core/base/errors';
import { perform } from '../../../src/core/operation/operation';
import type { LanguageModel, ModelReply } from '../../../src/core/ports/ports';
import { StopController } from '../../../src/core/base/concurrency';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { refusalOf } from '../../support/refusal';
import { agent, openTestBrain } from '../../support/test-brain';

const FILES = { 'wiki/homelab/facts/mtu.md': '# MTU\n\nThe tunnel needs an MTU of 1380 bytes.\n' };
const query = 'Which MTU does the tunnel need?';
const ANSWER = { sufficient: true, answer: 'It is 1380 [1].', citations: [{ n: 1, quote: 'MTU of 1380' }] };

const closers: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** A brain whose model hangs until a test ends that. */
async function openWorld() {
  const clock = fixedClock();
  const time = manualSleep(clock);
  let asleep = 0;
  let end: (reply: ModelReply | BrainError) => void = () => undefined;
  const model: LanguageModel = {
    name: 'slow-7b',
    complete: ({ signal }) =>
      new Promise<ModelReply>((resolve, reject) => {
        end = (reply) => (reply instanceof BrainError ? reject(reply) : resolve(reply));
        signal?.onStop(() => reject(new BrainError('llm_error', 'No longer waited for.')));
      }),
  };
  const opened = await openTestBrain(FILES, {}, undefined, {
    model,
    sleep: async (ms) => {
      asleep += 1;
      await time.sleep(ms);
      asleep -= 1;
    },
  });
  closers.push(async () => {
    const closing = opened.close();
    await time.pass(60_000);
    await closing;
  });
  await time.pass(60_000);
  const seconds = () => clock.now().getTime() / 1000;
  const since = seconds();
  const told: { readonly at: number; readonly progress: number }[] = [];
  const progress = ({ done }: { readonly done: number }) =>
    void told.push({ at: seconds() - since, progress: done });
  const stop = new StopController();
  const ask = (watch: object = { signal: stop, progress }) =>
    perform(opened.brain, answerNotes, { query }, agent, watch);
  return {
    time,
    told,
    stop,
    ask,
    sleeping: () => asleep,
    end: (reply: ModelReply | BrainError) => end(reply),
  };
}

const SAID: ModelReply = { text: JSON.stringify(ANSWER), truncated: false };

it.each<[string, ModelReply | BrainError | 'stop']>([
  ['answers', SAID],
  ['fails', new BrainError('llm_error', 'The model fails.')],
  ['is called off', 'stop'],
])('whoever waits hears at least every 5 seconds that the model works, until it %s', async (_, ending) => {
  const { time, told, stop, ask, end } = await openWorld();
  const asked = ask().catch((error: unknown) => error);
  await time.pass(181_500);
  const times = [0, ...told.map(({ at }) => at), 181.5];
  expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThanOrEqual(5);
  expect(told.every(({ progress }, at) => progress > (told[at - 1]?.progress ?? -1))).toBe(true);
  const { length } = told;
  if (ending === 'stop') stop.stop();
  else end(ending);
  await asked;
  await time.pass(60_000);
  expect(told).toHaveLength(length);
});

it('nobody sleeps for an answer that has come, nor for a client that does not want to hear', async () => {
  const { time, ask, end, sleeping, told } = await openWorld();
  const before = sleeping();
  const silent = ask({});
  await time.pass(12_000);
  expect(sleeping()).toBe(before);
  end(SAID);
  expect(await silent).toMatchObject({ mode: 'llm' });
  const quick = ask();
  await time.pass(1_000);
  expect(sleeping()).toBe(before + 1);
  end(SAID);
  expect(await quick).toMatchObject({ mode: 'llm' });
  await time.pass(10_000);
  expect(sleeping()).toBe(before);
  expect(told).toEqual([]);
});

it('a question that waits for another one is told of too, and the second one from then on alone', async () => {
  const { time, told, ask, end, stop } = await openWorld();
  const first = ask({});
  await time.pass(1_000);
  const second = ask();
  await time.pass(9_000);
  expect(told).toHaveLength(2);
  end(SAID);
  await first;
  await time.pass(9_000);
  expect(told).toHaveLength(4);
  stop.stop();
  expect((await refusalOf(second)).code).toBe('busy');
});
