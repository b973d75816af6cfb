import { answerNotes } from '../core/answer/answer-notes';
import { fileAnswer } from '../core/answer/file-answer';
import { listAudit } from '../core/audit/list-audit';
import { verifyAudit } from '../core/audit/verify-audit';
import { ingestInbox, retryQuarantined } from '../core/ingest/inbox-operations';
import { backfillRefs } from '../core/ingest/backfill-refs';
import { ingestText } from '../core/ingest/ingest-text';
import { reExtract } from '../core/ingest/re-extract';
import { ingestPath } from '../core/ingest/ingest-path';
import { cancelJob, followJob } from '../core/ingest/job-operations';
import { capture } from '../core/notes/capture';
import { getNote } from '../core/notes/get-note';
import { history } from '../core/notes/history';
import { indexWings } from '../core/notes/index-wings';
import { listWings } from '../core/notes/list-wings';
import { overview } from '../core/notes/overview';
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
import { passRate } from '../core/sessions/pass-rate';
import { listUndos } from '../core/undo/list-undos';
import { takeBackUndo } from '../core/undo/take-back-undo';
import { undoWriter } from '../core/undo/undo-writer';
import { backfillEmbeddings, cancelBackfill } from '../core/vectors/backfill-embeddings';
import type { Operations } from '../ui/client';

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
