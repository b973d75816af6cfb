import PostalMime, { type Header } from 'postal-mime';
import { BrainError } from '../../core/base/errors';
import { decode } from './decode';
import { encodingInsteadOfWestern, withWindowsSigns } from './encodings';

/** The depth of nested parts. */
const MAX_DEPTH = 64;
const MAX_HEADERS = 1024 * 1024;

interface Field {
  readonly value: string;
  readonly params: Readonly<Partial<Record<string, string>>>;
}

/** A part of a mail as postal-mime keeps it, with its transfer encoding undone. */
export interface Part {
  readonly childNodes: readonly Part[];
  readonly contentType: { readonly parsed: Field; readonly multipart: string | false };
  readonly contentDisposition: { readonly parsed: Field };
  readonly contentId?: string | undefined;
  readonly contentDescription?: string | undefined;
  readonly headers: readonly Header[];
  readonly content: ArrayBuffer | null;
}

/** What the encodings of the parts of one mail are told from, and what is told of them. */
export interface Encodings {
  /** An encoding that some part or header field of the mail names, besides UTF-8; '' for none. */
  readonly elsewhere: string;
  readonly warnings: Set<string>;
}

/** A mail as its parts, and what follows the last one. */
interface ParsedMail extends Encodings {
  readonly root: Part;
  /** Postal-mime drops it; mailing lists write their footers there. */
  readonly epilogue: Uint8Array;
}

/**
 * Parses a mail into its parts. Header fields in another encoding than UTF-8 are decoded by the one that their block names, else
 * by the likely one, which `warnings` gets.
 * @throws BrainError `unsupported_type` when its parts are nested too deep or its headers too large
 */
export async function parseMail(bytes: Uint8Array, name: string, warnings: Set<string>): Promise<ParsedMail> {
  // The parts themselves are no public interface of postal-mime, so its version is exact in package.json. It would join the
  // texts of all parts, decoded without a word of what is guessed.
  const parser = new PostalMime({ maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADERS });
  Object.assign(parser, { collectNode: () => Promise.resolve() });
  try {
    const written = withLineFeeds(bytes);
    const encodings = { elsewhere: encodingElsewhere(written), warnings };
    const mail = withUtf8Headers(written, encodings);
    const end = endOfBase64(mail);
    await parser.parse(mail.subarray(0, end));
    const { root } = parser as unknown as { readonly root: Part };
    const epilogue =
      end < mail.length ? mail.subarray(end) : epilogueOf(mail, root.contentType.parsed.params.boundary);
    return { root, epilogue, ...encodings };
  } catch {
    throw new BrainError(
      'unsupported_type',
      `${name} cannot be read as a mail: its parts or headers are beyond what a mail program writes. Save its text by itself and ingest that.`,
    );
  }
}

/** The bytes at the end of a mail in which its last delimiter is looked for. */
const MAX_EPILOGUE = 64 * 1024;

/** Returns what follows the delimiter that ends a mail. */
function epilogueOf(mail: Uint8Array, boundary: string | undefined): Uint8Array {
  const end = mail.subarray(-MAX_EPILOGUE);
  const delimiter = `\n--${boundary ?? ''}--`;
  const at = boundary === undefined ? -1 : latin1(end).lastIndexOf(delimiter);
  return at === -1 ? new Uint8Array() : end.subarray(at + delimiter.length);
}

const [LF, CR, DASH, ESCAPE] = [0x0a, 0x0d, 0x2d, 0x1b];

/** Returns where text follows the Base64 of a mail of one part, as footers of mailing lists do; its length when none does. */
function endOfBase64(mail: Uint8Array): number {
  const head = latin1(mail.subarray(0, MAX_LOOK));
  const header = /\n\r?\n/.exec(head);
  const fields = head.slice(0, header?.index ?? 0);
  const isBase64 = /^content-transfer-encoding:\s*base64/im.test(fields);
  if (header === null || !isBase64 || /^content-type:\s*multipart/im.test(fields)) return mail.length;
  const from = header.index + header[0].length;
  const body = latin1(mail.subarray(from));
  const end = body.search(/^[A-Za-z0-9+/=]*[^A-Za-z0-9+/=\s]|^[A-Za-z0-9+/=]+[ \t]+\S/m);
  const rest = body.slice(end === -1 ? body.length : end);
  // A bad character or two in Base64 is no text.
  const others = rest.match(/[^A-Za-z0-9+/=\r\n]/g)?.length ?? 0;
  return others * 20 > rest.length ? from + end : mail.length;
}

