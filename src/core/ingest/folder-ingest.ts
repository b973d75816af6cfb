import type { Brain } from '../brain';
import type { Caller } from '../caller';
import { BrainError } from '../errors';
import type { Watch } from '../progress';
import type { FileAnswer, FolderAnswer } from './ingest-answers';
import { type FileOptions, ingestFile } from './ingest-file';
import type { SourceFile } from './source-files';

/** A dry run shows whole files; beyond so many characters in all it only names them. */
const MAX_SHOWN_TEXT = 8_000_000;

/**
 * Turns the files of a folder into pages, one after the other. A file that fails is told and does not stop the others; one
 * of a kind that is not read is passed over. Called off, it stops after the file at hand.
 */
export async function ingestFolder(
  brain: Brain,
  folder: { readonly file: string; readonly files: readonly SourceFile[] },
  options: FileOptions,
  caller: Caller,
  watch: Watch,
): Promise<FolderAnswer> {
  const { signal, progress } = watch;
  const total = folder.files.length;
  const files: FileAnswer[] = [];
  const skipped: string[] = [];
  const errors: FolderAnswer['errors'] = [];
  // The list of a folder that was called off while it was looked through is not whole.
  let cancelled = isStopped(watch);
  let shown = 0;
  progress?.({ done: 0, total });
  for (const [index, source] of folder.files.entries()) {
    if (isStopped(watch)) cancelled = true;
    if (cancelled) break;
    if (!isReadable(brain, source)) skipped.push(source.file);
    else {
      try {
        const answer = await ingestFile(brain, source, options, caller, { signal });
        const length = textLength(answer);
        files.push(shown + length > MAX_SHOWN_TEXT ? withoutTexts(answer) : answer);
        shown += length;
      } catch (error) {
        // What a file that was called off says of it is no failure of the file, and a vault that closes takes no other.
        cancelled = isStopped(watch) || (error instanceof BrainError && error.code === 'starting');
        if (!cancelled) errors.push(failureOf(brain, source, error));
      }
    }
    progress?.({ done: index + 1, total });
  }
  const unchanged = files.filter(({ extraction }) => extraction === 'unchanged').length;
  return {
    path: folder.file,
    files,
    skipped,
    counts: {
      files: total,
      ingested: files.length - unchanged,
      unchanged,
      skipped: skipped.length,
      failed: errors.length,
    },
    errors,
    ...(cancelled && { cancelled }),
  };
}

/** Whether a file is of a kind that can be read now. */
export function isReadable({ documents }: Brain, { name }: SourceFile): boolean {
  return ['native', 'converter'].includes(documents.readability(name));
}

/** Asked anew each time: it changes while work is awaited. */
function isStopped({ signal }: Watch): boolean {
  return signal?.stopped === true;
}

function failureOf({ log }: Brain, source: SourceFile, error: unknown): FolderAnswer['errors'][number] {
  if (error instanceof BrainError) return { path: source.file, code: error.code, message: error.message };
  log.error('ingest.file_failed', { message: String(error) });
  const message = 'Something went wrong inside the service. The log of the server says where.';
  return { path: source.file, code: 'internal', message };
}

function textLength({ pages }: FileAnswer): number {
  return pages.reduce((sum, { text = '' }) => sum + text.length, 0);
}

function withoutTexts(answer: FileAnswer): FileAnswer {
  const pages = answer.pages.map(({ text: _, ...page }) => page);
  const warning = 'The text is left out, because the answer would be too large. Try this file by itself.';
  return { ...answer, pages, warnings: [...answer.warnings, warning] };
}
