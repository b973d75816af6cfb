import type { ErrorCode } from '../core/errors';
import type { Operation } from '../core/operation';
import { MIB } from '../core/rules/json-bytes';

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
  /** True when the answer is one note at a version: its hash is the entity tag. */
  readonly hasVersion?: boolean;
  /** Most bytes of the body, when it is not BODY_LIMIT. */
  readonly bodyLimit?: number;
}
