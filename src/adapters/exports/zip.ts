import type { Host } from './channel';

/** Why a part of an archive was left out, in words for a person. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** An entry of a zip archive. */
export interface ZipEntry {
  readonly name: string;
  /** In bytes, as the archive says. */
  readonly size: number;
  readonly packed: number;
  readonly method: number;
  readonly crc: number;
  readonly isLocked: boolean;
  /** Milliseconds since the epoch, in the time zone of this machine; undefined when it says none. */
  readonly modified: number | undefined;
  /** Where its header is. */
  readonly at: number;
}

/** The entries that are listed at most. */
export const MAX_ENTRIES = 200_000;
/** The longest name of an entry (bytes). */
const MAX_NAME = 4096;
/** The end of the list with the longest comment (bytes). */
const TAIL = 22 + 65_535 + 20;
/** The bytes that are read at a time. */
const PIECE = 1024 * 1024;
/** The bytes that are unpacked at a time: a browser holds all that they unpack to, up to 1,032 times as many. */
const FED = 16 * 1024;

/**
 * Lists the entries of a zip archive by the list at its end (APPNOTE.TXT 6.3.10, also zip64), in the order of their bytes.
 * @throws Damaged for a file that is no whole archive, whose entries overlap, or that lists too many
 */
export async function listZip(host: Host, id: number, size: number): Promise<ZipEntry[]> {
  const tailAt = Math.max(0, size - TAIL);
  const tail = viewOf(await host.read(id, tailAt, size));
  let end = -1;
  for (let at = tail.byteLength - 22; at >= 0 && end < 0; at -= 1)
    if (tail.getUint32(at, true) === 0x06054b50) end = at;
  if (end < 0) throw new Damaged('It is no whole zip archive: its list of files is missing.');
  let count = tail.getUint16(end + 10, true);
  let listSize = tail.getUint32(end + 12, true);
  let listAt = tail.getUint32(end + 16, true);
  if (end >= 20 && tail.getUint32(end - 20, true) === 0x07064b50) {
    const at = Math.min(size, Number(tail.getBigUint64(end - 12, true)));
    const big = viewOf(await host.read(id, at, at + 56));
    if (big.byteLength < 56 || big.getUint32(0, true) !== 0x06064b50)
      throw new Damaged('Its list of files is damaged.');
    [count, listSize, listAt] = [32, 40, 48].map((each) => Number(big.getBigUint64(each, true))) as [
      number,
      number,
      number,
    ];
  }
  if (count > MAX_ENTRIES)
    throw new Damaged(`It lists ${count} files, and at most ${MAX_ENTRIES} are taken of one archive.`);
  if (listAt + listSize > size) throw new Damaged('Its list of files is damaged.');
  const entries: ZipEntry[] = [];
  let piece = new Uint8Array(0);
  let from = listAt;
  for (let at = listAt; at + 46 <= listAt + listSize;) {
    if (at + 46 + 3 * 65_535 > from + piece.length && from + piece.length < listAt + listSize) {
      from = at;
      piece = await host.read(id, at, Math.min(listAt + listSize, at + PIECE));
    }
    const entry = entryAt(piece, at - from);
    if (entry === null) throw new Damaged('Its list of files is damaged.');
    at += entry.length;
    entries.push(entry.entry);
    if (entries.length > MAX_ENTRIES) throw new Damaged(`It lists more than ${MAX_ENTRIES} files.`);
  }
  entries.sort((a, b) => a.at - b.at);
  for (const [index, entry] of entries.entries()) {
    const next = entries[index + 1];
    if (next !== undefined && entry.at + 30 + entry.packed > next.at)
      throw new Damaged('Its files lie over one another, as in an archive that is made to fill a disk.');
  }
  return entries;
}

