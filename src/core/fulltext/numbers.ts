/** The maximum number of digits of a number in groups: that of an international phone number (E.164). */
const MAX_DIGITS = 15;
/** The minimum number of digits of a phone number or identifier; a shorter one is seldom written in two ways. */
const MIN_DIGITS = 7;
/** The maximum number of signs between two groups: ` / `, ` (`. */
const MAX_GAP = 3;
const ISBN_DIGITS = 13;

const [ZERO = 0, NINE = 0, PLUS = 0, OPEN = 0, CLOSE = 0, DOT = 0, COMMA = 0, SMALL_X = 0] = Array.from(
  '09+().,x',
  (sign) => sign.charCodeAt(0),
);
/** Bits of a sign between groups of digits. */
const GAP = 1;
const THOUSAND = 2;
const JOINT = 4;

/**
 * The bits of each sign by its code unit. GAP: between the groups of a phone number or an ISBN; THOUSAND: between the thousands
 * of an amount; JOINT: it joins two groups into one word without the rules of this file.
 */
const SIGNS = new Uint8Array(0x2030);
for (const [bit, signs] of [
  [GAP, ' \u00a0\u2009\u202f-/.()\u2010\u2011\u2013'],
  [THOUSAND, " \u00a0\u2009\u202f.,'\u2019"],
  [JOINT, '-.\u2010\u2011'],
] as const)
  for (const sign of signs) SIGNS[sign.charCodeAt(0)] = (SIGNS[sign.charCodeAt(0)] ?? 0) | bit;

function isSign(unit: number, bits: number): boolean {
  return ((SIGNS[unit] ?? 0) & bits) !== 0;
}

// The functions below take offsets in `units`, whose text ends at `end`.

export function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function digitsEnd(units: Uint16Array, from: number, end: number): number {
  let at = from;
  while (at < end && isDigit(units[at] ?? 0)) at += 1;
  return at;
}

/** Returns the start of the group of digits after at most MAX_GAP signs; -1 without one. */
function nextGroup(units: Uint16Array, from: number, end: number): number {
  for (let at = from; at < end && at <= from + MAX_GAP; at += 1) {
    const unit = units[at] ?? 0;
    if (isDigit(unit)) return at > from ? at : -1;
    if (!isSign(unit, GAP)) return -1;
  }
  return -1;
}

/** Returns true if the group of digits at `from` may be the first of several; `numberEnd` finds nothing else. */
export function hasGroups(units: Uint16Array, from: number, end: number): boolean {
  const past = digitsEnd(units, from, end);
  if (!isSign(units[past] ?? 0, GAP | THOUSAND)) return false;
  return past + 1 < end && (isDigit(units[past + 1] ?? 0) || nextGroup(units, past, end) >= 0);
}

/**
 * Returns the end of a number that is written in groups, which begins with a digit, `+` or `(`: a phone number (`+49 30
 * 123456`, `(030) 123-456`, `030/123456`), an ISBN (`978 3 16 148410 0`) or an amount (`1,299.00`, `1 299`); 0 if there is
 * none. Groups may be several words otherwise.
 */
export function numberEnd(units: Uint16Array, from: number, end: number): number {
  return phoneEnd(units, from, end) || amountEnd(units, from, end);
}

function phoneEnd(units: Uint16Array, from: number, end: number): number {
  const first = units[from] ?? 0;
  const begin = isDigit(first) ? from : from + 1;
  // Most numbers have one group.
  const past = digitsEnd(units, begin, end);
  if (nextGroup(units, past, end) < 0) return 0;
  const isbn = begin === from && isBookland(units, begin, past);
  const sizes: number[] = [];
  const to = joinedGroups(units, begin, end, isbn ? ISBN_DIGITS : MAX_DIGITS, sizes);
  const size = sizes[0] ?? 0;
  let digits = 0;
  for (const each of sizes) digits += each;
  if (sizes.length < 2 || digits < MIN_DIGITS) return 0;
  if (first === OPEN) return units[begin + size] === CLOSE ? to : 0;
  if (isDateOrAddress(units, from, to)) return 0;
  if (first === PLUS || (first === ZERO && size > 1)) return to;
  if (isbn) return digits === ISBN_DIGITS ? to : 0;
  return isNorthAmerican(sizes) ? to : 0;
}

/** Returns true for the groups of `123-456-7890`. */
function isNorthAmerican(sizes: readonly number[]): boolean {
  return sizes.length === 3 && sizes[0] === 3 && sizes[1] === 3 && sizes[2] === 4;
}

/** Adds the sizes of groups of together at most `most` digits to `sizes`, and returns the end of the last one. */
function joinedGroups(units: Uint16Array, begin: number, end: number, most: number, sizes: number[]): number {
  let digits = 0;
  let to = 0;
  for (let at = begin; at >= 0;) {
    const past = digitsEnd(units, at, end);
    digits += past - at;
    if (past === at || digits > most) break;
    sizes.push(past - at);
    to = past;
    at = nextGroup(units, past, end);
  }
  // A number ends where no sign joins the next group to it.
  while (sizes.length > 0 && isSign(units[to] ?? 0, JOINT) && nextGroup(units, to, end) === to + 1) {
    to -= sizes.pop() ?? 0;
    while (to > begin && !isDigit(units[to - 1] ?? 0)) to -= 1;
  }
  return to;
}

