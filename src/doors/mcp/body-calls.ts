import { isRecord } from '../../core/rules/record';
import { recordFailure, type CallContext, type CallOutcome, type SentCall } from './call-tool';

/** Lines of refused calls that are handed to the log together. */
const LINES_AT_ONCE = 64;

/** What all calls of one POST share. */
export type Visit = Omit<SentCall, 'params' | 'id'>;

/**
 * The `tools/call` messages of one body, alone or in a batch. Each owes the audit log exactly one line: those that are
 * run write it themselves, and `finish` writes the rest, which the SDK refused before any of our code saw them.
 */
export class BodyCalls {
  readonly #waiting: { readonly id: unknown; readonly call: SentCall }[];
  readonly #running: Promise<CallOutcome>[] = [];
  /** True when two requests of the body carry the same id: an answer could not say which of them it belongs to. */
  readonly ambiguous: boolean;

  constructor(body: unknown, visit: Visit, id: string) {
    const messages = (Array.isArray(body) ? body : [body]).filter(isRecord);
    const ids = messages
      .filter((message) => 'method' in message && 'id' in message)
      .map((message) => message.id);
    this.ambiguous = new Set(ids).size < ids.length;
    this.#waiting = messages.filter(isToolCall).map((message, index, { length }) => ({
      id: message.id,
      call: { ...visit, params: message.params, id: length === 1 ? id : `${id}.${index + 1}` },
    }));
  }

  /** Runs the call with this request id. It goes on when the response is gone; `finish` waits for it. */
  async run(id: unknown, work: (call: SentCall) => Promise<CallOutcome>): Promise<CallOutcome> {
    const at = this.#waiting.findIndex((each) => each.id === id);
    const [found] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (found === undefined) return { refused: 'Invalid params: this request id belongs to no call.' };
    const running = work(found.call);
    this.#running.push(running);
    return running;
  }

  /** Resolves when every call of the body has its line; `gone` says that the client left before it was answered. */
  async finish(context: CallContext, gone: boolean): Promise<void> {
    await Promise.allSettled(this.#running);
    const error = gone ? 'cancelled' : 'invalid_request';
    while (this.#waiting.length > 0) {
      // One body may hold a hundred thousand calls: the log takes many lines at a time, and those of others between them.
      const next = this.#waiting.splice(0, LINES_AT_ONCE);
      await Promise.all(next.map(({ call }) => recordFailure(context, call, error)));
    }
  }
}

function isToolCall(message: Readonly<Record<string, unknown>>): boolean {
  return message.method === 'tools/call';
}

/**
 * The body as the SDK gets by with it. Where `params` of a call is no object there is an empty one: the SDK would refuse the
 * whole body, where the protocol has an error of its own for the one call: invalid params. The wish to have a call run as a
 * task is taken out, which a server without tasks has to pass over and the SDK answers with an internal error.
 */
export function withPlainCalls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withPlainCalls);
  if (!isRecord(body) || !isToolCall(body)) return body;
  const { task: _, ...params } = isRecord(body.params) ? body.params : {};
  return { ...body, params };
}
