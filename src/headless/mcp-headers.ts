import * as z from 'zod';

/** Fields of a body that revision 2026-07-28 wants to see in the headers, where intermediaries can read them. */
const stateless = z.object({
  method: z.string(),
  params: z.object({
    _meta: z.object({ 'io.modelcontextprotocol/protocolVersion': z.string() }),
    name: z.unknown().optional(),
    uri: z.unknown().optional(),
  }),
});

/** The parameter that names what a method is about. */
const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** What a header may hold as it stands: visible ASCII, with spaces inside. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const LOOKS_ENCODED = /^=\?base64\?.*\?=$/;

/**
 * The headers of one message of revision 2026-07-28, which speaks for itself; null for any other message, whose headers come
 * from the handshake.
 */
export function statelessHeaders(sent: unknown): Readonly<Record<string, string>> | null {
  const { data } = stateless.safeParse(sent);
  if (data === undefined) return null;
  const { method, params } = data;
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field && params[field];
  const revision = params._meta['io.modelcontextprotocol/protocolVersion'];
  return {
    // What cannot stand in a header is left out, and the server says what is missing.
    ...(PLAIN.test(revision) && { 'MCP-Protocol-Version': revision }),
    ...(PLAIN.test(method) && { 'Mcp-Method': method }),
    ...(typeof name === 'string' && { 'Mcp-Name': headerValue(name) }),
  };
}

/** A text as a header carries it: as it stands, or in the form that the protocol has for all others. */
function headerValue(text: string): string {
  if (PLAIN.test(text) && !LOOKS_ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