function entryAt(bytes: Uint8Array<ArrayBuffer>, at: number): { entry: ZipEntry; length: number } | null {
  const view = viewOf(bytes);
  if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) return null;
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((each) =>
    view.getUint16(at + each, true),
  ) as [number, number, number];
  const length = 46 + nameLength + extraLength + commentLength;
  if (at + length > bytes.length || nameLength > MAX_NAME) return null;
  const flags = view.getUint16(at + 8, true);
  const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
  let [packed, size, start] = [
    view.getUint32(at + 20, true),
    view.getUint32(at + 24, true),
    view.getUint32(at + 42, true),
  ];
  let modified = dosTime(view.getUint16(at + 14, true), view.getUint16(at + 12, true));
  for (let from = 0; from + 4 <= extra.length;) {
    const fields = viewOf(extra);
    const [kind, fieldLength] = [fields.getUint16(from, true), fields.getUint16(from + 2, true)];
    const field = viewOf(extra.subarray(from + 4, from + 4 + fieldLength));
    if (kind === 1) {
      let next = 0;
      const big = (value: number): number => {
        if (value !== 0xffffffff || next + 8 > field.byteLength) return value;
        next += 8;
        return Number(field.getBigUint64(next - 8, true));
      };
      size = big(size);
      packed = big(packed);
      start = big(start);
    }
    if (kind === 0x5455 && field.byteLength >= 5 && (field.getUint8(0) & 1) === 1)
      modified = field.getInt32(1, true) * 1000;
    from += 4 + fieldLength;
  }
  const name = decodeName(bytes.subarray(at + 46, at + 46 + nameLength), (flags & 0x800) !== 0);
  const entry = {
    name,
    size,
    packed,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    isLocked: (flags & 1) === 1,
    modified,
    at: start,
  };
  return { entry, length };
}

/**
 * Yields the bytes of an entry. They are checked against the size and the sum that the archive gives.
 * @throws Damaged when they cannot be unpacked, or are others; what was yielded before is worth nothing then
 */
export async function* bytesOf(
  host: Host,
  id: number,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (entry.isLocked)
    throw new Damaged('It needs a password. Unpack the archive yourself, and import the folder.');
  if (entry.method !== 0 && entry.method !== 8)
    throw new Damaged(
      `It is packed in a way that is not known (${entry.method}). Pack it anew as a plain zip.`,
    );
  if (!Number.isSafeInteger(entry.at + entry.packed))
    throw new Damaged('It is damaged: it lies beyond the archive.');
  const header = viewOf(await host.read(id, entry.at, entry.at + 30));
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50)
    throw new Damaged('It is damaged: its beginning is missing.');
  const start = entry.at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = piecesOf(host, id, start, start + entry.packed);
  let sum = 0xffffffff;
  let size = 0;
  try {
    for await (const piece of entry.method === 0 ? packed : unpacked(packed, 'deflate-raw')) {
      size += piece.length;
      if (size > entry.size) throw new Damaged('It is damaged: it unpacks to more than the archive says.');
      sum = crc32(sum, piece);
      yield piece;
    }
  } catch (error) {
    if (error instanceof Damaged || error instanceof RangeError) throw error;
    throw new Damaged('It is damaged, and cannot be unpacked.');
  }
  if (size !== entry.size || (sum ^ 0xffffffff) >>> 0 !== entry.crc)
    throw new Damaged('It is damaged: its bytes are not those that were packed.');
}

async function* piecesOf(
  host: Host,
  id: number,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = from; at < to; at += PIECE) {
    const piece = await host.read(id, at, Math.min(to, at + PIECE));
    if (piece.length === 0) throw new Damaged('It is cut off.');
    yield piece;
  }
}

/** Unpacks a stream of bytes. */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array<ArrayBuffer>>,
  form: 'deflate-raw' | 'gzip',
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream(form);
  const writer = stream.writable.getWriter();
  const feeding = (async () => {
    for await (const piece of packed)
      for (let at = 0; at < piece.length; at += FED) await writer.write(piece.subarray(at, at + FED));
    await writer.close();
  })();
  // The reader tells the failure.
  feeding.catch((error: unknown) => writer.abort(error).catch(() => undefined));
  const reader = stream.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      // The stream makes its own pieces.
      yield new Uint8Array(value);
    }
    await feeding;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Goes on with a sum (CRC-32 of ISO 3309), which begins with 0xffffffff. */
function crc32(sum: number, bytes: Uint8Array): number {
  let value = sum;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC[(value ^ byte) & 0xff] ?? 0);
  return value;
}

/** The letters above 127 of code page 437, which zip archives use that say nothing else. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ';

function decodeName(bytes: Uint8Array, isUtf8: boolean): string {
  try {
    // Many programs write UTF-8 and do not say so.
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(bytes);
  } catch {
    return [...bytes]
      .map((byte) => (byte < 128 ? String.fromCharCode(byte) : (CP437[byte - 128] ?? '')))
      .join('');
  }
}

/** Returns the time of a DOS date and time; undefined for none. */
function dosTime(date: number, time: number): number | undefined {
  if (date === 0) return undefined;
  const at = new Date(
    1980 + (date >> 9),
    ((date >> 5) & 15) - 1,
    date & 31,
    time >> 11,
    (time >> 5) & 63,
    (time & 31) * 2,
  );
  return at.getTime();
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
