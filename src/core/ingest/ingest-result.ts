import * as z from 'zod';
import { countShape, hashShape, pathShape, refsShape, nearShape, warningsShape } from '../shapes';

/** How the pages came to be; `unchanged` when the source was known and nothing was done. */
export const EXTRACTIONS = ['llm', 'passthrough', 'structured', 'unchanged'] as const;

export const PAGE_STATUSES = ['written', 'duplicate', 'rejected_before', 'skipped_empty_title'] as const;

/** What became of one page. */
export const ingestedPageShape = z.object({
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

/** Answer to everything that turns one source into pages. */
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
