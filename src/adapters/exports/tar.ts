import { Damaged } from './zip';

/** An entry of a tar archive: a file with its bytes, or what is left out, and why. */
export interface TarEntry {
  readonly name: string;
  readonly modified: number | undefined;
  readonly why?: string;
  /** To be read to its end, or not at all, before the next entry. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The last time that a date can hold (ms since the epoch). */
const LAST_TIME = 8.64e15;
/** The longest header of the pax form (bytes). */
const MAX_PAX = 1024 * 1024;

/** Returns true for the first bytes of a tar archive (POSIX.1-1988 ustar, GNU, or the old form with a right sum). */
export function isTar(head: Uint8Array): boolean {
  if (head.length < 512) return false;
  return sumOf(head) === numberIn(head, 148, 8);
}

/**
 * Yields the entries of a tar archive in order, with long names of the GNU and pax forms. Links and devices are named and left out.
 * @throws Damaged for a header that is none, and for an archive that is cut off
 */
export async function* untar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Buffered(stream);
  let long: Long = {};
  for (;;) {
    const head = await bytes.take(512);
    if (head.length < 512 || head.every((byte) => byte === 0)) return;
    const { kind, size, ...file } = headerIn(head, long);
    if ('LxgK'.includes(kind)) {
      if (size > MAX_PAX) throw new Damaged('It is damaged: a name is too long.');
      long = { ...long, ...longIn(kind, textOf(await bytes.take(size))) };
      await bytes.skip(padding(size));
      continue;
    }
    long = {};
    const isFile = '07\0'.includes(kind);
    const body = bytes.part(isFile ? size : 0);
    // The old form has no kind for folders.
    const isFolder = kind === '5' || file.name.endsWith('/');
    if (!isFolder) yield { ...file, bytes: body, ...(!isFile && { why: WHY[kind] ?? 'It is no file.' }) };
    await body.end();
    if (!isFile) await bytes.skip(size);
    await bytes.skip(padding(size));
  }
}

/** What headers before that of a file say of it. */
interface Long {
  readonly path?: string | undefined;
  readonly size?: string | undefined;
  readonly mtime?: string | undefined;
}

/** Reads a long name of the GNU form, or the records of a pax header. What is about all files, or about the goal of a link, is passed over. */
function longIn(kind: string, body: string): Long {
  if (kind === 'L') return { path: body.replace(/\0.*$/s, '') };
  const { path, size, mtime } = kind === 'x' ? paxIn(body) : {};
  return { path, size, mtime };
}

/** @throws Damaged for what is no header */
function headerIn(head: Uint8Array, long: Long) {
  if (sumOf(head) !== numberIn(head, 148, 8))
    throw new Damaged('It is damaged: what follows is no file of the archive.');
  const size = Number(long.size ?? numberIn(head, 124, 12));
  if (!Number.isSafeInteger(size) || size < 0) throw new Damaged('It is damaged: a file has no size.');
  const modified = Number(long.mtime ?? numberIn(head, 136, 12)) * 1000;
  const prefix = textIn(head, 257, 5) === 'ustar' ? textIn(head, 345, 155) : '';
  const name = textIn(head, 0, 100);
  return {
    kind: String.fromCharCode(head[156] ?? 0),
    size,
    name: long.path ?? (prefix === '' ? name : `${prefix}/${name}`),
    modified: modified > 0 && modified <= LAST_TIME ? modified : undefined,
  };
}

const WHY: Readonly<Record<string, string>> = {
  '1': 'It is a link to another file, which links do not need here.',
  '2': 'It is a link to another file, which links do not need here.',
  '3': 'It is a device, and no file.',
  '4': 'It is a device, and no file.',
  '6': 'It is a pipe, and no file.',
};

function padding(size: number): number {
  return (512 - (size % 512)) % 512;
}

/** A stream from which so many bytes are taken. */
class Buffered {
  readonly #stream: AsyncIterator<Uint8Array>;
  #rest = new Uint8Array(0) as Uint8Array;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  /** Returns the next bytes, at most so many; none at the end. */
  async some(most: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const next = await this.#stream.next();
      if (next.done === true) return new Uint8Array(0);
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Returns so many bytes; fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      const piece = await this.some(count - at);
      if (piece.length === 0) break;
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes.subarray(0, at);
  }

  /** Passes over so many bytes. @throws Damaged when there are fewer */
  async skip(count: number): Promise<void> {
    await this.part(count).end();
  }

  /** Returns the next bytes as a stream of their own; `end` passes over what was not read of them. */
  part(count: number): AsyncIterable<Uint8Array> & { end(): Promise<void> } {
    let left = count;
    const next = async (): Promise<Uint8Array | null> => {
      if (left === 0) return null;
      const piece = await this.some(left);
      if (piece.length === 0) throw new Damaged('It is cut off.');
      left -= piece.length;
      return piece;
    };
    return {
      async *[Symbol.asyncIterator]() {
        for (let piece = await next(); piece !== null; piece = await next()) yield piece;
      },
      async end() {
        while ((await next()) !== null);
      },
    };
  }
}

function sumOf(head: Uint8Array): number {
  // The sum counts itself as blanks.
  return head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/** Reads a number in octal digits, or in the binary form of GNU. */
function numberIn(head: Uint8Array, at: number, length: number): number {
  const first = head[at] ?? 0;
  if ((first & 0x80) !== 0) {
    if (first === 0xff) return -1;
    return head.subarray(at + 1, at + length).reduce((value, byte) => value * 256 + byte, first & 0x7f);
  }
  return Number.parseInt(textIn(head, at, length).trim() || '0', 8);
}

function textIn(head: Uint8Array, at: number, length: number): string {
  return textOf(head.subarray(at, at + length)).replace(/\0.*$/s, '');
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/** Reads the records of a pax header: their length, a blank, key and value. */
function paxIn(body: string): Record<string, string | undefined> {
  return Object.fromEntries(
    [...body.matchAll(/(?:^|\n)\d+ ([^=\n]+)=([^\n]*)/g)].map(([, key = '', value = '']) => [key, value]),
  );
}
