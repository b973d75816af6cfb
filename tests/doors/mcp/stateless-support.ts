import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const REVISION = '2026-07-28';

/** A client that speaks revision 2026-07-28 and nothing else. */
export async function connectStateless(
  url: string,
  token = 'laptop',
  clientInfo = { name: 'codex', version: '0.147.0' },
): Promise<Client> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: REVISION } } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return client;
}

/** The `_meta` of a request of revision 2026-07-28. */
export function envelope(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  };
}

/** A request of revision 2026-07-28 with the headers that belong to it. */
export function request(method: string, params: Readonly<Record<string, unknown>> = {}, id: unknown = 1) {
  const name = params.name ?? params.uri;
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope() } },
    headers: {
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
    },
  };
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: Record<string, unknown>[];
}

/** What a plain HTTP client gets: status, headers, and the JSON-RPC messages of the answer. */
export async function post(
  url: string,
  { body, headers }: { body: unknown; headers?: Record<string, string> },
  more: Record<string, string> = {},
): Promise<Posted> {
  const answer = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { Authorization: 'Bearer laptop', 'Content-Type': 'application/json', ...headers, ...more },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const texts = isStream ? [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1] ?? '') : [text];
  return {
    status: answer.status,
    headers: answer.headers,
    messages: texts.filter((json) => json !== '').map((json) => JSON.parse(json)),
  };
}
