import { type Address, addressParser, decodeWords } from 'postal-mime';
import { formatOf } from '../../core/documents/formats';
import type { DocumentFile } from '../../core/documents/ports';
import { readHtml } from './html';
import { withWindowsSigns } from './encodings';
import { decodePart, type Encodings, type Part, parseMail } from './mail-parts';
import { mailTextToMarkdown, withFoldedQuotes } from './mail-text';
import { CUT_WARNING, literal, listed, MAX_TEXT, within } from './markup';
import type { ReadText } from './protocol';

/** The length of an attachment's name, in UTF-16 units: no file system allows a longer one. */
const MAX_NAME = 255;

/**
 * Converts a mail to Markdown: its header fields and its text, which is the fuller one of plain text and HTML. Returns its
 * attachments as files, whose names tell their kinds; one of a kind that nothing reads has no bytes.
 * @throws BrainError `unsupported_type` when its parts are nested too deep or its headers too large
 */
export async function readMail(bytes: Uint8Array, name: string): Promise<ReadText> {
  const warnings = new Set<string>();
  const { root, epilogue, elsewhere } = await parseMail(bytes, name, warnings);
  const reading = { warnings, elsewhere };
  const files: DocumentFile[] = [];
  const texts = [
    plainText(strayLines(root)),
    textOf(root, { ...reading, files, isAlternative: false, isFirst: true }),
    plainText(decodePart(epilogue, '', reading)),
  ];
  const body = joined(texts.filter((text) => text !== null));
  const text = `${header(root)}\n${body?.markdown ?? ''}\n`;
  const whole = text.trim() === '' && files.length > 0 ? 'The mail has no text.\n' : text;
  const markdown = within(whole, MAX_TEXT);
  if (markdown.length < whole.length) warnings.add(CUT_WARNING);
  const title = oneLine(decodeWords(fieldOf(root, 'subject')));
  return {
    markdown,
    ...(title !== '' && { title }),
    ...(files.length > 0 && { files: withoutCopies(files) }),
    warnings: [...warnings],
  };
}

/** Removes copies of calendars: invitations hold theirs twice. */
function withoutCopies(files: readonly DocumentFile[]): DocumentFile[] {
  const known = new Set<string>();
  return files.filter(({ name, bytes }) => {
    if (!/\.ics$/i.test(name) || bytes.length === 0) return true;
    const text = new TextDecoder('latin1').decode(bytes).replace(/\r/g, '').trim();
    return !known.has(text) && known.add(text);
  });
}

/** The text of a part as Markdown. */
interface Text {
  readonly markdown: string;
  /** The words and addresses that it shows. */
  readonly words: readonly string[];
  readonly isPlain: boolean;
  /** True for HTML with a table that has a head, so that it is no layout. */
  readonly hasTable: boolean;
}

/** The place of a part, and what is collected of the parts. */
interface Reading extends Encodings {
  readonly files: DocumentFile[];
  /** True below a `multipart/alternative`. */
  readonly isAlternative: boolean;
  /** True for the first part of its parent. */
  readonly isFirst: boolean;
}

/** Returns the text of a part and of those in it; null for none. Adds attachments to `files`. */
function textOf(part: Part, reading: Reading): Text | null {
  const { childNodes } = part;
  const { multipart } = part.contentType;
  if (multipart === false || childNodes.length === 0) {
    if (multipart !== false || isText(part, reading)) return leafText(part, reading);
    if (!isPicture(part) && !NO_TEXT.test(part.contentType.parsed.value))
      reading.files.push(fileOf(part, reading));
    return null;
  }
  const isAlternative = multipart === 'alternative' || reading.isAlternative;
  const texts = childNodes
    .map((child, at) => textOf(child, { ...reading, isAlternative, isFirst: at === 0 }))
    .filter((text) => text !== null);
  if (multipart === 'alternative') return fullest(texts, reading.warnings);
  const [first, second, third] = texts;
  // Some programs write alternatives without saying so.
  if (first && second && !third && isTwice(first, second)) return fullest(texts, reading.warnings);
  const rest = unboundText(bytesOf(part), reading);
  return rest === null ? joined(texts) : joined([...texts, rest]);
}

function joined(texts: readonly Text[]): Text | null {
  const [first] = texts;
  if (first === undefined || texts.length === 1) return first ?? null;
  return {
    markdown: texts.map(({ markdown }) => markdown).join('\n\n'),
    words: texts.flatMap(({ words }) => words),
    isPlain: texts.every(({ isPlain }) => isPlain),
    hasTable: texts.some(({ hasTable }) => hasTable),
  };
}

/** Returns true for a part that is shown as text of the mail. */
function isText(part: Part, { isAlternative, isFirst }: Reading): boolean {
  const { value } = part.contentType.parsed;
  // A type without a slash is none (RFC 2045, section 5.2).
  const isShown = !value.includes('/') || /^text\/(?:plain|html|enriched|richtext)$/.test(value);
  const isOther = /^text\/(?!(?:x-)?rtf)/.test(value) && EXTENSIONS[value] === undefined;
  if (!isShown && !(isOther && isFirst && !isAlternative && nameOf(part) === '')) return false;
  if (part.contentDisposition.parsed.value === 'attachment') return false;
  return isAlternative || isFirst || nameOf(part) === '';
}

