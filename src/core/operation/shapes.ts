import * as z from 'zod';
import { refSchema } from '../gate/finding';
import { HALLS } from '../vocabulary/address';

/** Shapes that several answers share. A field without a value is absent, never null. */
export const pathShape = z.string().describe('Vault path');
export const hashShape = z.string().describe('SHA-256 of the whole file, 64 hex digits');
export const timeShape = z.string().describe('RFC 3339, UTC, seconds');
export const hallShape = z.enum(HALLS);
export const countShape = z.number().int();
export const warningsShape = z.array(z.string());
const titledShape = z.object({ path: pathShape, title: z.string() });
/** A related reviewed note in an answer. */
export const relatedShape = titledShape.extend({ stale: z.boolean() });
/** A similar reviewed note in an answer. */
export const nearShape = relatedShape.extend({
  shared: z
    .array(z.string())
    .describe(
      'The rare words that stand in both, rarest first; none where only forms or parts of words are the same',
    ),
});

/** The number of notes that have been read, and of all notes, in an answer during the first load. */
export const readingShape = z
  .object({ done: countShape, total: countShape })
  .describe('Notes read so far; others are missing here');

/** The links of a written text: resolved references, and links that were removed. */
export const refsShape = {
  refs: z.array(refSchema),
  unlinked: z
    .array(z.string())
    .describe(
      'Distinct targets whose effect the gate took away: links to nothing turned into text, remote embeds, unsafe schemes, active content',
    ),
};

/** How far a reader may trust the text of a note. */
export const trustShapes = {
  date: timeShape
    .optional()
    .describe(
      'The last write that its stamps name; of a note outside the folders of the service, the time of its file',
    ),
  reviewed: z
    .object({ by: z.string(), at: timeShape })
    .nullable()
    .optional()
    .describe('Who took this text over, or wrote it on a screen, and when; null when no one has'),
  edited_since: z
    .literal(true)
    .optional()
    .describe('Changed by hand or by another program since the service wrote it'),
  changed_since_review: z
    .literal(true)
    .optional()
    .describe('Rewritten after it was reviewed: who reviewed it has not seen this text'),
  verified: z
    .object({ by: z.string().optional(), at: timeShape })
    .optional()
    .describe('Who last said that the note still holds, and when'),
  stale: z.boolean().describe('True when the note is past its half-life'),
  superseded_by: pathShape
    .optional()
    .describe('The note that its property superseded_by names; of an older version, the note as it is now'),
  same_subject: pathShape.optional().describe('Another reviewed note with the same title, or the same text'),
};
export const newWingShape = z.literal(true).optional().describe('This is the first note of its wing');

/** The answer of write and capture. */
export const writeResultShape = z.object({
  path: pathShape,
  content_hash: hashShape,
  wing: z.string().optional(),
  hall: hallShape.optional(),
  new_wing: newWingShape,
  slug: z.string(),
  created: z.boolean(),
  replaced: z.boolean(),
  unchanged: z.boolean(),
  previous_hash: hashShape.optional(),
  index: pathShape.optional(),
  similar: z.array(nearShape).describe('Reviewed notes most like this one'),
  ...refsShape,
  warnings: warningsShape,
});
export type WriteResult = z.input<typeof writeResultShape>;

/** How the pages were made; `unchanged` when the source was known and nothing was done. */
const EXTRACTIONS = ['llm', 'passthrough', 'structured', 'unchanged'] as const;

const PAGE_STATUSES = ['written', 'duplicate', 'rejected_before', 'skipped_empty_title'] as const;

/** The result for one page. */
const ingestedPageShape = z.object({
  title: z.string(),
  status: z.enum(PAGE_STATUSES),
  path: pathShape.optional().describe('Where the page stands'),
  content_hash: hashShape.optional(),
  duplicate_of: pathShape.optional().describe('The note that says the same'),
  similar: z.array(nearShape).describe('Reviewed notes most like this one'),
  ...refsShape,
  text: z.string().optional().describe('The whole file that would be written; in a dry run only'),
  warnings: warningsShape,
});
export type IngestedPage = z.input<typeof ingestedPageShape>;

/** The answer for one ingested source. */
export const ingestResultShape = z.object({
  source: z.string().optional(),
  source_hash: z.string().describe('SHA-256 of the original, 64 hex digits'),
  original: pathShape.optional().describe('Where the original is kept'),
  extraction: z.enum(EXTRACTIONS),
  destination: z.enum(['raw', 'wiki']),
  counts: z.object({
    written: countShape,
    duplicate: countShape,
    rejected_before: countShape,
    skipped: countShape,
  }),
  pages: z.array(ingestedPageShape),
  warnings: warningsShape,
});
export type IngestResult = z.input<typeof ingestResultShape>;

const fileShape = z.string().describe('Vault path, or where the file is on the machine of the server');

/** The answer for one file. */
export const fileAnswerShape = ingestResultShape.extend({
  file: fileShape,
  converted: z.boolean().describe('True when the converter read it'),
});
export type FileAnswer = z.input<typeof fileAnswerShape>;

const fileErrorShape = z.object({ path: fileShape, code: z.string(), message: z.string() });

/** The number of files of a folder, by result. */
const folderCountsShape = z.object({
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

/** The answer for a folder. */
export const folderAnswerShape = z.object({
  path: fileShape,
  files: z.array(fileAnswerShape),
  skipped: z.array(fileShape),
  counts: folderCountsShape,
  errors: z.array(fileErrorShape),
  warnings: warningsShape,
  cancelled: cancelledShape,
});
export type FolderAnswer = z.input<typeof folderAnswerShape>;

/** The answer for a folder, for a client with little memory: the first files, and of their pages only status and path. */
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
  warnings: warningsShape.optional(),
  cancelled: cancelledShape,
});
export type BriefFolder = z.input<typeof briefFolderShape>;

