import { BrainError } from '../../core/base/errors';
import { likelyEncoding, withWindowsSigns } from './encodings';
import type { ReadText } from './protocol';
import { isShifted, utf8Text } from './utf8';

/** The byte order marks and their encodings; the longer one of two that begin alike comes first. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** The bytes at the beginning of a file that decide its encoding. */
const SAMPLE = 64 * 1024;

/** The encoding of Japanese in seven bits. */
const SHIFTED = 'iso-2022-jp';

/** A decoded text and a warning for what was guessed or lost. */
export interface Decoded {
  readonly text: string;
  /** The encoding, when it was guessed. */
  readonly guessed?: string;
  readonly warnings: readonly string[];
}

/**
 * Decodes a file of text. It is UTF-8, or what its byte order mark says; else UTF-16 or UTF-32 whose bytes show it, else what it
 * declares, else UTF-8 with a few bad bytes, else the encoding that makes the most likely text. Line ends become `\n`.
 * @param declared the encoding that the file names, if it does
 * @throws BrainError `unsupported_type` when it is no text
 */
export function decode(bytes: Uint8Array, name: string, declared?: string): Decoded {
  const utf8 = utf8Text(bytes);
  if (utf8 !== null) return { text: utf8, warnings: [] };
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const strict = decodeAs(bytes, marked ?? 'utf-8');
  const shifted = strict !== null && isShifted(strict) ? guessedAs(bytes, SHIFTED) : null;
  if (shifted !== null)
    return declared?.toLowerCase() === SHIFTED ? { text: shifted.text, warnings: [] } : shifted;
  if (strict !== null && !strict.includes('\0')) return { text: strict, warnings: [] };
  const decoded = doubtful(bytes, strict, marked, declared);
  if (decoded !== null) return decoded;
  throw new BrainError(
    'unsupported_type',
    `${name} is no text in an encoding that is known here. Save it as UTF-8 and ingest it again.`,
  );
}

/**
 * Decodes a file that is not in the encoding that its mark says.
 * @param strict its text in that encoding; null when it has bad bytes
 */
function doubtful(
  bytes: Uint8Array,
  strict: string | null,
  marked?: string,
  declared?: string,
): Decoded | null {
  const isWide = marked === undefined && (strict === null || !isText(strict));
  const wide = isWide ? guessedAs(bytes, wideEncoding(bytes)) : null;
  if (wide !== null) return wide;
  const named = declared === undefined ? null : decodeAs(bytes, declared);
  if (named !== null && isText(named)) return { text: named, warnings: [] };
  const isUnknown = marked === undefined && strict === null && !isMostlyUtf8(bytes);
  const likely = isUnknown ? guessedAs(bytes, likelyEncoding(bytes), false) : null;
  if (likely !== null) return likely;
  const lossy = strict ?? decodeAs(bytes, marked ?? 'utf-8', false);
  if (lossy === null || !isText(lossy) || badPlaces(lossy) > lossy.length / 4) return null;
  return { text: lossy, warnings: lossOf(lossy) };
}

/** Decodes with a guessed encoding; null without one, and when the result is no text. */
function guessedAs(bytes: Uint8Array, encoding: string | null, fatal = true): Decoded | null {
  const text = encoding === null ? null : decodeAs(bytes, encoding, fatal);
  if (encoding === null || text === null || !isText(text)) return null;
  return { text, guessed: encoding, warnings: [guessed(encoding)] };
}

/** Reads a text file with `read`, and adds the warnings of its decoding. */
export function readDecoded(
  bytes: Uint8Array,
  name: string,
  read: (text: string, name: string) => ReadText,
  decoding: (bytes: Uint8Array, name: string) => Decoded = decode,
): ReadText {
  const { text, warnings } = decoding(bytes, name);
  const done = read(text, name);
  return { ...done, warnings: [...warnings, ...done.warnings] };
}

