import PostalMime, { type Address, type Email } from 'postal-mime';
import { BrainError } from '../../core/base/errors';
import { readHtml } from './html';
import { CUT_WARNING, MAX_TEXT, within } from './markup';
import type { ReadText } from './protocol';

/** A mail in a mail in a mail is read so far in. */
const MAX_DEPTH = 64;
const MAX_HEADERS = 1024 * 1024;
/** Attachments and addressees that are named one by one. */
const MAX_NAMED = 20;
/** So much of the name of an attachment is told, in UTF-16 units: no file system takes a longer one. */
const MAX_NAME = 255;

/**
 * A mail as Markdown: who, when, and its text; of one that is only HTML, what that says. Attachments are not read; the
 * last line names them.
 * @throws BrainError `unsupported_type` when its parts are nested beyond all reason
 */
export async function readMail(bytes: Uint8Array, name: string): Promise<ReadText> {
  const mail = await parse(bytes, name);
  const warnings: string[] = [];
  const names = mail.attachments
    .filter(({ related }) => related !== true)
    .map(({ filename }) => within(oneLine(filename ?? ''), MAX_NAME) || 'one without a name');
  if (names.length > 0)
    warnings.push(
      `${names.length === 1 ? 'An attachment was' : `${names.length} attachments were`} not read: ${some(names)}. Save what matters and ingest it by itself.`,
    );
  const attached = names.length === 0 ? '' : `\nAttachments (not read): ${some(names.map(plain))}\n`;
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

/** Of both forms the plain one, which the writer's program made for such readers. */
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
  return some(all.flatMap((one) => (one.group === undefined ? [one] : one.group)).map(addressee));
}

function addressee({ name, address }: { readonly name: string; readonly address: string }): string {
  const called = oneLine(name);
  return called === '' ? oneLine(address) : `${called} (${oneLine(address)})`;
}

function some(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map(oneLine).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}

/** What somebody else has called a file, so that it reads the same in Markdown and is nothing but text there. */
function plain(name: string): string {
  return name.replace(/[\\`*[\]<>#|~$%&=^]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
