import type { Log, LogFields } from '../core/ports';

/** Writes what goes wrong to the console of the app; what goes well is left out there. */
export const consoleLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (event, fields) => console.warn(line(event, fields)),
  error: (event, fields) => console.error(line(event, fields)),
};

function line(event: string, fields: LogFields = {}): string {
  return `Brain Server: ${event} ${JSON.stringify(fields)}`;
}
