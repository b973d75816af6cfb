import { type Agent, request } from 'node:http';
import { shownValue } from '../support/mcp-answer';

export const TOKEN = 'kill-loop-token-kill-loop-token-kill';

/** One call, whichever door it takes: `/update` is the tool `brain_update`. */
export interface Ask {
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What an acknowledged call says of its note. */
export interface Made {
  readonly path: string;
  readonly rejected_path?: string;
  readonly content_hash?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Makes one call, over HTTP or as a tool; null when the server died before it answered whole. It is made again while the
 * server still reads its vault; `again` is told when a tool said so, which leaves a line in the audit log.
 * @throws Error when it was refused: no call of the kill loop gives a reason to.
 */
export async function ask(
  agent: Agent,
  url: string,
  { kind, input }: Ask,
  overMcp: boolean,
  again: () => void,
): Promise<Made | null> {
  const params = { name: `brain_${kind}`, arguments: input };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  for (;;) {
    const answer = overMcp
      ? await send(agent, `${url}/mcp`, 'POST', JSON.stringify(rpc))
      : await send(agent, `${url}/${kind}`, 'POST', JSON.stringify(input));
    if (answer === null) return null;
    const made = answer.status === 200 ? madeBy(answer.text, overMcp) : null;
    if (made !== null) return made;
    if (!overMcp || !/\\"code\\":\\"starting\\"/.test(answer.text))
      throw new Error(`${kind} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    again();
  }
}

/** One request; sent again while the server still reads its vault. Null when it died before it answered whole. */
export async function send(agent: Agent, url: string, method: string, body?: string): Promise<Answer | null> {
  for (;;) {
    const answer = await sendOnce(agent, url, method, body);
    if (answer?.status !== 503) return answer;
  }
}

/** What the answer says was made; null when it is a refusal. An answer of MCP may come as an event. */
function madeBy(text: string, overMcp: boolean): Made | null {
  if (!overMcp) return isMade(JSON.parse(text));
  const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text;
  const { result }: { result?: { isError?: boolean } } = JSON.parse(data);
  return result === undefined || result.isError === true ? null : isMade(shownValue(result));
}

function isMade(value: unknown): Made | null {
  const isOne =
    typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
  // The rest of the shape is the documented one, which other tests hold the doors to.
  return isOne ? (value as Made) : null;
}

function sendOnce(agent: Agent, url: string, method: string, body?: string): Promise<Answer | null> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    accept: 'application/json, text/event-stream',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve) => {
    const sent = request(url, { agent, method, headers }, (answer) => {
      let text = '';
      answer.on('data', (data: Buffer) => (text += data.toString()));
      answer.on('end', () => resolve(answer.complete ? { status: answer.statusCode ?? 0, text } : null));
      answer.on('error', () => resolve(null));
    });
    sent.on('error', () => resolve(null));
    sent.end(body);
  });
}
