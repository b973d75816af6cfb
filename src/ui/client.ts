import type { OperationName } from './routes';
import type * as z from 'zod';
import type { answerNotes } from '../core/answer/answer-notes';
import type { fileAnswer } from '../core/answer/file-answer';
import type { listAudit } from '../core/audit/list-audit';
import type { verifyAudit } from '../core/audit/verify-audit';
import type { ingestInbox, retryQuarantined } from '../core/ingest/inbox-operations';
import type { backfillRefs } from '../core/ingest/backfill-refs';
import type { ingestPath } from '../core/ingest/ingest-path';
import type { ingestText } from '../core/ingest/ingest-text';
import type { reExtract } from '../core/ingest/re-extract';
import type { cancelJob, followJob } from '../core/ingest/job-operations';
import type { capture } from '../core/notes/capture';
import type { getNote } from '../core/notes/get-note';
import type { history } from '../core/notes/history';
import type { indexWings } from '../core/notes/index-wings';
import type { listWings } from '../core/notes/list-wings';
import type { overview } from '../core/notes/overview';
import type { status } from '../core/notes/status';
import type { updateNote } from '../core/notes/update-note';
import type { writeNote } from '../core/notes/write-note';
import type { gateReport } from '../core/review/gate-report';
import type { listPending } from '../core/review/list-pending';
import type { promoteNote } from '../core/review/promote-note';
import type { rebuildTunnels } from '../core/review/rebuild-tunnels';
import type { rejectNote } from '../core/review/reject-note';
import type { restoreNote } from '../core/review/restore-note';
import type { unpromoteNote } from '../core/review/unpromote-note';
import type { queryNotes } from '../core/search/query-notes';
import type { passRate } from '../core/sessions/pass-rate';
import type { listUndos } from '../core/undo/list-undos';
import type { takeBackUndo } from '../core/undo/take-back-undo';
import type { undoWriter } from '../core/undo/undo-writer';
import type { backfillEmbeddings, cancelBackfill } from '../core/vectors/backfill-embeddings';

/** The operations that the screens use, by the names under which they ask for them. */
export interface Operations {
  readonly audit: typeof listAudit;
  readonly verifyAudit: typeof verifyAudit;
  readonly note: typeof getNote;
  readonly history: typeof history;
  readonly index: typeof indexWings;
  readonly tunnels: typeof rebuildTunnels;
  readonly wings: typeof listWings;
  readonly overview: typeof overview;
  readonly status: typeof status;
  readonly capture: typeof capture;
  readonly update: typeof updateNote;
  readonly write: typeof writeNote;
  readonly gate: typeof gateReport;
  readonly pending: typeof listPending;
  readonly promote: typeof promoteNote;
  readonly reject: typeof rejectNote;
  readonly restore: typeof restoreNote;
  readonly unpromote: typeof unpromoteNote;
  readonly query: typeof queryNotes;
  readonly answer: typeof answerNotes;
  readonly fileAnswer: typeof fileAnswer;
  readonly backfill: typeof backfillEmbeddings;
  readonly cancelBackfill: typeof cancelBackfill;
  readonly passRate: typeof passRate;
  readonly ingest: typeof ingestText;
  readonly ingestPath: typeof ingestPath;
  readonly reExtract: typeof reExtract;
  readonly backfillRefs: typeof backfillRefs;
  readonly job: typeof followJob;
  readonly cancelJob: typeof cancelJob;
  readonly ingestInbox: typeof ingestInbox;
  readonly retryQuarantined: typeof retryQuarantined;
  readonly undo: typeof undoWriter;
  readonly undos: typeof listUndos;
  readonly undoBack: typeof takeBackUndo;
}

/** What an operation is asked. */
export type Ask<Name extends OperationName> = z.input<Operations[Name]['input']>;
/** What an operation answers. */
export type Answer<Name extends OperationName> = z.input<Operations[Name]['output']>;

/**
 * The screens' only way to the vault: in process inside Obsidian, over HTTP on the web page. Both answer the same.
 */
export interface BrainClient {
  /** @throws CallError with the operation's own code, or `unreachable` when no server answered. */
  call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>>;
  /** Calls `listener` soon after anything in the vault has changed, whoever changed it. Returns how to stop that. */
  changes(listener: () => void): () => void;
}

/** A call that did not succeed. `message` is for the person; nothing was changed unless the code says otherwise. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    /** A code of the service (`destination_exists`, `internal`), or `unreachable`. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Finds the call in the log of the server. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}
