import type { Log, LogFields } from '../../src/core/base/host';

/** One line that was logged. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

/** A log that prints nothing and keeps its lines for assertions; those of `debug` by themselves. */
export function silentLog(): Log & { readonly lines: LogLine[]; readonly details: LogFields[] } {
  const lines: LogLine[] = [];
  const details: LogFields[] = [];
  const at =
    (level: LogLine['level']) =>
    (event: string, fields: LogFields = {}): void => {
      lines.push({ level, event, fields });
    };
  const debug = (event: string, fields: LogFields = {}) => void details.push({ event, ...fields });
  return { lines, details, debug, info: at('info'), warn: at('warn'), error: at('error') };
}
