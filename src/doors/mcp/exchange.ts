import type { Request, Response } from 'express';
import type { AuditLog } from '../../core/audit/audit-log';
import type { Caller } from '../../core/caller';
import type { Accepted } from './accept';
import type { BodyCalls, Visit } from './body-calls';
import type { CallContext } from './call-tool';
import type { RunningCalls } from './running-calls';

/** One POST of `/mcp` that is being answered, whichever revision of the protocol it speaks. */
export interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly body: unknown;
  readonly caller: Caller;
  /** What every line that is written about this POST says of it. */
  readonly visit: Visit;
  /** The signed session that the client carries; null when it has none. */
  readonly session: string | null;
  readonly calls: BodyCalls;
  readonly door: Door;
  /** What the client takes; at least one form. */
  readonly accepted: Accepted;
}

/** What all exchanges share. */
export interface Door {
  readonly context: CallContext;
  /** Where reading of resources is recorded: not the log of tool calls, whose lines are the calls. */
  readonly resourceLog: AuditLog;
  readonly running: RunningCalls;
  readonly version: string;
  readonly surface: Surface;
}

/** A request of a body, as either SDK hands it over. */
export interface Asked {
  readonly method: string;
  /** As the client sent them, apart from what the SDK itself has used up. */
  readonly params: unknown;
  readonly id: string | number;
  /** Aborted when the client has left. */
  readonly gone: AbortSignal;
  /** Sends a notification ahead of the answer; rejects when the client is gone. */
  readonly notify: (notification: Notice) => Promise<void>;
}

export interface Notice {
  readonly method: 'notifications/progress';
  readonly params: { progressToken: string | number; progress: number; total?: number };
}

/** The result of a request, as it goes over the wire. */
export type Result = Record<string, unknown>;

/** Answers one kind of request. @throws RpcError for what the protocol itself refuses. */
export type Method = (exchange: Exchange, asked: Asked) => Promise<Result>;

/** What the server can be asked beside the handshake; one table for all revisions. */
export interface Surface {
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly methods: ReadonlyMap<string, Method>;
}
