import { deviceId } from '../node/device';

/**
 * The name of this machine and user, by which settings that travel with the vault tell devices apart; null where
 * `BRAIN_DEVICE` holds what cannot be one, of which opening the vault tells.
 */
export function thisDevice(env: Readonly<Record<string, string | undefined>>): string | null {
  try {
    return deviceId(env);
  } catch {
    return null;
  }
}
