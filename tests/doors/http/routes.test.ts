import { type Scope, SCOPES } from '../../../src/core/access/tokens';
import { ERROR_CODES } from '../../../src/core/base/errors';
import { MIB } from '../../../src/core/base/hash';
import { DESCRIPTORS } from '../../../src/core/operation/descriptors';
import { perform } from '../../../src/core/operation/operation';
import { OPERATIONS } from '../../../src/core/registry/table';
import { HTTP_STATUS } from '../../../src/doors/http/errors';
import { ROUTES } from '../../../src/doors/http/routes';
import { refusalOf } from '../../support/refusal';
import { fakeBrain } from '../http-support';

/** The whole table as a reader of the API would want it: what is asked, and what a token needs for it. */
const EXPECTED: readonly (readonly [route: string, scope: Scope, mutates: boolean])[] = [
  ['POST /query', 'read', false],
  ['POST /answer', 'read', false],
  ['POST /answer/file', 'propose', true],
  ['POST /write', 'propose', true],
  ['POST /update', 'write', true],
  ['POST /capture', 'propose', true],
  ['GET /note', 'read', false],
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
  ['POST /promote', 'review', true],
  ['POST /reject', 'review', true],
  ['POST /restore', 'review', true],
  ['POST /adopt', 'review', true],
  ['POST /unpromote', 'review', true],
  ['POST /replace', 'review', true],
  ['POST /confirm', 'review', true],
  ['POST /move', 'review', true],
  ['POST /snooze', 'review', true],
  ['GET /rules', 'review', false],
  ['POST /rules', 'review', true],
  ['POST /ingest', 'propose', true],
  ['POST /ingest-file', 'propose', true],
  ['POST /ingest-batch', 'propose', false],
  ['DELETE /ingest-batch', 'propose', false],
  ['POST /ingest-batch/file', 'propose', false],
  ['POST /ingest-batch/done', 'propose', true],
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
  ['GET /pass-rate', 'read', false],
  ['POST /sessions', 'write', true],
  ['POST /edit-root', 'admin', true],
  ['GET /audit', 'admin', false],
  ['GET /audit/verify', 'admin', false],
  ['GET /decisions', 'read', false],
  ['POST /undo', 'admin', true],
  ['GET /undo', 'admin', false],
  ['POST /undo/back', 'admin', true],
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
    const without = new Set(SCOPES.filter((scope) => scope !== operation.scope && scope !== 'write'));
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
