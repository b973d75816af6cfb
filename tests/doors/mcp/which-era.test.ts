import type { Request } from 'express';
import { isStateless } from '../../../src/doors/mcp/server';
import { envelope, REVISION } from './stateless-support';

const ask = (params?: unknown, method = 'tools/list') => ({ jsonrpc: '2.0', id: 1, method, params });
const enveloped = ask({ _meta: envelope() });
const initialize = ask(
  { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  'initialize',
);

it.each<[string, unknown, string | undefined, boolean]>([
  ['a request that names its revision', enveloped, REVISION, true],
  ['one without the header that belongs to it', enveloped, undefined, true],
  ['one whose header names an older revision', enveloped, '2025-11-25', true],
  ['the header alone', ask({}), REVISION, true],
  [
    'a later revision',
    ask({ _meta: envelope({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }) }),
    '2099-01-01',
    true,
  ],
  [
    'a broken envelope',
    ask({ _meta: { 'io.modelcontextprotocol/protocolVersion': REVISION } }),
    REVISION,
    true,
  ],
  ['a batch that holds one', [ask(), enveloped], undefined, true],
  ['what is no JSON-RPC, with its header', { id: 1 }, REVISION, true],
  ['a notification with its header', { jsonrpc: '2.0', method: 'notifications/cancelled' }, REVISION, true],
  ['a handshake', initialize, undefined, false],
  ['a handshake that asks for it', { ...initialize }, '2025-06-18', false],
  ['a request without either', ask(), undefined, false],
  ['a request of 2025', ask(), '2025-11-25', false],
  ['a revision that never was', ask(), '1999-01-01', false],
  ['a batch of 2025', [ask(), ask()], '2025-03-26', false],
  ['an empty batch', [], undefined, false],
  ['what is no JSON-RPC', { id: 1 }, undefined, false],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }, undefined, false],
  ['nothing', null, undefined, false],
  ['a text', 'hello', undefined, false],
])('takes %s for what it is', (_, body, version, stateless) => {
  const headers = { ...(version !== undefined && { 'mcp-protocol-version': version }) };
  // Nothing else of a request is looked at.
  expect(isStateless({ headers } as Request, body)).toBe(stateless);
});
