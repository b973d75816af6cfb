import { backfillRefs } from '../core/ingest/backfill-refs';
import { ingestInbox, retryQuarantined } from '../core/ingest/inbox-operations';
import { ingestPages } from '../core/ingest/ingest-pages';
import { ingestPath } from '../core/ingest/ingest-path';
import { ingestText } from '../core/ingest/ingest-text';
import { cancelJob, followJob } from '../core/ingest/job-operations';
import { reExtract } from '../core/ingest/re-extract';
import type { ErrorCode } from '../core/errors';
import { MIB } from '../core/rules/json-bytes';
import type { Route } from './route';

/** Whole documents and batches of pages come through these. */
const INGEST_BODY_LIMIT = 32 * MIB;

/** The routes whose work takes text and files in, some of it as a job that outlives the call. */
const WORK_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/ingest',
    operation: ingestText,
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Turn text into notes',
    errors: ['empty_content', 'invalid_frontmatter', 'invalid_wing', 'invalid_hall'],
  },
  {
    method: 'POST',
    path: '/ingest-path',
    operation: ingestPath,
    tag: 'ingest',
    summary: 'Turn a file or a folder into notes',
    errors: [
      'invalid_wing',
      'invalid_hall',
      'path_not_allowed',
      'source_missing',
      'unsupported_type',
      'no_text',
      'converter_error',
    ],
  },
  {
    method: 'POST',
    path: '/ingest-raw',
    operation: ingestPages,
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Take a batch of pages that are already structured',
    errors: ['invalid_wing', 'invalid_hall'],
  },
  {
    method: 'POST',
    path: '/backfill-refs',
    operation: backfillRefs,
    tag: 'ingest',
    summary: 'Add source references to existing notes',
    errors: ['invalid_wing', 'invalid_hall'],
  },
  {
    method: 'POST',
    path: '/re-extract',
    operation: reExtract,
    tag: 'ingest',
    summary: 'Have the language model make the pages of a queued note that was taken in as it is',
    errors: [
      'path_not_allowed',
      'not_in_queue',
      'source_missing',
      'hash_mismatch',
      'unsupported_type',
      'no_text',
      'converter_error',
      'llm_error',
    ],
  },
  {
    method: 'POST',
    path: '/inbox/ingest',
    operation: ingestInbox,
    tag: 'ingest',
    summary: 'Take in the files that stood in the inbox before it was watched',
  },
  {
    method: 'POST',
    path: '/quarantine/retry',
    operation: retryQuarantined,
    tag: 'ingest',
    summary: 'Try a quarantined file again',
    errors: ['path_not_allowed', 'source_missing'],
  },
];

/** Whoever asks for the outcome of a job is told what its work failed with. */
const JOB_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'busy',
  'too_large',
  ...WORK_ROUTES.flatMap(({ errors = [] }) => errors),
];

/** The routes that bring text and files in. */
export const INGEST_ROUTES: readonly Route[] = [
  ...WORK_ROUTES,
  {
    method: 'GET',
    path: '/job',
    operation: followJob,
    tag: 'ingest',
    summary: 'Ask how far a long ingest is, or for its outcome',
    errors: JOB_ERRORS,
  },
  {
    method: 'DELETE',
    path: '/job',
    operation: cancelJob,
    tag: 'ingest',
    summary: 'Cancel a long ingest; what it has written stands',
    errors: JOB_ERRORS,
  },
];