/** Removes what is before the first header field; lines that end with CR alone get LF. */
function withLineFeeds(bytes: Uint8Array): Uint8Array {
  let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (bytes[from] === LF || bytes[from] === CR) from += 1;
  const mail = bytes.subarray(from);
  return mail.includes(LF) ? mail : mail.map((byte) => (byte === CR ? LF : byte));
}

/** Re-encodes the header fields of a mail and of its parts as UTF-8. */
function withUtf8Headers(bytes: Uint8Array, encodings: Encodings): Uint8Array {
  if (!bytes.includes(ESCAPE) && isUtf8(bytes)) return bytes;
  const pieces: Uint8Array[] = [];
  const delimiters = new Set<string>();
  let isHeader = true;
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(LF, at) + 1 || bytes.length;
    const isDashed = bytes[at] === DASH && bytes[at + 1] === DASH;
    const line = isHeader || isDashed ? latin1(bytes.subarray(at, end)).trimEnd() : 'text';
    if (isHeader) {
      const boundary = /boundary\s*=\s*(?:"([^"]+)|([^\s;]+))/i.exec(line);
      if (boundary !== null) delimiters.add(`--${boundary[1] ?? boundary[2] ?? ''}`);
    }
    if (isHeader ? line === '' : delimiters.has(line)) {
      pieces.push(isHeader ? headersAsUtf8(bytes.subarray(from, end), encodings) : bytes.subarray(from, end));
      isHeader = !isHeader;
      from = end;
    }
    at = end;
  }
  pieces.push(isHeader ? headersAsUtf8(bytes.subarray(from), encodings) : bytes.subarray(from));
  return joined(pieces);
}

function headersAsUtf8(block: Uint8Array, encodings: Encodings): Uint8Array {
  if (!block.includes(ESCAPE) && isUtf8(block)) return block;
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(latin1(block))?.[1] ?? '';
  return new TextEncoder().encode(decodePart(block, charset, encodings));
}

/** The bytes at the beginning of a mail in which an encoding is looked for. */
const MAX_LOOK = 64 * 1024;

/** Returns the first encoding that a mail names anywhere and that is one of its own. */
function encodingElsewhere(mail: Uint8Array): string {
  const names = latin1(mail.subarray(0, MAX_LOOK)).matchAll(
    /charset\s*=\s*"?([\w.:-]+)|=\?([\w.:-]+)\?[bq]\?/gi,
  );
  for (const [, inField = '', inWord = ''] of names) {
    const label = (inField || inWord).toLowerCase();
    const encoding = encodingOf(label);
    if (encoding !== null && encoding !== 'utf-8' && !APART.test(encoding)) return encoding;
  }
  return '';
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  return decodeAs(bytes, 'utf-8') !== null;
}

/** Decodes with an encoding; null when the bytes are invalid in it. */
function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Decodes with an encoding; places that are invalid in it become U+FFFD. */
function lossyAs(bytes: Uint8Array, encoding: string): string {
  const text = new TextDecoder(encoding).decode(bytes);
  return encoding === 'windows-1252' ? withWindowsSigns(text) : text;
}

/** Labels of encodings that mail programs write and `TextDecoder` does not know. */
const LABELS: Readonly<Partial<Record<string, string>>> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
  '20866': 'koi8-r',
  '50220': 'iso-2022-jp',
  '50221': 'iso-2022-jp',
  '65001': 'utf-8',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  tis620: 'windows-874',
  utf8mb4: 'utf-8',
};

/** Returns the name that `TextDecoder` gives to an encoding; null for an unknown one and for a label that names none. */
function encodingOf(label: string): string | null {
  if (NONE.test(label)) return null;
  const plain = label.replace(/^(?:x-|cs)/, '');
  const page = /^(?:x-)?(?:cp|ms|ibm|windows)[-_]?(\d+)$/.exec(label)?.[1];
  const known = LABELS[page ?? plain.replace(/[-_]/g, '')];
  const labels = [label, known, plain, plain.replace(/_/g, '-'), plain.replace(/-/g, '')];
  for (const one of page === undefined ? labels : [label, known, `windows-${page}`]) {
    if (one === undefined) continue;
    try {
      return new TextDecoder(one).encoding;
    } catch {
      continue;
    }
  }
  return null;
}

/** Labels that name no encoding of letters beyond ASCII. */
const NONE = /^(?:$|(?:us-?)?ascii|ansi_x3|[78]-?bit|binary|(?:x-)?unknown|default|none)/;
/** Encodings with two bytes for a letter. Few words of theirs are UTF-8 by chance, of letters below U+0800. */
const PAIRS = /^(?:shift_jis|euc-jp|euc-kr|gbk|gb18030|big5)$/;
/** Encodings that write other letters with ASCII characters or with zero bytes. */
const APART = /^(?:iso-2022-jp|utf-16)/;
/** Encodings that mail programs name for any text. */
const WESTERN = /^(?:windows-1252|iso-8859-1)/;

