import type { Request, Response } from 'express';
import type { Caller } from '../../core/access/tokens';
import type { AuditLog } from '../../core/audit/log';
import { weightIn } from '../http/accept';
import type { BodyCalls, CallContext, RunningCalls, PostInfo } from './calls';

/** The forms of an answer that a client accepts. */
interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Returns whether an `Accept` header accepts JSON and event streams; a missing or empty one accepts both. */
export function acceptedBy(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return { json: true, stream: true };
  const takes = (type: string): boolean => (weightIn(header, type) ?? 0) > 0;
  return { json: takes('application/json'), stream: takes('text/event-stream') };
}

/**
 * Sets `Accept` and `Content-Type` to what the SDKs demand, after both were checked by the rules of HTTP. The SDKs read the
 * raw headers in some runtimes and the parsed ones in others.
 */
export function settleHeaders(req: Request): void {
  set(req, 'accept', 'application/json, text/event-stream');
  set(req, 'content-type', 'application/json');
}

function set({ headers, rawHeaders }: Request, name: 'accept' | 'content-type', value: string): void {
  headers[name] = value;
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  if (at < 0) rawHeaders.push(name, value);
  else rawHeaders[at + 1] = value;
}

/** One POST of `/mcp`, of any revision. */
export interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly body: unknown;
  readonly caller: Caller;
  /** The properties that all audit lines of this POST share. */
  readonly visit: PostInfo;
  /** The client's signed session id; null when it has none. */
  readonly session: string | null;
  readonly calls: BodyCalls;
  readonly door: Door;
  /** The accepted forms of the answer; at least one. */
  readonly accepted: Accepted;
}

/** The properties that all exchanges share. */
export interface Door {
  readonly context: CallContext;
  /** The log of resource requests; the log of tool calls holds calls only. */
  readonly resourceLog: AuditLog;
  readonly running: RunningCalls;
  readonly version: string;
  readonly surface: Surface;
}

/** A request of a body, as either SDK passes it. */
export interface RpcRequest {
  readonly method: string;
  /** As the client sent them, without the members that the SDK consumes. */
  readonly params: unknown;
  readonly id: string | number;
  /** Aborted when the client has left. */
  readonly gone: AbortSignal;
  /** Sends a notification before the answer; rejects when the client has left. */
  readonly notify: (notification: Notice) => Promise<void>;
}

interface Notice {
  readonly method: 'notifications/progress';
  readonly params: { progressToken: string | number; progress: number; total?: number };
}

/** The result of a request, as it is sent. */
export type Result = Record<string, unknown>;

/** Answers one kind of request. @throws RpcError for protocol errors. */
export type Method = (exchange: Exchange, asked: RpcRequest) => Promise<Result>;

/** The capabilities and methods of the server besides the handshake; one table for all revisions. */
export interface Surface {
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: ReadonlyMap<string, Method>;
}
