import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Scope, SCOPES } from '../../../src/core/access/tokens';
import { ERROR_CODES } from '../../../src/core/base/errors';
import { MIB } from '../../../src/core/base/hash';
import { DESCRIPTORS } from '../../../src/core/operation/descriptors';
import { perform } from '../../../src/core/operation/operation';
import { OPERATIONS } from '../../../src/core/registry/table';
import { HTTP_STATUS } from '../../../src/doors/http/errors';
import { openApi } from '../../../src/doors/http/openapi';
import { ROUTES } from '../../../src/doors/http/routes';
import { refusalOf } from '../../support/refusal';
import { FAKE_ROUTES, fakeBrain } from '../http-support';

/** The whole table as a reader of the API would want it: what is asked, and what a token needs for it. */
const EXPECTED: readonly (readonly [route: string, scope: Scope, mutates: boolean])[] = [
  ['POST /query', 'read', false],
  ['POST /answer', 'read', false],
  ['GET /context', 'read', false],
  ['POST /answer/file', 'propose', true],
  ['POST /write', 'propose', true],
  ['POST /update', 'propose', true],
  ['POST /edit', 'propose', true],
  ['POST /capture', 'propose', true],
  ['GET /note', 'read', false],
  ['GET /neighbours', 'read', false],
  ['GET /file', 'read', false],
  ['GET /history', 'read', false],
  ['GET /notes', 'read', false],
  ['GET /wings', 'read', false],
  ['GET /overview', 'read', false],
  ['GET /revision', 'read', false],
  ['POST /index', 'write', true],
  ['POST /tunnels', 'write', true],
  ['GET /pending', 'read', false],
  ['GET /gate', 'read', false],
  ['GET /sent', 'review', false],
  ['POST /promote', 'review', true],
  ['POST /reject', 'review', true],
  ['POST /withdraw', 'propose', true],
  ['POST /restore', 'review', true],
  ['POST /adopt', 'review', true],
  ['POST /unpromote', 'review', true],
  ['POST /replace', 'review', true],
  ['POST /confirm', 'review', true],
  ['POST /move', 'review', true],
  ['POST /snooze', 'review', true],
  ['POST /mend-links', 'review', true],
  ['GET /rules', 'review', false],
  ['POST /rules', 'review', true],
  ['POST /ingest', 'propose', true],
  ['POST /ingest-file', 'propose', true],
  ['POST /ingest-batch', 'propose', false],
  ['DELETE /ingest-batch', 'propose', false],
  ['POST /ingest-batch/file', 'propose', false],
  ['POST /ingest-batch/done', 'propose', true],
  ['POST /imports', 'write', false],
  ['GET /imports', 'read', false],
  ['POST /imports/adopt', 'review', true],
  ['POST /imports/take-back', 'write', true],
  ['POST /ingest-path', 'propose', true],
  ['POST /ingest-raw', 'propose', true],
  ['POST /backfill-refs', 'write', true],
  ['POST /re-extract', 'write', true],
  ['POST /inbox/ingest', 'admin', true],
  ['POST /quarantine/retry', 'admin', true],
  ['GET /job', 'propose', false],
  ['DELETE /job', 'propose', false],
  ['POST /backfill-embeddings', 'write', false],
  ['POST /backfill-embeddings/cancel', 'write', false],
  ['POST /attachments', 'admin', false],
  ['GET /pass-rate', 'read', false],
  ['POST /sessions', 'write', true],
  ['POST /edit-root', 'admin', true],
  ['GET /audit', 'admin', false],
  ['GET /audit/verify', 'admin', false],
  ['GET /decisions', 'read', false],
  ['POST /undo', 'admin', true],
  ['GET /undo', 'admin', false],
  ['POST /undo/back', 'admin', true],
  ['POST /forget', 'review', true],
  ['GET /status', 'admin', false],
];

it('is the table of the API', () => {
  const table = ROUTES.map(({ method, path, operation }) => [
    `${method} ${path}`,
    operation.scope,
    operation.mutates,
  ]);
  expect(table).toEqual(EXPECTED);
  const routed = ROUTES.map(({ method, path, operation }) => ({ method, path, operation }));
  const operations = Object.values(OPERATIONS);
  expect(routed).toMatchObject(
    Object.values(DESCRIPTORS).map(({ method, path }, at) => ({ method, path, operation: operations[at] })),
  );
});

it('has every endpoint of the specification', () => {
  const specified = [
    'POST /query',
    'POST /write',
    'POST /ingest',
    'POST /ingest-path',
    'POST /ingest-raw',
    'POST /backfill-refs',
    'POST /index',
    'GET /pending',
    'POST /promote',
    'POST /backfill-embeddings',
    'GET /pass-rate',
  ];
  const there = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(specified.filter((route) => !there.includes(route))).toEqual([]);
});

it('changes nothing by GET', () => {
  expect(ROUTES.filter(({ method, operation }) => method === 'GET' && operation.mutates)).toEqual([]);
});

