import * as z from 'zod';
import { HALLS } from './rules/hall';
import { refSchema } from './rules/ref';

/** Shapes that several answers share. A field without a value is left out, never null. */
export const pathShape = z.string().describe('Vault path');
export const hashShape = z.string().describe('SHA-256 of the whole file, 64 hex digits');
export const timeShape = z.string().describe('RFC 3339, UTC, seconds');
export const hallShape = z.enum(HALLS);
export const countShape = z.number().int();
export const warningsShape = z.array(z.string());
export const titledShape = z.object({ path: pathShape, title: z.string() });
/** A reviewed note that an answer names beside what was asked for. */
export const nearShape = titledShape.extend({ stale: z.boolean() });

/** How many notes have been read of how many, in an answer given while the vault is still being read. */
export const readingShape = z
  .object({ done: countShape, total: countShape })
  .describe('Notes read so far; others are missing here');

/** What the link-stripping step reports at every write door. */
export const refsShape = {
  refs: z.array(refSchema),
  unlinked: z
    .array(z.string())
    .describe(
      'Distinct targets whose effect the gate took away: links to nothing turned into text, remote embeds, unsafe schemes, active content',
    ),
};

/** Answer of write and capture. */
export const writeResultShape = z.object({
  path: pathShape,
  content_hash: hashShape,
  wing: z.string().optional(),
  hall: hallShape.optional(),
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