/** Dates, with what may follow them, and addresses of the internet: their groups are numbers of their own. */
const DATE = /^(?:\d{4}([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2\d{4})(?!\d)/;
const ADDRESS = /^[1-9]\d{0,2}(?:\.\d{1,3}){3}$/;

function isDateOrAddress(units: Uint16Array, from: number, to: number): boolean {
  const text = String.fromCharCode(...units.subarray(from, to));
  return DATE.test(text) || ADDRESS.test(text);
}

/** Returns true for the group that an ISBN of 13 digits begins with: 978 or 979. */
function isBookland(units: Uint16Array, from: number, to: number): boolean {
  if (to - from !== 3) return false;
  const value = String.fromCharCode(units[from] ?? 0, units[from + 1] ?? 0, units[from + 2] ?? 0);
  return value === '978' || value === '979';
}

/** Returns the end of an amount with its decimals, or without them if `whole`; 0 if there is none. */
function amountEnd(units: Uint16Array, from: number, end: number, whole = false): number {
  let at = digitsEnd(units, from, end);
  const sign = units[at] ?? 0;
  if (units[from] === ZERO || at === from || at - from > 3 || at >= end || !isSign(sign, THOUSAND)) return 0;
  const first = at;
  while (at + 4 <= end && units[at] === sign && digitsEnd(units, at + 1, end) === at + 4 && at - from < 2 * 8)
    at += 4;
  if (at === first) return 0;
  const decimal = units[at];
  if (whole || at >= end || (decimal !== DOT && decimal !== COMMA) || decimal === sign) return at;
  const past = digitsEnd(units, at + 1, end);
  const places = past - at - 1;
  return places === 1 || places === 2 ? past : at;
}

/** A part of a text that is in groups of digits: the bounds of a group, or of groups that single signs join. */
interface Group {
  readonly from: number;
  readonly to: number;
  /** The number of groups within joined ones; 0 for a group. */
  readonly span: number;
}

/** Returns true if a word holds nothing but digits and the signs between them, perhaps with the X of an ISBN at its end. */
export function isNumber(units: Uint16Array, from: number, to: number): boolean {
  const first = units[from] ?? 0;
  if (!isDigit(first) && first !== PLUS && first !== OPEN) return false;
  for (let at = from + 1; at < to; at += 1) {
    const unit = units[at] ?? 0;
    if (isDigit(unit) || isSign(unit, GAP | THOUSAND)) continue;
    if (at < to - 1 || (unit | 0x20) !== SMALL_X || isDigit(units[at - 1] ?? 0)) return false;
  }
  return true;
}

/** Returns the groups of a number in order, joined ones after those that they consist of. */
export function groupsOf(units: Uint16Array, from: number, to: number): Group[] {
  const groups: Group[] = [];
  let begin = from;
  let joined = 0;
  for (let at = from; at < to;) {
    const isX = ((units[at] ?? 0) | 0x20) === SMALL_X;
    const past = isX ? at + 1 : digitsEnd(units, at, to);
    if (past === at) {
      at += 1;
      continue;
    }
    if (joined === 0) begin = at;
    groups.push({ from: at, to: past, span: 0 });
    joined += 1;
    const isJoint =
      isSign(units[past] ?? 0, JOINT) && past + 1 < to && nextGroup(units, past, to) === past + 1;
    const isBeforeX = past + 2 === to && ((units[past + 1] ?? 0) | 0x20) === SMALL_X;
    if (!isJoint && !isBeforeX) {
      if (joined > 1) groups.push({ from: begin, to: past, span: joined });
      joined = 0;
    }
    at = past + 1;
  }
  return groups;
}

/**
 * Returns the spellings of a number without its separators, the one that most other ways of writing it share last: of an
 * amount with decimals and without, of a phone number with its country code and without, and without the zero before the area
 * code.
 */
export function spellingsOf(units: Uint16Array, from: number, to: number): string[] {
  if (!isDateOrAddress(units, from, to) && amountEnd(units, from, to) === to) {
    const whole = digitsIn(units, from, amountEnd(units, from, to, true));
    const decimals = digitsIn(units, from, to).slice(whole.length);
    return decimals === '' ? [whole] : [`${whole}.${decimals}`, whole];
  }
  const all = digitsIn(units, from, to);
  if (isDateOrAddress(units, from, to)) return [];
  if (all.length < MIN_DIGITS || all.length > MAX_DIGITS + 2) return [];
  const isAbroad = units[from] === PLUS || all.startsWith('00');
  // The zero in `+49 (0)30` is not dialled.
  const text = String.fromCharCode(...units.subarray(from, to)).replace(isAbroad ? /\(0\)/ : /$^/, ' ');
  const [country = '', ...rest] = text.split(/\D+/).filter((group) => group !== '' && group !== '00');
  const own = isAbroad ? rest.join('').replace(/^0+/, '') : '';
  const full = isAbroad ? (country + rest.join('')).replace(/^0+/, '') : all;
  const national = isAbroad ? own : all.replace(/^0+/, '');
  return [...new Set(national.length < MIN_DIGITS - 1 ? [full] : [full, national])].filter(Boolean);
}

function digitsIn(units: Uint16Array, from: number, to: number): string {
  let digits = '';
  for (let at = from; at < to; at += 1) {
    const unit = units[at] ?? 0;
    const isX = at === to - 1 && (unit | 0x20) === SMALL_X;
    if (isDigit(unit) || isX) digits += String.fromCharCode(isX ? SMALL_X : unit);
  }
  return digits;
}
