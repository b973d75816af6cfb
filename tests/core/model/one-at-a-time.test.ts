import fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { oneAtATime } from '../../../src/core/model/queue';
import type { LanguageModel, ModelReply } from '../../../src/core/ports/ports';
import { StopController } from '../../../src/core/base/concurrency';
import { refusalOf } from '../../support/refusal';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const request = (user: string) => ({ system: '', user, schema: {}, maxTokens: 1 });

/** A model that answers when a test says so, and fails when it is called off. */
function slowModel() {
  const asked: string[] = [];
  const running: { user: string; end: (reply: ModelReply | Error) => void }[] = [];
  const model: LanguageModel = {
    name: 'm',
    complete: ({ user, signal }) =>
      new Promise((resolve, reject) => {
        asked.push(user);
        const turn = {
          user,
          end: (reply: ModelReply | Error) => {
            running.splice(running.indexOf(turn), 1);
            if (reply instanceof Error) reject(reply);
            else resolve(reply);
          },
        };
        running.push(turn);
        signal?.onStop(() => turn.end(new BrainError('llm_error', 'No longer waited for.')));
      }),
  };
  return { model, asked, running };
}

describe('a question that waits for the model', () => {
  it('and is called off is told at once, never asked, and gives its place to another', async () => {
    const { model, asked, running } = slowModel();
    const queued = oneAtATime(model, new StopController());
    const stop = new StopController();
    const first = queued.complete(request('a'));
    const second = refusalOf(queued.complete({ ...request('b'), signal: stop }));
    expect((await refusalOf(queued.complete({ ...request('c'), mostAhead: 2 }))).code).toBe('busy');
    stop.stop();
    expect((await second).code).toBe('llm_error');
    const third = queued.complete({ ...request('d'), mostAhead: 2 });
    running[0]?.end({ text: 'A', truncated: false });
    expect((await first).text).toBe('A');
    await settled();
    running[0]?.end({ text: 'D', truncated: false });
    expect((await third).text).toBe('D');
    expect(asked).toEqual(['a', 'd']);
  });

  it('is not taken up when it was called off before', async () => {
    const { model, asked } = slowModel();
    const stop = new StopController();
    stop.stop();
    const refused = await refusalOf(
      oneAtATime(model, new StopController()).complete({ ...request('a'), signal: stop }),
    );
    expect([refused.code, asked]).toEqual(['llm_error', []]);
  });

  it('is not told to the model how long it would have waited', async () => {
    const seen: object[] = [];
    const complete = async (one: object) => {
      seen.push(one);
      return { text: '', truncated: false };
    };
    await oneAtATime({ name: 'm', complete }, new StopController()).complete({
      ...request('a'),
      mostAhead: 1,
    });
    expect(seen[0]).not.toHaveProperty('mostAhead');
  });
});

type Act = { ask: number } | { stop: number } | { end: boolean };

it('is asked as a plain list of who waits says, whoever comes, ends and leaves', async () => {
  const acts = fc.array(
    fc.oneof<fc.Arbitrary<Act>[]>(
      fc.record({ ask: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ stop: fc.nat({ max: 20 }) }),
      fc.record({ end: fc.boolean() }),
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (list) => {
      const { model, asked, running } = slowModel();
      const queued = oneAtATime(model, new StopController());
      // The oracle: who runs and waits, in order, and who was ever begun.
      let line: string[] = [];
      const begun: string[] = [];
      const outcomes = new Map<string, string>();
      const wanted = new Map<string, string>();
      const stops: { user: string; stop: StopController }[] = [];
      const leaves = (user: string, outcome: string) => {
        wanted.set(user, outcome);
        line = line.filter((other) => other !== user);
      };
      for (const [index, act] of list.entries()) {
        if ('ask' in act) {
          const user = String(index);
          const stop = new StopController();
          stops.push({ user, stop });
          void queued.complete({ ...request(user), signal: stop, mostAhead: act.ask }).then(
            () => outcomes.set(user, 'answered'),
            (error: BrainError) => outcomes.set(user, error.code),
          );
          if (line.length >= act.ask) wanted.set(user, 'busy');
          else line.push(user);
        } else if ('stop' in act) {
          const { user, stop } = stops[act.stop % Math.max(1, stops.length)] ?? {};
          if (user !== undefined && line.includes(user)) leaves(user, 'llm_error');
          stop?.stop();
        } else {
          const [user] = line;
          if (user !== undefined) leaves(user, act.end ? 'answered' : 'llm_error');
          running[0]?.end(
            act.end ? { text: '', truncated: false } : new BrainError('llm_error', 'It fails.'),
          );
        }
        await settled();
        if (line[0] !== undefined && !begun.includes(line[0])) begun.push(line[0]);
        expect(running.map(({ user }) => user)).toEqual(line.slice(0, 1));
        expect(asked).toEqual(begun);
        expect(outcomes).toEqual(wanted);
      }
    }),
    { numRuns: 300 },
  );
});
