import { asCallError } from './use-async';

const MAX_PAUSES = 3;
/** What the service answers when it only wants to be asked again later. */
const LATER = ['rate_limited', 'busy'];

/**
 * Runs something, and again after the pause that the service asks for, three times at most. `pause` gets milliseconds, and
 * what it throws ends the waiting.
 */
export async function patiently<T>(run: () => Promise<T>, pause: (ms: number) => Promise<void>): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await run();
    } catch (error) {
      const { code, details } = asCallError(error);
      const seconds = details.retry_after;
      if (!LATER.includes(code) || typeof seconds !== 'number' || pauses === MAX_PAUSES) throw error;
      await pause(seconds * 1000);
    }
  }
}