/** Types of signatures, and of a copy of the text for some readers alone. */
const NO_TEXT = /^(?:text\/(?:x-amp-html|watch-html)|application\/(?:(?:x-)?pkcs7|pgp)-signature)$/;

/** Returns true for a picture within the text. */
function isPicture({ contentType, contentDisposition, contentId }: Part): boolean {
  return (
    contentType.parsed.value.startsWith('image/') &&
    contentId !== undefined &&
    contentDisposition.parsed.value !== 'attachment'
  );
}

function bytesOf({ content }: Part): Uint8Array<ArrayBuffer> {
  return new Uint8Array(content ?? new ArrayBuffer(0));
}

function leafText(part: Part, encodings: Encodings): Text | null {
  const { warnings } = encodings;
  const { value, params } = part.contentType.parsed;
  const bytes = bytesOf(part);
  const isHtml = value === 'text/html';
  const declared = isHtml ? /<meta[^>]{1,1000}?charset\s*=\s*["']?\s*([\w.:-]+)/i : null;
  const inHtml = declared?.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 4096)))?.[1];
  const text = decodePart(bytes, params.charset ?? inHtml ?? '', encodings);
  if (isHtml) {
    const read = readHtml(text, true);
    for (const warning of read.warnings) warnings.add(warning);
    return made(withFoldedQuotes(read.markdown), { isPlain: false, hasTable: /<th[\s>]/i.test(text) });
  }
  const plain = /enriched|richtext/.test(value) ? withoutCommands(text) : text;
  if (text.length > MAX_TEXT) warnings.add(CUT_WARNING);
  const flowed = /^flowed$/i.test(params.format ?? '');
  const wrapping = { flowed, delSp: /^yes$/i.test(params.delsp ?? '') };
  return made(mailTextToMarkdown(plain, wrapping), { isPlain: true, hasTable: false });
}

/** Removes the formatting commands of enriched text (RFC 1896). */
function withoutCommands(text: string): string {
  return text
    .replace(/<param>[^<]*<\/param>/gi, '')
    .replace(/<(<)|<\/?[a-z-]{1,60}>/gi, (_, sign: string | undefined) => sign ?? '');
}

/**
 * Returns the text before and between the parts of a multipart that belongs to none of them, such as the footer of a mailing
 * list. What tells old mail programs that the mail has parts is left out.
 */
function unboundText(bytes: Uint8Array, encodings: Encodings): Text | null {
  const paragraphs = decodePart(bytes, '', encodings).split(/\n[ \t]*\n/);
  const kept = paragraphs.filter((each) => each.trim() !== '' && !/\bMIME\b|multi-?part/i.test(each));
  return plainText(kept.join('\n\n'));
}

function plainText(text: string): Text | null {
  const markdown = mailTextToMarkdown(text, { flowed: false, delSp: false });
  return made(markdown, { isPlain: true, hasTable: false });
}

function made(markdown: string, kind: Pick<Text, 'isPlain' | 'hasTable'>): Text | null {
  const trimmed = markdown.replace(/^\n+/, '').trimEnd();
  return trimmed === '' ? null : { markdown: trimmed, words: wordsOf(trimmed), ...kind };
}

/** Matches an address, a letter of a script without spaces, or a word. */
const WORD = /https?:\/\/[^\s<>()[\]]+|[\u3040-\u30ff\u3400-\u9fff]|[\p{L}\p{M}\p{N}]+/gu;

function wordsOf(markdown: string): string[] {
  return markdown.replace(/^[> ]*\[!quote\]-$/gm, '').match(WORD) ?? [];
}

/** Returns the alternative with the most text; plain text where HTML adds only its layout. */
function fullest(texts: readonly Text[], warnings: Set<string>): Text | null {
  const [first, ...others] = texts;
  if (first === undefined) return null;
  return others.reduce((best, next) => {
    const taken = isFuller(next, best) ? next : best;
    const left = taken === next ? best : next;
    if (!isStandIn(left, taken) && differ(left, taken)) warnings.add(DIFFERENT);
    return taken;
  }, first);
}

const DIFFERENT =
  'The mail has its text in two forms that say different things; the fuller one was taken. Compare with the original.';

function isFuller(next: Text, best: Text): boolean {
  if (isStandIn(best, next)) return true;
  if (isStandIn(next, best)) return false;
  if (next.isPlain === best.isPlain) return next.words.length > best.words.length;
  const [plain, rich] = next.isPlain ? [next, best] : [best, next];
  const [few, many] = [plain.words.length, rich.words.length];
  const isRicher = rich.hasTable ? many >= few * 0.9 : many > few * 1.1 + 3;
  return isRicher === (rich === next);
}

const PROGRAM =
  /\bHTML\b|browser|navigat|navegador|plain[- ]?text|mail[- ]?(?:client|program|reader|viewer)/i;
