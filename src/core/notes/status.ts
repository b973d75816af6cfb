import * as z from 'zod';
import type { Brain } from '../brain';
import { journalPath, openRecords } from '../journal';
import { operation } from '../operation';
import { pendingNotes } from '../review/list-pending';
import { timestamp } from '../rules/time';
import { countShape, pathShape, timeShape } from '../shapes';

const checkShape = z.object({
  name: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().optional(),
});
type Check = z.input<typeof checkShape>;

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
      checks: [recoveryCheck(brain), await journalCheck(brain), authCheck(brain)],
    };
  },
});

function recoveryCheck({ recovery }: Brain): Check {
  const name = 'recovery';
  if (recovery.attention.length > 0) {
    return {
      name,
      state: 'warning',
      message: recovery.attention.join(' '),
      fix: 'Look at the named notes and keep what is right; nothing was deleted.',
    };
  }
  const settled = recovery.finished.length + recovery.undone.length;
  return {
    name,
    state: 'ok',
    message:
      settled === 0 ? 'Nothing was left half done.' : `${settled} interrupted changes were settled at start.`,
  };
}

/** A journal of another device that still holds records: that device stopped in the middle of something. */
async function journalCheck(brain: Brain): Promise<Check> {
  const name = 'other devices';
  const foreign = [];
  for (const folder of await brain.state.folders('')) {
    const device = /^local\.(.+)$/.exec(folder)?.[1];
    if (device === undefined || device === brain.device) continue;
    const path = journalPath(device);
    if (openRecords((await brain.state.read(path)) ?? '').length > 0) foreign.push(path);
  }
  if (foreign.length === 0)
    return { name, state: 'ok', message: 'No other device left an unfinished change here.' };
  return {
    name,
    state: 'warning',
    message: `Another device has unfinished changes: ${foreign.join(', ')}.`,
    fix: 'Start Brain Server on that device; it settles them.',
  };
}

function authCheck({ config }: Brain): Check {
  if (config.auth) return { name: 'tokens', state: 'ok', message: 'Every request needs a token.' };
  return {
    name: 'tokens',
    state: 'warning',
    message: 'Anyone on this machine can read and write: authentication is off.',
    fix: 'Unset BRAIN_AUTH and start again.',
  };
}
