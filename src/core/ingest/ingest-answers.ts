import * as z from 'zod';
import { countShape } from '../shapes';
import { ingestResultShape } from './ingest-result';

const fileShape = z.string().describe('Vault path, or where the file is on the machine of the server');

/** What became of one file. */
export const fileAnswerShape = ingestResultShape.extend({
  file: fileShape,
  converted: z.boolean().describe('True when the converter read it'),
});
export type FileAnswer = z.input<typeof fileAnswerShape>;

export const fileErrorShape = z.object({ path: fileShape, code: z.string(), message: z.string() });

/** How many files of a folder there are, and what became of them. */
export const folderCountsShape = z.object({
  files: countShape,
  ingested: countShape,
  unchanged: countShape.describe('Known already'),
  skipped: countShape.describe('Of kinds that are not read'),
  failed: countShape,
});

const cancelledShape = z
  .boolean()
  .optional()
  .describe('True when it was called off: what is listed stands, the other files were not touched');

/** What became of a folder. */
export const folderAnswerShape = z.object({
  path: fileShape,
  files: z.array(fileAnswerShape),
  skipped: z.array(fileShape),
  counts: folderCountsShape,
  errors: z.array(fileErrorShape),
  cancelled: cancelledShape,
});
export type FolderAnswer = z.input<typeof folderAnswerShape>;

/** The same for a reader with a small memory: the first files, and of their pages only what and where they are. */
export const briefFolderShape = z.object({
  path: fileShape,
  counts: folderCountsShape,
  files: z.array(
    z.object({
      file: fileShape,
      pages: z.array(z.object({ title: z.string(), status: z.string(), path: z.string().optional() })),
    }),
  ),
  errors: z.array(fileErrorShape),
  more: countShape.optional().describe('Files and errors that are not listed'),
  cancelled: cancelledShape,
});
export type BriefFolder = z.input<typeof briefFolderShape>;

/** A job that runs, or was called off before it had an outcome. */
export const jobShape = z.object({
  job: z.string().describe('Ask for it by this id'),
  status: z.enum(['running', 'cancelled']),
  done: countShape,
  total: countShape.describe('0 while that is not known'),
});

/** The outcome of anything that ingests. */
export const ingestAnswerShape = z.union([folderAnswerShape, fileAnswerShape, ingestResultShape]);
export type IngestAnswer = z.input<typeof ingestAnswerShape>;
