import { thisDevice } from '../../adapters/obsidian/storage';
import type { SettingsStore } from '../server/store';

// Loaded on demand: what tells devices apart is not needed for the app to start.

/** Names the device that watches the inbox; it travels with the vault, so that no two devices take the same file. */
const KEY = 'watcherDevice';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the inbox is watched on this device. */
export function watchesHere(settings: Pick<SettingsStore, 'saved'>, env: Environment): boolean {
  const here = thisDevice(env);
  return here !== null && settings.saved[KEY] === here;
}

/**
 * Lets this device watch the inbox, and no other, or this one no more; another device that watches is then left alone.
 * Resolves when it is written. Rejects as `SettingsStore.set` does.
 */
export async function setWatchesHere(
  settings: Pick<SettingsStore, 'saved' | 'set'>,
  env: Environment,
  watches: boolean,
): Promise<void> {
  if (watches === watchesHere(settings, env)) return;
  const here = thisDevice(env);
  if (here === null) throw new Error('BRAIN_DEVICE cannot be used as it stands, so this device has no name.');
  await settings.set(KEY, watches ? here : undefined);
}
