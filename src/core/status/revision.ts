import * as z from 'zod';
import { operation } from '../operation/operation';
import { countShape, readingShape } from '../operation/shapes';

/**
 * Returns a token that changes with every change of the notes, by anyone, and when a queued note is put off here, and never repeats while one server runs: a client
 * with the same token is up to date. Session records and the audit log do not change it.
 */
export const revision = operation({
  name: 'revision',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject({}),
  output: z.object({
    revision: z.string(),
    seq: countShape
      .optional()
      .describe(
        'The header X-Brain-Seq, where several servers share the vault; not for a token with read paths',
      ),
    reading: readingShape.optional(),
  }),
  async run(brain) {
    const reading = brain.reading();
    const { besideNotes } = brain.whole.changeLog;
    return {
      revision: `${brain.startId}-${brain.catalog.revision}${besideNotes === 0 ? '' : `-${besideNotes}`}`,
      ...(brain.servers.feed && { seq: brain.servers.feed.position }),
      ...(reading && { reading }),
    };
  },
});
