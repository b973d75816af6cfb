import type * as z from 'zod';
import type { fileAnswer } from '../answer/file';
import type { answerNotes } from '../answer/operation';
import type { listAudit } from '../audit/list';
import type { verifyAudit } from '../audit/verify';
import type { ingestInbox, retryQuarantined } from '../inbox/operations';
import type { backfillRefs } from '../ingest/backfill-refs';
import type { cancelJob, followJob, ingestPath, ingestText } from '../ingest/operations';
import type { reExtract } from '../ingest/re-extract';
import type { capture } from '../notes/capture';
import type { getNote } from '../notes/get';
import type { history } from '../notes/history';
import type { updateNote } from '../notes/update';
import type { writeNote } from '../notes/write';
import type { OperationName } from '../operation/descriptors';
import type { gateReport } from '../review/gate-report';
import type { listPending } from '../review/pending';
import type { promoteNote } from '../review/promote';
import type { rejectNote } from '../review/reject';
import type { restoreNote, unpromoteNote } from '../review/return';
import type { rebuildTunnels } from '../review/tunnels';
import type { backfillEmbeddings, cancelBackfill } from '../search/backfill';
import type { queryNotes } from '../search/query';
import type { passRate } from '../sessions/pass-rate';
import type { overview } from '../status/overview';
import type { status } from '../status/status';
import type { listUndos } from '../undo/record';
import type { takeBackUndo } from '../undo/redo';
import type { undoWriter } from '../undo/undo';
import type { indexWings, listWings } from '../wings/operations';

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
