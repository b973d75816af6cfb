import { BrainError } from '../../src/core/base/errors';

/** The refusal with which `act` ends. Fails the test when it returns, or throws what no caller may see. */
export function refusal(act: () => unknown): BrainError {
  try {
    act();
  } catch (error) {
    if (error instanceof BrainError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

/** The same for what answers later. */
export async function refusalOf(work: Promise<unknown>): Promise<BrainError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof BrainError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
