import type { Steps } from '../steps';
import { WordSum } from './word-sum';

/**
 * A file of numbered sections, each an array of numbers that begins at a multiple of eight bytes, so that it is used where it
 * was read:
 *
 *     head     magic, format, edition, 0
 *     sections each filled up to a multiple of eight bytes
 *     table    for each section: its number, where it begins (in eights of bytes), its length in bytes, its checksum
 *     foot     number of sections, checksum of head and table, length of the file in eights of bytes, magic
 *
 * all in 32-bit words of the machine; on one with the other byte order the magic differs. The table stands at the end, so that
 * a file can be written as it is made, and one that was cut off has none.
 */
const MAGIC = 0x58495242; // BRIX
const FORMAT = 4;
const HEAD = 4;
const ROW = 4;
const FOOT = 4;
/** So many words are summed up in one step. */
const STEP = 1 << 17;

/** A section to be written: pieces in order, of which all but the last fill whole eights of bytes. */
export interface Section {
  readonly number: number;
  readonly pieces: Iterable<Uint16Array | Uint32Array>;
}

/** The bytes of a file, piece by piece. @param edition what readers must agree on beside the format */
export function* writeSections(edition: number, sections: Iterable<Section>): Generator<Uint8Array> {
  const head = Uint32Array.of(MAGIC, FORMAT, edition, 0);
  yield bytesOf(head);
  const table: number[] = [];
  let at = HEAD / 2;
  for (const { number, pieces } of sections) {
    let length = 0;
    const sum = new WordSum();
    const begin = at;
    for (const piece of pieces) {
      const words = filledUp(piece);
      sum.add(words);
      length += piece.byteLength;
      at += words.length / 2;
      yield bytesOf(words);
    }
    table.push(number, begin, length, sum.value);
  }
  const rows = Uint32Array.from(table);
  const total = at + (rows.length + FOOT) / 2;
  yield bytesOf(rows);
  yield bytesOf(Uint32Array.of(table.length / ROW, new WordSum().add(head).add(rows).value, total, MAGIC));
}

/**
 * The sections of a file by their numbers, as views of `bytes`; null when it is of another format or edition, cut off, or
 * changed anywhere. Reads the whole file, in steps of a few milliseconds.
 */
export function* checkedSections(
  bytes: Uint8Array,
  edition: number,
): Steps<ReadonlyMap<number, SectionView> | null> {
  if (bytes.length % 8 !== 0 || bytes.length < (HEAD + FOOT) * 4) return null;
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
  const head = words.subarray(0, HEAD);
  const foot = words.length - FOOT;
  const [count = 0, sum, total, magic] = words.subarray(foot);
  const table = foot - count * ROW;
  if (head[0] !== MAGIC || head[1] !== FORMAT || head[2] !== edition) return null;
  if (magic !== MAGIC || total !== words.length / 2 || table < HEAD) return null;
  if (new WordSum().add(head).add(words.subarray(table, foot)).value !== sum) return null;
  const sections = new Map<number, SectionView>();
  for (let row = table; row < foot; row += ROW) {
    const [number = 0, begin = 0, length = 0, expected] = words.subarray(row, row + ROW);
    const end = begin * 2 + 2 * Math.ceil(length / 8);
    const found = new WordSum();
    for (let at = begin * 2; at < end && end <= table; at += STEP) {
      found.add(words.subarray(at, Math.min(end, at + STEP)));
      yield;
    }
    if (end > table || found.value !== expected) return null;
    sections.set(number, new SectionView(aligned, begin * 8, length));
  }
  return sections;
}

/** A section that was read. */
export class SectionView {
  constructor(
    private readonly file: Uint8Array,
    private readonly offset: number,
    private readonly length: number,
  ) {}

  bytes(): Uint8Array {
    return this.file.subarray(this.offset, this.offset + this.length);
  }

  words(): Uint32Array {
    return new Uint32Array(this.file.buffer, this.file.byteOffset + this.offset, this.length >>> 2);
  }

  halfWords(): Uint16Array {
    return new Uint16Array(this.file.buffer, this.file.byteOffset + this.offset, this.length >>> 1);
  }
}

function filledUp(piece: Uint16Array | Uint32Array): Uint32Array {
  if (piece instanceof Uint32Array && piece.length % 2 === 0) return piece;
  if (piece.byteLength % 8 === 0 && piece.byteOffset % 4 === 0) {
    return new Uint32Array(piece.buffer, piece.byteOffset, piece.byteLength / 4);
  }
  const words = new Uint32Array(2 * Math.ceil(piece.byteLength / 8));
  if (piece instanceof Uint32Array) words.set(piece);
  else new Uint16Array(words.buffer).set(piece);
  return words;
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
