import type { Vocabulary } from '../base/errors';
import { type Descriptor, DESCRIPTORS, type OperationName } from './descriptors';

/** The commands of the command line, without `brain`. */
const COMMANDS: { readonly [Name in OperationName]?: string } = {
  query: 'query',
  answer: 'answer',
  context: 'context',
  write: 'write',
  update: 'update',
  edit: 'edit',
  capture: 'capture',
  note: 'show',
  history: 'history',
  notes: 'list',
  wings: 'list',
  index: 'index',
  tunnels: 'tunnels',
  pending: 'pending',
  promote: 'promote',
  reject: 'reject',
  withdraw: 'withdraw',
  restore: 'restore',
  adopt: 'adopt',
  unpromote: 'unpromote',
  replace: 'replace',
  confirm: 'confirm',
  move: 'move',
  mendLinks: 'mend-links',
  ingest: 'ingest',
  ingestFile: 'ingest',
  ingestPath: 'ingest',
  openImport: 'import',
  imports: 'imports',
  adoptImport: 'imports adopt',
  takeImportBack: 'imports take-back',
  backfillRefs: 'backfill-refs',
  job: 'job',
  cancelJob: 'job',
  backfill: 'backfill-embeddings',
  passRate: 'pass-rate',
  audit: 'audit',
  verifyAudit: 'audit verify',
  undo: 'undo',
  undoBack: 'undo back',
  undos: 'undo list',
  status: 'status',
  forget: 'forget',
  chooseAttachments: 'attachments',
};

/** Further names of operations: those that no route has, or that several routes share. */
const TOOLS: Readonly<Record<string, string>> = { brainingest: 'brain_ingest', ingest: 'brain_ingest' };

const byKey = new Map<string, OperationName>(
  operationNames().map((name): [string, OperationName] => [keyOf(name), name]),
);

function operationNames(): OperationName[] {
  const isName = (name: string): name is OperationName => name in DESCRIPTORS;
  return Object.keys(DESCRIPTORS).filter(isName);
}

/** Returns one key for the spellings of a name: `editRoot` of the descriptors, `edit-root` of the operation. */
function keyOf(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

function descriptorOf(operation: string): Descriptor | undefined {
  const name = byKey.get(keyOf(operation));
  return name === undefined ? undefined : DESCRIPTORS[name];
}

/** Names operations by their routes: `POST /update`. */
export const ROUTE_WORDS: Vocabulary = (operation) => {
  const found = descriptorOf(operation);
  return found === undefined ? undefined : `${found.method} ${found.path}`;
};

/** Names operations by their MCP tools: `brain_update`. */
export const TOOL_WORDS: Vocabulary = (operation) => TOOLS[keyOf(operation)] ?? descriptorOf(operation)?.tool;

/** Names operations by their commands: `brain update`. */
export const COMMAND_WORDS: Vocabulary = (operation) => {
  const name = byKey.get(keyOf(operation));
  const command = name === undefined ? undefined : COMMANDS[name];
  return command === undefined ? undefined : `brain ${command}`;
};

/** Keeps the plain words, for people. */
const PLAIN_WORDS: Vocabulary = () => undefined;

/** The header with which a client of the HTTP door asks for other words than routes. */
export const WORDS_HEADER = 'x-brain-words';

/** Returns the words that a client asks for by the value of `WORDS_HEADER`: `command`, `plain`, or routes by default. */
export function wordsFor(asked: string | undefined): Vocabulary {
  if (asked === 'command') return COMMAND_WORDS;
  return asked === 'plain' ? PLAIN_WORDS : ROUTE_WORDS;
}