/** Words for seeing and showing, in English, German, French, Spanish and Italian. */
const SHOWS =
  /\b(?:(?:re)?view|see|shown?|display|support|read|render|enable|upgrade|capable|anzeig|angezeigt|ansehen|darst|unterst|affich|visuali[sz]|voir|mostra|ver\b|vedere|consult)/i;

/** Returns true for a short text that stands in for another one, such as "Your mail program does not show HTML". */
function isStandIn(text: Text, other: Text): boolean {
  if (text.words.length > 80 || !PROGRAM.test(text.markdown) || !SHOWS.test(text.markdown)) return false;
  return missing(other, text) * 2 > new Set(other.words).size;
}

/** Returns true when the other text lacks a third of the words of a text. */
function differ(text: Text, taken: Text): boolean {
  return missing(text, taken) * 3 > new Set(text.words).size;
}

/** Returns true for plain text and HTML that say the same. */
function isTwice(one: Text, other: Text): boolean {
  const isSame = (a: Text, b: Text) => missing(a, b) * 10 <= new Set(a.words).size;
  return one.isPlain !== other.isPlain && isSame(one, other) && isSame(other, one);
}

/** Counts the words of a text, without addresses, that the other one lacks. */
function missing(text: Text, other: Text): number {
  const known = new Set(other.words.map((word) => word.toLowerCase()));
  return [...new Set(text.words)].filter((word) => !word.startsWith('http') && !known.has(word.toLowerCase()))
    .length;
}

/** The extensions of types of files, for attachments whose name has none that is known. */
const EXTENSIONS: Readonly<Partial<Record<string, string>>> = {
  'application/csv': 'csv',
  'application/ics': 'ics',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/xhtml+xml': 'xhtml',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'message/rfc822': 'eml',
  'message/global': 'eml',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/directory': 'vcf',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/tab-separated-values': 'tsv',
  'text/vcard': 'vcf',
  'text/x-vcard': 'vcf',
};
/** The names of attachments without one. */
const NAMES: Readonly<Partial<Record<string, string>>> = { eml: 'message', ics: 'calendar', vcf: 'contact' };

function nameOf({ contentType, contentDisposition }: Part): string {
  const given = contentDisposition.parsed.params.filename ?? contentType.parsed.params.name ?? '';
  return within(oneLine(decodeWords(given).split(/[\\/]/).at(-1) ?? ''), MAX_NAME);
}

/** Returns an attachment as a file. Text is re-encoded as UTF-8 when it names its encoding. */
function fileOf(part: Part, encodings: Encodings): DocumentFile {
  const { value: type, params } = part.contentType.parsed;
  const isText = type.startsWith('text/');
  const given = nameOf(part);
  const extension = EXTENSIONS[type] ?? (isText || type.startsWith('message/') ? 'txt' : '');
  const ending = extension === '' ? '' : `.${extension}`;
  const called =
    NAMES[extension] ?? (type.startsWith('message/') ? type.slice('message/'.length) : 'attachment');
  const whole = `${given || called}${ending}`;
  const isNamed = given !== '' && (formatOf(given) !== null || formatOf(whole) === null);
  const name = isNamed ? given : whole;
  const bytes = formatOf(name) === null ? new Uint8Array() : bytesOf(part);
  const charset = params.charset ?? '';
  if (!isText || charset === '') return { name, bytes };
  return { name, bytes: new TextEncoder().encode(decodePart(bytes, charset, encodings)) };
}

function fieldOf({ headers }: Part, key: string): string {
  return headers.find((header) => header.key === key)?.value ?? '';
}

/** Returns lines among the header fields that are none, as in a file of text alone; the first line of a mailbox is left out. */
function strayLines({ headers }: Part): string {
  return headers
    .filter(({ originalKey }) => /\s/.test(originalKey) && !/^>?from /i.test(originalKey))
    .map(({ originalKey, value }) => (value === '' ? originalKey : `${originalKey}: ${value}`))
    .join('\n');
}

function header(root: Part): string {
  const lines = [
    ['Subject', oneLine(decodeWords(fieldOf(root, 'subject')))],
    ['From', addressees(root, 'from')],
    ['To', addressees(root, 'to')],
    ['Cc', addressees(root, 'cc')],
    ['Date', dateOf(fieldOf(root, 'date'))],
  ] as const;
  return lines
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `- ${key}: ${literal(value)}\n`)
    .join('');
}

/** Returns a date as ISO 8601; one that cannot be read stays as it is. */
function dateOf(written: string): string {
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? oneLine(written) : date.toISOString();
}

function addressees(root: Part, key: string): string {
  const all = root.headers.filter((one) => one.key === key).flatMap(({ value }) => addressParser(value));
  return listed(all.flatMap((one: Address) => (one.group === undefined ? [one] : one.group)).map(addressee));
}

function addressee({ name, address }: { readonly name: string; readonly address: string }): string {
  const called = oneLine(name);
  if (called === '' || called === address) return oneLine(address);
  return oneLine(address) === '' ? called : `${called} (${oneLine(address)})`;
}

function oneLine(text: string): string {
  return withWindowsSigns(text).replace(/\s+/g, ' ').trim();
}
