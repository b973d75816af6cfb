import { answerNotes } from '../core/answer/answer-notes';
import { fileAnswer } from '../core/answer/file-answer';
import { listAudit } from '../core/audit/list-audit';
import { verifyAudit } from '../core/audit/verify-audit';
import { capture } from '../core/notes/capture';
import { editRoot } from '../core/notes/edit-root';
import { getNote } from '../core/notes/get-note';
import { history } from '../core/notes/history';
import { indexWings } from '../core/notes/index-wings';
import { listWings } from '../core/notes/list-wings';
import { overview } from '../core/notes/overview';
import { revision } from '../core/notes/revision';
import { status } from '../core/notes/status';
import { updateNote } from '../core/notes/update-note';
import { writeNote } from '../core/notes/write-note';
import { gateReport } from '../core/review/gate-report';
import { listPending } from '../core/review/list-pending';
import { promoteNote } from '../core/review/promote-note';
import { rebuildTunnels } from '../core/review/rebuild-tunnels';
import { rejectNote } from '../core/review/reject-note';
import { restoreNote } from '../core/review/restore-note';
import { unpromoteNote } from '../core/review/unpromote-note';
import { queryNotes } from '../core/search/query-notes';
import { listUndos } from '../core/undo/list-undos';
import { takeBackUndo } from '../core/undo/take-back-undo';
import { undoWriter } from '../core/undo/undo-writer';
import { logSession } from '../core/sessions/log-session';
import { passRate } from '../core/sessions/pass-rate';
import { backfillEmbeddings, cancelBackfill } from '../core/vectors/backfill-embeddings';
import { INGEST_ROUTES } from './ingest-routes';
import type { Route } from './route';

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
