import * as z from 'zod';
import { resolveInputPath } from '../notes/targets';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape } from '../operation/shapes';

/**
 * Takes in the files that stand in the inbox and wait for a person, in the background: the status tells how far it is. For
 * who administers the vault, as the list of these files is: that they were put there is nobody's word that they may go.
 */
export const ingestInbox = operation({
  name: 'ingest_inbox',
  scope: 'admin',
  mutates: true,
  input: z.strictObject({ dry_run: dryRunField }),
  output: z.object({ queued: countShape.describe('Files that are taken now, one after the other') }),
  run: async ({ inbox }, { dry_run }) => ({
    queued: dry_run === true ? inbox.state.waiting.length : await inbox.takeWaiting(),
  }),
});

/**
 * Puts a file that could not be ingested back into the inbox and tries it again, in the background. Fails with
 * `source_missing` when it is not in quarantine.
 */
export const retryQuarantined = operation({
  name: 'retry_quarantined',
  scope: 'admin',
  mutates: true,
  input: z.strictObject({
    path: pathField.describe('Where the file stands in quarantine'),
    dry_run: dryRunField,
  }),
  output: z.object({ path: pathShape, restored_path: pathShape.describe('Where it is in the inbox now') }),
  async run(brain, input) {
    const path = resolveInputPath(brain, input.path);
    return { path, restored_path: await brain.inbox.retry(path, { dryRun: input.dry_run === true }) };
  },
});
