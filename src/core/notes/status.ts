import * as z from 'zod';
import { operation } from '../operation';
import { pendingNotes } from '../review/list-pending';
import { timestamp } from '../rules/time';
import { countShape, pathShape, timeShape } from '../shapes';
import { checkShape } from './check';
import { statusChecks } from './status-checks';

const output = z.object({
  version: z.string(),
  notes: countShape,
  index: z.object({ state: z.enum(['ready', 'building']), notes: countShape, waiting: countShape }),
  hybrid: z.object({ state: z.enum(['off', 'unavailable']), message: z.string().optional() }),
  watcher: z.object({ state: z.enum(['off']) }),
  queue: z.object({ count: countShape, oldest_at: timeShape.optional() }),
  quarantine: z.array(pathShape),
  checks: z.array(checkShape),
});

/** How the service is: what it holds, what waits, and what its owner should look at. */
export const status = operation({
  name: 'status',
  scope: 'admin',
  mutates: false,
  input: z.strictObject({}),
  output,
  async run(brain): Promise<z.input<typeof output>> {
    const queue = pendingNotes(brain);
    const oldest = queue[0]?.created;
    const hybridWanted = brain.config.pgDsn !== undefined;
    const notes = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')].length;
    return {
      version: brain.version,
      notes,
      index: { state: brain.isReady() ? 'ready' : 'building', notes, waiting: brain.catalog.dirtyCount },
      hybrid: hybridWanted
        ? {
            state: 'unavailable',
            message: 'This version searches with BM25 alone; the settings for hybrid retrieval are kept.',
          }
        : { state: 'off' },
      watcher: { state: 'off' },
      queue: { count: queue.length, ...(oldest !== undefined && { oldest_at: timestamp(oldest) }) },
      quarantine: brain.catalog.pathsBelow('inbox/quarantine/'),
      checks: await statusChecks(brain),
    };
  },
});
