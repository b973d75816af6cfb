import { Notice } from 'obsidian';

/** Runs something that a person asked for; a failure is told, not lost. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    new Notice(error instanceof Error ? error.message : String(error));
  }
}
