import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HTTP_STATUS } from '../../../src/doors/http/errors';
import { openApi } from '../../../src/doors/http/openapi';
import { ROUTES } from '../../../src/doors/http/routes';
import { FAKE_ROUTES } from '../http-support';

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
  const names = ['X-Request-Id', 'X-Brain-API', 'ETag', 'Retry-After', 'WWW-Authenticate', ...more];
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

it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s has the statuses of its codes',
  (_name, route) => {
    const described = statusesOf(route.method, route.path);
    const expected = new Set(['200', '400', '401', '403', '500', '503', ...OF_THE_SERVER]);
    if (route.hasVersion === true || route.givesFile === true) expected.add('304');
    if (route.givesFile !== true) expected.add('406');
    if (route.method === 'POST') ['413', '415'].forEach((status) => expected.add(status));
    if (route.operation.mutates) expected.add('429');
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
  expect(both).toEqual(['POST /answer/file', 'POST /undo', 'POST /undo/back']);
  expect(document.paths['/undo']).toMatchObject({
    post: { description: 'Needs a token with the scopes "admin" and "review".' },
    get: { description: 'Needs a token with the scope "admin".' },
  });
});
