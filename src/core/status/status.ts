import * as z from 'zod';
import { timestamp } from '../base/time';
import type { Config } from '../config/config';
import type { Vectors } from '../embeddings/retrieval';
import type { Brain } from '../operation/context';
import { operation } from '../operation/operation';
import { countShape, pathShape, readingShape, timeShape } from '../operation/shapes';
import { pendingNotes } from '../review/pending';
import { checkShape } from '../vocabulary/check';
import { statusChecks } from './checks';

/** The most listed files of a kind; the counts are complete. */
const MAX_LISTED = 200;

const watcherShape = z.object({
  state: z.enum(['off', 'starting', 'on']),
  reason: z
    .enum(['not_switched_on', 'other_device', 'folder_not_allowed'])
    .optional()
    .describe('Why it is off'),
  folder: pathShape.optional(),
  device: z.string().describe('The name of this device, for the setting watcherDevice'),
  waiting: z
    .array(pathShape)
    .describe('Files that stood there when it was switched on: POST /inbox/ingest takes them'),
  waiting_count: countShape,
  left: z
    .array(z.object({ path: pathShape, reason: z.enum(['unknown_type', 'no_converter', 'empty', 'failed']) }))
    .describe(
      'Files that stay where they are: of a kind that cannot be read (now), empty, or that could not be moved',
    ),
  left_count: countShape,
  retrying: z
    .array(
      z.object({
        path: pathShape,
        attempts: countShape,
        next_at: timeShape,
        code: z.string(),
        message: z.string(),
      }),
    )
    .describe('Files that failed for a reason that may pass'),
  running: z
    .object({ file: pathShape, done: countShape, total: countShape })
    .optional()
    .describe('The file that is being taken, of how many'),
});
type WatcherStatus = z.input<typeof watcherShape>;

const quarantinedShape = z.object({
  path: pathShape,
  file: pathShape.optional().describe('Where it stood in the inbox'),
  code: z.string().optional(),
  message: z.string().optional().describe('Why it could not be ingested'),
  at: timeShape.optional(),
  attempts: countShape.optional(),
  source_hash: z.string().optional(),
});

/** Returns the state of the inbox without reading the disk. */
function watcherStatus({ inbox, device }: Pick<Brain, 'inbox' | 'device'>): WatcherStatus {
  const { state, reason, folder, waiting, left, retrying, running } = inbox.state;
  return {
    state,
    ...(reason !== null && { reason }),
    ...(folder !== null && { folder }),
    device,
    waiting: waiting.slice(0, MAX_LISTED),
    waiting_count: waiting.length,
    left: left.slice(0, MAX_LISTED).map((file) => ({ ...file })),
    left_count: left.length,
    retrying: retrying.slice(0, MAX_LISTED).map(({ path, attempts, at, code, message }) => ({
      path,
      attempts,
      next_at: timestamp(at),
      code,
      message,
    })),
    ...(running !== null && { running: { ...running } }),
  };
}

/** The states of search by meaning where it is configured. */
export const VECTOR_STATES = ['starting', 'ready', 'syncing', 'degraded', 'model_changed'] as const;

const hybridShape = z.object({
  configured: z.boolean(),
  state: z
    .enum(['off', ...VECTOR_STATES])
    .describe(
      'starting = not synced yet, and notes may have no vector; degraded = searches go by words alone now; model_changed = they do until POST /backfill-embeddings',
    ),
  model: z.string().optional(),
  vectors: countShape.optional().describe('Notes with a vector, as last counted'),
  pending: countShape.optional().describe('Notes that wait for a vector, as of the last sync'),
  synced_by: z.string().optional().describe('The device that makes the vectors, when it is another one'),
  paused: z.literal(true).optional().describe('A sync was cancelled, and none begins until a backfill'),
  last_sync: timeShape.optional(),
  last_error: z.string().optional(),
  progress: z
    .object({ phase: z.enum(['comparing', 'removing', 'embedding']), done: countShape, total: countShape })
    .optional()
    .describe('Of the sync that runs'),
});
type HybridStatus = z.input<typeof hybridShape>;

/** Returns the state of hybrid retrieval without calling a service. */
function hybridStatus({
  hybrid,
  config,
}: Pick<Vectors, 'hybrid'> & { readonly config: Config }): HybridStatus {
  if (hybrid === null) return { configured: false, state: 'off' };
  const { progress, lastSync, vectors, pending, syncedBy, paused } = hybrid.sync.state;
  const lastError = hybrid.sync.state.lastError ?? hybrid.failure;
  return {
    configured: true,
    state: vectorState(hybrid),
    model: config.embedModel,
    ...(vectors !== null && { vectors }),
    ...(pending !== null && { pending }),
    ...(syncedBy !== null && { synced_by: syncedBy }),
    ...(paused && { paused: true as const }),
    ...(lastSync !== null && { last_sync: timestamp(lastSync) }),
    ...(lastError !== null && { last_error: lastError }),
    ...(progress !== null && { progress: { ...progress } }),
  };
}

/** Returns the state of search by meaning without calling a service. */
export function vectorState(hybrid: NonNullable<Vectors['hybrid']>): (typeof VECTOR_STATES)[number] {
  const { progress, makerChanged, lastSync, lastError, pending } = hybrid.sync.state;
  if (progress !== null) return 'syncing';
  if (makerChanged) return 'model_changed';
  if (!hybrid.isAnswering || (lastSync === null && lastError !== null)) return 'degraded';
  // The first sync waits until the vault is quiet, unless every note has a vector.
  return lastSync === null && pending !== 0 ? 'starting' : 'ready';
}

const output = z.object({
  version: z.string(),
  vault: z.string().optional().describe('The folder of the vault on the machine of the server'),
  notes: countShape,
  index: z.object({
    state: z.enum(['ready', 'building']),
    notes: countShape.describe("Those that a search looks through, the owner's own included"),
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
 * Returns the status of the service: what it holds, what is queued, and what its owner should look at. The write test of the
 * disk, with one small synced file, and the search of the folders run at most once a minute; with `probe` they run now.
 */
export const status = operation({
  name: 'status',
  scope: 'admin',
  mutates: false,
  whole: true,
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
    // The checks run first: the rest of the answer uses what they find about the vectors.
    const checks = await statusChecks(brain, { probe });
    const reading = brain.reading();
    const queue = pendingNotes(brain);
    const oldest = queue[0]?.created;
    const notes = brain.catalog.count('wiki') + brain.catalog.count('knowledge');
    return {
      version: brain.version,
      ...(brain.place !== undefined && { vault: brain.place }),
      notes,
      index: {
        state: reading === null ? 'ready' : 'building',
        notes: brain.catalog.searchedCount({}),
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
