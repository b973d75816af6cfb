import { BrainError } from '../base/errors';
import { isRecord } from '../base/json';
import { stemOf, vaultPath } from '../vocabulary/paths';

/**
 * Operations on text of the caller: gate findings in it are no secret to the caller. The text of all other operations is that
 * of notes and files in the vault.
 */
const OF_OWN_TEXT: ReadonlySet<string> = new Set([
  'write',
  'capture',
  'update',
  'ingest',
  'ingest_raw',
  'brain_ingest',
  'edit-root',
]);

const LEFT_OUT = 'What was found in notes is left out: this token has not the scope "read".';

/**
 * Redacts an answer for a caller without the scope `read`: paths and counts stay, contents of notes go, which are titles,
 * similar notes, whole texts, link targets, and findings in a text that is not the caller's. The shape stays that of the
 * operation, with empty lists.
 * @param operation the name of the operation that gave the answer
 */
export function answerWithoutRead(operation: string, answer: unknown): unknown {
  const isOfFile = isRecord(answer) && ('file' in answer || 'files' in answer);
  const own = OF_OWN_TEXT.has(operation) && !isOfFile;
  const shown = bare(answer, own);
  // The findings of a promotion are about the text of the note.
  if (!['promote', 'adopt', 'replace'].includes(operation) || !isRecord(shown)) return shown;
  return {
    ...without(shown, ['body', 'body_before']),
    warnings: listLength(shown.warnings) > 0 ? [LEFT_OUT] : [],
  };
}

/**
 * Redacts an error for such a caller: without hashes of texts, with which guesses could be verified, and without other notes.
 */
export function errorWithoutRead(error: unknown): unknown {
  if (!(error instanceof BrainError) || error.details === undefined) return error;
  const details = without(error.details, ['content_hash', 'candidates', 'nearest']);
  if (error.code !== 'ambiguous') return error.withDetails(details);
  const message = 'Several notes have this name. Give the path of the one that is meant.';
  return new BrainError('ambiguous', message, details);
}

function bare(value: unknown, own: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => bare(each, own));
  if (!isRecord(value)) return value;
  const { path, title, status, error } = value;
  const fields = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    switch (key) {
      // With the hash of the existing text, guesses could be verified offline.
      case 'previous_hash':
        return [];
      case 'similar':
      case 'tunnels':
      case 'added':
      case 'evidence':
        return [[key, []]];
      case 'refs':
        return [[key, own && Array.isArray(field) ? field.map(bareRef) : []]];
      case 'unlinked':
        return [[key, own ? field : []]];
      case 'warnings':
        return [[key, own || !('status' in value) ? field : []]];
      default:
        return [[key, bare(field, own)]];
    }
  });
  const shown: Record<string, unknown> = Object.fromEntries(fields);
  // The title of an existing note may differ from the one that was sent.
  if (typeof path === 'string' && typeof title === 'string' && !(own && status === 'written'))
    shown.title = stemOf(vaultPath(path));
  if ('similar' in value && 'status' in value) delete shown.text;
  if (value.duplicate_of !== undefined) delete shown.content_hash;
  if (typeof path === 'string' && typeof error === 'string') shown.error = LEFT_OUT;
  return shown;
}

/** Returns a link of the caller's own text without its target. */
function bareRef(ref: unknown): unknown {
  return isRecord(ref) ? without(ref, ['resolved', 'candidates']) : ref;
}

function without(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
}

function listLength(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
