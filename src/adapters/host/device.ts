import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { useDigest } from '../../core/base/hash';
import type { Clock } from '../../core/base/host';

/** The clock of this machine. */
export const systemClock: Clock = { now: () => new Date() };

const DEVICE = /^[a-z0-9]{1,16}$/;

/**
 * Returns the name under which this machine and user keep their own state in a shared vault: `BRAIN_DEVICE`, else the first
 * eight hex digits of the SHA-256 of host and user name.
 * @throws Error when `BRAIN_DEVICE` is not 1 to 16 lower-case letters and digits.
 */
export function deviceId(env: Readonly<Record<string, string | undefined>>): string {
  const override = env.BRAIN_DEVICE;
  if (override === undefined || override === '') {
    return createHash('sha256').update(`${hostname()}\n${userName()}`).digest('hex').slice(0, 8);
  }
  if (DEVICE.test(override)) return override;
  throw new Error('BRAIN_DEVICE cannot be used as it stands. Use 1 to 16 lower-case letters and digits.');
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without a user.
    return String(process.getuid?.() ?? '');
  }
}

/** Makes the core hash with Node's SHA-256. */
export function useNodeDigest(): void {
  useDigest((bytes) => createHash('sha256').update(bytes).digest('hex'));
}

/** Returns the computing time that this process has used with all its threads (ms). */
export function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
