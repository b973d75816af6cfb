import { fileAnswer } from '../answer/file';
import { answerNotes } from '../answer/operation';
import { listAudit } from '../audit/list';
import { verifyAudit } from '../audit/verify';
import { context } from '../context/context';
import { forget } from '../forget/forget';
import { adoptImport, listImports, openImport, takeImportBack } from '../imports/operations';
import { ingestInbox, retryQuarantined } from '../inbox/operations';
import { backfillRefs } from '../ingest/backfill-refs';
import { cancelJob, followJob, ingestPages, ingestPath, ingestText } from '../ingest/operations';
import { reExtract } from '../ingest/re-extract';
import { ingestUpload } from '../ingest/upload';
import { dropBatch, openBatch, runBatch, sendBatchFile } from '../ingest/upload-batch';
import { neighbours } from '../neighbours/neighbours';
import { capture } from '../notes/capture';
import { editNote } from '../notes/edit';
import { readImage } from '../notes/file';
import { getNote } from '../notes/get';
import { history } from '../notes/history';
import { editRoot } from '../notes/root';
import { updateNote } from '../notes/update';
import { writeNote } from '../notes/write';
import type { OperationName } from '../operation/descriptors';
import type { Operation } from '../operation/operation';
import { listDecisions } from '../review/decisions';
import { gateReport } from '../review/gate-report';
import { listPending } from '../review/pending';
import { confirmNote } from '../review/confirm';
import { moveNote } from '../review/move';
import { adoptNote, promoteNote } from '../review/promote';
import { replaceNote } from '../review/replace';
import { rejectNote, withdrawNote } from '../review/reject';
import { restoreNote, unpromoteNote } from '../review/return';
import { readSent } from '../review/sent';
import { mendLinks } from '../review/left-links';
import { snoozeNote } from '../review/snooze';
import { listRules, setRule } from '../rules/operations';
import { rebuildTunnels } from '../review/tunnels';
import { backfillEmbeddings, cancelBackfill } from '../search/backfill';
import { listNotes } from '../search/list';
import { queryNotes } from '../search/query';
import { logSession } from '../sessions/log';
import { passRate } from '../sessions/pass-rate';
import { chooseAttachments } from '../status/attachments';
import { overview } from '../status/overview';
import { revision } from '../status/revision';
import { status } from '../status/status';
import { listUndos } from '../undo/record';
import { redo } from '../undo/redo';
import { undoWriter } from '../undo/undo';
import { indexWings, listWings } from '../wings/operations';

/** The code of every operation that has a descriptor. */
export const OPERATIONS = {
  query: queryNotes,
  answer: answerNotes,
  context,
  fileAnswer,
  write: writeNote,
  update: updateNote,
  edit: editNote,
  capture,
  note: getNote,
  neighbours,
  file: readImage,
  history,
  notes: listNotes,
  wings: listWings,
  overview,
  revision,
  index: indexWings,
  tunnels: rebuildTunnels,
  pending: listPending,
  gate: gateReport,
  sent: readSent,
  promote: promoteNote,
  reject: rejectNote,
  withdraw: withdrawNote,
  restore: restoreNote,
  adopt: adoptNote,
  unpromote: unpromoteNote,
  replace: replaceNote,
  confirm: confirmNote,
  move: moveNote,
  snooze: snoozeNote,
  mendLinks,
  rules: listRules,
  setRule,
  ingest: ingestText,
  ingestFile: ingestUpload,
  openBatch,
  dropBatch,
  sendBatchFile,
  runBatch,
  openImport,
  imports: listImports,
  adoptImport,
  takeImportBack,
  ingestPath,
  ingestRaw: ingestPages,
  backfillRefs,
  reExtract,
  ingestInbox,
  retryQuarantined,
  job: followJob,
  cancelJob,
  backfill: backfillEmbeddings,
  cancelBackfill,
  chooseAttachments,
  passRate,
  logSessions: logSession,
  editRoot,
  audit: listAudit,
  verifyAudit,
  decisions: listDecisions,
  undo: undoWriter,
  undos: listUndos,
  undoBack: redo,
  forget,
  status,
} as const satisfies { readonly [Name in OperationName]: Operation };
