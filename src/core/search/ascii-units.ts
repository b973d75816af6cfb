import { textIn } from './unit-text';

/** What English cuts off at the end: `user's`, `don't`. */
export const ENDING = /['’](?:s|d|m|t|ll|re|ve)$/i;

const APOSTROPHE = "'".charCodeAt(0);

/** What a unit of a word of ASCII is. */
export const SIGN = 0;
export const DIGIT = 1;
export const SMALL = 2;
export const CAPITAL = 3;

export function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return SMALL;
  if (unit >= 0x41 && unit <= 0x5a) return CAPITAL;
  return unit >= 0x30 && unit <= 0x39 ? DIGIT : SIGN;
}

export function isAscii(word: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if ((word[at] ?? 0) > 0x7e || (word[at] ?? 0) < 0x21) return false;
  return true;
}

/** True for what joins the parts of a word of ASCII and is not kept in the whole: it stands beside a letter. */
export function isLooseJoint(word: Uint16Array, at: number): boolean {
  if (kindOf(word[at] ?? 0) !== SIGN) return false;
  return kindOf(word[at - 1] ?? 0) !== DIGIT || kindOf(word[at + 1] ?? 0) !== DIGIT;
}

export function areSmall(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (kindOf(units[at] ?? 0) !== SMALL) return false;
  return true;
}

export function hasSign(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (kindOf(units[at] ?? 0) === SIGN) return true;
  return false;
}

export function hasApostrophe(word: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (word[at] === APOSTROPHE) return true;
  return false;
}

/** How many units of a word of ASCII English cuts off. */
export function endingIn(word: Uint16Array, from: number, to: number): number {
  for (let size = 2; size <= 3 && size <= to - from; size += 1)
    if (word[to - size] === APOSTROPHE) return ENDING.test(textIn(word, to - size, size)) ? size : 0;
  return 0;
}
