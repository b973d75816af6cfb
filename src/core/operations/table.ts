import { fileAnswer } from '../answer/file';
import { answerNotes } from '../answer/operation';
import { listAudit } from '../audit/list';
import { verifyAudit } from '../audit/verify';
import type { ErrorCode } from '../base/errors';
import { MIB } from '../base/hash';
import { ingestInbox, retryQuarantined } from '../inbox/operations';
import { backfillRefs } from '../ingest/backfill-refs';
import { cancelJob, followJob, ingestPages, ingestPath, ingestText } from '../ingest/operations';
import { reExtract } from '../ingest/re-extract';
import { capture } from '../notes/capture';
import { getNote } from '../notes/get';
import { history } from '../notes/history';
import { editRoot } from '../notes/root';
import { updateNote } from '../notes/update';
import { writeNote } from '../notes/write';
import type { Operation } from '../operation/operation';
import { gateReport } from '../review/gate-report';
import { listPending } from '../review/pending';
import { promoteNote } from '../review/promote';
import { rejectNote } from '../review/reject';
import { restoreNote, unpromoteNote } from '../review/return';
import { rebuildTunnels } from '../review/tunnels';
import { backfillEmbeddings, cancelBackfill } from '../search/backfill';
import { queryNotes } from '../search/query';
import { logSession } from '../sessions/log';
import { passRate } from '../sessions/pass-rate';
import { overview } from '../status/overview';
import { revision } from '../status/revision';
import { status } from '../status/status';
import { listUndos } from '../undo/record';
import { takeBackUndo } from '../undo/redo';
import { undoWriter } from '../undo/undo';
import { indexWings, listWings } from '../wings/operations';
import type { Operations } from './client';

