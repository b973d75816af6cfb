import { thisDevice } from '../../adapters/obsidian/storage';
import type { SettingsStore } from '../server/store';

// This module is loaded on demand: the app starts without it.

/**
 * The setting that names the device which watches the inbox. It syncs with the vault, so that no two devices take the same
 * file.
 */
const KEY = 'watcherDevice';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true when this device watches the inbox. */
export function watchesHere(settings: Pick<SettingsStore, 'saved'>, env: Environment): boolean {
  const here = thisDevice(env);
  return here !== null && settings.saved[KEY] === here;
}

/**
 * Makes this device the one that watches the inbox, or stops it. Stopping leaves another device that watches alone. Resolves
 * when the setting is written. Rejects as `SettingsStore.set` does.
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