/** Decodes HTML, which may name its encoding in an XML declaration or in a `meta` element within its first 64 KiB. */
export function decodeHtml(bytes: Uint8Array, name: string): Decoded {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, SAMPLE));
  const declared =
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ??
    /<meta[^>]{1,1000}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1];
  return decode(bytes, name, declared);
}

/** Decodes with the encoding of this name; null when the name is unknown, or the bytes are invalid and `fatal`. */
function decodeAs(bytes: Uint8Array, encoding: string, fatal = true): string | null {
  try {
    const text = encoding.startsWith('utf-32')
      ? fromUtf32(bytes, encoding === 'utf-32le', fatal)
      : decodeKnown(bytes, encoding, fatal);
    return text === null ? null : text.replace(/\r\n?/g, '\n');
  } catch {
    return null;
  }
}

function decodeKnown(bytes: Uint8Array, encoding: string, fatal: boolean): string {
  const decoder = new TextDecoder(encoding, { fatal });
  const text = decoder.decode(bytes);
  if (decoder.encoding === 'windows-1258') return text.normalize('NFC');
  return decoder.encoding === 'windows-1252' ? withWindowsSigns(text) : text;
}

/** Decodes UTF-32, which `TextDecoder` does not; null when a character is invalid and `fatal`. */
function fromUtf32(bytes: Uint8Array, isLittle: boolean, fatal: boolean): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (fatal && bytes.length % 4 !== 0) return null;
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const point = view.getUint32(at, isLittle);
    const isValid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    if (!isValid && fatal) return null;
    if (at > 0 || point !== 0xfeff) text += String.fromCodePoint(isValid ? point : 0xfffd);
  }
  return text;
}

/** Returns UTF-16 or UTF-32 when zero bytes stand where the letters of European scripts have them; else null. */
function wideEncoding(bytes: Uint8Array): string | null {
  const zeros = [0, 0, 0, 0];
  const length = Math.min(bytes.length, SAMPLE) & ~3;
  const size = length === 0 ? bytes.length & ~1 : length;
  for (let at = 0; at < size; at += 1) if (bytes[at] === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
  const [a, b, c, d] = zeros.map((count) => (count * 4) / Math.max(4, size)) as [
    number,
    number,
    number,
    number,
  ];
  if (bytes.length % 4 === 0 && d > 0.95 && c > 0.95 && a < 0.2) return 'utf-32le';
  if (bytes.length % 4 === 0 && a > 0.95 && b > 0.95 && d < 0.2) return 'utf-32be';
  if (bytes.length % 2 !== 0) return null;
  const [even, odd] = [(a + c) / 2, (b + d) / 2];
  // Spaces, line ends and digits have a zero byte in every script.
  if (odd > 0.04 && even < odd / 8) return 'utf-16le';
  if (even > 0.04 && odd < even / 8) return 'utf-16be';
  return null;
}

/** Returns true for text: at most one control character in fifty, and one in any case. Programs, pictures and archives have more. */
function isText(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  let controls = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const unit = sample.charCodeAt(at);
    // White space (8 to 13) and the escape of terminals (27) are in texts too.
    if ((unit < 32 && (unit < 8 || unit > 13) && unit !== 27) || unit === 127) controls += 1;
  }
  return controls <= Math.max(1, sample.length / 50);
}

/** Returns true when a file has more sequences of UTF-8 than bytes that are none. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = decodeAs(bytes, 'utf-8', false) ?? '';
  const bad = text.match(/\ufffd/g)?.length ?? 0;
  const good = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return good > 2 * bad;
}

function badPlaces(text: string): number {
  return text.match(/[\ufffd\0]/g)?.length ?? 0;
}

function lossOf(text: string): string[] {
  const bad = badPlaces(text);
  if (bad === 0) return [];
  return [
    `${bad === 1 ? 'One place of the file is' : `${bad} places of the file are`} no valid text and ${bad === 1 ? 'shows' : 'show'} as \ufffd; compare with the original.`,
  ];
}

function guessed(encoding: string): string {
  return `The file names no encoding and is no UTF-8; it was read as ${encoding}. If letters are wrong, save it as UTF-8 and ingest it again.`;
}
