import * as z from 'zod';
import { BrainError } from '../errors';
import type { Brain } from '../brain';
import { dryRunField, hallField, wingField } from '../fields';
import { operation } from '../operation';
import { ingestFolder } from './folder-ingest';
import { fileAnswerShape, folderAnswerShape, jobShape } from './ingest-answers';
import { type FileOptions, ingestFile, sourcesOf } from './ingest-file';
import { backgroundField, perhapsInBackground } from './job-operations';
import type { SourceFile } from './source-files';

const MAX_PATH = 4096;

const input = z.strictObject({
  path: z
    .string()
    .max(MAX_PATH)
    .refine((text) => text.trim() !== '', 'must name a file or a folder')
    .describe('File or folder in the inbox, such as inbox/report.pdf, or in a folder that the owner allows'),
  recursive: z.boolean().default(true).describe('Take the folders of a folder too'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z.enum(['raw', 'wiki']).optional(),
  force: z.boolean().default(false).describe('Make the pages again when the file is known already'),
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Turns a file, or the files of a folder, into pages. Files stay where they are. Callers reach the inbox and the roots that
 * the owner allows, a person in the app nearly every file; everything else is `path_not_allowed`, whether it is there or not.
 * A folder answers even when files of it failed, and with `too_large`, touching nothing, when it has more than 1,000. Fails
 * also with `source_missing`, `unsupported_type`, `no_text`, `converter_error`, and with `busy` when as many wait to be
 * ingested as may.
 */
export const ingestPath = operation({
  name: 'ingest_path',
  scope: 'propose',
  mutates: true,
  input,
  output: z.union([jobShape, folderAnswerShape, fileAnswerShape]),
  async run(brain, ask, caller, watch) {
    const sources = sourcesOf(brain);
    // The page's token is a person's, but it has left the app: what it may read is what a token may.
    const reach = caller.human && caller.origin === 'obsidian' ? 'person' : 'fenced';
    const options: FileOptions = {
      wing: ask.wing,
      hall: ask.hall,
      destination: ask.destination ?? brain.config.ingestDestination,
      force: ask.force,
      dryRun: ask.dry_run === true,
    };
    // Looked for before any job begins: what is wrong with the path is told to whoever gave it.
    const found = await sources.locate(ask.path, reach);
    if (found.kind === 'file') checkKind(brain, found);
    return perhapsInBackground(brain, { caller, background: ask.background, watch }, async (each) => {
      if (found.kind === 'file') return ingestFile(brain, found, options, caller, each);
      const files = await sources.list(found, ask.recursive, reach, each.signal);
      return ingestFolder(brain, { file: found.file, files }, options, caller, each);
    });
  },
});

/** @throws BrainError `unsupported_type` for a kind of file that cannot be read now. */
function checkKind({ documents }: Brain, { name }: SourceFile): void {
  const readability = documents.readability(name);
  if (readability === 'no_converter') {
    throw new BrainError(
      'unsupported_type',
      `"${name}" can be read only by a converter, and none is configured. Set CONVERTER_URL, or send the text of the file.`,
    );
  }
  if (readability === 'unknown') {
    throw new BrainError(
      'unsupported_type',
      `"${name}" is of a kind that is not read. Send its text, or save it as Markdown, HTML or PDF.`,
    );
  }
}
