import { open } from 'node:fs/promises';
import { extensionOf, formatOf } from '../../core/documents/formats';

/** The beginning of a document that is searched for the names of files (bytes): the server reads no more of a text. */
const HEAD_BYTES = 16 * 1024 * 1024;

/** A run of characters that ends in an extension. Other characters may be written in several ways in a link. */
const NAMED = /[\p{L}\p{M}\p{N}_.-]*\.[\p{L}\p{M}\p{N}_-]+/gu;

/** A file of the folder on this machine. */
export interface LocalFile {
  readonly full: string;
  /** Its path below the folder, with `/` between the names. */
  readonly place: string;
}

/**
 * Returns the files whose names occur in the documents: those, and at most a few more, are linked. The server decides which are.
 * A document that cannot be read has no names here; sending it tells why.
 */
export async function namedIn(
  documents: readonly LocalFile[],
  files: readonly LocalFile[],
): Promise<Set<LocalFile>> {
  const byEnd = new Map<string, LocalFile[]>();
  for (const file of files) {
    const end = endsIn(file.place).at(-1) ?? '';
    byEnd.set(end, [...(byEnd.get(end) ?? []), file]);
  }
  const named = new Set<LocalFile>();
  for (const { full, place } of documents) {
    if (byEnd.size === 0) break;
    const format = formatOf(place);
    if (format === null || !('native' in format) || format.native === 'pdf') continue;
    for (const end of new Set(endsIn(await headOf(full)))) {
      for (const file of byEnd.get(end) ?? []) named.add(file);
      byEnd.delete(end);
    }
  }
  return named;
}

/** Returns the names of files in a text, or their ends: what a link writes without a coded character. */
function endsIn(text: string): string[] {
  const plain = text
    .replace(/(?:%[\da-f]{2})+/gi, (coded) => {
      try {
        return decodeURIComponent(coded);
      } catch {
        return coded;
      }
    })
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .normalize('NFC')
    .toLowerCase();
  const unescaped = plain.replace(/\\(?=[\p{P}\p{S}])/gu, '');
  const texts = unescaped === plain ? [plain] : [unescaped, plain];
  return texts.flatMap((each) => each.match(NAMED) ?? []).map((end) => end.replace(/^[._-]+(?=.*\.)/, ''));
}

async function headOf(full: string): Promise<string> {
  const file = await open(full, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, HEAD_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const [first, second] = bytes;
    const mark = `${first ?? 0} ${second ?? 0}`;
    const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : 'utf-8';
    return new TextDecoder(encoding).decode(bytes.subarray(0, bytesRead));
  } catch {
    return '';
  } finally {
    await file.close();
  }
}

/** The extensions of the kinds of files that people tell apart. */
const KINDS: Readonly<Record<string, string>> = {
  picture: 'png jpg jpeg gif webp svg bmp avif heic heif tif tiff ico',
  recording: 'mp3 m4a wav ogg oga opus flac aac 3gp',
  video: 'mp4 m4v mov webm mkv avi ogv',
  canvas: 'canvas',
};

function kindOf(place: string): string {
  const extension = extensionOf(place);
  const found = Object.entries(KINDS).find(([, extensions]) => extensions.split(' ').includes(extension));
  return found?.[0] ?? 'other file';
}

export function isPicture(place: string): boolean {
  return kindOf(place) === 'picture';
}

/** Returns the numbers of files by kind: `3 pictures, 1 recording`. */
export function kindWords(places: readonly string[]): string {
  return [...Object.keys(KINDS), 'other file']
    .map((kind) => [kind, places.filter((place) => kindOf(place) === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(
      ([kind, count]) =>
        `${count.toLocaleString('en')} ${count === 1 ? kind : (PLURALS[kind] ?? `${kind}s`)}`,
    )
    .join(', ');
}

const PLURALS: Readonly<Record<string, string>> = { canvas: 'canvases' };
