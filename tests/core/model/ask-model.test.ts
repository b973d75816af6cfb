import fc from 'fast-check';
import * as z from 'zod';
import { BrainError } from '../../../src/core/base/errors';
import { askModel, readReply } from '../../../src/core/model/ask';
import { modelCheck } from '../../../src/core/status/checks';
import { MODEL_QUEUE_LIMIT, oneAtATime } from '../../../src/core/model/queue';
import { type Settings, settleConfig } from '../../../src/core/config/config';
import type { ModelReply, ModelRequest } from '../../../src/core/ports/ports';
import { StopController } from '../../../src/core/base/concurrency';
import { fakeModel, type FakeTurn } from '../../support/fake-model';
import { refusalOf } from '../../support/refusal';
import { cpuMs } from '../../support/cpu';

const schema = z.object({ ok: z.boolean(), list: z.array(z.object({ n: z.number().int() })) });
const GOOD = { ok: true, list: [{ n: 1 }] };
const question = { system: 'rules', user: 'question', schema, maxTokens: 10 };

describe('reading a reply', () => {
  it.each([
    ['alone', '{"ok":true,"list":[{"n":1}]}'],
    ['with white space', ' \n{"ok": true,\n "list": [{"n": 1}]}\n'],
    ['in a fence', '```json\n{"ok":true,"list":[{"n":1}]}\n```'],
    ['between prose', 'Sure! Here is {it}:\n{"ok":true,"list":[{"n":1}]}\nHope that helps :}'],
    ['after thoughts that try one out', '<think>{"ok":false,"list":[]}?</think>{"ok":true,"list":[{"n":1}]}'],
    ['after an object that does not fit', '{"ok":"yes"} {"ok":true,"list":[{"n":1}]}'],
    ['after an open brace', 'a { b {"ok":true,"list":[{"n":1}]}'],
    [
      'after thoughts whose beginning was cut off',
      'I think {"ok":false} </think>\n{"ok":true,"list":[{"n":1}]}',
    ],
    ['that speaks of thoughts', '{"ok":true,"list":[{"n":1}],"x":"ends with </think> here"}'],
    ['that speaks of thoughts, in a fence', '```json\n{"ok":true,"list":[{"n":1}],"x":"</think>"}\n```'],
    ['that speaks of thoughts, after prose', 'Here: {"ok":true,"list":[{"n":1}],"x":"</think>"}'],
    [
      'that speaks of thoughts, after thoughts',
      '<think>{}</think>{"ok":true,"list":[{"n":1}],"x":"</think>"}',
    ],
    ['with more than was asked for', '{"ok":true,"list":[{"n":1,"x":"}"}],"confidence":0.9}'],
  ])('finds the object %s', (_, text) => {
    expect(readReply(text, schema)).toEqual({ value: GOOD });
  });

  it.each([
    ['nothing', '', /no complete JSON object/],
    ['prose', 'I do not know.', /no complete JSON object/],
    ['a beginning', '{"ok":true,"list":[', /no complete JSON object/],
    ['a beginning that holds a whole object', '{"ok":true,"list":[{"n":1}', /does not fit the schema/],
    ['an array', '[1]', /no complete JSON object/],
    ['broken JSON', "{'ok': true}", /no complete JSON object/],
    ['another shape', '{"ok":"yes","list":[]}', /"ok" does not fit the schema: /],
    ['a wrong number', '{"ok":true,"list":[{"n":1.5}]}', /"list\.0\.n" does not fit the schema: /],
  ])('says what is wrong with %s', (_, text, problem) => {
    expect(readReply(text, schema)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('reads hostile text in linear time', () => {
    const started = cpuMs();
    for (const text of [
      '{'.repeat(300_000),
      '{"'.repeat(150_000),
      '{}'.repeat(150_000),
      '{"a":'.repeat(60_000),
    ]) {
      expect(readReply(text, schema)).toHaveProperty('problem');
    }
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  it('finds any object between any prose without braces', () => {
    const prose = fc.string().map((text) => text.replace(/[{}<]/g, ''));
    const value = fc.record({ ok: fc.boolean(), list: fc.array(fc.record({ n: fc.integer() })) });
    fc.assert(
      fc.property(prose, value, prose, (before, object, after) => {
        expect(readReply(before + JSON.stringify(object) + after, schema)).toEqual({ value: object });
      }),
    );
  });
});

describe('asking a model', () => {
  it('gives the schema along and in the prompt, every object closed and every field required', async () => {
    const model = fakeModel({ say: GOOD });
    expect(await askModel(model, question)).toEqual(GOOD);
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]).toMatchObject({ user: 'question', maxTokens: 10 });
    expect(model.asked[0]?.schema).toEqual({
      type: 'object',
      properties: {
        ok: { type: 'boolean' },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { n: { type: 'integer' } },
            required: ['n'],
            additionalProperties: false,
          },
        },
      },
      required: ['ok', 'list'],
      additionalProperties: false,
    });
    expect(model.asked[0]?.system).toBe(
      `rules\n\nReply with one JSON object and nothing else: no prose, no code fence. It must fit this JSON Schema:\n${JSON.stringify(model.asked[0]?.schema)}`,
    );
  });

  it.each([
    ['what is broken', 'Sorry!', /it holds no complete JSON object/],
    ['what does not fit', '{"ok":1,"list":[]}', /"ok" does not fit the schema/],
    [
      'what was cut off',
      { text: '{"ok":true,"li', truncated: true },
      /cut off before its end, so it has to be shorter/,
    ],
  ])('asks once more for %s, and says what was wrong', async (_, first, problem) => {
    const model = fakeModel(first, { say: GOOD });
    expect(await askModel(model, question)).toEqual(GOOD);
    expect(model.asked[1]?.user).toMatch(/^question\n\nYour last reply to this could not be used: /);
    expect(model.asked[1]?.user).toMatch(problem);
  });

  describe('asks once more for a whole object that was cut off, and', () => {
    const cut = (text: string): ModelReply => ({ text, truncated: true });
    const whole = cut(`${JSON.stringify({ ...GOOD, list: [] })} and fur`);
    const first = { ...GOOD, list: [] };
    it.each<[string, FakeTurn, object]>([
      ['takes the second', { say: GOOD }, GOOD],
      ['takes the second, cut off or not', cut(JSON.stringify(GOOD)), GOOD],
      ['keeps the first when the second is no object', 'no', first],
      ['keeps the first when the second does not fit', { say: { ok: 'yes' } }, first],
      ['keeps the first when the second is a beginning', cut('{"ok":true,"li'), first],
      ['keeps the first when the model then fails', { fail: 500 }, first],
    ])('%s', async (_, second, value) => {
      const model = fakeModel(whole, second, 'never');
      expect(await askModel(model, question)).toEqual(value);
      expect(model.asked).toHaveLength(2);
      expect(model.asked[1]?.user).toMatch(/it was cut off before its end, so it has to be shorter/);
    });

    it('counts the review of both', async () => {
      const review = ({ ok }: typeof GOOD) => (ok ? null : 'it is not ok');
      const bad = { ...GOOD, ok: false };
      const asked = (one: object, two: object) =>
        askModel(fakeModel(cut(JSON.stringify(one)), { say: two }, 'never'), { ...question, review });
      expect(await asked(first, bad)).toEqual(first);
      expect(await asked({ ...bad, list: [] }, bad)).toEqual(bad);
      expect(await asked(bad, GOOD)).toEqual(GOOD);
    });
  });

  it('does not give up a whole object that was cut off for one that says nothing', async () => {
    const isEmpty = ({ list }: typeof GOOD) => list.length === 0;
    const review = ({ ok }: typeof GOOD) => (ok ? null : 'it is not ok');
    const [none, bad, other] = [
      { ...GOOD, list: [] },
      { ...GOOD, ok: false },
      { ...GOOD, list: [{ n: 2 }] },
    ];
    const asked = (one: object, two: object, truncated = true) =>
      askModel(fakeModel({ text: JSON.stringify(one), truncated }, { say: two }, 'never'), {
        ...question,
        review,
        isEmpty,
      });
    expect(await asked(GOOD, none)).toEqual(GOOD);
    expect(await asked(GOOD, other)).toEqual(other);
    expect(await asked(none, other)).toEqual(other);
    expect(await asked(none, { ...none, more: 1 })).toEqual(none);
    // What fails its review may be taken back, cut off or not.
    expect(await asked(bad, none)).toEqual(none);
    expect(await asked(bad, none, false)).toEqual(none);
  });

  it('asks once more for what fails its review, and takes the first reply when that is no better', async () => {
    const review = ({ ok }: typeof GOOD) => (ok ? null : 'it is not ok');
    const bad = { ...GOOD, ok: false };
    const asked = async (...turns: FakeTurn[]) => {
      const model = fakeModel(...turns, { say: GOOD });
      const value = await askModel(model, { ...question, review });
      return { value, times: model.asked.length, last: model.asked.at(-1)?.user };
    };
    expect(await asked()).toEqual({ value: GOOD, times: 1, last: 'question' });
    expect(await asked({ say: bad })).toEqual({
      value: GOOD,
      times: 2,
      last: 'question\n\nYour last reply to this could not be used: it is not ok. Reply again, with the JSON object alone.',
    });
    const worse: FakeTurn[] = [{ say: { ...bad, list: [] } }, 'no', { fail: 500 }];
    for (const turn of worse) expect(await asked({ say: bad }, turn)).toMatchObject({ value: bad, times: 2 });
    expect(await asked('no', { say: bad })).toMatchObject({ value: bad, times: 2 });
  });

  it('gives up after the second reply', async () => {
    const model = fakeModel('no');
    const error = await refusalOf(askModel(model, question));
    expect(error).toMatchObject({ code: 'llm_error', message: expect.stringContaining('no usable reply') });
    expect(model.asked).toHaveLength(2);
  });

  it('does not ask a service again that failed', async () => {
    const model = fakeModel({ fail: 500 });
    expect((await refusalOf(askModel(model, question))).details).toMatchObject({ status: 500 });
    expect(model.asked).toHaveLength(1);
  });
});

describe('a model behind a queue', () => {
  const request = { system: '', user: '', schema: {}, maxTokens: 1 };

  it('is asked one question at a time, in order, also after one that failed', async () => {
    const log: string[] = [];
    const waiting: ((reply: ModelReply | Error) => void)[] = [];
    const model = oneAtATime(
      {
        name: 'm',
        complete: ({ user }) =>
          new Promise((resolve, reject) => {
            log.push(`begins ${user}`);
            waiting.push((reply) => (reply instanceof Error ? reject(reply) : resolve(reply)));
          }),
      },
      new StopController(),
    );
    const asked = ['a', 'b', 'c'].map((user) =>
      model.complete({ ...request, user }).then(
        ({ text }) => log.push(text),
        () => log.push(`${user} failed`),
      ),
    );
    for (const reply of [new Error('no'), { text: 'B', truncated: false }, { text: 'C', truncated: false }]) {
      await new Promise(setImmediate);
      expect(waiting).toHaveLength(1);
      waiting.pop()?.(reply);
    }
    await Promise.all(asked);
    expect(log).toEqual(['begins a', 'a failed', 'begins b', 'B', 'begins c', 'C']);
  });

  it('refuses what would wait too long', async () => {
    let end = (): void => undefined;
    const held = new Promise<ModelReply>((resolve) => (end = () => resolve({ text: '', truncated: false })));
    const model = oneAtATime({ name: 'm', complete: () => held }, new StopController());
    const asked = Array.from({ length: MODEL_QUEUE_LIMIT }, () => model.complete(request));
    const refused = await refusalOf(model.complete(request));
    expect(refused).toBeInstanceOf(BrainError);
    expect(refused.code).toBe('busy');
    end();
    await Promise.all(asked);
    expect(await model.complete(request)).toEqual({ text: '', truncated: false });
  });
});

describe('a model behind a queue that closes', () => {
  const request = { system: '', user: '', schema: {}, maxTokens: 1 };

  it('calls off the question that runs, tells who waits, and asks no other', async () => {
    const asked: ModelRequest[] = [];
    const closing = new StopController();
    // It never answers, not even to being called off.
    const complete = (one: ModelRequest) => {
      asked.push(one);
      return new Promise<ModelReply>(() => undefined);
    };
    const model = oneAtATime({ name: 'm', complete }, closing);
    const waiting = ['a', 'b'].map((user) => refusalOf(model.complete({ ...request, user })));
    await new Promise(setImmediate);
    expect(asked[0]?.signal?.stopped).toBe(false);
    closing.stop();
    for (const { code } of await Promise.all(waiting)) expect(code).toBe('starting');
    expect(asked[0]?.signal?.stopped).toBe(true);
    expect((await refusalOf(model.complete(request))).code).toBe('starting');
    expect(asked).toHaveLength(1);
  });

  it('asks none that waited, when the one before it ends by being called off', async () => {
    const asked: string[] = [];
    const closing = new StopController();
    const model = oneAtATime(
      {
        name: 'm',
        complete: ({ user, signal }) =>
          new Promise((_, reject) => {
            asked.push(user);
            signal?.onStop(() => reject(new BrainError('llm_error', 'Called off.')));
          }),
      },
      closing,
    );
    const waiting = ['a', 'b'].map((user) => refusalOf(model.complete({ ...request, user })));
    await new Promise(setImmediate);
    closing.stop();
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['starting', 'starting']);
    await new Promise(setImmediate);
    expect(asked).toEqual(['a']);
  });

  it('passes on the signal of whoever asks', async () => {
    const stop = new StopController();
    const model = oneAtATime(
      {
        name: 'm',
        complete: ({ signal }) =>
          new Promise((_, reject) =>
            signal?.onStop(() => reject(new BrainError('llm_error', 'Called off.'))),
          ),
      },
      new StopController(),
    );
    const refused = refusalOf(model.complete({ ...request, signal: stop }));
    await new Promise(setImmediate);
    stop.stop();
    expect((await refused).code).toBe('llm_error');
  });
});

