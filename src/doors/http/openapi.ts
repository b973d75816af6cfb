import * as z from 'zod';
import type { ErrorCode } from '../../core/base/errors';
import { KEY_HEADER } from '../../core/operation/descriptors';
import { CODE_OF_FIELD } from '../../core/operation/input';
import type { Operation } from '../../core/operation/operation';
import type { Route } from './routes';
import { API_VERSION, HTTP_STATUS, MCP_PATH } from './errors';
import { LISTEN_REFUSALS } from './listen';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Converts a zod schema to JSON Schema, for input or output. Rules that JSON Schema cannot express are left out. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** Returns the fields of an object schema. */
export function fieldsOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const fields = new Map<string, JsonSchema>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (typeof field === 'object') fields.set(name, field);
  }
  return fields;
}

type Json = Readonly<Record<string, unknown>>;

/** A response, and a method with its responses, as the document has them. */
type Answer = Json & { readonly headers: Json };
type Method = Json & { readonly responses: Readonly<Record<string, Answer>> };

interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Json;
}

/** The errors of every route that needs a token. */
const SHARED_ERRORS: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'forbidden_scope',
  'internal',
  'starting',
];
/** The error of every route that answers with one type alone. */
const UNACCEPTED: readonly ErrorCode[] = ['not_acceptable'];
const INPUT_ERRORS: readonly ErrorCode[] = ['unknown_field', 'missing_field', 'invalid_field'];
/** The errors of every body. `busy`: the bodies of all calls share a limit of memory. */
const BODY_ERRORS: readonly ErrorCode[] = [
  'invalid_json',
  'too_large',
  'too_entangled',
  'unsupported_media_type',
  'busy',
];
const CHANGE_ERRORS: readonly ErrorCode[] = ['rate_limited', 'busy'];
const KEY_ERRORS: readonly ErrorCode[] = ['key_reused'];

const ERROR_OBJECT: JsonSchema = {
  type: 'object',
  required: ['code', 'message', 'request_id'],
  additionalProperties: false,
  properties: {
    code: { type: 'string', description: 'Stable; for programs.' },
    message: { type: 'string', description: 'What was wrong and what to do next; for people and models.' },
    details: { type: 'object', additionalProperties: true },
    request_id: { type: 'string', description: 'The same as in the header X-Request-Id.' },
  },
};
const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: { error: ERROR_OBJECT },
};

/**
 * Returns the OpenAPI 3.1 description of the HTTP door, made from the route table and the operations' schemas.
 * @param hasMetrics whether the door has `/metrics`
 * @param isShared whether several servers share the vault
 */
export function openApi(
  routes: readonly Route[],
  version: string,
  { hasMetrics = false, isShared = false } = {},
): OpenApiDocument {
  const paths: Record<string, Json> = {
    '/health': { get: HEALTH },
    '/ready': { get: READY },
    '/proof': { get: PROOF },
    '/openapi.json': { get: DESCRIPTION },
  };
  const add = (path: string, method: string, described: Method): void => {
    const told = isShared ? withPositions(described) : described;
    paths[path] = { ...paths[path], [method]: told, ...(isShared && { parameters: [AFTER] }) };
  };
  for (const route of routes) add(route.path, route.method.toLowerCase(), describe(route));
  if (hasMetrics) add('/metrics', 'get', METRICS);
  add(MCP_PATH, 'post', MCP);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Brain Server',
      version,
      description: `A vault of Markdown notes as a curated memory. Contract ${API_VERSION}: within it, things are only added.`,
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA },
      headers: { ...HEADERS, ...(isShared && POSITIONS) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describe(route: Route): Method {
  const { operation, method, summary, tag } = route;
  const input = jsonSchema(operation.input, 'input');
  const isPost = method === 'POST';
  const isVersion = route.hasVersion === true || route.givesFile === true;
  const fields = [...fieldsOf(input).keys()];
  const { parameters, answerHeaders } = headersIn(route, isVersion);
  const errors = [
    ...INPUT_ERRORS,
    ...(route.givesFile === true ? [] : UNACCEPTED),
    ...fields.flatMap((name) => operation.codes?.[name] ?? CODE_OF_FIELD[name] ?? []),
    ...(route.errors ?? []),
    ...(isPost ? BODY_ERRORS : []),
    ...(operation.mutates ? CHANGE_ERRORS : []),
    ...(isKeptByKey(operation) ? KEY_ERRORS : []),
    ...SHARED_ERRORS,
  ];
  return {
    operationId: operation.name,
    summary,
    description: scopeSentence(operation),
    tags: [tag],
    ...((!isPost || parameters.length > 0) && { parameters }),
    ...(isPost && { requestBody: route.takesFile === true ? FILE_BODY : bodyOf(input) }),
    responses: {
      '200':
        route.givesFile === true
          ? FILE_ANSWER
          : answer('Done.', jsonSchema(operation.output, 'output'), answerHeaders),
      ...(isVersion && {
        '304': {
          description: 'The note or file is at a version that If-None-Match names.',
          headers: headersOf(['ETag']),
        },
      }),
      ...refusals(errors),
    },
  };
}

/** Returns true for an operation that answers a repeated call as the first one. */
function isKeptByKey({ keyed, mutates }: Operation): boolean {
  return keyed === undefined ? mutates : keyed === 'answer';
}

/** Returns the parameters of a route, and the further headers of its answer. */
function headersIn(
  { method, operation, takesFile }: Route,
  isVersion: boolean,
): { readonly parameters: readonly Json[]; readonly answerHeaders: readonly string[] } {
  const input = jsonSchema(operation.input, 'input');
  const takesJson = method === 'POST' && takesFile !== true;
  return {
    parameters: [
      ...(takesJson ? [] : parametersOf(input)),
      ...(takesJson && fieldsOf(input).has('expected_hash') ? [IF_MATCH] : []),
      ...(operation.mutates || operation.keyed !== undefined ? [KEY] : []),
      ...(isVersion ? [IF_NONE_MATCH] : []),
    ],
    answerHeaders: [
      ...(isVersion ? ['ETag'] : []),
      ...(isKeptByKey(operation) ? ['Idempotency-Replayed'] : []),
    ],
  };
}

const FILE_BODY: Json = {
  required: true,
  description: 'The bytes of the file. A form (multipart/form-data) is refused.',
  content: { 'application/octet-stream': { schema: {} } },
};
const FILE_ANSWER: Answer = {
  description: 'The bytes of the image.',
  headers: headersOf(['ETag']),
  content: { 'image/*': { schema: {} } },
};
const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'Means what "expected_hash" does: entity tags, one of which the note must have, or "*" for any note that is there. Else the answer is hash_mismatch.',
  schema: { type: 'string', examples: ['"<content_hash>"'] },
};
const KEY: Json = {
  name: KEY_HEADER,
  in: 'header',
  required: false,
  description:
    'Names this change, so that it can be asked for again when its answer was lost. For a day, a call with the same key, token, route and input is answered as the first was. With another input the answer is key_reused. A dry run passes over it.',
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
};
const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags that the caller has, or "*"; when the note or file has one of them the answer is 304 without a body.',
  schema: { type: 'string', examples: ['"<content_hash>"'] },
};

