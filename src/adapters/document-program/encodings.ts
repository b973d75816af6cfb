import { CHARACTERS, PAIRS } from './languages';

/** The bytes of a file that are looked at, on lines that are not ASCII alone. */
const SAMPLE = 16 * 1024;
/** The least mean of the log-likelihoods of a text that may be one. */
const LIKELY = -10;
/** How much more likely than another text one is that is read in place of it. */
const FARTHER = 2;

const WESTERN = 'de fr es pt it sv da fi nl is nb ca';
const CENTRAL = 'pl cs sk hu ro hr sl';
const BALTIC = 'lt lv et';
const CYRILLIC = 'ru uk bg sr mk';

/**
 * The encodings that are told apart, the more usual one first, with the languages that are written in them, and what a rare one
 * has to be more likely by.
 */
const ENCODINGS: readonly (readonly [encoding: string, languages: string, handicap: number])[] = [
  ['windows-1252', WESTERN, -1],
  ['windows-1250', CENTRAL, 0],
  ['windows-1251', CYRILLIC, 0],
  ['windows-1253', 'el', 0],
  ['windows-1254', 'tr', 0],
  ['windows-1255', 'he', 0],
  ['windows-1256', 'ar fa', 0],
  ['windows-1257', BALTIC, 0],
  ['windows-874', 'th', 0],
  ['shift_jis', 'ja', 0],
  ['euc-jp', 'ja', 0],
  ['gb18030', 'zhHans', 0],
  ['big5', 'zhHant', 0],
  ['euc-kr', 'ko', 0],
  ['iso-8859-2', CENTRAL, 0.5],
  ['iso-8859-7', 'el', 0.5],
  ['iso-8859-6', 'ar', 1],
  ['iso-8859-8', 'he', 1],
  ['iso-8859-13', BALTIC, 1],
  ['koi8-r', 'ru', 1],
  ['koi8-u', 'uk ru', 1.5],
  ['iso-8859-5', CYRILLIC, 2],
  ['ibm866', CYRILLIC, 3],
  ['windows-1258', 'vi', 2],
  ['macintosh', WESTERN, 3],
  ['x-mac-cyrillic', CYRILLIC, 4],
];

/**
 * Returns the encoding in which bytes that are no UTF-8 make the most likely text of some language, also of a few words; null when
 * they make none.
 */
export function likelyEncoding(bytes: Uint8Array): string | null {
  const { encoding, mean } = likeliest(sampleOf(bytes));
  return mean < LIKELY ? null : encoding;
}

/**
 * Returns the encoding in which bytes make usual words while they are far from any in Windows-1252, which programs name for any
 * text; null when there is none.
 */
export function encodingInsteadOfWestern(bytes: Uint8Array): string | null {
  const sample = sampleOf(bytes);
  const { encoding, mean } = likeliest(sample);
  const western = likelihood(sample, 'windows-1252', WESTERN).mean;
  return mean > western + FARTHER ? encoding : null;
}

function likeliest(sample: Uint8Array): { readonly encoding: string; readonly mean: number } {
  let best = { encoding: '', sum: -Infinity, mean: -Infinity };
  for (const [named, languages, handicap] of ENCODINGS) {
    const encoding = named === 'windows-1252' ? latinOf(sample) : named;
    const { sum, mean } = likelihood(sample, encoding, languages);
    if (sum - handicap > best.sum) best = { encoding, sum: sum - handicap, mean };
  }
  return best;
}

/** Returns the lines that are not ASCII alone, each from the byte before its first such character. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(Math.min(SAMPLE, bytes.length));
  let [size, at] = [0, 0];
  while (size < sample.length) {
    const next = bytes.subarray(at).findIndex((byte) => byte > 0x7f);
    if (next < 0) break;
    const from = Math.max(at, at + next - 1);
    const end = bytes.indexOf(0x0a, from + 1) + 1 || bytes.length;
    const line = bytes.subarray(from, Math.min(end, from + sample.length - size));
    sample.set(line, size);
    size += line.length;
    at = end;
  }
  return sample.subarray(0, size);
}

const COMMON = new Map(Object.entries(CHARACTERS).map(([language, all]) => [language, new Set(all)]));

const decoders = new Map<string, TextDecoder>();

/** Returns a decoder, which is made once: a mail may ask for thousands of fields. */
function decoderOf(encoding: string): TextDecoder {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding);
  decoders.set(encoding, decoder);
  return decoder;
}

