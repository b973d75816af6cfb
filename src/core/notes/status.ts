import * as z from 'zod';
import { operation } from '../operation';
import { pendingNotes } from '../review/list-pending';
import { timestamp } from '../rules/time';
import { hybridShape, hybridStatus } from '../vectors/hybrid-status';
import { quarantinedShape, watcherShape, watcherStatus } from '../ingest/inbox-status';
import { countShape, readingShape, timeShape } from '../shapes';
import { checkShape } from './check';
import { statusChecks } from './status-checks';

const output = z.object({
  version: z.string(),
  notes: countShape,
  index: z.object({
    state: z.enum(['ready', 'building']),
    notes: countShape,
    waiting: countShape,
    reading: readingShape.optional(),
  }),
  hybrid: hybridShape,
  watcher: watcherShape,
  queue: z.object({ count: countShape, oldest_at: timeShape.optional() }),
  quarantine: z.array(quarantinedShape),
  checks: z.array(checkShape),
});

/**
 * How the service is: what it holds, what waits, and what its owner should look at. Whether the disk takes writes is tried
 * with one small synced file, and the folders are looked through, at most once a minute, however often this is asked; with
 * `probe` it is done now.
 */
export const status = operation({
  name: 'status',
  scope: 'admin',
  mutates: false,
  early: true,
  input: z.strictObject({
    probe: z
      .boolean()
      .optional()
      .describe(
        'Try now whether the disk takes writes, and look through its folders, not at most once a minute',
      ),
  }),
  output,
  async run(brain, { probe = false }): Promise<z.input<typeof output>> {
    // They come first: what they find of the vectors is what the rest of the answer says of them.
    const checks = await statusChecks(brain, { probe });
    const reading = brain.reading();
    const queue = pendingNotes(brain);
    const oldest = queue[0]?.created;
    const notes = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')].length;
    return {
      version: brain.version,
      notes,
      index: {
        state: reading === null ? 'ready' : 'building',
        notes,
        waiting: brain.catalog.dirtyCount,
        ...(reading && { reading }),
      },
      hybrid: hybridStatus(brain),
      watcher: watcherStatus(brain),
      queue: { count: queue.length, ...(oldest !== undefined && { oldest_at: timestamp(oldest) }) },
      quarantine: await brain.inbox.quarantined(),
      checks,
    };
  },
});
