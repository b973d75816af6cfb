import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { BrainError } from '../../core/errors';
import { isIgnoredName } from '../../core/rules/ignored-names';
import { MAX_FOLDER_FILES } from '../../core/ingest/source-files';
import type { StopSignal } from '../../core/host';
import { hasCode } from './file-system';

/** Deeper folders than people make; a tree that is deeper was made by a program. */
const MAX_DEPTH = 32;
/** So many names are looked at in all, whatever they are. */
const MAX_ENTRIES = 50_000;

export interface ListOptions {
  readonly recursive: boolean;
  /** False for a file or folder that is to be passed over. */
  readonly isOpen: (full: string) => boolean;
  readonly signal?: StopSignal;
}

/**
 * Where the regular files below a folder are, in no promised order. Names are read one by one, so a huge folder is refused
 * before it is held in memory. Links, hidden names and those of other programs' temporary files are passed over.
 * @throws BrainError `too_large` when there are too many files or names, or folders are too deep; `source_missing` when the
 * folder is gone, `path_not_allowed` when one cannot be read.
 */
export async function listSources(top: string, options: ListOptions): Promise<string[]> {
  const { recursive, isOpen, signal } = options;
  const files: string[] = [];
  let entries = 0;
  const waiting = [{ full: top, depth: 0 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for await (const entry of await opened(at.full)) {
      if (signal?.stopped === true) return [];
      if ((entries += 1) > MAX_ENTRIES) throw tooLarge(`more than ${MAX_ENTRIES} names`);
      const full = path.join(at.full, entry.name);
      if (isIgnoredName(entry.name) || !isOpen(full)) continue;
      if (entry.isFile()) {
        files.push(full);
        if (files.length > MAX_FOLDER_FILES) throw tooLarge(`more than ${MAX_FOLDER_FILES} files`);
      } else if (recursive && entry.isDirectory()) {
        if (at.depth >= MAX_DEPTH) throw tooLarge(`folders more than ${MAX_DEPTH} deep`);
        waiting.push({ full, depth: at.depth + 1 });
      }
    }
  }
  return files;
}

async function opened(full: string) {
  try {
    return await opendir(full);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) {
      throw new BrainError(
        'source_missing',
        'The folder is not there any more. Look whether it was moved or renamed.',
      );
    }
    if (hasCode(error, 'EACCES', 'EPERM')) {
      const name = path.basename(full);
      const message = `The folder "${name}" cannot be read by the service. Allow it, or move the folder away.`;
      throw new BrainError('path_not_allowed', message);
    }
    throw error;
  }
}

function tooLarge(what: string): BrainError {
  return new BrainError(
    'too_large',
    `The folder has ${what}. Ingest its parts one after the other. Nothing was done.`,
  );
}
