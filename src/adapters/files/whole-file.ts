import { isUtf8 } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { BrainError } from '../../core/base/errors';
import { textTooLarge } from '../../core/vocabulary/limits';
import { hasCode, type OpenFile } from './file-system';

/**
 * The largest file that is read (bytes). No log comes near it, and not every host could hold a larger one in one string.
 */
const MAX_BYTES = 256 * 1024 * 1024;
/**
 * A file of at least this size (bytes) is read in `PARTS` parts at the same time: most of the time goes into using memory
 * for the first time.
 */
const LARGE = 8 * 1024 * 1024;
const PARTS = 4;
/** The waits before another try (ms): about two seconds in all. */
const WAITS = [10, 20, 40, 80, 160, 320, 640, 730];

/**
 * Returns all bytes of an open regular file that was `size` bytes long a moment ago.
 * @throws BrainError `unsupported_type` when they are more than `maxBytes`.
 */
export async function readAll(
  handle: OpenFile,
  size: number,
  at: string,
  maxBytes = MAX_BYTES,
): Promise<Buffer<ArrayBuffer>> {
  if (size > maxBytes) throw textTooLarge(at, maxBytes);
  // One byte more than expected: a file that has not grown needs one call, and of one that has grown the rest is read.
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    if (buffer.length > maxBytes + 1) throw textTooLarge(at, maxBytes);
    // The parts do not cover the extra byte, which is read after them.
    if (length === 0 && size >= LARGE) length = await readParts(handle, buffer, size);
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === size) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

/** Reads the first `size` bytes of a file, all parts at the same time; returns the number of bytes without a gap. */
async function readParts(handle: OpenFile, buffer: Uint8Array, size: number): Promise<number> {
  const step = Math.ceil(size / PARTS);
  const parts = Array.from({ length: PARTS }, (_, part) => ({
    from: part * step,
    to: Math.min(size, (part + 1) * step),
  }));
  // The file must stay open until the last part is read, so a failure waits for the others.
  const reads = await Promise.allSettled(
    parts.map(({ from, to }) => readInto(handle, buffer.subarray(from, to), from)),
  );
  let length = 0;
  for (const [at, { to }] of parts.entries()) {
    const read = reads[at];
    if (read?.status === 'rejected') throw read.reason;
    length += read?.value ?? 0;
    if (length < to) break;
  }
  return length;
}

/** Reads the bytes from one offset to before another; fewer where the file ends before. */
export async function readPart(handle: OpenFile, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  const { size } = await handle.stat();
  const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from));
  return bytes.subarray(0, await readInto(handle, bytes, from));
}

/** Reads the bytes at an offset until the buffer is full or the file ends; returns their number. */
async function readInto(handle: OpenFile, buffer: Uint8Array, position: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/**
 * Returns the bytes of `readAll` in a buffer of their own. A small file may be in Node's shared pool and is copied; a large
 * one is not, because the index of a large vault would be in memory twice.
 */
export function ownMemory(bytes: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.buffer.byteLength <= bytes.length + 1;
  return isAlone ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : new Uint8Array(bytes);
}

/** Writes all of `bytes`, in as many calls as it takes. */
export async function writeAll(handle: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    if (bytesWritten === 0) throw new Error('The file system takes no more bytes and does not say why.');
    written += bytesWritten;
  }
}

/** The bytes that are copied at a time. */
const COPY_BYTES = 1024 * 1024;

/** Copies all bytes of an open file to another, in pieces. */
export async function copyAll(from: OpenFile, to: OpenFile): Promise<void> {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    await writeAll(to, buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/**
 * Appends all of `bytes` to an open file, durably when `sync` is true. When it rejects, the file is truncated again, unless
 * another program has appended to it.
 */
export async function appendAll(handle: OpenFile, bytes: Uint8Array, sync: boolean): Promise<void> {
  const { size: before } = await handle.stat();
  const after = before + bytes.length;
  try {
    await writeAll(handle, bytes);
    const { size } = await handle.stat();
    // The size is checked because a full disk must not pass for a written line: the journal announces what is about to
    // change.
    if (size < after) throw new Error(`Only ${size - before} of ${bytes.length} bytes were added.`);
    if (sync) await handle.sync();
  } catch (error) {
    await ignoreErrors(shorten(handle, before, after));
    throw error;
  }
}

async function shorten(handle: OpenFile, before: number, after: number): Promise<void> {
  const { size } = await handle.stat();
  if (size > before && size <= after) await handle.truncate(before);
}

/** Decodes UTF-8, a BOM included. @throws BrainError `unsupported_type` when the bytes are not UTF-8. */
export function decode(bytes: Buffer, at: string): string {
  if (!isUtf8(bytes)) throw notText(at, 'is not UTF-8 text');
  return bytes.toString('utf8');
}

/** Returns the error for a file that is no text. */
export function notText(at: string, problem: string): BrainError {
  return new BrainError('unsupported_type', `${at} ${problem}, so it cannot be read as a note.`, {
    path: at,
  });
}

/**
 * Runs `work`, on Windows repeatedly for about two seconds: there a virus scanner, an indexer or an editor may hold a file
 * for a moment.
 * @throws BrainError `busy` when it is still held, or the error of `work`.
 */
export async function retryWhileBusy<T>(
  work: () => Promise<T>,
  platform: string = process.platform,
): Promise<T> {
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
 * Awaits the cleanup after a failure and ignores its errors: they must not hide the first one, and what it leaves behind is
 * empty or temporary and found at the next start.
 */
export async function ignoreErrors(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
