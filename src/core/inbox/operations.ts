import * as z from 'zod';
import { resolveInputPath } from '../notes/targets';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape } from '../operation/shapes';

/**
 * Ingests the files of the inbox that wait for a person, in the background; the status shows the progress. Only administrators
 * may call it or list these files: whoever put them there did not ask for it.
 */
export const ingestInbox = operation({
  name: 'ingest_inbox',
  scope: 'admin',
  mutates: true,
  keyed: 'answer',
  whole: true,
  input: z.strictObject({ dry_run: dryRunField }),
  output: z.object({ queued: countShape.describe('Files that are taken now, one after the other') }),
  run: async ({ inbox }, { dry_run }) => ({
    queued: dry_run === true ? inbox.state.waiting.length : await inbox.takeWaiting(),
  }),
});

/**
 * Returns a quarantined file to the inbox and tries it again, in the background. Fails with `source_missing` when it is not in
 * quarantine.
 */
export const retryQuarantined = operation({
  name: 'retry_quarantined',
  scope: 'admin',
  mutates: true,
  keyed: 'answer',
  whole: true,
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
