/** The bytes of a file that are looked at. */
const SAMPLE = 64 * 1024;
/** The least mean of the points of an encoding that is taken. */
const LIKELY = 0.05;

/**
 * Returns the encoding that makes the most likely text of bytes that are no UTF-8; null when none does. It tells Windows-1252,
 * ISO 8859-15, Windows-1251, KOI8-R, Shift_JIS, EUC-JP, GB18030, Big5 and EUC-KR apart, also by one word.
 * @param least the mean of points that it must exceed: 1 for a text of usual letters, 0.2 for one that may be in any encoding
 */
export function likelyEncoding(bytes: Uint8Array, least = LIKELY): string | null {
  const sample = sampleOf(bytes);
  const latin = latinOf(sample);
  const all: [encoding: string, points: number][] = [
    [latin, pointsOf(sample, latin, latinPoints)],
    ['windows-1251', pointsOf(sample, 'windows-1251', cyrillicPoints)],
    ['koi8-r', pointsOf(sample, 'koi8-r', cyrillicPoints)],
    ...PAIRS.map(([encoding, rows]): [string, number] => [encoding, pairPoints(sample, rows)]),
  ];
  const [best, points] = all.reduce((one, other) => (other[1] > one[1] ? other : one));
  return points > least ? best : null;
}

/** Returns true for bytes that are no usual text in a Western European encoding. */
export function isUnlikelyWestern(bytes: Uint8Array): boolean {
  return pointsOf(sampleOf(bytes), 'windows-1252', latinPoints) <= 0;
}

/** Returns the part of a file around its first byte that is no ASCII, from the beginning of its line. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const from = bytes.subarray(0, first).lastIndexOf(0x0a) + 1;
  return bytes.subarray(Math.max(from, first - SAMPLE), Math.max(from, first - SAMPLE) + SAMPLE);
}

/** Returns the mean of the points of the characters that are no ASCII. */
function pointsOf(
  sample: Uint8Array,
  encoding: string,
  points: (character: string, before: string, after: string) => number,
): number {
  const decoded = new TextDecoder(encoding).decode(sample);
  const text = encoding === 'windows-1252' ? withWindowsSigns(decoded) : decoded;
  let [sum, count] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) < 0x80) continue;
    sum += points(text.charAt(at), text.charAt(at - 1), text.charAt(at + 1));
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
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

const isLatin = (letter: string) => /\p{Script=Latin}/u.test(letter);
const isUpper = (letter: string) => /\p{Lu}/u.test(letter);
const isLower = (letter: string) => /\p{Ll}/u.test(letter);
const SIGNS = /[‘’‚“”„–—…€\u00a0§©®°£«»µ²³·•™½¼¾×±¿¡ªº]/;
/** Signs that occur between two letters. */
const WITHIN_WORDS = /[’–—·\u00a0]/;

/** The points of a character in a European text: letters beside ASCII letters, and signs apart from them. */
function latinPoints(character: string, before: string, after: string): number {
  if (SIGNS.test(character))
    return isLatin(before) && isLatin(after) && !WITHIN_WORDS.test(character) ? -0.5 : 0.6;
  if (!isLatin(character) || (isUpper(character) && isLower(before))) return -1;
  const beside = [before, after].filter((one) => one > '\x7f' && !SIGNS.test(one)).length;
  if (beside > 0) return beside === 2 ? -0.6 : 0.1;
  return /[a-z]/i.test(before + after) ? 1 : 0.2;
}

/** The points of a character in a Cyrillic text: letters among their own kind, and capitals before small letters. */
function cyrillicPoints(character: string, before: string, after: string): number {
  if (/[«»–—№\u00a0…“”„]/.test(character)) return 0.4;
  if (!/[А-яЁёЄІЇєіїҐґ]/.test(character)) return -1;
  if (isLatin(before) || isLatin(after)) return -0.5;
  if (isUpper(character)) return isLower(before) ? -1 : isLower(after) ? 0.9 : 0.2;
  return isUpper(after) ? -0.5 : 0.9;
}

/** A range of first bytes, and the points of a character of two bytes that begins with one of them. */
type Rows = readonly (readonly [from: number, to: number, points: number])[];

/** The rows of encodings with two bytes for a character: letters and usual characters, signs, and rare characters. */
const PAIRS: readonly (readonly [encoding: string, layout: Layout])[] = [
  [
    'shift_jis',
    {
      trail: 0x40,
      rows: [
        [0x81, 0x81, 0.6],
        [0x82, 0x83, 1],
        [0x88, 0x97, 0.8],
        [0x98, 0x9f, 0.2],
        [0xe0, 0xea, 0.2],
      ],
    },
  ],
  [
    'euc-jp',
    {
      trail: 0xa1,
      rows: [
        [0xa1, 0xa1, 0.6],
        [0xa3, 0xa3, 0.6],
        [0xa4, 0xa5, 1],
        [0xb0, 0xcf, 0.7],
        [0xd0, 0xf4, 0.2],
      ],
    },
  ],
  [
    'gb18030',
    {
      trail: 0xa1,
      rows: [
        [0xa1, 0xa1, 0.6],
        [0xa3, 0xa3, 0.6],
        [0xb0, 0xd7, 0.8],
        [0xd8, 0xf7, 0.3],
      ],
    },
  ],
  [
    'big5',
    {
      trail: 0x40,
      rows: [
        [0xa1, 0xa3, 0.5],
        [0xa4, 0xc6, 0.75],
        [0xc9, 0xf9, 0.1],
      ],
    },
  ],
  [
    'euc-kr',
    {
      trail: 0xa1,
      rows: [
        [0xa1, 0xa3, 0.5],
        [0xb0, 0xc8, 0.85],
        [0xca, 0xfd, -0.3],
      ],
    },
  ],
];

interface Layout {
  /** The least second byte of a usual character. */
  readonly trail: number;
  readonly rows: Rows;
}

/** Returns the mean points of the bytes that are no ASCII, read in pairs. */
function pairPoints(sample: Uint8Array, { trail, rows }: Layout): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80) continue;
    count += 1;
    const second = sample[at + 1];
    // A character that the end of the sample cuts.
    if (second === undefined) break;
    const [, , points] = rows.find(([from, to]) => lead >= from && lead <= to) ?? [0, 0, -1];
    // East Asian characters are seldom between Latin letters.
    const beside = [sample[at - 1] ?? 0, sample[at + 2] ?? 0].filter(isAsciiLetter).length;
    sum += (second >= trail ? points : -1) - beside / 2;
    at += 1;
  }
  return count === 0 ? 0 : sum / count;
}

function isAsciiLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
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
