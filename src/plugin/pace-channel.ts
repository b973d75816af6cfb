import { channel } from 'node:diagnostics_channel';
import type { PaceWatch } from '../core/pace';

/** The name by which whoever measures the plugin, from inside its process, hears of its paced work: which of these happens. */
export const PACE_CHANNEL = 'brain-server:pace';

/** Tells the channel of the pieces of work, when anybody listened to it before the vault was opened; else there is no watch. */
export function watchOfChannel(): PaceWatch | undefined {
  const told = channel(PACE_CHANNEL);
  if (!told.hasSubscribers) return undefined;
  const tell = (what: keyof PaceWatch) => () => told.publish(what);
  return {
    sliceBegins: tell('sliceBegins'),
    pieceBegins: tell('pieceBegins'),
    pieceEnds: tell('pieceEnds'),
  };
}
