import { oneAtATime } from '../../src/core/model/queue';
import type { LanguageModel } from '../../src/core/ports/ports';
import { StopController } from '../../src/core/base/concurrency';
import { modelAt } from '../support/configured';
import { fakeModel } from '../support/fake-model';
import { refusalOf } from '../support/refusal';
import { type ScriptedModelServer, startScriptedModelServer } from '../support/scripted-model-server';

/** A model, and how a test tells what it does next. */
interface Subject {
  readonly model: LanguageModel;
  says(text: string, cutOff?: boolean): void;
  fails(status: number): void;
  /** The parts of the last request as they arrived. */
  asked(): { readonly system: string; readonly user: string; readonly schema: unknown };
}

let server: ScriptedModelServer;
beforeAll(async () => (server = await startScriptedModelServer()));
afterAll(() => server.close());

const served = (make: () => LanguageModel): Subject => ({
  model: make(),
  says: (say, cutOff = false) => server.script({ say, cutOff }),
  fails: (status) => server.script({ status, body: '{"error":"a secret of the service"}' }),
  asked: () => server.asked.at(-1) ?? { system: '', user: '', schema: null },
});

function faked(wrap: (model: LanguageModel) => LanguageModel = (model) => model): Subject {
  const fake = fakeModel();
  return {
    model: wrap(fake),
    says: (text, truncated = false) => fake.script({ text, truncated }),
    fails: (fail) => fake.script({ fail }),
    asked: () => fake.asked.at(-1) ?? { system: '', user: '', schema: null },
  };
}

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const QUESTION = { system: 'rules', user: 'Was ist 東京? "x"\n', schema: SCHEMA, maxTokens: 50 };

describe.each([
  ['Ollama', () => served(() => modelAt('ollama', server.ollamaUrl))],
  ['OpenAI', () => served(() => modelAt('openai', server.openAiUrl))],
  ['a fake', () => faked()],
  ['a queue before a fake', () => faked((model) => oneAtATime(model, new StopController()))],
])('a LanguageModel: %s', (_, open) => {
  it('asks what it is given and replies what was said, letter by letter', async () => {
    const subject = open();
    subject.says(' {"a": "é 東京 \\u0000"}\n');
    const reply = await subject.model.complete(QUESTION);
    expect(reply).toEqual({ text: ' {"a": "é 東京 \\u0000"}\n', truncated: false });
    expect(subject.asked()).toMatchObject({ system: 'rules', user: QUESTION.user, schema: SCHEMA });
  });

  it('remembers nothing of an earlier question', async () => {
    const subject = open();
    subject.says('{}');
    await subject.model.complete({ ...QUESTION, user: 'first' });
    await subject.model.complete({ ...QUESTION, user: 'second' });
    expect(subject.asked().user).toBe('second');
  });

  it('says when the reply was cut off', async () => {
    const subject = open();
    subject.says('{"a": "b', true);
    expect(await subject.model.complete(QUESTION)).toEqual({ text: '{"a": "b', truncated: true });
  });

  it.each([401, 404, 429, 500, 503])(
    'names host and status of an HTTP %i, and nothing else of it',
    async (status) => {
      const subject = open();
      subject.fails(status);
      const error = await refusalOf(subject.model.complete(QUESTION));
      expect(error).toMatchObject({ code: 'llm_error', details: { host: expect.any(String), status } });
      expect(error.message).toContain(`HTTP ${status}`);
      expect(error.message + JSON.stringify(error.details)).not.toMatch(/secret|東京|rules/);
    },
  );

  it('ends when nobody waits any more', async () => {
    const subject = open();
    subject.says('{}');
    const stop = new StopController();
    stop.stop();
    const error = await refusalOf(subject.model.complete({ ...QUESTION, signal: stop }));
    expect(error.code).toBe('llm_error');
  });

  it('works again after a failure', async () => {
    const subject = open();
    subject.fails(500);
    await refusalOf(subject.model.complete(QUESTION));
    subject.says('{}');
    expect((await subject.model.complete(QUESTION)).text).toBe('{}');
  });
});
