import { answerNotes } from '../../../src/core/answer/operation';
import { BrainError } from '../../../src/core/base/errors';
import { ingestText } from '../../../src/core/ingest/operations';
import { perform } from '../../../src/core/operation/operation';
import type { LanguageModel, ModelReply } from '../../../src/core/ports/ports';
import { StopController } from '../../../src/core/base/concurrency';
import { modelPage } from '../../support/model-page';
import { refusalOf } from '../../support/refusal';
import { agent, openTestBrain, type TestBrain } from '../../support/test-brain';

const FILES = { 'wiki/homelab/facts/mtu.md': '# MTU\n\nThe tunnel needs an MTU of 1380 bytes.\n' };
const query = 'Which MTU does the tunnel need?';
const ANSWER = { sufficient: true, answer: 'It is 1380 [1].', citations: [{ n: 1, quote: 'MTU of 1380' }] };
const PAGES = { pages: [modelPage({ title: 'A page of the model' })] };
/** Answers that may be ahead of one more. */
const MOST_AHEAD = 16;

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A brain whose model answers as soon as a test lets it, and then at once. */
async function openWorld() {
  const asked: ('answer' | 'pages')[] = [];
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  const model: LanguageModel = {
    name: 'slow-7b',
    complete: ({ user, signal }) =>
      new Promise<ModelReply>((resolve, reject) => {
        const kind = user.endsWith(query) ? 'answer' : 'pages';
        asked.push(kind);
        signal?.onStop(() => reject(new BrainError('llm_error', 'No longer waited for.')));
        const text = JSON.stringify(kind === 'answer' ? ANSWER : PAGES);
        void may.then(() => resolve({ text, truncated: false }));
      }),
  };
  const opened = await openTestBrain(FILES, {}, undefined, { model });
  const ask = async (signal?: StopController) => {
    const answer = perform(opened.brain, answerNotes, { query }, agent, { signal });
    answer.catch(() => undefined); // Told to the test, which may look later.
    await settled();
    return { answer };
  };
  return { ...opened, asked, ask, go };
}

let world: TestBrain & Awaited<ReturnType<typeof openWorld>>;
beforeEach(async () => (world = await openWorld()));
afterEach(() => world.close());

it('an answer is made of passages at once when 16 questions are ahead, while texts wait for the model', async () => {
  const first: Promise<object>[] = [];
  for (let number = 0; number < MOST_AHEAD; number += 1) first.push((await world.ask()).answer);
  expect(await (await world.ask()).answer).toMatchObject({
    mode: 'extractive',
    abstained: false,
    warnings: [
      expect.stringMatching(/^Too many questions wait .* These are passages of the notes instead\.$/),
    ],
  });
  const taken = world.run(ingestText, { text: 'Words about another thing.' });
  await settled();
  expect(await (await world.ask()).answer).toMatchObject({ mode: 'extractive' });
  world.go();
  expect(await taken).toMatchObject({ extraction: 'llm', warnings: [] });
  for (const answer of await Promise.all(first)) expect(answer).toMatchObject({ mode: 'llm', warnings: [] });
});

it('a question that nobody waits for any longer is not asked, and no text waits for it', async () => {
  const stop = new StopController();
  const first = await world.ask();
  const gone = [];
  for (let number = 1; number < MOST_AHEAD; number += 1) gone.push(refusalOf((await world.ask(stop)).answer));
  stop.stop();
  for (const { code } of await Promise.all(gone)) expect(code).toBe('busy');
  const taken = world.run(ingestText, { text: 'Words about another thing.' });
  const last = await world.ask();
  world.go();
  expect(await taken).toMatchObject({ extraction: 'llm', warnings: [] });
  expect(await first.answer).toMatchObject({ mode: 'llm' });
  expect(await last.answer).toMatchObject({ mode: 'llm' });
  expect([...world.asked].sort()).toEqual(['answer', 'answer', 'pages']);
  expect(world.brain.log).toMatchObject({ lines: [] });
});

it('a question that is being answered is called off when nobody waits for it any longer', async () => {
  const stop = new StopController();
  const gone = refusalOf((await world.ask(stop)).answer);
  const next = await world.ask();
  stop.stop();
  expect((await gone).code).toBe('busy');
  world.go();
  expect(await next.answer).toMatchObject({ mode: 'llm' });
  expect(world.asked).toEqual(['answer', 'answer']);
});

it('a question that was called off before it came to the model is not asked', async () => {
  const stop = new StopController();
  stop.stop();
  expect((await refusalOf((await world.ask(stop)).answer)).code).toBe('busy');
  expect(world.asked).toEqual([]);
});
