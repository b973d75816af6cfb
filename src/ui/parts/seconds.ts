import { clock } from './words';

/** The second in the time zone of the reader: `12:05:58`. */
export function seconds(time: string | Date): string {
  return `${clock(time)}:${String(new Date(time).getSeconds()).padStart(2, '0')}`;
}