/** The log-likelihood of bytes in an encoding, as a sum and as a mean. */
interface Likelihood {
  readonly sum: number;
  readonly mean: number;
}

/** Returns the likelihood of bytes in an encoding, in the one of some languages that makes it the greatest. */
function likelihood(sample: Uint8Array, encoding: string, languages: string): Likelihood {
  const decoded = decoderOf(encoding).decode(sample);
  const text =
    encoding === 'windows-1252'
      ? withWindowsSigns(decoded)
      : encoding === 'windows-1258'
        ? decoded.normalize('NFC')
        : decoded;
  const common = COMMON.get(languages);
  if (common !== undefined) return asianLikelihood(text, languages, common);
  const { pairs, count, sum } = pairsOf(text);
  const sums = languages.split(' ').map((language) => {
    const logs = logsOf(language);
    let all = sum;
    for (const [pair, times] of pairs) all += times * logs(pair);
    return all;
  });
  const most = Math.max(...sums);
  return { sum: most, mean: count === 0 ? 0 : most / count };
}

// The log-likelihoods of what no language says: measured, not derived.
/** A pair of letters of a language that is not among its frequent ones, in Latin letters and in others. */
const [RARE_LATIN, RARE] = [-7, -5.5];
/** A letter that a language does not have. */
const FOREIGN = -11;
/** A sign where signs are; a rare sign, a sign within a word, and a word of two scripts. */
const [SIGN, ODD] = [-5.5, -10];
/** A control character, or what is invalid. */
const BAD = -16;
/** A capital after a small letter. */
const CAPITAL_WITHIN = -4;

const SIGNS = /[‘’‚“”„–—…€\u00a0§©®°£«»µ²³·•™½¼¾×±¿¡ªº№]/;
/** Signs that occur between two letters. */
const WITHIN_WORDS = /[’–—·\u00a0]/;
const LETTER = /[\p{L}\p{M}]/u;

/** The pairs of letters of a text that are not ASCII alone, with how often each occurs, and what its other characters say. */
function pairsOf(text: string): {
  readonly pairs: ReadonlyMap<string, number>;
  readonly count: number;
  readonly sum: number;
} {
  const pairs = new Map<string, number>();
  let [sum, count] = [0, 0];
  let before = ' ';
  let wasSmall = false;
  for (let at = 0; at < text.length; at += 1) {
    const written = text.charAt(at);
    const one = smallOf(written);
    const letter = LETTER.test(one) ? one : ' ';
    if (one > '\x7f' && letter === ' ') {
      const isBeforeLetter = LETTER.test(text.charAt(at + 1));
      sum += signLikelihood(one, before !== ' ', isBeforeLetter);
      count += isBeforeLetter ? 2 : 1;
    } else if ((letter > '\x7f' || before > '\x7f') && letter + before !== '  ') {
      const pair = before + letter;
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      if (wasSmall && written !== one) sum += CAPITAL_WITHIN;
      count += 1;
    }
    wasSmall = letter !== ' ' && written === one && one.toUpperCase() !== one;
    before = letter;
  }
  return { pairs, count, sum };
}

/** Returns the small form of a letter where it is one character as well. */
function smallOf(letter: string): string {
  const small = letter === 'İ' ? 'i' : letter.toLowerCase();
  return small.length === 1 ? small : letter;
}

function signLikelihood(sign: string, isAfterLetter: boolean, isBeforeLetter: boolean): number {
  if (sign === '\ufffd' || sign < '\xa0') return BAD;
  const isWithin = isAfterLetter && isBeforeLetter && !WITHIN_WORDS.test(sign);
  const isMisplaced = isAfterLetter ? /[±¹¼½¾×¿¡№§©£€‚„]/.test(sign) : isBeforeLetter && /[’”]/.test(sign);
  const own = !SIGNS.test(sign) || isWithin || isMisplaced ? ODD : SIGN;
  // A letter counts twice too: with the one before it and with the one after it.
  return isBeforeLetter ? own + RARE_LATIN : own;
}

/** What is added to the rank of a pair, so that the first ones do not count for all. */
const RANKS = 4;
const tables = new Map<string, (pair: string) => number>();