function scopeSentence({ scope, orScope, besides }: Operation): string {
  if (orScope !== undefined) return `Needs a token with the scope "${scope}" or "${orScope}".`;
  return besides === undefined
    ? `Needs a token with the scope "${scope}".`
    : `Needs a token with the scopes "${scope}" and "${besides}".`;
}

function bodyOf(input: JsonSchema): Json {
  const isRequired = (input.required ?? []).length > 0;
  return { required: isRequired, content: { 'application/json': { schema: input } } };
}

function parametersOf(input: JsonSchema): Json[] {
  return [...fieldsOf(input)].map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: input.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema,
  }));
}

/**
 * Returns one response for each status, including the server's own refusals; its description lists the codes of the status.
 */
function refusals(codes: readonly ErrorCode[], schema: JsonSchema = ERROR): Readonly<Record<string, Answer>> {
  const byStatus = new Map<number, Set<string>>();
  const refused = [...codes.map((code) => ({ status: HTTP_STATUS[code], code })), ...LISTEN_REFUSALS];
  for (const { status, code } of refused) {
    byStatus.set(status, (byStatus.get(status) ?? new Set<string>()).add(code));
  }
  const answers = [...byStatus].map(([status, shared]): [string, Answer] => [
    String(status),
    answer([...shared].join(', '), schema, EXTRA_HEADERS[status]),
  ]);
  return Object.fromEntries(answers);
}

function answer(description: string, schema: JsonSchema, more: readonly string[] = []): Answer {
  return { description, headers: headersOf(more), content: { 'application/json': { schema } } };
}

const ERROR: JsonSchema = { $ref: '#/components/schemas/Error' };

