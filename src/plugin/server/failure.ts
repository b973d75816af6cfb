import { Notice } from 'obsidian';
import type { Log, LogFields } from '../../core/base/host';
import { hideSecrets } from '../../core/base/redact';

/** Runs an action of a person. Shows a failure in a notice. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    new Notice(error instanceof Error ? error.message : String(error));
  }
}

/** A log on the console of the app: warnings and errors only, without the credentials that an error may contain. */
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
