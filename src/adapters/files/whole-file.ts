import { isUtf8 } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { BrainError } from '../../core/base/errors';
import { textTooLarge } from '../../core/vocabulary/limits';
import { hasCode, type OpenFile } from './file-system';

/** No log comes near it, and beyond it not every host could hold the text in one string. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A file from this size on is read in so many parts at once: memory that is used for the first time takes most of the time. */
const LARGE = 8 * 1024 * 1024;
const PARTS = 4;
/** Waits before another try, in milliseconds: about two seconds in all. */
const WAITS = [10, 20, 40, 80, 160, 320, 640, 730];

/**
 * All bytes of an open regular file that was `size` bytes long a moment ago.
 * @throws BrainError `unsupported_type` when they are more than `maxBytes`, of which none is read then.
 */
export async function readAll(
  handle: OpenFile,
  size: number,
  at: string,
  maxBytes = MAX_BYTES,
): Promise<Buffer<ArrayBuffer>> {
  if (size > maxBytes) throw textTooLarge(at, maxBytes);
  // One byte more than expected: a file that has not grown is read in one call, and one that has is read on.
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    if (buffer.length > maxBytes + 1) throw textTooLarge(at, maxBytes);
    // The parts leave out that byte, which is asked for behind them.
    if (length === 0 && size >= LARGE) length = await readParts(handle, buffer, size);
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === size) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

/** Reads the first `size` bytes of a file, all parts at once; so many of them are there without a gap. */
async function readParts(handle: OpenFile, buffer: Uint8Array, size: number): Promise<number> {
  const step = Math.ceil(size / PARTS);
  const parts = Array.from({ length: PARTS }, (_, part) => ({
    from: part * step,
    to: Math.min(size, (part + 1) * step),
  }));
  // Nobody may close the file before the last of them is done, so a failure waits for the others.
  const reads = await Promise.allSettled(parts.map(({ from, to }) => readPart(handle, buffer, from, to)));
  let length = 0;
  for (const [at, { to }] of parts.entries()) {
    const read = reads[at];
    if (read?.status === 'rejected') throw read.reason;
    length += read?.value ?? 0;
    if (length < to) break;
  }
  return length;
}

/** Reads the bytes between two places; how many there are. */
async function readPart(handle: OpenFile, buffer: Uint8Array, from: number, to: number): Promise<number> {
  let at = from;
  while (at < to) {
    const { bytesRead } = await handle.read(buffer, at, to - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at - from;
}

/**
 * What `readAll` gave, in a memory that nobody else uses. A small file may stand in one that others share and is copied; a large
 * one is not, because the index of a large vault would stand in memory twice.
 */
export function ownMemory(bytes: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.buffer.byteLength <= bytes.length + 1;
  return isAlone ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : new Uint8Array(bytes);
}

/** Writes all of `bytes`, however many calls that takes. */
export async function writeAll(handle: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    if (bytesWritten === 0) throw new Error('The file system takes no more bytes and does not say why.');
    written += bytesWritten;
  }
}

/**
 * Adds all of `bytes` to the end of an open file, durably when `sync` is true. When it rejects, what was added is taken back,
 * unless another program has added something behind it.
 */
export async function appendAll(handle: OpenFile, bytes: Uint8Array, sync: boolean): Promise<void> {
  const { size: before } = await handle.stat();
  const after = before + bytes.length;
  try {
    await writeAll(handle, bytes);
    const { size } = await handle.stat();
    // A full disk must not pass for a written line: the journal's announces what is about to be changed.
    if (size < after) throw new Error(`Only ${size - before} of ${bytes.length} bytes were added.`);
    if (sync) await handle.sync();
  } catch (error) {
    await quietly(shorten(handle, before, after));
    throw error;
  }
}

async function shorten(handle: OpenFile, before: number, after: number): Promise<void> {
  const { size } = await handle.stat();
  if (size > before && size <= after) await handle.truncate(before);
}

/** The bytes as text, a BOM included. @throws BrainError `unsupported_type` when they are not UTF-8. */
export function decode(bytes: Buffer, at: string): string {
  if (!isUtf8(bytes)) throw notText(at, 'is not UTF-8 text');
  return bytes.toString('utf8');
}

function notText(at: string, problem: string): BrainError {
  return new BrainError('unsupported_type', `${at} ${problem}, so it cannot be read as a note.`, {
    path: at,
  });
}

/**
 * Does `work`, on Windows again and again for about two seconds: there a virus scanner, an indexer or an editor may hold
 * a file for a moment. @throws BrainError `busy` when it is still held, or what `work` throws for another reason.
 */
export async function patiently<T>(work: () => Promise<T>, platform: string = process.platform): Promise<T> {
  for (const pause of [...WAITS, null]) {
    try {
      return await work();
    } catch (error) {
      if (platform !== 'win32' || !hasCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error;
      if (pause === null) break;
      await wait(pause);
    }
  }
  throw new BrainError('busy', 'Another program holds the file open. Try again in a few seconds.', {
    retry_after: 2,
  });
}

/**
 * For clearing up after a failure: what it leaves behind is empty or temporary and found at the next start, and its
 * own failure must not hide the first one.
 */
export async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
