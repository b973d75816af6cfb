import { asciiJson, isRecord, parsedJson } from '../base/json';
import type { Steps } from '../base/steps';
import { checkedSections, writeSections } from '../fulltext/index-file';
import { LineIndex } from './line-index';

/** What is known of a log besides its lines. */
export interface LogHead {
  readonly path: string;
  /** The stamp of the file when it was read last. */
  stamp: string;
  /** The bytes that are in the indexes: whole lines. */
  end: number;
  /** The last of these bytes. */
  tail: readonly number[];
  /** How many of the lines were cut off. */
  torn: number;
}

export interface PackedLog {
  readonly head: LogHead;
  readonly indexes: LineIndex[];
}

/** Another number for each version of what the indexes say of a line. */
const EDITION = 0x50_0004;
/** The number of the section with the head. Those of the indexes follow it, with four arrays each. */
const HEAD = 0;
const ARRAYS = 4;

/** Packs the indexes of a log into a file of sections. */
export function* packLog(
  { path, stamp, end, tail, torn }: LogHead,
  indexes: readonly LineIndex[],
): Steps<Uint8Array<ArrayBuffer>> {
  const json = asciiJson({ path, stamp, end, tail, torn });
  const units = Uint16Array.from(json, (character) => character.charCodeAt(0));
  const sections = function* () {
    yield { number: HEAD, pieces: [units] };
    for (const [at, index] of indexes.entries())
      for (const [array, values] of index.arrays().entries()) {
        const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
        yield { number: HEAD + 1 + at * ARRAYS + array, pieces: [words] };
      }
  };
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const piece of writeSections(EDITION, sections())) {
    pieces.push(piece);
    length += piece.length;
    yield;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Returns what `packLog` has packed, which uses the bytes from then on; null for bytes that are damaged or of another version. */
export function* unpackLog(bytes: Uint8Array): Steps<PackedLog | null> {
  const sections = yield* checkedSections(bytes, EDITION);
  if (sections === null) return null;
  const units = sections.get(HEAD)?.halfWords() ?? [];
  const head = headIn(parsedJson(Array.from(units, (unit) => String.fromCharCode(unit)).join('')));
  if (head === null) return null;
  const valuesOf = (number: number): Float64Array => {
    const words = sections.get(number)?.words() ?? new Uint32Array(0);
    return new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  };
  const indexes: LineIndex[] = [];
  for (let at = HEAD + 1; sections.has(at); at += ARRAYS)
    indexes.push(new LineIndex([valuesOf(at), valuesOf(at + 1), valuesOf(at + 2), valuesOf(at + 3)]));
  return { head, indexes };
}

function headIn(value: unknown): LogHead | null {
  if (!isRecord(value)) return null;
  const { path, stamp, end, tail, torn } = value;
  if (typeof path !== 'string' || typeof stamp !== 'string' || typeof end !== 'number') return null;
  if (!Array.isArray(tail) || typeof torn !== 'number') return null;
  return { path, stamp, end, tail: tail.filter((byte) => typeof byte === 'number'), torn };
}
