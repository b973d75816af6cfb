/** The description of an operation for doors and clients: its HTTP route, its MCP tool, and whether it only reads. */
export interface Descriptor {
  /** A GET or DELETE takes its input from the query string, a POST from a JSON body, unless it `takesFile`. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly effect: 'read' | 'change';
  /** True for a POST whose body is a file, byte for byte: its input is then in the query string. */
  readonly takesFile?: true;
  /** True for a GET whose answer is a file, byte for byte, and no JSON. */
  readonly givesFile?: true;
  readonly tool?: string;
}

/**
 * Every operation with an HTTP route, in the order of the API description. The table is data only, so that the web page can
 * load it. `OPERATIONS` has the code, and the compiler refuses a name that only one of the two has.
 */
export const DESCRIPTORS = {
  query: { method: 'POST', path: '/query', effect: 'read', tool: 'brain_query' },
  answer: { method: 'POST', path: '/answer', effect: 'read', tool: 'brain_answer' },
  context: { method: 'GET', path: '/context', effect: 'read', tool: 'brain_context' },
  fileAnswer: { method: 'POST', path: '/answer/file', effect: 'change' },
  write: { method: 'POST', path: '/write', effect: 'change', tool: 'brain_write' },
  update: { method: 'POST', path: '/update', effect: 'change', tool: 'brain_update' },
  edit: { method: 'POST', path: '/edit', effect: 'change', tool: 'brain_edit' },
  capture: { method: 'POST', path: '/capture', effect: 'change', tool: 'capture' },
  note: { method: 'GET', path: '/note', effect: 'read', tool: 'brain_get' },
  neighbours: { method: 'GET', path: '/neighbours', effect: 'read' },
  file: { method: 'GET', path: '/file', effect: 'read', givesFile: true },
  history: { method: 'GET', path: '/history', effect: 'read', tool: 'brain_history' },
  notes: { method: 'GET', path: '/notes', effect: 'read' },
  wings: { method: 'GET', path: '/wings', effect: 'read' },
  overview: { method: 'GET', path: '/overview', effect: 'read', tool: 'brain_overview' },
  revision: { method: 'GET', path: '/revision', effect: 'read' },
  index: { method: 'POST', path: '/index', effect: 'change', tool: 'brain_index' },
  tunnels: { method: 'POST', path: '/tunnels', effect: 'change' },
  pending: { method: 'GET', path: '/pending', effect: 'read', tool: 'brain_pending' },
  gate: { method: 'GET', path: '/gate', effect: 'read' },
  sent: { method: 'GET', path: '/sent', effect: 'read' },
  promote: { method: 'POST', path: '/promote', effect: 'change', tool: 'brain_promote' },
  reject: { method: 'POST', path: '/reject', effect: 'change', tool: 'brain_reject' },
  withdraw: { method: 'POST', path: '/withdraw', effect: 'change', tool: 'brain_withdraw' },
  restore: { method: 'POST', path: '/restore', effect: 'change' },
  adopt: { method: 'POST', path: '/adopt', effect: 'change' },
  unpromote: { method: 'POST', path: '/unpromote', effect: 'change' },
  replace: { method: 'POST', path: '/replace', effect: 'change' },
  confirm: { method: 'POST', path: '/confirm', effect: 'change' },
  move: { method: 'POST', path: '/move', effect: 'change' },
  snooze: { method: 'POST', path: '/snooze', effect: 'change' },
  mendLinks: { method: 'POST', path: '/mend-links', effect: 'change' },
  rules: { method: 'GET', path: '/rules', effect: 'read' },
  setRule: { method: 'POST', path: '/rules', effect: 'change' },
  ingest: { method: 'POST', path: '/ingest', effect: 'change' },
  ingestFile: { method: 'POST', path: '/ingest-file', effect: 'change', takesFile: true },
  openBatch: { method: 'POST', path: '/ingest-batch', effect: 'change' },
  dropBatch: { method: 'DELETE', path: '/ingest-batch', effect: 'change' },
  sendBatchFile: { method: 'POST', path: '/ingest-batch/file', effect: 'change', takesFile: true },
  runBatch: { method: 'POST', path: '/ingest-batch/done', effect: 'change' },
  openImport: { method: 'POST', path: '/imports', effect: 'change' },
  imports: { method: 'GET', path: '/imports', effect: 'read' },
  adoptImport: { method: 'POST', path: '/imports/adopt', effect: 'change' },
  takeImportBack: { method: 'POST', path: '/imports/take-back', effect: 'change' },
  ingestPath: { method: 'POST', path: '/ingest-path', effect: 'change' },
  ingestRaw: { method: 'POST', path: '/ingest-raw', effect: 'change' },
  backfillRefs: { method: 'POST', path: '/backfill-refs', effect: 'change' },
  reExtract: { method: 'POST', path: '/re-extract', effect: 'change' },
  ingestInbox: { method: 'POST', path: '/inbox/ingest', effect: 'change' },
  retryQuarantined: { method: 'POST', path: '/quarantine/retry', effect: 'change' },
  job: { method: 'GET', path: '/job', effect: 'read' },
  cancelJob: { method: 'DELETE', path: '/job', effect: 'change' },
  backfill: { method: 'POST', path: '/backfill-embeddings', effect: 'change' },
  cancelBackfill: { method: 'POST', path: '/backfill-embeddings/cancel', effect: 'change' },
  chooseAttachments: { method: 'POST', path: '/attachments', effect: 'change' },
  passRate: { method: 'GET', path: '/pass-rate', effect: 'read' },
  logSessions: { method: 'POST', path: '/sessions', effect: 'change', tool: 'brain_log_session' },
  editRoot: { method: 'POST', path: '/edit-root', effect: 'change', tool: 'brain_edit_root' },
  audit: { method: 'GET', path: '/audit', effect: 'read' },
  verifyAudit: { method: 'GET', path: '/audit/verify', effect: 'read' },
  decisions: { method: 'GET', path: '/decisions', effect: 'read' },
  undo: { method: 'POST', path: '/undo', effect: 'change' },
  undos: { method: 'GET', path: '/undo', effect: 'read' },
  undoBack: { method: 'POST', path: '/undo/back', effect: 'change' },
  forget: { method: 'POST', path: '/forget', effect: 'change' },
  status: { method: 'GET', path: '/status', effect: 'read' },
} as const satisfies Readonly<Record<string, Descriptor>>;

export type OperationName = keyof typeof DESCRIPTORS;

/** The header with the idempotency key of a change, and the name of the key in `_meta` of a tool call. */
export const KEY_HEADER = 'Idempotency-Key';
export const KEY_IN_META = 'io.brain-server/idempotency-key';

/** The outcome of a call; `tried` is a dry run, which changes nothing. */
type Outcome = 'failed' | 'read' | 'tried' | 'changed';

/** Tools that only read. A successful call of any other tool has changed something. */
const READING: ReadonlySet<string> = new Set(
  Object.values<Descriptor>(DESCRIPTORS).flatMap(({ effect, tool }) =>
    effect === 'read' && tool !== undefined ? [tool] : [],
  ),
);

/** Returns the outcome of a call from its line in the audit log. */
export function outcomeOfCall({
  ok,
  tool,
  args,
}: {
  readonly ok: boolean;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}): Outcome {
  if (!ok) return 'failed';
  if (READING.has(tool)) return 'read';
  return args.dry_run === true ? 'tried' : 'changed';
}
