import * as z from 'zod';
import type { Brain } from '../brain';
import { timestamp } from '../rules/time';
import { countShape, pathShape, timeShape } from '../shapes';

/** So many files of a kind are listed; the counts are of all. */
const MAX_LISTED = 200;

export const watcherShape = z.object({
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
    .array(z.object({ path: pathShape, reason: z.enum(['unknown_type', 'no_converter', 'failed']) }))
    .describe(
      'Files that stay where they are: of a kind that cannot be read (now), or that could not be moved',
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

export const quarantinedShape = z.object({
  path: pathShape,
  file: pathShape.optional().describe('Where it stood in the inbox'),
  code: z.string().optional(),
  message: z.string().optional().describe('Why it could not be ingested'),
  at: timeShape.optional(),
  attempts: countShape.optional(),
  source_hash: z.string().optional(),
});

/** How the inbox is, from what is known without looking at the disk. */
export function watcherStatus({ inbox, device }: Pick<Brain, 'inbox' | 'device'>): WatcherStatus {
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
