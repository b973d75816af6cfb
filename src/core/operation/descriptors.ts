/** What became of a call; `tried` is a dry run, which changes nothing. */
type Outcome = 'failed' | 'read' | 'tried' | 'changed';

/** Tools that only read; a call of any other that went well changed something. */
const READING: ReadonlySet<string> = new Set([
  'brain_query',
  'brain_answer',
  'brain_get',
  'brain_history',
  'brain_pending',
]);

/** Tells from a line of the audit log what became of its call. */
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

/** Where an operation is found over HTTP. */
export interface RouteOf {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
}

/** The HTTP route of every operation that the screens use. */
export const ROUTE_OF = {
  audit: { method: 'GET', path: '/audit' },
  verifyAudit: { method: 'GET', path: '/audit/verify' },
  note: { method: 'GET', path: '/note' },
  history: { method: 'GET', path: '/history' },
  index: { method: 'POST', path: '/index' },
  tunnels: { method: 'POST', path: '/tunnels' },
  wings: { method: 'GET', path: '/wings' },
  overview: { method: 'GET', path: '/overview' },
  status: { method: 'GET', path: '/status' },
  capture: { method: 'POST', path: '/capture' },
  update: { method: 'POST', path: '/update' },
  write: { method: 'POST', path: '/write' },
  gate: { method: 'GET', path: '/gate' },
  pending: { method: 'GET', path: '/pending' },
  promote: { method: 'POST', path: '/promote' },
  reject: { method: 'POST', path: '/reject' },
  restore: { method: 'POST', path: '/restore' },
  unpromote: { method: 'POST', path: '/unpromote' },
  query: { method: 'POST', path: '/query' },
  answer: { method: 'POST', path: '/answer' },
  fileAnswer: { method: 'POST', path: '/answer/file' },
  backfill: { method: 'POST', path: '/backfill-embeddings' },
  cancelBackfill: { method: 'POST', path: '/backfill-embeddings/cancel' },
  passRate: { method: 'GET', path: '/pass-rate' },
  ingest: { method: 'POST', path: '/ingest' },
  reExtract: { method: 'POST', path: '/re-extract' },
  backfillRefs: { method: 'POST', path: '/backfill-refs' },
  ingestPath: { method: 'POST', path: '/ingest-path' },
  job: { method: 'GET', path: '/job' },
  cancelJob: { method: 'DELETE', path: '/job' },
  ingestInbox: { method: 'POST', path: '/inbox/ingest' },
  retryQuarantined: { method: 'POST', path: '/quarantine/retry' },
  undo: { method: 'POST', path: '/undo' },
  undos: { method: 'GET', path: '/undo' },
  undoBack: { method: 'POST', path: '/undo/back' },
} as const satisfies Readonly<Record<string, RouteOf>>;

export type OperationName = keyof typeof ROUTE_OF;
/** Answers a mark that is another one after anything in the vault has changed. */
export const REVISION_PATH = '/revision';
