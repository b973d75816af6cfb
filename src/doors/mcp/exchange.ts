import type { Request, Response } from 'express';
import type { Caller } from '../../core/access/caller';
import type { AuditLog } from '../../core/audit/log';
import type { BodyCalls, CallContext, RunningCalls, Visit } from './calls';

/** Which forms of an answer a client takes. */
interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/**
 * What an `Accept` header (RFC 9110, section 12.5.1) says of JSON and of event streams: in any case, with ranges, and with the
 * most exact range deciding; a weight of 0 refuses. Without the header, or with an empty one, anything is taken.
 */
export function acceptedBy(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return { json: true, stream: true };
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .map(([type = '', ...parameters]) => ({ type, weight: weightOf(parameters) }));
  const takes = (type: string): boolean => {
    for (const wanted of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
      const weights = ranges.filter((range) => range.type === wanted).map(({ weight }) => weight);
      if (weights.length > 0) return Math.max(...weights) > 0;
    }
    return false;
  };
  return { json: takes('application/json'), stream: takes('text/event-stream') };
}

/** A weight that cannot be read is none, which is the same as 1. */
function weightOf(parameters: readonly string[]): number {
  const [given] = parameters.filter((parameter) => /^q\s*=/.test(parameter));
  const weight = Number(given?.slice(given.indexOf('=') + 1).trim() ?? 1);
  return Number.isNaN(weight) ? 1 : weight;
}

/**
 * Sets the headers that the SDKs look at to those they want to see, once it was decided by the rules of HTTP what the client
 * takes and what it has sent. They read the raw headers in some runtimes and the parsed ones in others.
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

interface Notice {
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
