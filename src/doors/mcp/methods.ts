import { isRecord } from '../../core/rules/record';
import { traceOf } from '../internal-error';
import { callTool } from './call-tool';
import type { Asked, Exchange, Method, Result, Surface } from './exchange';
import { progressTo } from './progress';
import { completeArgument, listResources, listTemplates, readResource } from './resources';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from './rpc-error';
import { toolsFor } from './tool';

const listTools: Method = async ({ caller, door }) => ({
  tools: toolsFor(door.context.tools, caller).map((tool) => ({ ...tool.listing })),
});

/** Goes on when the response is gone, since the audit log is owed the call's line. */
const callOne: Method = async ({ calls, session, door }, { id, params, gone, notify }) => {
  const progress = progressTo(params, notify);
  const outcome = await calls.run(id, (call) =>
    door.running.run({ session, id, gone }, (signal) =>
      callTool(door.context, { ...call, params, signal, ...(progress && { progress }) }),
    ),
  );
  if ('refused' in outcome) throw new RpcError(INVALID_PARAMS, outcome.refused);
  return outcome.result;
};

/** Every list is one page, so no cursor comes from here; an empty one stands for none. */
function onePage(list: Method): Method {
  return async (exchange, asked) => {
    const cursor = isRecord(asked.params) ? asked.params.cursor : undefined;
    if (cursor === undefined || cursor === null || cursor === '') return list(exchange, asked);
    throw new RpcError(INVALID_PARAMS, 'Invalid params: this cursor is not known. The list is one page.');
  };
}

/** All that can be asked of this server, in every revision. Lists do not announce their changes. */
export const SURFACE: Surface = {
  capabilities: { tools: { listChanged: false }, resources: { listChanged: false }, completions: {} },
  methods: new Map([
    ['tools/list', onePage(listTools)],
    ['tools/call', callOne],
    ['resources/list', onePage(listResources)],
    ['resources/templates/list', onePage(listTemplates)],
    ['resources/read', readResource],
    ['completion/complete', completeArgument],
  ]),
};

/** Answers one request; what goes wrong inside reaches the log alone. @throws RpcError and nothing else. */
export async function respond(exchange: Exchange, asked: Asked): Promise<Result> {
  const { context, surface } = exchange.door;
  const method = surface.methods.get(asked.method);
  if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
  try {
    return await method(exchange, asked);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const { requestId } = exchange.visit;
    context.brain.log.error('mcp_request_failed', { request_id: requestId, ...traceOf(error) });
    throw new RpcError(INTERNAL_ERROR, 'Internal error');
  }
}
