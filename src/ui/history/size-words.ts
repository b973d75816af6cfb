import { count } from '../parts/words';

/** A number of bytes for a list: `840 B`, `1.9 kB`, `12 kB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const kilo = bytes / 1000;
  return kilo < 10 ? `${(Math.floor(kilo * 10) / 10).toString()} kB` : `${count(Math.floor(kilo))} kB`;
}
