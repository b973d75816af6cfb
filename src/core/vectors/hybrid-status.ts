import * as z from 'zod';
import type { Config } from '../config';
import type { Vectors } from './hybrid-retrieval';
import { timestamp } from '../rules/time';
import { countShape, timeShape } from '../shapes';

export const hybridShape = z.object({
  configured: z.boolean(),
  state: z
    .enum(['off', 'starting', 'ready', 'syncing', 'degraded', 'model_changed'])
    .describe(
      'starting = not synced yet, and notes may have no vector; degraded = searches go by words alone now; model_changed = they do until POST /backfill-embeddings',
    ),
  model: z.string().optional(),
  vectors: countShape.optional().describe('Notes with a vector, as last counted'),
  pending: countShape.optional().describe('Notes that wait for a vector, as of the last sync'),
  synced_by: z.string().optional().describe('The device that makes the vectors, when it is another one'),
  last_sync: timeShape.optional(),
  last_error: z.string().optional(),
  progress: z
    .object({ phase: z.enum(['comparing', 'removing', 'embedding']), done: countShape, total: countShape })
    .optional()
    .describe('Of the sync that runs'),
});
type HybridStatus = z.input<typeof hybridShape>;

/** How hybrid retrieval is, from what is known without asking anybody. */
export function hybridStatus({
  hybrid,
  config,
}: Pick<Vectors, 'hybrid'> & { readonly config: Config }): HybridStatus {
  if (hybrid === null) return { configured: false, state: 'off' };
  const { progress, lastSync, vectors, pending, syncedBy } = hybrid.sync.state;
  const lastError = hybrid.sync.state.lastError ?? hybrid.failure;
  return {
    configured: true,
    state: stateOf(hybrid),
    model: config.embedModel,
    ...(vectors !== null && { vectors }),
    ...(pending !== null && { pending }),
    ...(syncedBy !== null && { synced_by: syncedBy }),
    ...(lastSync !== null && { last_sync: timestamp(lastSync) }),
    ...(lastError !== null && { last_error: lastError }),
    ...(progress !== null && { progress: { ...progress } }),
  };
}

function stateOf(hybrid: NonNullable<Vectors['hybrid']>): HybridStatus['state'] {
  const { progress, makerChanged, lastSync, lastError, pending } = hybrid.sync.state;
  if (progress !== null) return 'syncing';
  if (makerChanged) return 'model_changed';
  if (!hybrid.isAnswering || (lastSync === null && lastError !== null)) return 'degraded';
  // The first sync waits until the vault is quiet; where every note has a vector nothing else does.
  return lastSync === null && pending !== 0 ? 'starting' : 'ready';
}
