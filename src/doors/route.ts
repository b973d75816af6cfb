import * as z from 'zod';
import type { Scope } from '../core/caller';
import { BrainError, type ErrorCode } from '../core/errors';
import { operation, type Operation } from '../core/operation';
import { MIB } from './body';

export const METHODS = ['GET', 'POST', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export const TAGS = ['search', 'notes', 'review', 'ingest', 'sessions', 'owner'] as const;
export type Tag = (typeof TAGS)[number];

/** Most bytes of a JSON body, where a route does not say otherwise. */
export const BODY_LIMIT = 8 * MIB;

/**
 * One thing that can be asked over HTTP. A POST route takes its input from the JSON body, the others from the query
 * string. Everything else — schema, scope, promise — is the operation's.
 */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
  readonly tag: Tag;
  /** One line for the API description. */
  readonly summary: string;
  /** Codes that the operation itself may answer with; those that every route shares are left out. */
  readonly errors?: readonly ErrorCode[];
  /** Most bytes of the body, when it is not BODY_LIMIT. */
  readonly bodyLimit?: number;
  /** Set on a route that is only announced: the one code that it answers with. */
  readonly refusal?: ErrorCode;
}

/**
 * The operation of a route that is announced but not there yet. It stands behind the token and the scope of the one to
 * come, takes any input, changes nothing, and always refuses.
 */
export function refusing(name: string, scope: Scope, code: ErrorCode, message: string): Operation {
  return operation({
    name,
    scope,
    mutates: false,
    input: z.looseObject({}),
    output: z.never(),
    run: () => Promise.reject<never>(new BrainError(code, message)),
  });
}
