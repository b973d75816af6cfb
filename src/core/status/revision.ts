import * as z from 'zod';
import { operation } from '../operation/operation';
import { readingShape } from '../operation/shapes';

/**
 * A word that changes whenever what the service knows of the notes has changed, whoever changed it, and never comes back
 * while one server runs: whoever asks again and gets the same word need not look again. Says nothing about session
 * records and the audit log.
 */
export const revision = operation({
  name: 'revision',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject({}),
  output: z.object({ revision: z.string(), reading: readingShape.optional() }),
  async run(brain) {
    const reading = brain.reading();
    return { revision: `${brain.startId}-${brain.catalog.revision}`, ...(reading && { reading }) };
  },
});
