import { BrainError } from '../base/errors';
import { isRecord } from '../base/json';
import { stemOf, vaultPath } from '../vocabulary/paths';

const LEFT_OUT = 'What was found in notes is left out: this token has not the scope "read".';

/**
 * Runs an operation on the notes of others for a caller without the scope `read`, and redacts its answer and its error: paths,
 * counts and the hash of the text that was decided about stay. Contents of notes go, which are titles, similar notes, whole texts,
 * hashes of earlier texts, link targets and findings. The shape stays that of the operation: lists are emptied, and optional fields
 * are removed.
 * @param operation the name of the operation
 */
export async function redacted<T>(operation: string, run: () => Promise<T>): Promise<T> {
  try {
    return answerWithoutRead(operation, await run()) as T;
  } catch (error) {
    throw errorWithoutRead(error);
  }
}

function answerWithoutRead(operation: string, answer: unknown): unknown {
  const shown = bare(answer);
  // The findings of a promotion are about the text of the note.
  if (!['promote', 'adopt', 'replace'].includes(operation) || !isRecord(shown)) return shown;
  return {
    ...without(shown, ['body', 'body_before']),
    warnings: listLength(shown.warnings) > 0 ? [LEFT_OUT] : [],
  };
}

/** Returns the error without hashes of texts, with which guesses could be verified, and without other notes. */
function errorWithoutRead(error: unknown): unknown {
  if (!(error instanceof BrainError) || error.details === undefined) return error;
  const details = without(error.details, ['content_hash', 'candidates', 'nearest', 'notes']);
  if (error.code !== 'ambiguous') return error.withDetails(details);
  const message = 'Several notes have this name. Give the path of the one that is meant.';
  return new BrainError('ambiguous', message, details);
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isRecord(value)) return value;
  const { path, title, error } = value;
  const fields = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    switch (key) {
      // With the hash of a text, guesses could be verified offline.
      case 'previous_hash':
        return [];
      case 'version':
        return 'action' in value ? [] : [[key, field]];
      case 'source':
        return 'source_hash' in value ? [] : [[key, field]];
      case 'source_hash':
        return [[key, '']];
      case 'similar':
      case 'tunnels':
      case 'added':
      case 'evidence':
      case 'refs':
      case 'unlinked':
        return [[key, []]];
      case 'warnings':
        return [[key, 'status' in value || 'source_hash' in value ? [] : field]];
      default:
        return [[key, bare(field)]];
    }
  });
  const shown: Record<string, unknown> = Object.fromEntries(fields);
  // A dry run gives the text of a page that is not written yet, or that of the note with the same text.
  if ('similar' in value && 'status' in value) delete shown.text;
  if (typeof value.duplicate_of === 'string') delete shown.content_hash;
  const at = value.duplicate_of ?? path;
  if (typeof at === 'string' && typeof title === 'string') shown.title = stemOf(vaultPath(at));
  if (typeof path === 'string' && typeof error === 'string') shown.error = LEFT_OUT;
  return shown;
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
