import type { ErrorCode } from '../../core/base/errors';
import { MIB } from '../../core/base/hash';
import { type Descriptor, DESCRIPTORS, type OperationName } from '../../core/operation/descriptors';
import type { Operation } from '../../core/operation/operation';
import { OPERATIONS } from '../../core/registry/table';

export type Method = 'GET' | 'POST' | 'DELETE';

type Tag = 'search' | 'notes' | 'review' | 'ingest' | 'sessions' | 'owner';

/** The largest JSON body (bytes), unless the route has its own limit. */
export const BODY_LIMIT = 8 * MIB;

/**
 * A route. A POST route takes its input from the JSON body, the others from the query string. The operation defines the
 * rest: schema, scope, promise.
 */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
  readonly tag: Tag;
  /** The summary in the API description. */
  readonly summary: string;
  /** The error codes of the operation itself, without those that every route shares. */
  readonly errors?: readonly ErrorCode[];
  /** True when the answer is one version of a note: its hash is the entity tag. */
  readonly hasVersion?: boolean;
  /** True for a POST whose body is a file and whose input is in the query string. */
  readonly takesFile?: true;
  /** True for a GET whose answer is a file: its hash is the entity tag. */
  readonly givesFile?: true;
  /** The largest body (bytes), when it is not BODY_LIMIT. */
  readonly bodyLimit?: number;
}

/** The limit of routes that take whole documents and batches of pages. */
const INGEST_BODY_LIMIT = 32 * MIB;

/** The entry of an operation in the API description, and the limits of its route. */
type RouteDocs = Omit<Route, 'method' | 'path' | 'operation' | 'takesFile' | 'givesFile'>;

/** The operations that ingest text and files, some of them in a job that outlives the call. */
const WORK_DOCS = {
  ingest: {
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Turn text into notes',
    errors: ['empty_content', 'invalid_frontmatter', 'invalid_wing', 'invalid_hall'],
  },
  ingestFile: {
    tag: 'ingest',
    summary: 'Send a file, whose bytes are the body, to be turned into notes and kept as it is',
    errors: [
      'empty_content',
      'invalid_wing',
      'invalid_hall',
      'unsupported_type',
      'no_text',
      'converter_error',
    ],
  },
  openBatch: {
    tag: 'ingest',
    summary: 'Open a batch: a folder whose files are sent and then ingested as one job',
    errors: ['path_not_allowed', 'busy'],
  },
  dropBatch: { tag: 'ingest', summary: 'Drop a batch with its files', errors: ['not_found'] },
  sendBatchFile: {
    tag: 'ingest',
    summary: 'Send a file of a batch, whose bytes are the body',
    errors: ['not_found', 'empty_content', 'unsupported_type', 'rate_limited', 'hash_mismatch'],
  },
  runBatch: {
    tag: 'ingest',
    summary: 'Turn the files of a batch into notes; links between them stay',
    errors: ['not_found', 'empty_content', 'invalid_wing', 'invalid_hall'],
  },
  openImport: {
    tag: 'ingest',
    summary: 'Open an import: what a person brings from elsewhere, whose files follow as those of a batch',
    errors: ['path_not_allowed', 'not_found', 'source_missing', 'busy'],
  },
  imports: {
    tag: 'ingest',
    summary: 'List the imports, or one with its files',
    errors: ['not_found'],
  },
  adoptImport: {
    tag: 'ingest',
    summary: 'Adopt an import, or a part of it, into the wiki',
    errors: ['not_found', 'invalid_wing', 'invalid_hall'],
  },
  takeImportBack: {
    tag: 'ingest',
    summary: 'Take an import back, or put it back again',
    errors: ['not_found', 'path_not_allowed', 'source_missing', 'hash_mismatch'],
  },
  ingestPath: {
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
  ingestRaw: {
    bodyLimit: INGEST_BODY_LIMIT,
    tag: 'ingest',
    summary: 'Take a batch of pages that are already structured',
    errors: ['invalid_wing', 'invalid_hall'],
  },
  backfillRefs: {
    tag: 'ingest',
    summary: 'Add source references to existing notes',
    errors: ['invalid_wing', 'invalid_hall'],
  },
  reExtract: {
    tag: 'ingest',
    summary: 'Have the language model make the pages of a queued note that was taken in as it is',
    errors: [
      'path_not_allowed',
      'ambiguous',
      'not_in_queue',
      'source_missing',
      'hash_mismatch',
      'unsupported_type',
      'no_text',
      'converter_error',
      'llm_error',
    ],
  },
  ingestInbox: { tag: 'ingest', summary: 'Take in the files that stood in the inbox before it was watched' },
  retryQuarantined: {
    tag: 'ingest',
    summary: 'Try a quarantined file again',
    errors: ['path_not_allowed', 'source_missing'],
  },
} as const satisfies { readonly [Name in OperationName]?: RouteDocs };

/** The errors of a job's work, which the call for its outcome may return. */
const JOB_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'busy',
  'too_large',
  ...Object.values<RouteDocs>(WORK_DOCS).flatMap(({ errors = [] }) => errors),
];

