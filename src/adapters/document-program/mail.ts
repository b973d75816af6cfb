import PostalMime, { type Address, type Email } from 'postal-mime';
import { BrainError } from '../../core/base/errors';
import { readHtml } from './html';
import { CUT_WARNING, MAX_TEXT, within } from './markup';
import type { ReadText } from './protocol';

/** The depth of nested parts. */
const MAX_DEPTH = 64;
const MAX_HEADERS = 1024 * 1024;
/** The number of attachments and of addressees that are named. */
const MAX_NAMED = 20;
/** The length of an attachment's name, in UTF-16 units: no file system allows a longer one. */
const MAX_NAME = 255;

/**
 * Converts a mail to Markdown: its header fields and its text; the text of its HTML when it has no escaped text. Attachments
 * are not read; the last line names them.
 * @throws BrainError `unsupported_type` when its parts are nested too deep or its headers too large
 */
export async function readMail(bytes: Uint8Array, name: string): Promise<ReadText> {
  const mail = await parse(bytes, name);
  const warnings: string[] = [];
  const names = mail.attachments
    .filter(({ related }) => related !== true)
    .map(({ filename }) => within(oneLine(filename ?? ''), MAX_NAME) || 'one without a name');
  if (names.length > 0)
    warnings.push(
      `${names.length === 1 ? 'An attachment was' : `${names.length} attachments were`} not read: ${listed(names)}. Save what matters and ingest it by itself.`,
    );
  const attached = names.length === 0 ? '' : `\nAttachments (not read): ${listed(names.map(escaped))}\n`;
  const whole = `${header(mail)}\n${bodyOf(mail, warnings)}\n`;
  const text = within(whole, MAX_TEXT - attached.length);
  if (text.length < whole.length) warnings.push(CUT_WARNING);
  const markdown = text + attached;
  const title = oneLine(mail.subject ?? '');
  return { markdown, ...(title !== '' && { title }), warnings };
}

async function parse(bytes: Uint8Array, name: string): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADERS });
  } catch {
    throw new BrainError(
      'unsupported_type',
      `${name} cannot be read as a mail: its parts or headers are beyond what a mail program writes. Save its text by itself and ingest that.`,
    );
  }
}

/**
 * Returns the escaped text if the mail has any, as its sender's program made it for such readers; else the text of its HTML.
 */
function bodyOf({ text, html }: Email, warnings: string[]): string {
  if (text !== undefined && text.trim() !== '') return text.replace(/\r\n?/g, '\n').trim();
  if (html === undefined) return '';
  const read = readHtml(html);
  warnings.push(...read.warnings);
  return read.markdown;
}

function header({ subject, from, to, cc, date }: Email): string {
  const lines = [
    ['Subject', oneLine(subject ?? '')],
    ['From', from === undefined ? '' : addressees([from])],
    ['To', addressees(to ?? [])],
    ['Cc', addressees(cc ?? [])],
    ['Date', date ?? ''],
  ] as const;
  return lines
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `- ${key}: ${value}\n`)
    .join('');
}

function addressees(all: readonly Address[]): string {
  return listed(all.flatMap((one) => (one.group === undefined ? [one] : one.group)).map(addressee));
}

function addressee({ name, address }: { readonly name: string; readonly address: string }): string {
  const called = oneLine(name);
  return called === '' ? oneLine(address) : `${called} (${oneLine(address)})`;
}

function listed(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map(oneLine).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}

/** Escapes a file name, so that it is escaped text in Markdown. */
function escaped(name: string): string {
  return name.replace(/[\\`*[\]<>#|~$%&=^]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