describe('the doctor', () => {
  const check = (settings: Settings) => modelCheck({ config: settleConfig({}, settings) });
  const llmModel = 'qwen3';

  it.each<[string, Settings, string, RegExp]>([
    ['nothing is set', {}, 'ok', /passages of the notes, word for word/],
    ['only the address is set', { llmUrl: 'http://x' }, 'warning', /BRAIN_LLM_MODEL\) is not/],
    ['only the name is set', { llmModel }, 'warning', /BRAIN_LLM_URL\) is not/],
    [
      'both are set',
      { llmModel, llmUrl: 'http://gpu.lan:11434/x' },
      'ok',
      /go to qwen3 at gpu\.lan:11434\.$/,
    ],
    [
      'a key goes over TLS',
      { llmModel, llmUrl: 'https://api.example/v1', llmKey: 'k' },
      'ok',
      /api\.example/,
    ],
    ['a key stays here', { llmModel, llmUrl: 'http://127.0.0.1:1', llmKey: 'k' }, 'ok', /127\.0\.0\.1:1\.$/],
    [
      'a key goes in the clear',
      { llmModel, llmUrl: 'http://gpu.lan', llmKey: 'k' },
      'failed',
      /is asked nothing: the key would cross the network unencrypted/,
    ],
    ['the address holds a password', { llmModel, llmUrl: 'https://me:pw@gpu.lan' }, 'ok', /at gpu\.lan\.$/],
  ])('when %s', (_, settings, state, message) => {
    expect(check(settings)).toMatchObject({ name: 'language model', state });
    expect(check(settings).message).toMatch(message);
  });
});
