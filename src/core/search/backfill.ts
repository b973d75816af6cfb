import * as z from 'zod';
import { BrainError } from '../base/errors';
import type { HybridRetrieval } from '../embeddings/retrieval';
import type { Brain } from '../operation/context';
import { dryRunField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape } from '../operation/shapes';

const output = z.object({
  added: countShape.describe('Notes embedded, for the first time or anew'),
  deleted: countShape.describe('Vectors removed because their note is gone'),
  errors: z
    .array(z.object({ path: pathShape.optional(), error: z.string() }))
    .describe('One without a path kept the backfill from coming to its end'),
});

/**
 * Updates the embeddings of the notes that get vectors and answers when that is done. During a sync it runs another one afterwards, and the answer
 * covers both. Vectors of another model are made again, and every vector without a note is removed. Failures are in `errors`. A
 * dry run counts the notes to read and the vectors to remove. Fails with `hybrid_not_configured`.
 */
export const backfillEmbeddings = operation({
  name: 'backfill_embeddings',
  scope: 'write',
  mutates: false,
  keyed: 'none',
  whole: true,
  input: z.strictObject({ dry_run: dryRunField }),
  output,
  async run(brain, { dry_run }) {
    const { sync } = hybridOf(brain);
    const { added, deleted, errors } = await (dry_run === true ? sync.preview() : sync.backfill());
    return { added, deleted, errors: [...errors] };
  },
});

/**
 * Cancels the running sync and the queued one; finished work is kept. No sync begins by itself until a backfill, which resumes
 * after it, or the next start of the server. Fails with `hybrid_not_configured`.
 */
export const cancelBackfill = operation({
  name: 'cancel_backfill',
  scope: 'write',
  mutates: false,
  keyed: 'none',
  whole: true,
  input: z.strictObject({}),
  output: z.object({ cancelled: z.boolean().describe('False when no sync was running') }),
  async run(brain) {
    return { cancelled: hybridOf(brain).sync.cancel() };
  },
});

function hybridOf({ hybrid }: Brain): HybridRetrieval {
  if (hybrid !== null) return hybrid;
  throw new BrainError(
    'hybrid_not_configured',
    'This server searches by words alone, so there are no embeddings to fill. Set BRAIN_PG_DSN and BRAIN_EMBED_URL to search by meaning too.',
  );
}
