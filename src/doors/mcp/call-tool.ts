import { loggedArgs, type AuditEntry, type AuditError } from '../../core/audit/audit-line';
import type { AuditLog } from '../../core/audit/audit-log';
import { hideSecrets } from '../../core/rules/hide-secrets';
import type { Brain } from '../../core/brain';
import type { Caller } from '../../core/caller';
import { BrainError } from '../../core/errors';
import { missingScope, perform } from '../../core/operation';
import type { StopSignal } from '../../core/host';
import type { Progress } from '../../core/progress';
import { isRecord } from '../../core/rules/record';
import { timestamp } from '../../core/rules/time';
import { INTERNAL, traceOf } from '../internal-error';
import { answerResult, errorResult, type Answer, type ToolResult } from './phrase';
import type { ClaimedClient } from './session-id';
import type { Tool } from './tool';

/** One `tools/call` as it was sent, free of any SDK's types. */
export interface SentCall {
  /** As the client sent it: nothing about it has been checked. */
  readonly params: unknown;
  readonly caller: Caller;
  readonly client: ClaimedClient | undefined;
  /** Tells the lines of the audit log apart. */
  readonly id: string;
  /** Request id of the HTTP answer, which errors name. */
  readonly requestId: string | undefined;
  readonly arrived: Date;
  /** Bytes that the call is sent with and that have not been counted yet. */
  readonly takeBytes?: () => number;
}

/** A call that is to be run. */
export interface ToolCall extends SentCall {
  /** Stops when the client is gone or has taken the call back. */
  readonly signal: StopSignal;
  /** Absent when the client does not want to hear how far it is. */
  readonly progress?: (progress: Progress) => void;
}

/** A result for the model, or a refusal that belongs to the protocol: the call itself was malformed. */
export type CallOutcome = { readonly result: ToolResult } | { readonly refused: string };

export interface CallContext {
  readonly brain: Brain;
  readonly audit: AuditLog;
  readonly tools: readonly Tool[];
}

/**
 * Runs one tool call and appends exactly one line to the audit log, whatever becomes of the call. A call that could
 * change the vault starts only when the log can be written; what a reader finds is shown only when its line stands.
 */
export async function callTool(context: CallContext, call: ToolCall): Promise<CallOutcome> {
  const { name, args } = readParams(call.params);
  if (name === undefined || args === undefined) {
    await recordFailure(context, call, 'invalid_params');
    return { refused: 'Invalid params: "name" must be a string and "arguments" an object.' };
  }
  const tool = context.tools.find((each) => each.name === name);
  if (tool === undefined) {
    await recordFailure(context, call, 'unknown_tool');
    return { refused: `Unknown tool: ${name.slice(0, MAX_NAME)}. See tools/list.` };
  }
  const outcome = await attempt(context, call, tool, args);
  const recorded = await recordCall(context, call, outcome, tool.operation.mutates);
  if ('error' in outcome) return { result: errorResult(outcome.shown, call.requestId) };
  if (!recorded && !tool.operation.mutates) return { result: errorResult(INTERNAL, call.requestId) };
  return { result: answerResult(tool, outcome.answer) };
}

/** The line of a call that never reached its tool. */
export async function recordFailure(context: CallContext, call: SentCall, error: AuditError): Promise<void> {
  await recordCall(context, call, { error }, false);
}

const MAX_NAME = 80;

type Failure = { readonly error: AuditError; readonly shown: BrainError };

async function attempt(
  context: CallContext,
  call: ToolCall,
  tool: Tool,
  args: Answer,
): Promise<{ readonly answer: Answer } | Failure> {
  const { operation } = tool;
  try {
    if (operation.mutates) context.brain.rate.takeBytes(call.caller.name, call.takeBytes?.() ?? 0);
    // A caller without the scope is told that first, by `perform`, and not what its arguments got wrong.
    const input = missingScope(operation, call.caller) === null ? tool.read(args) : args;
    if (operation.mutates) await context.audit.open();
    // From here on each change is made as a whole or not at all: the last moment to stop for all but long work, which listens.
    if (call.signal.stopped) return { error: 'cancelled', shown: INTERNAL };
    const watch = { signal: call.signal, progress: call.progress };
    const answer: unknown = await perform(context.brain, operation, input, call.caller, watch);
    return { answer: isRecord(answer) ? answer : {} };
  } catch (error) {
    if (error instanceof BrainError) return { error: error.code, shown: error };
    logFailure(context, call, 'mcp_call_failed', error);
    return { error: 'internal', shown: INTERNAL };
  }
}