/** The answer for a folder that was sent as a batch. */
export const batchAnswerShape = z.object({
  batch: z.string().describe('The label of the folder'),
  counts: z.object({
    files: countShape.describe('Files of the batch'),
    ingested: countShape,
    unchanged: countShape.describe('Known already'),
    empty: countShape.describe('Without text'),
    failed: countShape,
    pages: countShape.describe('Pages written'),
    duplicates: countShape.describe('Pages that say what a note says already'),
    rejected_before: countShape,
    attached: countShape.describe('Files that are not read and kept, because a note links them'),
    not_linked: countShape.describe('Files that are not read and not kept, because no note links them'),
  }),
  links: z
    .object({ kept: countShape, removed: countShape })
    .describe('Links of the pages written that lead somewhere, and those that were turned into text'),
  files: z.array(
    z.object({
      file: z.string().describe('Path below the folder'),
      extraction: z.enum(EXTRACTIONS),
      original: pathShape.optional().describe('Where the original is kept'),
      pages: z.array(
        z.object({ title: z.string(), status: z.enum(PAGE_STATUSES), path: pathShape.optional() }),
      ),
    }),
  ),
  attachments: z
    .array(
      z.object({
        file: z.string().describe('Path below the folder'),
        original: pathShape.optional().describe('Where it is kept; absent when no note links it'),
      }),
    )
    .describe('Files that are not read, such as images'),
  errors: z.array(fileErrorShape),
  warnings: warningsShape,
  more: countShape.optional().describe('Files and errors that are not listed'),
  cancelled: cancelledShape,
});
export type BatchAnswer = z.input<typeof batchAnswerShape>;

/** A job that runs, or was cancelled before it had an outcome. */
export const jobShape = z.object({
  job: z.string().describe('Ask for it by this id'),
  status: z.enum(['running', 'cancelled']),
  done: countShape,
  total: countShape.describe('0 while that is not known'),
  phase: z
    .enum(['reading', 'writing'])
    .optional()
    .describe('Files that come together are all read before the first page is written'),
});

/** How an import stands. */
export const IMPORT_STATES = ['writing', 'imported', 'leaving', 'taken_back'] as const;

/** An import: what a person has brought from elsewhere, as one act. */
export const importShape = z.object({
  name: z.string(),
  folder: pathShape.describe('Where its pages stand'),
  state: z
    .enum(['preview', ...IMPORT_STATES])
    .describe('"writing" and "leaving" also after a cut: the server goes on by itself'),
  at: timeShape,
  by: z.string(),
  only_me: z.boolean().describe("True when no token but the owner's reads it"),
  sources: z.array(z.string()).describe('What came'),
  pages: countShape,
  files: countShape.describe('Files beside the pages: pictures, originals'),
  bytes: countShape,
  told: z.array(z.string()).describe('The programs that were recognised'),
  folders: z
    .array(z.object({ folder: z.string(), pages: countShape, wing: z.string() }))
    .optional()
    .describe('Folders at its top, and the wing that each suggests'),
  unread: z
    .array(z.object({ from: z.string(), why: z.string(), kept: z.boolean() }))
    .optional()
    .describe('Files that became no note, and whether their bytes are kept'),
  warnings: z.array(z.object({ from: z.string(), warnings: z.array(z.string()) })).optional(),
  duplicates: z
    .array(z.object({ from: z.string(), of: pathShape }))
    .optional()
    .describe('Pages with the same text as a note that stands'),
  findings: z
    .array(z.object({ from: z.string(), found: z.array(z.string()) }))
    .optional()
    .describe('What would act in the pages; it is made harmless unless "keep" is given'),
  unchanged: countShape.optional().describe('Files that this import has already'),
  different: z
    .array(z.object({ from: z.string(), path: pathShape }))
    .optional()
    .describe('Files that came with another text before, and are left as they are'),
  entries: z
    .array(
      z.object({
        path: pathShape,
        from: z.string(),
        kind: z.enum(['note', 'file']),
        state: z.enum(['there', 'changed', 'gone']),
        program: z.string().optional(),
        warnings: z.array(z.string()).optional(),
      }),
    )
    .optional()
    .describe('Its files, as they stand now'),
  undone: z
    .array(z.object({ path: pathShape, why: z.string() }))
    .optional()
    .describe('Files that were not written or not taken away'),
  more: countShape.optional().describe('Entries that are not listed'),
});
export type ImportAnswer = z.input<typeof importShape>;

/** The answer of an import that was previewed, made or taken back. */
export const importAnswerShape = z.object({ import: importShape });

/** The answer of the adoption of an import. */
export const adoptionShape = z.object({
  name: z.string(),
  adopted: z.array(z.object({ from: pathShape, path: pathShape })),
  failed: z.array(z.object({ path: pathShape, code: z.string(), message: z.string() })),
  counts: z.object({ adopted: countShape, failed: countShape }),
  more: countShape.optional().describe('Notes that are not listed'),
});

/** The answer of any ingest, and of work on an import. */
export const ingestAnswerShape = z.union([
  importAnswerShape,
  adoptionShape,
  folderAnswerShape,
  batchAnswerShape,
  fileAnswerShape,
  ingestResultShape,
]);
export type IngestAnswer = z.input<typeof ingestAnswerShape>;