/** Returns a function that gives the log-likelihood of a pair in a language. */
function logsOf(language: string): (pair: string) => number {
  const known = tables.get(language);
  if (known !== undefined) return known;
  const ranked = (PAIRS[language] ?? '').match(/[^]{2}/g) ?? [];
  // Frequencies fall with the rank, as those of words do (Zipf).
  const whole = ranked.reduce((sum, _, rank) => sum + 1 / (rank + RANKS), 0);
  const beginning = new Map<string, number>();
  for (const [rank, [first = '']] of ranked.entries())
    beginning.set(first, (beginning.get(first) ?? 0) + 1 / (rank + RANKS) / whole);
  const logs = new Map<string, number>();
  for (const [rank, pair] of ranked.entries()) {
    const share = 1 / (rank + RANKS) / whole;
    const [first = ''] = pair;
    logs.set(pair, Math.log(first > '\x7f' ? share / ((beginning.get(first) ?? 0) + 0.02) : share));
  }
  const letters = new Set(ranked.join(''));
  const isLatin = /[a-z]/.test(ranked.join(''));
  const logOf = (pair: string) => {
    if (!isLatin && /[a-z]/.test(pair)) return ODD;
    const last = pair.charAt(1);
    if (last > '\x7f' && !letters.has(last)) return FOREIGN;
    return logs.get(pair) ?? (isLatin ? RARE_LATIN : RARE);
  };
  tables.set(language, logOf);
  return logOf;
}

/** Returns the likelihood of a text in an East Asian language, by its characters. */
function asianLikelihood(text: string, language: string, common: ReadonlySet<string>): Likelihood {
  const characters = [...text];
  let [sum, count] = [0, 0];
  for (const [at, one] of characters.entries()) {
    if (one <= '\x7f') continue;
    sum += asianLog(one, language, common.has(one));
    // These characters are seldom beside Latin letters.
    for (const beside of [characters[at - 1], characters[at + 1]])
      if (beside !== undefined && /[a-z]/i.test(beside)) sum -= 5;
    // A character has two bytes, as a letter of another script has two pairs.
    count += 2;
  }
  return { sum, mean: count === 0 ? 0 : sum / count };
}

function asianLog(one: string, language: string, isCommon: boolean): number {
  if (/[\u3001-\u3011\u30fb\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]/.test(one)) return -4.5;
  if (/[\u3041-\u30fc]/.test(one)) return language !== 'ja' ? -14 : one < '\u30a0' ? -4.3 : -5.2;
  if (/[\uac00-\ud7a3]/.test(one)) return language !== 'ko' ? BAD : isCommon ? -5 : -9.5;
  if (/[\u4e00-\u9fff]/.test(one)) return language === 'ko' ? -14 : isCommon ? -6 : -10.5;
  // Katakana of half the width, then signs.
  if (/[\uff61-\uff9f]/.test(one)) return -8;
  return /[\uff01-\uff5e\u2010-\u2312\u2460-\u2473\u25a0-\u266f]/.test(one) ? -7.5 : BAD;
}

/** ISO 8859-15 and Windows-1252 differ in eight characters, which are letters and the euro sign in the first. */
const LATIN_9 = new Set([0xa4, 0xa6, 0xa8, 0xb4, 0xb8, 0xbc, 0xbd, 0xbe]);

function latinOf(sample: Uint8Array): string {
  let isLatin9 = false;
  for (const [at, byte] of sample.entries()) {
    if (byte >= 0x80 && byte < 0xa0) return 'windows-1252';
    const beside = [sample[at - 1] ?? 0, sample[at + 1] ?? 0];
    if (
      LATIN_9.has(byte) &&
      (byte === 0xa4 || beside.some((one) => (one | 0x20) >= 0x61 && (one | 0x20) <= 0x7a))
    )
      isLatin9 = true;
  }
  return isLatin9 ? 'iso-8859-15' : 'windows-1252';
}

/** The characters of Windows-1252 from 0x80 to 0x9f. */
const WINDOWS_SIGNS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Replaces control characters from U+0080 to U+009F by the signs of Windows-1252: some versions of Node decode that encoding as
 * ISO 8859-1, and no text has these characters.
 */
export function withWindowsSigns(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (one) => WINDOWS_SIGNS.charAt(one.charCodeAt(0) - 0x80));
}
