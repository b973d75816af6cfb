import { Notice } from 'obsidian';
import type { Log, LogFields } from '../../core/base/host';
import { hideSecrets } from '../../core/base/redact';

/** Runs something that a person asked for; a failure is told, not lost. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    new Notice(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Writes what goes wrong to the console of the app, without credentials that an error brings along; what goes well is left out
 * there.
 */
export const consoleLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (event, fields) => console.warn(line(event, fields)),
  error: (event, fields) => console.error(line(event, fields)),
};

function line(event: string, fields: LogFields = {}): string {
  const clean = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? hideSecrets(value) : value,
  ]);
  return `Brain Server: ${event} ${JSON.stringify(Object.fromEntries(clean))}`;
}
