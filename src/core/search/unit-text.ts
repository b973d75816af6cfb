import { unitAt } from './unit-at';

/** Which letters some units are, one bit for every 32nd of them; of the whole word as `Dictionary.letters` tells it. */
export function lettersIn(units: Uint16Array, start: number, length: number): number {
  let letters = 0;
  for (let at = start; at < start + length; at += 1) letters |= 1 << ((units[at] ?? 0) & 31);
  return letters;
}

/** So many units are made text at a time, out of one array, which leaves nothing behind to be cleared away. */
const AT_ONCE = 1024;
const codes = new Array<number>(AT_ONCE).fill(0);

/** The text of some units. */
export function textIn(units: Uint16Array, start: number, length: number): string {
  let text = '';
  for (let done = 0; done < length; done += AT_ONCE) {
    const size = Math.min(AT_ONCE, length - done);
    for (let at = 0; at < size; at += 1) codes[at] = units[start + done + at] ?? 0;
    // Spreading a plain array is many times faster than spreading a typed one.
    text += String.fromCharCode(...(size === AT_ONCE ? codes : codes.slice(0, size)));
  }
  return text;
}

/** Puts the units of a text into an array, which has room for them. */
export function copyUnits(text: string, into: Uint16Array, from = 0): void {
  for (let at = 0, end = text.length; at < end; at += 1) into[from + at] = unitAt(text, at);
}

/** The first unit of a character. */
export function unitOf(character = ''): number {
  return character.charCodeAt(0);
}

/** The units of a text. */
export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  copyUnits(text, units);
  return units;
}