/**
 * Resolves true when the line stands in the log, durably when the call could change the vault. A change that was made cannot
 * be taken back for want of a line: it stays owed. `fields` are the arguments that there are; those of the tool unless given.
 */
export async function recordCall(
  context: CallContext,
  call: SentCall,
  outcome: { readonly answer: Answer } | { readonly error: AuditError },
  mutates: boolean,
  fields: readonly string[] = fieldsOf(context, call),
): Promise<boolean> {
  try {
    // Reads need no fsync: they change nothing that would have to be accounted for after a power loss, and the
    // fsync would take longer than the search.
    await context.audit.record(entryOf(context, call, outcome, fields), mutates);
    return true;
  } catch (error) {
    logFailure(context, call, 'audit_append_failed', error);
    return false;
  }
}

function entryOf(
  { brain }: CallContext,
  call: SentCall,
  outcome: { readonly answer: Answer } | { readonly error: AuditError },
  fields: readonly string[],
): AuditEntry {
  const { caller, client } = call;
  const { name, args } = readParams(call.params);
  const answer = 'answer' in outcome ? outcome.answer : {};
  return {
    ts: timestamp(call.arrived),
    id: call.id,
    tool: shownName(name),
    actor: actorOf(caller),
    auth: [...caller.scopes].join(' '),
    client: client ?? (caller.client === undefined ? undefined : { name: caller.client }),
    ok: 'answer' in outcome,
    error: 'error' in outcome ? outcome.error : undefined,
    args: loggedArgs(args ?? {}, fields),
    paths: pathsOf(answer),
    content_hash: typeof answer.content_hash === 'string' ? answer.content_hash : undefined,
    unlinked: Array.isArray(answer.unlinked) ? answer.unlinked.length : 0,
    duration_ms: Math.max(0, brain.clock.now().getTime() - call.arrived.getTime()),
  };
}

/** The arguments that the tool of a call takes; none when there is no such tool. */
function fieldsOf({ tools }: CallContext, { params }: SentCall): string[] {
  const { name } = readParams(params);
  const tool = tools.find((each) => each.name === name);
  return Object.keys(tool?.listing.inputSchema.properties ?? {});
}

/** The name that stands for a caller in the log: a person is told apart from a token of the same name. */
export function actorOf(caller: Caller): string {
  return caller.human ? `human:${caller.name}` : caller.name;
}

const MAX_PATHS = 50;

/** The notes that an answer names: its own, the one it came from or went to, and those of a list. */
function pathsOf(answer: Answer): string[] {
  const single = [answer.path, answer.from, answer.rejected_path];
  const files = Array.isArray(answer.files) ? answer.files : [];
  const pages = files.map((file: unknown) => (isRecord(file) ? file.pages : undefined));
  const lists = [
    answer.results,
    answer.pending,
    answer.wings,
    answer.citations,
    answer.nearest,
    answer.pages,
  ];
  const listed = [...lists, ...pages]
    .filter((list) => Array.isArray(list))
    .flatMap((list) => list.map((each: unknown) => (isRecord(each) ? each.path : undefined)));
  const paths = [...single, ...listed].filter((path) => typeof path === 'string');
  return [...new Set(paths)].slice(0, MAX_PATHS);
}

/** A name as records keep it: it is the caller's, and may be anything. */
function shownName(name = ''): string {
  return hideSecrets(name.slice(0, 10 * MAX_NAME)).slice(0, MAX_NAME);
}

function readParams(params: unknown): { name?: string; args?: Answer } {
  if (!isRecord(params) || typeof params.name !== 'string') return {};
  const args = params.arguments ?? {};
  return isRecord(args) ? { name: params.name, args } : { name: params.name };
}

function logFailure({ brain }: CallContext, call: SentCall, event: string, error: unknown): void {
  const tool = shownName(readParams(call.params).name);
  brain.log.error(event, { tool, request_id: call.requestId, ...traceOf(error) });
}
