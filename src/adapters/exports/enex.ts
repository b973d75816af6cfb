import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Places } from './places';
import { Damaged } from './zip';

/** A file of an Evernote export: a note as XML (`.enml`), or what is attached to one. */
interface EnexFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The longest note with its attachments (UTF-16 units). */
const MAX_NOTE = 300 * 1024 * 1024;

/** The endings of attachments that have no name. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'video/quicktime': 'mov',
  'text/plain': 'txt',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/**
 * Takes an Evernote export (`.enex`, Evernote's export4 DTD) apart, a note at a time. Each note comes after its attachments and says
 * of each its hash and its place: `<resource><md5>…</md5><place>…</place></resource>`.
 * @throws Damaged for a file that is no such export, is cut off, or defines entities
 */
export async function* unenex(stream: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<EnexFile> {
  const decoder = new TextDecoder();
  const places = new Places();
  let text = '';
  let isKnown = false;
  let searched = 0;
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    if (!isKnown && text.length > 2000) isKnown = checkHead(text);
    for (;;) {
      const end = text.indexOf('</note>', searched);
      if (end < 0) break;
      isKnown ||= checkHead(text);
      const start = text.search(/<note[\s>]/);
      if (start >= 0 && start < end) yield* filesOf(text.slice(start, end), places, folder);
      text = text.slice(end + '</note>'.length);
      searched = 0;
    }
    searched = Math.max(0, text.length - '</note>'.length);
    if (text.length > MAX_NOTE) throw new Damaged('One of its notes is too large to be read.');
  }
  if (!isKnown) checkHead(text);
  if (/<note[\s>]/.test(text)) throw new Damaged('It is cut off: its last note has no end.');
}

function checkHead(text: string): true {
  const head = text.slice(0, 4000);
  if (/<!ENTITY/i.test(head)) throw new Damaged('It defines entities of its own, which no export does.');
  if (!/<en-export[\s>]/.test(head)) throw new Damaged('It is no Evernote export.');
  return true;
}

function* filesOf(note: string, places: Places, folder: string): Generator<EnexFile> {
  const files: EnexFile[] = [];
  // What ends nowhere is not searched for an end again and again.
  const last = note.lastIndexOf('</resource>');
  const ends = last < 0 ? 0 : last + '</resource>'.length;
  const replaced = note.slice(0, ends).replace(/<resource>(.*?)<\/resource>/gs, (_, resource: string) => {
    const data = /<data[^<>]*>([^<]*)<\/data>/.exec(resource)?.[1] ?? '';
    const bytes = decoded(data);
    if (bytes === null) return '<resource><damaged/></resource>';
    const hash = bytesToHex(md5(bytes));
    const mime = /<mime>([^<]*)<\/mime>/.exec(resource)?.[1]?.trim() ?? '';
    const given = unescaped(/<file-name>([^<]*)<\/file-name>/.exec(resource)?.[1] ?? '').trim();
    const ending = ENDINGS[mime] ?? mime.split('/')[1]?.replace(/[^a-z\d]/gi, '') ?? '';
    const name = places.of(
      `${folder}attachments/${given === '' ? `${hash}.${ending || 'bin'}` : given.replace(/\//g, '-')}`,
    );
    files.push({ name, bytes });
    return `<resource><md5>${hash}</md5><place>${escaped(name)}</place></resource>`;
  });
  const kept = replaced + note.slice(ends);
  const title = unescaped(/<title>([^<]*)<\/title>/.exec(kept)?.[1] ?? '').trim() || 'Untitled';
  yield* files;
  yield {
    name: places.of(`${folder}${title.replace(/\//g, '-').slice(0, 120)}.enml`),
    bytes: new TextEncoder().encode(`${kept}</note>`),
  };
}

/** Decodes base64 (RFC 4648); null for what is none. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Replaces the five entities of XML and the codes of characters. */
export function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (all, hex?: string, code?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      const point = hex === undefined ? Number(code) : Number.parseInt(hex, 16);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
