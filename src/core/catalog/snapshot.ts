import type { Pace } from '../pace';
import { jsonBytes } from '../rules/json-bytes';
import type { VaultPath } from '../rules/paths';
import { utf8Text } from '../rules/utf8';
import { lastChanged } from '../same-stat';
import { crc32 } from './crc32';
import type { NoteRecord } from './note-record';
import { ANALYSIS, recordsOfText, textOfRecords } from './record-rows';

// A snapshot is one file, in parts that each begin at a multiple of eight bytes:
//
//     start    magic, format, analysis, length of the head in bytes, its CRC-32, length of the file in
//              eights of bytes: 32-bit words of the machine
//     head     JSON: Head below
//     chunks   JSON: some records each, filled up with spaces
//     index    the bytes of the search index, which bring their own versions and checksums

const MAGIC = 0x54414342; // BCAT
const FORMAT = 6;
const START_WORDS = 6;
const START_BYTES = START_WORDS * 4;
/** Records in one chunk: so many are written or read between two pauses. */
const CHUNK = 32;
/**
 * A file that was changed so shortly before it is looked at, in milliseconds, may change again without its time telling: within
 * one tick of the file system's clock, which is two seconds on the coarsest ones.
 */
export const TICK_MS = 2000;

interface Head {
  /** When it was begun, in milliseconds since the epoch. */
  readonly taken: number;
  /** What tells the folder of the vault from others. */
  readonly place: string;
  /** Notes whose files have changed since they were read. */
  readonly changed: readonly VaultPath[];
  /** Length and CRC-32 of each chunk. */
  readonly chunks: readonly (readonly [bytes: number, crc: number])[];
  readonly index: number;
}

/** What a snapshot is taken of. */
export interface SnapshotSource extends Pick<Head, 'taken' | 'place' | 'changed'> {
  readonly records: readonly NoteRecord[];
  /** The search index over them in pieces. */
  readonly index: Iterable<Uint8Array>;
}

/** What a snapshot tells. */
export interface Snapshot {
  readonly records: readonly NoteRecord[];
  /** Notes whose files have to be read whatever time and size they have. */
  readonly doubtful: ReadonlySet<VaultPath>;
  readonly index: Uint8Array<ArrayBuffer>;
}

export interface PackOptions {
  readonly pace: Pick<Pace, 'run'>;
  /** Asked now and then: false when the snapshot is of no use any more. */
  readonly goesOn: () => boolean;
  /** Most bytes that it may have. */
  readonly maxBytes: number;
}

/**
 * The bytes of a snapshot, made in slices; null when it is of no use any more, and how many they would have been when they are
 * too many.
 */
export async function packSnapshot(
  source: SnapshotSource,
  { pace, goesOn, maxBytes }: PackOptions,
): Promise<Uint8Array<ArrayBuffer> | { readonly tooLarge: number } | null> {
  const index: Uint8Array[] = [];
  const pieces = source.index[Symbol.iterator]();
  for (let next = await pace.run(() => pieces.next()); next.done !== true;) {
    index.push(next.value);
    next = await pace.run(() => pieces.next());
    if (!goesOn()) return null;
  }
  const chunks: { readonly bytes: Uint8Array; readonly crc: number }[] = [];
  for (let at = 0; at < source.records.length; at += CHUNK) {
    const part = source.records.slice(at, at + CHUNK);
    chunks.push(await pace.run(() => chunkOf(part)));
    if (!goesOn()) return null;
  }
  const { taken, place, changed } = source;
  const head: Head = {
    taken,
    place,
    changed,
    chunks: chunks.map(({ bytes, crc }) => [bytes.length, crc]),
    index: sum(index),
  };
  const parts = [...chunks.map(({ bytes }) => bytes), ...index];
  const whole = await pace.run(() => [startAndHead(head, sum(parts)), ...parts]);
  return sum(whole) > maxBytes ? { tooLarge: sum(whole) } : joined(whole, pace);
}

/**
 * What the bytes of a snapshot tell, read in slices; or why they cannot be used: damaged, cut off, of another version or of
 * another folder. Never rejects for that. They belong to the snapshot from then on.
 */
export async function unpackSnapshot(
  bytes: Uint8Array<ArrayBuffer>,
  place: string,
  pace: Pick<Pace, 'run'>,
): Promise<Snapshot | { readonly problem: string }> {
  const opened = openHead(bytes);
  if ('problem' in opened) return opened;
  const { head, end } = opened;
  if (head.place !== place) return { problem: 'it was taken of another folder' };
  const records: NoteRecord[] = [];
  let at = end;
  for (const [length, crc] of head.chunks) {
    const chunk = bytes.subarray(at, at + length);
    at += length;
    const read = await pace.run(() => recordsIn(chunk, length, crc));
    if (read === null) return { problem: 'its notes are damaged' };
    for (const record of read) records.push(record);
  }
  if (at + head.index !== bytes.length) return { problem: 'it is cut off' };
  const doubtful = new Set(head.changed);
  for (const record of records) if (lastChanged(record) >= head.taken - TICK_MS) doubtful.add(record.path);
  return { records, doubtful, index: bytes.subarray(at) };
}

function openHead(bytes: Uint8Array<ArrayBuffer>): { head: Head; end: number } | { problem: string } {
  if (bytes.length < START_BYTES || bytes.length % 8 !== 0) return { problem: 'it is cut off' };
  const [magic, format, analysis, length = 0, crc, total] = new Uint32Array(
    bytes.buffer,
    bytes.byteOffset,
    START_WORDS,
  );
  if (magic !== MAGIC) return { problem: 'it is none of ours' };
  if (format !== FORMAT || analysis !== ANALYSIS) return { problem: 'it is of another version' };
  if (total !== bytes.length / 8) return { problem: 'it is cut off' };
  const end = START_BYTES + length;
  const text = bytes.subarray(START_BYTES, end);
  if (text.length !== length || length % 8 !== 0 || crcOf(text) !== crc)
    return { problem: 'its head is damaged' };
  const head = JSON.parse(utf8Text(text)) as Head; // The checksum says that it is as it was written.
  return { head, end };
}

function chunkOf(records: readonly NoteRecord[]): { bytes: Uint8Array; crc: number } {
  const bytes = jsonBytes(textOfRecords(records));
  return { bytes, crc: crcOf(bytes) };
}

function recordsIn(chunk: Uint8Array, length: number, crc: number): NoteRecord[] | null {
  if (chunk.length !== length || crcOf(chunk) !== crc) return null;
  return recordsOfText(utf8Text(chunk));
}

function startAndHead(head: Head, rest: number): Uint8Array {
  const text = jsonBytes(JSON.stringify(head));
  const total = (START_BYTES + text.length + rest) / 8;
  const start = Uint32Array.of(MAGIC, FORMAT, ANALYSIS, text.length, crcOf(text), total);
  const bytes = new Uint8Array(START_BYTES + text.length);
  bytes.set(new Uint8Array(start.buffer));
  bytes.set(text, START_BYTES);
  return bytes;
}

async function joined(
  parts: readonly Uint8Array[],
  pace: Pick<Pace, 'run'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await pace.run(() => new Uint8Array(sum(parts)));
  let at = 0;
  for (const part of parts) {
    await pace.run(() => bytes.set(part, at));
    at += part.length;
  }
  return bytes;
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, { length }) => total + length, 0);
}

function crcOf(bytes: Uint8Array): number {
  return crc32(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
}