/**
 * Decodes the text of a part. It is UTF-8, whatever it names, when its bytes show that; else what it names, unless its bytes make
 * a likely text only in another encoding; else what another part names, or the likely one. Adds a warning for what was guessed or lost.
 * @param charset the encoding that the part names; '' for none
 */
export function decodePart(bytes: Uint8Array, charset: string, encodings: Encodings): string {
  const label = charset
    .trim()
    .toLowerCase()
    .replace(/^['"]|['"]$/g, '');
  if (/^(?:x-)?(?:unicode-1-1-)?utf-?7$/.test(label)) return fromUtf7(latin1(bytes));
  const encoding = encodingOf(label);
  const named = encoding === 'utf-8' ? null : encoding;
  const utf8 = decodeAs(bytes, 'utf-8');
  if (named !== null && isApart(bytes, named, utf8)) return new TextDecoder(named).decode(bytes);
  if (utf8 !== null && utf8.includes('\x1b$') && !/[^\0-\x7f]/.test(utf8))
    return asGuessed(bytes, label, 'iso-2022-jp', encodings);
  if (utf8 !== null && !utf8.includes('\0')) {
    const own = named !== null && PAIRS.test(named) ? decodeAs(bytes, named) : null;
    if (own !== null && /[^\0-\x7f]/.test(utf8) && !/[^\0-\u07ff]/.test(utf8)) return own;
    if (named !== null && /[^\0-\x7f]/.test(utf8)) encodings.warnings.add(guessedFor(label, 'utf-8'));
    return utf8;
  }
  const text = utf8 === null && named !== null ? asNamed(bytes, label, named, encodings) : null;
  return text ?? guess(bytes, label, encodings);
}

/** Returns true when bytes are in a named encoding that writes other letters with ASCII characters or with zero bytes. */
function isApart(bytes: Uint8Array, named: string, utf8: string | null): boolean {
  if (!APART.test(named)) return false;
  return named === 'iso-2022-jp' ? !bytes.some((byte) => byte > 0x7f) : !utf8 || utf8.includes('\0');
}

function asGuessed(bytes: Uint8Array, label: string, encoding: string, { warnings }: Encodings): string {
  warnings.add(guessedFor(label, encoding));
  return lossyAs(bytes, encoding);
}

/** Decodes with the named encoding, or with the one that programs give that name; null when too much of the text is lost. */
function asNamed(bytes: Uint8Array, label: string, named: string, encodings: Encodings): string | null {
  const other = WESTERN.test(named) ? encodingInsteadOfWestern(bytes) : null;
  if (other !== null) return asGuessed(bytes, label, other, encodings);
  const text = lossyAs(bytes, named);
  const bad = text.match(/\ufffd/g)?.length ?? 0;
  if (bad * 20 > text.length) return null;
  if (bad > 0) encodings.warnings.add(LOST);
  return text;
}

function guess(bytes: Uint8Array, label: string, encodings: Encodings): string {
  const { elsewhere, warnings } = encodings;
  const isUsual = elsewhere !== '' && !(WESTERN.test(elsewhere) && encodingInsteadOfWestern(bytes) !== null);
  if (isUsual && decodeAs(bytes, elsewhere) !== null) return asGuessed(bytes, label, elsewhere, encodings);
  try {
    const { text, guessed } = decode(bytes, 'The mail');
    if (guessed !== undefined) warnings.add(guessedFor(label, guessed));
    else if (text.includes('\ufffd')) warnings.add(LOST);
    return text;
  } catch {
    // A part of a mail is no reason to refuse the others.
    warnings.add(LOST);
    return new TextDecoder().decode(bytes);
  }
}

const LOST =
  'A part of the mail has places that are no valid text and show as \ufffd; compare with the original.';

function guessedFor(label: string, encoding: string): string {
  const named = NONE.test(label)
    ? 'names no encoding'
    : `names the encoding "${label.slice(0, 40)}" but is not in it`;
  return `A part of the mail ${named}; it was read as ${encoding}. If letters are wrong, compare with the original.`;
}

/** Decodes UTF-7 (RFC 2152): other letters are UTF-16 in Base64 between a plus and a minus sign. */
function fromUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (found, code: string) => {
    if (code === '') return found === '+-' ? '+' : found;
    const binary = atob(code.slice(0, code.length - (code.length % 4 === 1 ? 1 : 0)));
    let letters = '';
    for (let at = 0; at + 1 < binary.length; at += 2)
      letters += String.fromCharCode(binary.charCodeAt(at) * 256 + binary.charCodeAt(at + 1));
    return letters;
  });
}
