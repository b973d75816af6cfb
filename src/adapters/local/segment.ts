import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { sha256Steps } from '../../core/base/hash';
import { parsedJson } from '../../core/base/json';
import type { Steps } from '../../core/base/steps';
import { utf8Text } from '../../core/base/text';
import { DIMENSIONS } from '../../core/embeddings/pieces';
import { type VaultPath, vaultPath } from '../../core/vocabulary/paths';

/** "BRV1" in the order of the bytes. */
const MAGIC = 0x31565242;
const VERSION = 1;
const HEADER_BYTES = 32;
const CHECKSUM_BYTES = 32;
/** The largest magnitude of a stored number. */
const MAX_NUMBER = 32_767;

/** The rows that one step copies. */
const COPIED_PER_STEP = 256;

/** A vector of length 1 as whole numbers: each number times `scale` differs from the vector's by at most half of `scale`. */
export interface Quantised {
  readonly numbers: Int16Array;
  readonly scale: number;
}

/** Rounds a vector of length 1 to 16 bits a number. */
export function quantise(unit: Float32Array): Quantised {
  let most = 0;
  for (let at = 0; at < unit.length; at += 1) most = Math.max(most, Math.abs(unit[at] ?? 0));
  const scale = Math.fround(most / MAX_NUMBER);
  const numbers = new Int16Array(unit.length);
  for (let at = 0; at < unit.length; at += 1) {
    // The scale is rounded, so the largest number may be one above the limit.
    numbers[at] = Math.min(MAX_NUMBER, Math.max(-MAX_NUMBER, Math.round((unit[at] ?? 0) / scale)));
  }
  return { numbers, scale };
}

/** One row of a segment. `updatedAt` is in epoch milliseconds. */
export interface SegmentRow extends Quantised {
  readonly path: VaultPath;
  readonly updatedAt: number;
}

/** The changes that one segment stores. */
export interface SegmentContent {
  readonly rows: readonly SegmentRow[];
  /** Rows of earlier segments with their new times (epoch milliseconds). */
  readonly moved: readonly (readonly [path: VaultPath, updatedAt: number])[];
  /** Paths whose rows in earlier segments are gone. */
  readonly removed: readonly VaultPath[];
}

const path = z.string().transform(vaultPath);
const timed = z.tuple([path, z.number().int()]).rest(z.unknown());
const namesShape = z.object({ rows: z.array(timed), moved: z.array(timed), removed: z.array(path) });

/**
 * Encodes a segment in steps: a header of 32 bytes (magic, version, number, rows, length of the names, dimensions, two zeros), the names
 * as JSON padded to four bytes, one scale for each row, the numbers of the rows, and the SHA-256 of all that. Integers and floats
 * are little-endian, as the memory of every machine that runs this.
 */
export function* encodeSegment(number: number, content: SegmentContent): Steps<Uint8Array<ArrayBuffer>> {
  const { rows, moved, removed } = content;
  const json = JSON.stringify({
    rows: rows.map(({ path: at, updatedAt }) => [at, updatedAt]),
    moved,
    removed,
  });
  const names = utf8ToBytes(json);
  const namesBytes = 4 * Math.ceil(names.length / 4);
  const bytes = new Uint8Array(lengthOf(namesBytes, rows.length));
  const header = [MAGIC, VERSION, number, rows.length, namesBytes, DIMENSIONS, 0, 0];
  new Uint32Array(bytes.buffer, 0, header.length).set(header);
  bytes.fill(0x20, HEADER_BYTES, HEADER_BYTES + namesBytes);
  bytes.set(names, HEADER_BYTES);
  const { scales, numbers } = parts(bytes, namesBytes, rows.length);
  for (const [at, row] of rows.entries()) {
    scales[at] = row.scale;
    numbers.set(row.numbers, at * DIMENSIONS);
    if (at % COPIED_PER_STEP === 0) yield;
  }
  yield;
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.set(hexToBytes(yield* sha256Steps(bytes.subarray(0, end))), end);
  return bytes;
}

/** Decodes a segment in steps; null when it is damaged, cut off, or not the one of this number. */
export function* decodeSegment(bytes: Uint8Array<ArrayBuffer>, number: number): Steps<SegmentContent | null> {
  if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES || bytes.byteOffset % 4 !== 0) return null;
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  const [magic, version, own, rows = 0, namesBytes = 0, dimensions] = header;
  if (magic !== MAGIC || version !== VERSION || own !== number || dimensions !== DIMENSIONS) return null;
  if (namesBytes % 4 !== 0 || bytes.length !== lengthOf(namesBytes, rows)) return null;
  const end = bytes.length - CHECKSUM_BYTES;
  const hash = yield* sha256Steps(bytes.subarray(0, end));
  if (hash !== bytesToHex(bytes.subarray(end))) return null;
  yield;
  const names = namesShape.safeParse(
    parsedJson(utf8Text(bytes.subarray(HEADER_BYTES, HEADER_BYTES + namesBytes))),
  );
  if (!names.success || names.data.rows.length !== rows) return null;
  yield;
  const { scales, numbers } = parts(bytes, namesBytes, rows);
  return {
    rows: names.data.rows.map(([at, updatedAt], row) => ({
      path: at,
      updatedAt,
      scale: scales[row] ?? 0,
      numbers: numbers.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS),
    })),
    moved: names.data.moved.map(([at, updatedAt]) => [at, updatedAt]),
    removed: names.data.removed,
  };
}

function lengthOf(namesBytes: number, rows: number): number {
  return HEADER_BYTES + namesBytes + rows * (4 + 2 * DIMENSIONS) + CHECKSUM_BYTES;
}

function parts(
  { buffer, byteOffset }: Uint8Array<ArrayBuffer>,
  namesBytes: number,
  rows: number,
): { scales: Float32Array; numbers: Int16Array } {
  const at = byteOffset + HEADER_BYTES + namesBytes;
  return {
    scales: new Float32Array(buffer, at, rows),
    numbers: new Int16Array(buffer, at + 4 * rows, rows * DIMENSIONS),
  };
}