it('refuses unknown fields wherever an operation is there', () => {
  const lax = ROUTES.filter(({ operation }) => {
    const parsed = operation.input.safeParse({ no_such_field: 1 });
    return !parsed.error?.issues.some(({ code }) => code === 'unrecognized_keys');
  });
  expect(lax.map(({ path }) => path)).toEqual([]);
});

it('allows larger bodies for texts and batches only', () => {
  const larger = ROUTES.filter(({ bodyLimit }) => bodyLimit !== undefined);
  expect(larger.map(({ path, bodyLimit }) => [path, bodyLimit])).toEqual([
    ['/ingest', 32 * MIB],
    ['/ingest-raw', 32 * MIB],
  ]);
});

it.each(ROUTES.map(({ method, path, operation }) => [`${method} ${path}`, operation] as const))(
  '%s wants its scope',
  async (_path, operation) => {
    const { brain } = fakeBrain();
    const without = new Set(
      SCOPES.filter((scope) => ![operation.scope, operation.orScope, 'write'].includes(scope)),
    );
    const caller = { origin: 'http', name: 'a', human: false, scopes: without } as const;
    expect((await refusalOf(perform(brain, operation, {}, caller))).code).toBe('forbidden_scope');
  },
);

it.each(ROUTES.map(({ method, path, operation }) => [`${method} ${path}`, operation] as const))(
  '%s refuses a token that lacks one of the scopes it needs, and names that one',
  async (_path, operation) => {
    const { brain } = fakeBrain();
    const needed = [operation.scope, ...(operation.besides === undefined ? [] : [operation.besides])];
    for (const lacking of needed) {
      const scopes = new Set<Scope>(needed.filter((scope) => scope !== lacking));
      const caller = { origin: 'http', name: 'a', human: false, scopes } as const;
      const { code, message } = await refusalOf(perform(brain, operation, {}, caller));
      expect([code, message]).toEqual(['forbidden_scope', expect.stringContaining(`"${lacking}"`)]);
    }
  },
);

it('has a status for every code, and keeps the ones that the specification names', () => {
  expect(Object.keys(HTTP_STATUS).sort()).toEqual([...ERROR_CODES].sort());
  const named = {
    empty_query: 400,
    source_missing: 400,
    destination_exists: 400,
    invalid_hall: 400,
    note_not_found: 404,
    note_exists: 409,
    internal: 500,
  };
  expect(HTTP_STATUS).toMatchObject(named);
});

/** The validator is an ES module, which Jest's loader cannot take: it runs in a Node of its own. */
const VALIDATE = `
  import { Validator } from '@seriousme/openapi-schema-validator';
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  console.log(JSON.stringify(await new Validator().validate(JSON.parse(text))));
`;

async function validate(document: object): Promise<unknown> {
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '-e', VALIDATE]);
  running.child.stdin?.end(JSON.stringify(document));
  const { stdout } = await running;
  const result: unknown = JSON.parse(stdout);
  return result;
}

const document = openApi(ROUTES, '1.2.3');

it('is valid OpenAPI 3.1', async () => {
  expect(await validate(document)).toEqual({ valid: true });
});

it('would be told when it were not valid', async () => {
  expect(await validate({ ...document, paths: { nowhere: {} } })).toMatchObject({ valid: false });
});

it('describes every route and the open ones, and no other', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const there = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(
    [...there, 'GET /health', 'GET /ready', 'GET /proof', 'GET /openapi.json', 'POST /mcp'].sort(),
  );
});

it('gives every operation a name of its own', () => {
  const text = JSON.stringify(document.paths);
  const names = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name);
  expect(names).toHaveLength(ROUTES.length + 5);
  expect(new Set(names).size).toBe(names.length);
});

const shared = openApi(ROUTES, '1.2.3', { hasMetrics: true, isShared: true });

it('is valid for a vault that several servers share, and names the positions', async () => {
  expect(await validate(shared)).toEqual({ valid: true });
  const names = (item: object) => JSON.stringify(Object(item).parameters ?? []).includes('X-Brain-After');
  const open = Object.keys(shared.paths).filter((path) => !names(Object(shared.paths[path])));
  expect(open).toEqual(['/health', '/ready', '/proof', '/openapi.json']);
  expect(JSON.stringify(document)).not.toContain('X-Brain-After');
});

it.each([
  ['', document, []],
  [' where several servers share a vault', shared, ['X-Brain-Seq', 'X-Brain-Behind']],
])('refers to what it holds, and to nothing else%s', (_, described, more) => {
  const targets = [...JSON.stringify(described).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target);
  const names = [
    'X-Request-Id',
    'X-Brain-API',
    'Idempotency-Replayed',
    'ETag',
    'Retry-After',
    'WWW-Authenticate',
    ...more,
  ];
  const headers = names.map((name) => `#/components/headers/${name}`);
  expect(new Set(targets)).toEqual(new Set(['#/components/schemas/Error', ...headers]));
  expect(Object.keys(Object(described.components.headers))).toEqual(names);
});