/** The response headers by name. */
const HEADERS: Json = {
  'X-Request-Id': { description: 'Names this answer, in the log too.', schema: { type: 'string' } },
  'X-Brain-API': { description: 'Version of the contract.', schema: { type: 'string', const: API_VERSION } },
  'Idempotency-Replayed': {
    description: '"true" when the answer is that of a former call with the key.',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'The content_hash in quotes.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait, when waiting helps.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'How to send a token.', schema: { type: 'string' } },
};

/** Where several servers share a vault: what a caller has seen at one of them, for its next request to any. */
const AFTER: Json = {
  name: 'X-Brain-After',
  in: 'header',
  required: false,
  description:
    'An X-Brain-Seq of any server of the vault: this one first reads the changes up to there, for at most two seconds. An answer that comes before that has X-Brain-Behind.',
  schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
};
/** The further headers of every answer to a known caller, where several servers share a vault. */
const POSITIONS: Json = {
  'X-Brain-Seq': {
    description:
      'The position of the changes that the answer goes by, those of the call included. A refusal before the token is looked at has none.',
    schema: { type: 'integer' },
  },
  'X-Brain-Behind': {
    description: 'The server has not read up to X-Brain-After in time, but up to here.',
    schema: { type: 'integer' },
  },
};

/** Adds the positions to all responses but the one to a caller whose token is refused. */
function withPositions(method: Method): Method {
  const positions = headersOf(Object.keys(POSITIONS));
  const told = Object.entries(method.responses).map(([status, response]): [string, Answer] => [
    status,
    status === '401' ? response : { ...response, headers: { ...response.headers, ...positions } },
  ]);
  return { ...method, responses: Object.fromEntries(told) };
}

/** The further headers of the responses of a status. */
const EXTRA_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function headersOf(more: readonly string[]): Json {
  const names = ['X-Request-Id', 'X-Brain-API', ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const HEALTH: Json = {
  operationId: 'health',
  summary: 'Whether the service is up',
  security: [],
  responses: {
    '200': answer('It is up; while "starting" it still reads the vault, or waits for its disk or database.', {
      type: 'object',
      required: ['status', 'version'],
      properties: { status: { type: 'string', enum: ['ok', 'starting'] }, version: { type: 'string' } },
    }),
    ...refusals(['forbidden_host', 'forbidden_origin', ...UNACCEPTED]),
    '503': answer('It cannot go on without a restart.', {
      type: 'object',
      required: ['status', 'version'],
      properties: { status: { const: 'failed' }, version: { type: 'string' } },
    }),
  },
};

const READY: Json = {
  operationId: 'ready',
  summary: 'Whether the service takes calls now, for a load balancer',
  description:
    'It does once every note has been read and every map of a wing is up to date, until it is asked to stop, and where the vault is in a database as long as that answers and acknowledges changes. Otherwise the error has the present reason.',
  security: [],
  responses: {
    '200': answer('It takes calls.', {
      type: 'object',
      required: ['ready'],
      properties: { ready: { const: true } },
    }),
    ...refusals(['forbidden_host', 'forbidden_origin', ...UNACCEPTED]),
    '503': answer(
      'It reads the vault, or waits for it, or stops, or its database does not answer or acknowledges nothing.',
      {
        type: 'object',
        required: ['ready', 'error'],
        additionalProperties: false,
        properties: { ready: { const: false }, error: ERROR_OBJECT },
      },
      ['Retry-After'],
    ),
  },
};

const PROOF: Json = {
  operationId: 'proof',
  summary: 'Whether this is a server of the configuration folder of the caller',
  description:
    'The command line asks before it sends a token of that folder. The proof is an HMAC-SHA-256, by a key of the folder, of the nonce and of the address and port at which the server sees the connection. A connection gets one.',
  security: [],
  parameters: [
    {
      name: 'nonce',
      in: 'query',
      required: true,
      description: '32 random bytes in base64url.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    },
  ],
  responses: {
    '200': answer('The proof.', {
      type: 'object',
      required: ['proof'],
      properties: {
        proof: { type: 'string', description: 'In base64url.' },
        vault: { type: 'string', description: 'The vault that is served; over the local socket alone.' },
      },
    }),
    ...refusals([
      'forbidden_host',
      'forbidden_origin',
      'invalid_field',
      'not_found',
      'rate_limited',
      ...UNACCEPTED,
    ]),
  },
};

const DESCRIPTION: Json = {
  operationId: 'openapi',
  summary: 'This description',
  security: [],
  responses: {
    '200': answer('An OpenAPI 3.1 document.', { type: 'object' }),
    ...refusals(['forbidden_host', 'forbidden_origin', ...UNACCEPTED]),
  },
};

const METRICS: Method = {
  operationId: 'metrics',
  summary: 'Counts and times of the service, for Prometheus',
  description: 'Needs a token with the scope "admin" and without limits.',
  responses: {
    '200': {
      description: 'The text format of Prometheus, version 0.0.4.',
      headers: headersOf([]),
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
    ...refusals([
      'unauthorized',
      'forbidden_host',
      'forbidden_origin',
      'forbidden_scope',
      'internal',
      ...UNACCEPTED,
    ]),
  },
};

const MCP: Method = {
  operationId: 'mcp',
  summary: 'The Model Context Protocol: JSON-RPC over Streamable HTTP',
  description:
    'For MCP clients. Refusals of the transport are JSON-RPC errors whose `data` is the error object of the other routes.',
  requestBody: { required: true, content: { 'application/json': { schema: {} } } },
  responses: {
    '200': {
      description: 'A JSON-RPC answer, as JSON or as a stream of events.',
      headers: headersOf([]),
      content: { 'application/json': { schema: {} }, 'text/event-stream': { schema: { type: 'string' } } },
    },
    '202': { description: 'A notification was taken.', headers: headersOf([]) },
    ...refusals(
      [...BODY_ERRORS, 'unauthorized', 'forbidden_host', 'forbidden_origin', 'internal', 'starting'],
      {},
    ),
    '404': answer('The revision that the request names has no such method.', {}),
    '406': answer('Accept takes neither application/json nor text/event-stream.', {}),
  },
};
