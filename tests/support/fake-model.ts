import { BrainError } from '../../src/core/base/errors';
import type { LanguageModel, ModelReply, ModelRequest } from '../../src/core/ports/ports';

/** What the fake does with one question: a text, an object that is sent as JSON, a whole reply, or a failure. */
export type FakeTurn =
  | string
  | { readonly say: unknown }
  | ModelReply
  | { readonly fail: number }
  | ((request: ModelRequest) => FakeTurn);

export interface FakeModel extends LanguageModel {
  readonly asked: ModelRequest[];
  /** What is done with the next questions, in order; the last turn also with all that follow. Forgets what was asked. */
  script(...turns: FakeTurn[]): void;
}

/** A language model without a service. */
export function fakeModel(...first: FakeTurn[]): FakeModel {
  const asked: ModelRequest[] = [];
  let turns = first;
  return {
    name: 'fake-7b',
    asked,
    script(...next) {
      turns = next;
      asked.length = 0;
    },
    async complete(request) {
      asked.push(request);
      const stopped = new BrainError(
        'llm_error',
        'The language model at fake.test was no longer waited for.',
        {
          host: 'fake.test',
        },
      );
      if (request.signal?.stopped === true) throw stopped;
      return replyOf((turns.length > 1 ? turns.shift() : turns[0]) ?? { fail: 500 }, request);
    },
  };
}

function replyOf(turn: FakeTurn, request: ModelRequest): ModelReply {
  if (typeof turn === 'function') return replyOf(turn(request), request);
  if (typeof turn === 'string') return { text: turn, truncated: false };
  if ('text' in turn) return turn;
  if ('say' in turn) return { text: JSON.stringify(turn.say), truncated: false };
  throw new BrainError('llm_error', `The language model at fake.test answered HTTP ${turn.fail}.`, {
    host: 'fake.test',
    status: turn.fail,
  });
}