it('has positions in every answer to a caller with a token, where several servers share a vault', () => {
  const without = new Set<string>();
  for (const [path, methods] of Object.entries(shared.paths)) {
    for (const method of Object.values(methods)) {
      const responses = Object.entries<{ headers: object }>(Object(method).responses ?? {});
      for (const [status, { headers }] of responses)
        if (!('X-Brain-Seq' in headers && 'X-Brain-Behind' in headers))
          without.add(status === '401' ? status : path);
    }
  }
  expect([...without].sort()).toEqual(['/health', '/openapi.json', '/proof', '/ready', '401']);
});

const HEADERS_OF_ALL = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
  'X-Brain-API': { $ref: '#/components/headers/X-Brain-API' },
};

it('describes a route with all that a client needs', () => {
  const { paths } = openApi(FAKE_ROUTES, '1.2.3');
  expect(paths['/find']).toEqual({
    get: {
      operationId: 'find',
      summary: 'Find',
      description: 'Needs a token with the scope "read".',
      tags: ['search'],
      parameters: [
        { name: 'text', in: 'query', required: true, schema: { type: 'string' } },
        {
          name: 'limit',
          in: 'query',
          required: false,
          description: 'Most results',
          schema: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        },
        { name: 'share', in: 'query', required: false, schema: { type: 'number' } },
        { name: 'deep', in: 'query', required: false, schema: { type: 'boolean' } },
        { name: 'kind', in: 'query', required: false, schema: { type: 'string', enum: ['a', 'b'] } },
      ],
      responses: expect.objectContaining({
        '200': {
          description: 'Done.',
          headers: HEADERS_OF_ALL,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['input'],
                additionalProperties: false,
                properties: { input: { type: 'object', properties: {}, additionalProperties: {} } },
              },
            },
          },
        },
        '404': {
          description: 'note_not_found',
          headers: HEADERS_OF_ALL,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      }),
    },
  });
});

it('takes a key at every route that changes something, and at no other', () => {
  const takes = ROUTES.filter(({ method, path }) =>
    JSON.stringify(Object(document.paths[path])[method.toLowerCase()]).includes('Idempotency-Key'),
  );
  const changes = Object.values(DESCRIPTORS).filter(({ effect }) => effect === 'change');
  const named = (routes: readonly { readonly method: string; readonly path: string }[]) =>
    routes.map(({ method, path }) => `${method} ${path}`).sort();
  expect(named(takes)).toEqual(named(changes));
});

it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s has the statuses of its codes',
  (_name, route) => {
    const described = statusesOf(route.method, route.path);
    const expected = new Set(['200', '400', '401', '403', '500', '503', ...OF_THE_SERVER]);
    if (route.hasVersion === true || route.givesFile === true) expected.add('304');
    if (route.givesFile !== true) expected.add('406');
    if (route.method === 'POST') ['413', '415'].forEach((status) => expected.add(status));
    const { mutates, keyed } = route.operation;
    if (mutates) expected.add('429');
    if (keyed === 'answer' || (mutates && keyed === undefined)) expected.add('409');
    for (const code of route.errors ?? []) expected.add(String(HTTP_STATUS[code]));
    expect(new Set(described)).toEqual(expected);
  },
);

/** What any request may meet, for which nobody can tell yet where it is going. */
const OF_THE_SERVER = ['408', '417', '431', '505'];

it.each(['/openapi.json'])('%s has no more statuses than anyone may meet there', (path) => {
  expect(statusesOf('get', path).sort()).toEqual(['200', '400', '403', '406', ...OF_THE_SERVER].sort());
});

it.each(['/health', '/ready'])('%s has the status of a server that takes no calls beside these', (path) => {
  const expected = ['200', '400', '403', '406', '503', ...OF_THE_SERVER];
  expect(statusesOf('get', path).sort()).toEqual(expected.sort());
});

it('/mcp has every status with which its transport answers', () => {
  const refused = ['400', '401', '403', '404', '406', '413', '415', '500', '503', ...OF_THE_SERVER];
  expect(statusesOf('post', '/mcp').sort()).toEqual(['200', '202', ...refused].sort());
});

function statusesOf(method: string, path: string): string[] {
  const found: unknown = document.paths[path]?.[method.toLowerCase()];
  if (typeof found !== 'object' || found === null || !('responses' in found))
    throw new Error('not described');
  return Object.keys(found.responses ?? {});
}

it('names every scope that a route needs', () => {
  const needs = ROUTES.map(
    ({ method, path }) => Object(document.paths[path])[method.toLowerCase()].description,
  );
  const both = ROUTES.filter((_, index) => / and "/.test(needs[index])).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect(both).toEqual([
    'POST /answer/file',
    'POST /edit',
    'GET /sent',
    'POST /undo',
    'POST /undo/back',
    'POST /forget',
  ]);
  expect(document.paths['/undo']).toMatchObject({
    post: { description: 'Needs a token with the scopes "admin" and "review".' },
    get: { description: 'Needs a token with the scope "admin".' },
  });
});