const METHODS = ['GET', 'POST', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

const TAGS = ['search', 'notes', 'review', 'ingest', 'sessions', 'owner'] as const;
type Tag = (typeof TAGS)[number];

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
const INGEST_ROUTES: readonly Route[] = [
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

/** Every HTTP route that needs a token, in the order in which the API description shows them. */
export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/query',
    operation: queryNotes,
    tag: 'search',
    summary: 'Search the notes',
    errors: ['empty_query', 'invalid_wing', 'invalid_hall'],
  },
  {
    method: 'POST',
    path: '/answer',
    operation: answerNotes,
    tag: 'search',
    summary: 'Answer a question from the notes, with quotes',
    errors: ['empty_query', 'invalid_wing', 'invalid_hall'],
  },
  {
    method: 'POST',
    path: '/answer/file',
    operation: fileAnswer,
    tag: 'search',
    summary: 'Put an answer with its quotes into the review queue',
    errors: ['empty_query', 'empty_content', 'path_not_allowed', 'note_not_found'],
  },
  {
    method: 'POST',
    path: '/write',
    operation: writeNote,
    tag: 'notes',
    summary: 'Write a new note',
    errors: [
      'empty_content',
      'invalid_frontmatter',
      'invalid_wing',
      'invalid_hall',
      'wing_and_hall_required_together',
      'invalid_filename',
      'invalid_envelope',
      'invalid_source_type',
      'note_exists',
      'hash_mismatch',
      'locked',
    ],
  },
  {
    method: 'POST',
    path: '/update',
    operation: updateNote,
    tag: 'notes',
    summary: 'Replace what a note says and keep its former state',
    errors: [
      'empty_content',
      'invalid_frontmatter',
      'invalid_wing',
      'invalid_hall',
      'invalid_slug',
      'wing_and_hall_required_together',
      'invalid_envelope',
      'path_not_allowed',
      'in_queue',
      'note_not_found',
      'hash_mismatch',
      'locked',
    ],
  },
  {
    method: 'POST',
    path: '/capture',
    operation: capture,
    tag: 'notes',
    summary: 'Write down a thought; the file name never collides',
    errors: ['empty_content', 'invalid_frontmatter', 'invalid_wing', 'invalid_hall'],
  },
  {
    method: 'GET',
    path: '/note',
    operation: getNote,
    tag: 'notes',
    summary: 'Read a note with its content hash and its neighbours',
    hasVersion: true,
    errors: [
      'invalid_wing',
      'invalid_hall',
      'invalid_slug',
      'wing_and_hall_required_together',
      'path_not_allowed',
      'unsupported_type',
      'note_not_found',
    ],
  },
  {
    method: 'GET',
    path: '/history',
    operation: history,
    tag: 'notes',
    summary: 'List the former versions of a note, or read one',
    errors: ['path_not_allowed', 'note_not_found'],
  },
  {
    method: 'GET',
    path: '/wings',
    operation: listWings,
    tag: 'notes',
    summary: 'List the wings with their halls',
  },
  {
    method: 'GET',
    path: '/overview',
    operation: overview,
    tag: 'notes',
    summary: 'What the brain holds, how it grows, what waits and who wrote',
  },
  {
    method: 'GET',
    path: '/revision',
    operation: revision,
    tag: 'notes',
    summary: 'Ask whether anything has changed since the last look',
  },
  {
    method: 'POST',
    path: '/index',
    operation: indexWings,
    tag: 'notes',
    summary: 'Rebuild the index note of one wing or of all',
    errors: ['invalid_wing'],
  },
  {
    method: 'POST',
    path: '/tunnels',
    operation: rebuildTunnels,
    tag: 'notes',
    summary: 'Dig the tunnels of promoted notes anew',
    errors: ['invalid_wing'],
  },
  {
    method: 'GET',
    path: '/pending',
    operation: listPending,
    tag: 'review',
    summary: 'List the notes that await review, oldest first',
    errors: ['path_not_allowed'],
  },
  {
    method: 'GET',
    path: '/gate',
    operation: gateReport,
    tag: 'review',
    summary: 'What the gate finds in a note that awaits review',
    errors: ['path_not_allowed', 'unsupported_type', 'not_in_queue', 'source_missing'],
  },
  {
    method: 'POST',
    path: '/promote',
    operation: promoteNote,
    tag: 'review',
    summary: 'Move a reviewed note into the wiki',
    errors: [
      'invalid_wing',
      'invalid_hall',
      'invalid_slug',
      'invalid_frontmatter',
      'path_not_allowed',
      'not_in_queue',
      'source_missing',
      'destination_exists',
      'hash_mismatch',
    ],
  },
  {
    method: 'POST',
    path: '/reject',
    operation: rejectNote,
    tag: 'review',
    summary: 'Decline a note of the review queue',
    errors: ['path_not_allowed', 'invalid_frontmatter', 'not_in_queue', 'source_missing', 'hash_mismatch'],
  },
  {
    method: 'POST',
    path: '/restore',
    operation: restoreNote,
    tag: 'review',
    summary: 'Put a declined note back into the review queue',
    errors: ['path_not_allowed', 'invalid_frontmatter', 'not_in_queue', 'source_missing'],
  },
  {
    method: 'POST',
    path: '/unpromote',
    operation: unpromoteNote,
    tag: 'review',
    summary: 'Take a promoted note back into the review queue',
    errors: ['path_not_allowed', 'invalid_frontmatter', 'not_in_queue', 'source_missing'],
  },
  ...INGEST_ROUTES,
  {
    method: 'POST',
    path: '/backfill-embeddings',
    operation: backfillEmbeddings,
    tag: 'search',
    summary: 'Bring the embeddings up to date',
    errors: ['hybrid_not_configured'],
  },
  {
    method: 'POST',
    path: '/backfill-embeddings/cancel',
    operation: cancelBackfill,
    tag: 'search',
    summary: 'Stop the sync of the embeddings that runs',
    errors: ['hybrid_not_configured'],
  },
  {
    method: 'GET',
    path: '/pass-rate',
    operation: passRate,
    tag: 'sessions',
    summary: 'Count how often skills passed',
    errors: ['invalid_window'],
  },
  {
    method: 'POST',
    path: '/sessions',
    operation: logSession,
    tag: 'sessions',
    summary: 'Append session records',
  },
  {
    method: 'POST',
    path: '/edit-root',
    operation: editRoot,
    tag: 'owner',
    summary: 'Rewrite the root guidance note',
    errors: ['empty_content', 'invalid_frontmatter', 'hash_mismatch', 'locked'],
  },
  {
    method: 'GET',
    path: '/audit',
    operation: listAudit,
    tag: 'owner',
    summary: 'List the tool calls of agents',
    errors: ['path_not_allowed'],
  },
  {
    method: 'GET',
    path: '/audit/verify',
    operation: verifyAudit,
    tag: 'owner',
    summary: 'Follow the chain of the audit log',
  },
  {
    method: 'POST',
    path: '/undo',
    operation: undoWriter,
    tag: 'owner',
    summary: 'Take back what a writer has done since a time',
    errors: ['hash_mismatch', 'unsupported_type', 'destination_exists', 'source_missing'],
  },
  { method: 'GET', path: '/undo', operation: listUndos, tag: 'owner', summary: 'List what was undone' },
  {
    method: 'POST',
    path: '/undo/back',
    operation: takeBackUndo,
    tag: 'owner',
    summary: 'Take an undo back',
    errors: ['note_not_found', 'hash_mismatch', 'unsupported_type', 'destination_exists', 'source_missing'],
  },
  { method: 'GET', path: '/status', operation: status, tag: 'owner', summary: 'How the service is doing' },
];

/** The operations that the screens may ask for in this process; the web page reaches the same ones over HTTP. */
export const OPERATIONS: Operations = {
  audit: listAudit,
  verifyAudit,
  note: getNote,
  history,
  index: indexWings,
  tunnels: rebuildTunnels,
  wings: listWings,
  overview,
  status,
  capture,
  update: updateNote,
  write: writeNote,
  gate: gateReport,
  pending: listPending,
  promote: promoteNote,
  reject: rejectNote,
  restore: restoreNote,
  unpromote: unpromoteNote,
  query: queryNotes,
  answer: answerNotes,
  fileAnswer,
  backfill: backfillEmbeddings,
  cancelBackfill,
  passRate,
  ingest: ingestText,
  ingestPath,
  reExtract,
  backfillRefs,
  job: followJob,
  cancelJob,
  ingestInbox,
  retryQuarantined,
  undo: undoWriter,
  undos: listUndos,
  undoBack: takeBackUndo,
};
