import * as z from 'zod';
import { operation } from '../operation';

/**
 * A word that changes whenever what the service knows of the notes has changed, whoever changed it, and never comes back
 * while one server runs: whoever asks again and gets the same word need not look again. Says nothing about session
 * records and the audit log.
 */
export const revision = operation({
  name: 'revision',
  scope: 'read',
  mutates: false,
  input: z.strictObject({}),
  output: z.object({ revision: z.string() }),
  async run(brain) {
    return { revision: `${brain.startId}-${brain.catalog.revision}` };
  },
});
