import type { IncomingMessage, ServerResponse } from 'node:http';
import { outgoingHttp } from '../../src/adapters/host/http';
import type { HttpClient } from '../../src/core/ports/ports';
import { type FailingTurn, playFailing, Script, startLoopbackServer } from './loopback-server';

/** What a client asked of the server, in either of the two interfaces. */
export interface AskedOfServer {
  readonly api: 'ollama' | 'openai';
  readonly headers: IncomingMessage['headers'];
  readonly system: string;
  readonly user: string;
  /** The schema that it was told to keep to; null when the request has none. */
  readonly schema: unknown;
  /** The whole request. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the server does with one request. */
export type Turn =
  /** Replies with this text; an object is sent as JSON, as a model that keeps to the schema would. */
  { readonly say: unknown; readonly cutOff?: boolean } | FailingTurn | ((asked: AskedOfServer) => Turn);

export interface ScriptedModelServer {
  /** Base address for Ollama's interface. */
  readonly ollamaUrl: string;
  /** Base address for OpenAI's interface. */
  readonly openAiUrl: string;
  readonly asked: AskedOfServer[];
  /** What is done with the next requests, in order; the last turn also with all that follow. Forgets what was asked. */
  script(...turns: Turn[]): void;
  close(): Promise<void>;
}

/** A server that speaks both interfaces of language models and says what its script says. */
export async function startScriptedModelServer(): Promise<ScriptedModelServer> {
  const asked: AskedOfServer[] = [];
  const turns = new Script<Turn>({ status: 500, body: 'the script is empty' });
  const { url, stop } = await startLoopbackServer((text, req, res) => {
    const request = readRequest(req, text);
    if (request === null) {
      res.writeHead(404).end('{"error":"no such interface"}');
      return;
    }
    asked.push(request);
    play(turns.next(), request, res);
  });
  return {
    ollamaUrl: url,
    openAiUrl: `${url}/v1`,
    asked,
    script(...next) {
      turns.set(next);
      asked.length = 0;
    },
    close: stop,
  };
}

/**
 * The real client, for a server that is to take this turn. Where no answer is to come it waits one second and not the three
 * minutes that a model is given: long enough for the request to arrive on a busy machine, too.
 */
export function clientFor(turn: Turn): HttpClient {
  if (turn !== 'hang') return outgoingHttp;
  return { send: (request) => outgoingHttp.send({ ...request, timeoutMs: 1_000 }) };
}

/** A model that does what the document asks: its reply is the JSON that stands in the text it is shown. */
export const obedient: Turn = ({ user }) => {
  const [, text = ''] = /BEGIN TEXT [0-9a-f]+\n([^]*)\nEND TEXT /.exec(user) ?? [];
  return { say: text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1) };
};

function play(turn: Turn, request: AskedOfServer, res: ServerResponse): void {
  if (typeof turn === 'function') {
    play(turn(request), request, res);
  } else if (turn === 'hang' || turn === 'die' || 'status' in turn) {
    playFailing(turn, res);
  } else {
    const text = typeof turn.say === 'string' ? turn.say : JSON.stringify(turn.say);
    const answer = request.api === 'ollama' ? ollamaReply(text, turn) : openAiReply(text, turn);
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }
}

function ollamaReply(content: string, { cutOff = false }: { readonly cutOff?: boolean }) {
  const done_reason = cutOff ? 'length' : 'stop';
  return { model: 'm', message: { role: 'assistant', content }, done: true, done_reason, eval_count: 7 };
}

function openAiReply(content: string, { cutOff = false }: { readonly cutOff?: boolean }) {
  const finish_reason = cutOff ? 'length' : 'stop';
  return {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
  };
}

function readRequest({ url, headers, method }: IncomingMessage, text: string): AskedOfServer | null {
  const api = url === '/api/chat' ? 'ollama' : url === '/v1/chat/completions' ? 'openai' : null;
  if (api === null || method !== 'POST') return null;
  const body: Record<string, unknown> = JSON.parse(text);
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const said = (role: string) => String(messages.find((message) => message.role === role)?.content ?? '');
  return { api, headers, body, system: said('system'), user: said('user'), schema: schemaOf(body) };
}

function schemaOf(body: Readonly<Record<string, unknown>>): unknown {
  if (body.format !== undefined) return body.format;
  const format = Object(body.response_format);
  return Object(format.json_schema).schema ?? null;
}
