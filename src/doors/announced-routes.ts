import type { Scope } from '../core/caller';
import type { Operation } from '../core/operation';
import { MIB } from './body';
import { refusing, type Route } from './route';

/** Whole documents and batches of pages come through these. */
const INGEST_BODY_LIMIT = 32 * MIB;

/** The routes that bring text and files in: announced, and refusing until they are there. */
export const INGEST_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/ingest',
    operation: notYet('ingest', 'propose', 'Ingesting text'),
    refusal: 'not_implemented',
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Turn text into notes',
  },
  {
    method: 'POST',
    path: '/ingest-path',
    operation: notYet('ingest_path', 'propose', 'Ingesting files'),
    refusal: 'not_implemented',
    tag: 'ingest',
    summary: 'Turn a file or a folder into notes',
  },
  {
    method: 'POST',
    path: '/ingest-raw',
    operation: notYet('ingest_raw', 'propose', 'Ingesting pages'),
    refusal: 'not_implemented',
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Take a batch of pages that are already structured',
  },
  {
    method: 'GET',
    path: '/job',
    operation: notYet('job', 'read', 'Following a job'),
    refusal: 'not_implemented',
    tag: 'ingest',
    summary: 'Ask how far a long ingest is',
  },
  {
    method: 'DELETE',
    path: '/job',
    operation: notYet('cancel_job', 'read', 'Cancelling a job'),
    refusal: 'not_implemented',
    tag: 'ingest',
    summary: 'Cancel a long ingest',
  },
  {
    method: 'POST',
    path: '/quarantine/retry',
    operation: notYet('retry_quarantined', 'admin', 'Retrying quarantined files'),
    refusal: 'not_implemented',
    tag: 'ingest',
    summary: 'Try a quarantined file again',
  },
  {
    method: 'POST',
    path: '/backfill-refs',
    operation: notYet('backfill_refs', 'write', 'Adding source references to existing notes'),
    refusal: 'not_implemented',
    tag: 'ingest',
    summary: 'Add source references to existing notes',
  },
];

function notYet(name: string, scope: Scope, what: string): Operation {
  const message = `${what} is not possible with this version yet. Nothing was changed.`;
  return refusing(name, scope, 'not_implemented', message);
}