/** The errors of a change that supersedes a note. */
const SUPERSEDE_ERRORS: readonly ErrorCode[] = [
  'empty_content',
  'placeholder_content',
  'invalid_frontmatter',
  'path_not_allowed',
  'ambiguous',
  'in_queue',
  'not_ours',
  'note_not_found',
  'hash_mismatch',
  'rejected_before',
  'locked',
];

/** The codes of a note that gets a place in the wiki. */
const PLACE_ERRORS: readonly ErrorCode[] = [
  'invalid_wing',
  'invalid_hall',
  'invalid_slug',
  'invalid_frontmatter',
  'path_not_allowed',
  'ambiguous',
  'source_missing',
  'destination_exists',
  'taken',
  'hash_mismatch',
];

const DOCS: { readonly [Name in OperationName]: RouteDocs } = {
  query: {
    tag: 'search',
    summary: 'Search the notes',
    errors: ['empty_query', 'invalid_wing', 'invalid_hall', 'path_not_allowed'],
  },
  answer: {
    tag: 'search',
    summary: 'Answer a question from the notes, with quotes',
    errors: ['empty_query', 'invalid_wing', 'invalid_hall', 'path_not_allowed'],
  },
  context: {
    tag: 'search',
    summary: 'What is known that a task begins or goes on with',
    errors: ['invalid_wing'],
  },
  fileAnswer: {
    tag: 'search',
    summary: 'Put an answer with its quotes into the review queue',
    errors: ['empty_query', 'empty_content', 'path_not_allowed', 'note_not_found', 'rejected_before'],
  },
  write: {
    tag: 'notes',
    summary: 'Write a new note',
    errors: [
      'empty_content',
      'placeholder_content',
      'invalid_frontmatter',
      'invalid_wing',
      'invalid_hall',
      'wing_and_hall_required_together',
      'invalid_filename',
      'invalid_envelope',
      'invalid_source_type',
      'note_exists',
      'taken',
      'hash_mismatch',
      'rejected_before',
      'locked',
      'not_ours',
    ],
  },
  update: {
    tag: 'notes',
    summary: 'Replace what a note says and keep its former state',
    errors: [
      ...SUPERSEDE_ERRORS,
      'invalid_wing',
      'invalid_hall',
      'invalid_slug',
      'wing_and_hall_required_together',
      'invalid_envelope',
    ],
  },
  edit: {
    tag: 'notes',
    summary: 'Change a part of a note and keep its former state',
    errors: [...SUPERSEDE_ERRORS, 'not_unique', 'not_there'],
  },
  capture: {
    tag: 'notes',
    summary: 'Write down a thought; the file name never collides',
    errors: ['empty_content', 'invalid_frontmatter', 'invalid_wing', 'invalid_hall', 'rejected_before'],
  },
  note: {
    tag: 'notes',
    summary: 'Read a note with its content hash and its neighbours',
    hasVersion: true,
    errors: [
      'invalid_wing',
      'invalid_hall',
      'invalid_slug',
      'wing_and_hall_required_together',
      'path_not_allowed',
      'ambiguous',
      'unsupported_type',
      'note_not_found',
      'too_entangled',
    ],
  },
  neighbours: {
    tag: 'notes',
    summary: 'List what has to do with a note: similar and linked notes, and what waits about it',
    errors: ['path_not_allowed', 'ambiguous', 'note_not_found'],
  },
  file: {
    tag: 'notes',
    summary: 'Read an image that notes may link to; the answer is its bytes',
    errors: ['path_not_allowed', 'not_found', 'too_large'],
  },
  history: {
    tag: 'notes',
    summary: 'List the former versions of a note, or read one',
    errors: ['path_not_allowed', 'ambiguous', 'note_not_found'],
  },
  notes: {
    tag: 'notes',
    summary: 'List the notes of a wing or a folder, or the last changed',
    errors: ['invalid_wing', 'invalid_hall', 'path_not_allowed'],
  },
  wings: { tag: 'notes', summary: 'List the wings with their halls' },
  overview: { tag: 'notes', summary: 'What the brain holds, how it grows, what waits and who wrote' },
  revision: { tag: 'notes', summary: 'Ask whether anything has changed since the last look' },
  index: { tag: 'notes', summary: 'Rebuild the index note of one wing or of all', errors: ['invalid_wing'] },
  tunnels: { tag: 'notes', summary: 'Dig the tunnels of promoted notes anew', errors: ['invalid_wing'] },
  pending: {
    tag: 'review',
    summary: 'List the notes that await review, oldest first',
    errors: ['path_not_allowed', 'ambiguous'],
  },
  gate: {
    tag: 'review',
    summary: 'What the gate finds in a note that awaits review',
    errors: ['path_not_allowed', 'ambiguous', 'unsupported_type', 'not_in_queue', 'source_missing'],
  },
  sent: {
    tag: 'review',
    summary: 'The text of a queued note as it was sent, and what the gate made harmless in it',
    errors: ['path_not_allowed', 'ambiguous', 'note_not_found'],
  },
  promote: {
    tag: 'review',
    summary: 'Move a reviewed note into the wiki',
    errors: [...PLACE_ERRORS, 'not_in_queue'],
  },
  reject: {
    tag: 'review',
    summary: 'Decline a note of the review queue',
    errors: [
      'path_not_allowed',
      'ambiguous',
      'invalid_frontmatter',
      'not_in_queue',
      'source_missing',
      'hash_mismatch',
    ],
  },
  withdraw: {
    tag: 'review',
    summary: 'Take back a note of the queue that the caller has proposed',
    errors: [
      'path_not_allowed',
      'ambiguous',
      'note_not_found',
      'not_in_queue',
      'source_missing',
      'hash_mismatch',
    ],
  },
  restore: {
    tag: 'review',
    summary: 'Put a declined note back into the review queue',
    errors: ['path_not_allowed', 'ambiguous', 'invalid_frontmatter', 'not_in_queue', 'source_missing'],
  },
  adopt: {
    tag: 'review',
    summary: 'Move a note of the owner into the wiki',
    errors: [...PLACE_ERRORS, 'locked'],
  },
  unpromote: {
    tag: 'review',
    summary: 'Take a promoted note back into the review queue, or give an adopted one back to its owner',
    errors: [
      'path_not_allowed',
      'ambiguous',
      'invalid_frontmatter',
      'not_in_queue',
      'source_missing',
      'not_ours',
      'locked',
    ],
  },
  replace: {
    tag: 'review',
    summary: 'Replace the text of a note with that of a queued note',
    errors: [
      ...['path_not_allowed', 'ambiguous', 'not_in_queue', 'source_missing', 'note_not_found', 'not_ours'],
      ...['locked', 'hash_mismatch', 'empty_content', 'too_large', 'invalid_frontmatter', 'invalid_envelope'],
      'invalid_source_type',
    ] as const,
  },
  confirm: {
    tag: 'review',
    summary: 'Confirm that a note still holds; its half-life counts anew',
    errors: [
      ...['path_not_allowed', 'ambiguous', 'not_ours', 'note_not_found', 'hash_mismatch'],
      'invalid_frontmatter',
    ] as const,
  },
  move: {
    tag: 'review',
    summary: 'Move a note of the wiki to another hall, wing or name',
    errors: [
      ...['path_not_allowed', 'ambiguous', 'note_not_found', 'hash_mismatch', 'destination_exists', 'taken'],
      ...['invalid_wing', 'invalid_hall', 'invalid_slug', 'invalid_frontmatter'],
    ] as const,
  },
  snooze: {
    tag: 'review',
    summary: 'Put a note of the review queue off, by default for a day',
    errors: ['path_not_allowed', 'ambiguous', 'not_in_queue', 'source_missing', 'hash_mismatch'],
  },
  mendLinks: { tag: 'review', summary: 'Lead links to notes that were moved by hand' },
  rules: { tag: 'review', summary: 'List the rules that promote queued notes' },
  setRule: {
    tag: 'review',
    summary: 'Make, try, switch or remove a rule that promotes queued notes',
    errors: ['invalid_wing', 'invalid_hall', 'not_found'],
  },
  ...WORK_DOCS,
  job: { tag: 'ingest', summary: 'Ask how far a long ingest is, or for its outcome', errors: JOB_ERRORS },
  cancelJob: {
    tag: 'ingest',
    summary: 'Cancel a long ingest; what it has written stands',
    errors: JOB_ERRORS,
  },
  backfill: { tag: 'search', summary: 'Bring the embeddings up to date', errors: ['hybrid_not_configured'] },
  cancelBackfill: {
    tag: 'search',
    summary: 'Stop the sync of the embeddings that runs',
    errors: ['hybrid_not_configured'],
  },
  chooseAttachments: { tag: 'owner', summary: 'Choose whether PDF files and canvases are searched' },
  passRate: { tag: 'sessions', summary: 'Count how often skills passed', errors: ['invalid_window'] },
  logSessions: { tag: 'sessions', summary: 'Append session records' },
  editRoot: {
    tag: 'owner',
    summary: 'Rewrite the root guidance note',
    errors: ['empty_content', 'invalid_frontmatter', 'hash_mismatch', 'locked'],
  },
  audit: { tag: 'owner', summary: 'List the tool calls of agents', errors: ['path_not_allowed'] },
  verifyAudit: { tag: 'owner', summary: 'Follow the chain of the audit log' },
  decisions: {
    tag: 'review',
    summary: 'List what was decided about notes, newest first',
    errors: ['path_not_allowed', 'ambiguous'],
  },
  undo: {
    tag: 'owner',
    summary: 'Take back what a writer has done since a time',
    errors: ['hash_mismatch', 'unsupported_type', 'destination_exists', 'source_missing'],
  },
  undos: { tag: 'owner', summary: 'List what was undone' },
  undoBack: {
    tag: 'owner',
    summary: 'Take an undo back',
    errors: ['note_not_found', 'hash_mismatch', 'unsupported_type', 'destination_exists', 'source_missing'],
  },
  forget: {
    tag: 'owner',
    summary: 'Remove a note for good, with all that is kept of it',
    errors: ['note_not_found', 'path_not_allowed', 'ambiguous', 'hash_mismatch', 'locked'],
  },
  status: { tag: 'owner', summary: 'How the service is doing' },
};

/** The HTTP routes that need a token, in the order of the API description. */
export const ROUTES: readonly Route[] = operationNames().map((name) => {
  const { method, path, takesFile, givesFile }: Descriptor = DESCRIPTORS[name];
  const files = { ...(takesFile && { takesFile }), ...(givesFile && { givesFile }) };
  return { method, path, ...files, operation: OPERATIONS[name], ...DOCS[name] };
});

function operationNames(): OperationName[] {
  const isName = (name: string): name is OperationName => name in DESCRIPTORS;
  return Object.keys(DESCRIPTORS).filter(isName);
}
