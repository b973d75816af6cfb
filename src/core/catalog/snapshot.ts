import { jsonBytes, type Sha } from '../base/hash';
import type { Pace, Pacing } from '../base/steps';
import { detachMap, utf8Text } from '../base/text';
import type { LinkUse } from '../markdown/address';
import { lastChanged, MAX_STATE_BYTES, type Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { Knowledge } from './knowledge';
import { type NoteRecord, noteStatus, recordOf, withFileStat } from './record';

/** The reflected polynomial of CRC-32, as in zip and Ethernet. */
const POLYNOMIAL = 0xedb88320;

/** Eight tables, one for each byte of a step (Kounavis and Berry, Novel Table Lookup-Based Algorithms for CRC, 2008). */
const tables = makeTables();

function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at += 1) {
    const before = made[at - 256] ?? 0;
    made[at] = (before >>> 8) ^ (made[before & 0xff] ?? 0);
  }
  return made;
}

/**
 * Returns the CRC-32 of an even number of 32-bit words, as their bytes are in memory on a little-endian machine.
 * @param before the CRC-32 of the words before
 */
export function crc32(words: Uint32Array, before = 0): number {
  const table = tables;
  let crc = ~before;
  for (let at = 0; at + 1 < words.length; at += 2) {
    const low = crc ^ (words[at] ?? 0);
    const high = words[at + 1] ?? 0;
    crc =
      (table[0x700 | (low & 0xff)] ?? 0) ^
      (table[0x600 | ((low >>> 8) & 0xff)] ?? 0) ^
      (table[0x500 | ((low >>> 16) & 0xff)] ?? 0) ^
      (table[0x400 | (low >>> 24)] ?? 0) ^
      (table[0x300 | (high & 0xff)] ?? 0) ^
      (table[0x200 | ((high >>> 8) & 0xff)] ?? 0) ^
      (table[0x100 | ((high >>> 16) & 0xff)] ?? 0) ^
      (table[high >>> 24] ?? 0);
  }
  return ~crc >>> 0;
}

/**
 * The version of the rules that derive a record from a text. Raise it when they change: a snapshot of another version is
 * discarded and rebuilt from the files. A test pins what the rules make of some notes to this number.
 */
export const ANALYSIS = 14;

const KINDS: readonly LinkUse['kind'][] = ['wikilink', 'embed', 'mdlink', 'image'];

/** A record as a JSON row: the fields that do not follow from its path and front matter, in a fixed order. */
type Row = readonly [
  path: VaultPath,
  mtime: number,
  size: number,
  ctime: number | null,
  born: number | null,
  contentHash: Sha,
  contentKey: Sha,
  title: string,
  excerpt: string,
  frontmatter: object,
  problem: string | null,
  tags: readonly string[],
  headings: readonly string[],
  levels: string,
  spelled: readonly (readonly [number, string])[],
  blockIds: readonly string[],
  /** The links in order, each as `[index of its kind in KINDS, target]`. */
  links: readonly (readonly [number, string])[],
  partly: boolean,
];

/** Returns records as JSON. */
export function textOfRecords(records: readonly NoteRecord[]): string {
  return JSON.stringify(records.map(rowOf));
}

/**
 * Returns the records of a text that `textOfRecords` made under the same version of the analysis, which the caller has
 * checked.
 * @throws Error if it is another text.
 */
export function recordsOfText(text: string): NoteRecord[] {
  const rows = JSON.parse(text) as readonly Row[]; // A checksum and two versions vouch for the contents.
  return rows.map(noteOf);
}

function rowOf(note: NoteRecord): Row {
  return [
    note.path,
    note.mtime,
    note.size,
    note.ctime ?? null,
    note.born ?? null,
    note.content_hash,
    note.content_key,
    note.title,
    note.excerpt,
    note.frontmatter,
    note.problem,
    note.tags,
    note.headings,
    note.levels,
    note.spelled,
    note.blockIds,
    note.links.map(({ kind, target }) => [KINDS.indexOf(kind), target] as const),
    note.partly === true,
  ];
}

function noteOf(row: Row): NoteRecord {
  const [path, mtime, size, ctime, born, hash, key, title, excerpt, map, problem, ...facts] = row;
  const [tags, headings, levels, spelled, blockIds, links, partly] = facts;
  const status = noteStatus(path);
  if (status === null) throw new Error(`There can be no note at ${path}.`);
  const record = recordOf(path, status, {
    title,
    tags,
    headings,
    levels,
    spelled,
    blockIds,
    // JSON objects have a prototype; front matter has none.
    frontmatter: detachMap(map),
    problem,
    excerpt,
    links: links.map(([kind, target]) => ({ target, kind: KINDS[kind] ?? 'wikilink' })),
    content_hash: hash,
    content_key: key,
    ...(partly && { partly: true as const }),
  });
  return withFileStat(record, {
    mtime,
    size,
    ...(ctime !== null && { ctime }),
    ...(born !== null && { born }),
  });
}

// A snapshot is one file, in parts that start at multiples of eight bytes:
//
//     start    magic, format, analysis, length of the head in bytes, its CRC-32, length of the file in
//              units of eight bytes: 32-bit words of the machine
//     head     JSON: Head below
//     chunks   JSON: some records each, padded with spaces
//     index    the bytes of the search index, which have their own versions and checksums

const MAGIC = 0x54414342; // BCAT
const FORMAT = 6;
const START_WORDS = 6;
const START_BYTES = START_WORDS * 4;
/** The number of records in a chunk, which is written or read between two pauses. */
const CHUNK = 32;
/**
 * A file that changed within this time (ms) before it is checked may change again with the same time stamp: the tick of the
 * coarsest file system clocks is two seconds.
 */
export const TICK_MS = 2000;

interface Head {
  /** The time when it was begun (ms since the epoch). */
  readonly taken: number;
  /** An identifier of the vault's folder. */
  readonly place: string;
  /** Notes whose files have changed since they were read. */
  readonly changed: readonly VaultPath[];
  /** The length and CRC-32 of each chunk. */
  readonly chunks: readonly (readonly [bytes: number, crc: number])[];
  readonly index: number;
}

/** The contents of a snapshot to write. */
interface SnapshotSource extends Pick<Head, 'taken' | 'place' | 'changed'> {
  readonly records: readonly NoteRecord[];
  /** The search index over the records, in pieces. */
  readonly index: Iterable<Uint8Array>;
}

/** The contents of a snapshot that was read. */
export interface Snapshot {
  readonly records: readonly NoteRecord[];
  /** Notes whose files must be read whatever their times and sizes. */
  readonly doubtful: ReadonlySet<VaultPath>;
  readonly index: Uint8Array<ArrayBuffer>;
}

interface PackOptions {
  readonly pace: Pick<Pace, 'run'>;
  /** Returns false when the snapshot is outdated; called now and then. */
  readonly isCurrent: () => boolean;
  /** The maximum size (bytes). */
  readonly maxBytes: number;
}

/** Returns the bytes of a snapshot, made in slices; null if it became outdated; its size if that exceeds the maximum. */
async function packSnapshot(
  source: SnapshotSource,
  { pace, isCurrent, maxBytes }: PackOptions,
): Promise<Uint8Array<ArrayBuffer> | { readonly tooLarge: number } | null> {
  const index: Uint8Array[] = [];
  const pieces = source.index[Symbol.iterator]();
  for (let next = await pace.run(() => pieces.next()); next.done !== true;) {
    index.push(next.value);
    next = await pace.run(() => pieces.next());
    if (!isCurrent()) return null;
  }
  const chunks: { readonly bytes: Uint8Array; readonly crc: number }[] = [];
  for (let at = 0; at < source.records.length; at += CHUNK) {
    const part = source.records.slice(at, at + CHUNK);
    chunks.push(await pace.run(() => chunkOf(part)));
    if (!isCurrent()) return null;
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
 * Returns the contents of a snapshot, read in slices, or the reason why it is unusable: damaged, cut off, of another version
 * or another folder. Never rejects for that. The bytes belong to the snapshot from then on.
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
  const head = JSON.parse(utf8Text(text)) as Head; // The checksum vouches for the contents.
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

/** The delay of the first snapshot after the start (ms), so that requests come first. */
const FIRST_DELAY_MS = 2_000;
/** The vault must be quiet for this long before a snapshot (ms). */
const QUIET_MS = 30_000;
/** The most checks of a busy vault after which a snapshot is tried all the same. */
const MAX_CHECKS = 20;
/** The time limit of the last snapshot (ms): 100,000 notes take about four seconds. The next start reads what an earlier one lacks. */
const CLOSE_MS = 6_000;

export type SnapshotPorts = Pick<
  Store & Knowledge & Pacing,
  'catalog' | 'state' | 'clock' | 'log' | 'pace' | 'device'
>;

export interface SnapshotOptions {
  /** An identifier of the vault's folder on this machine. */
  readonly place: string;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** True if the snapshot that was read holds all that the catalog knows. */
  readonly isSaved: boolean;
  /** Resolves false when another server keeps the snapshot of the vault; always true when absent. */
  readonly mayKeep: () => Promise<boolean>;
  /** The maximum size of a snapshot (bytes). */
  readonly maxBytes?: number;
}

export interface SnapshotKeeper {
  /** Takes a last snapshot if needed, within a few seconds. */
  close(): Promise<void>;
}

/** Returns the path of the snapshot in the state folder. */
export function snapshotPath(device: string): string {
  return `local.${device}/catalog.bin`;
}

/**
 * Keeps a snapshot of the catalog, so that the next start need not read every note: soon after the start, then whenever the
 * vault has been quiet after changes, and at the end. It is taken in slices, and abandoned if the catalog changes meanwhile. In a
 * vault that is never quiet it is tried now and then, after an abandoned one sooner.
 * A write error is logged; nothing depends on the snapshot. A vault that is too large has none.
 */
export function keepSnapshot(
  brain: SnapshotPorts,
  { place, sleep, isSaved, mayKeep, maxBytes = MAX_STATE_BYTES }: SnapshotOptions,
): SnapshotKeeper {
  const { catalog, state, clock, log, pace, device } = brain;
  let saved = isSaved ? catalog.revision : -1;
  let stopped = false;
  let isTooLarge = false;
  let saving: Promise<unknown> = Promise.resolve();

  /** Resolves false when it came to nothing because the catalog changed or nobody wants it any more. */
  async function save(isWanted: () => boolean): Promise<boolean> {
    if (isTooLarge || !(await mayKeep())) return true;
    const { revision } = catalog;
    const source = {
      taken: clock.now().getTime(),
      place,
      changed: catalog.dirty.paths(),
      records: catalog.records(),
      index: catalog.packIndex(),
    };
    const isCurrent = (): boolean => catalog.revision === revision && isWanted();
    const bytes = await packSnapshot(source, { pace, isCurrent, maxBytes });
    if (bytes === null || catalog.revision !== revision) return false;
    if ('tooLarge' in bytes) {
      isTooLarge = true;
      const message =
        'What is known of the vault is too large to be kept, so that the next start takes longer.';
      log.warn('catalog.snapshot_too_large', { message, bytes: bytes.tooLarge, limit: maxBytes });
      return true;
    }
    await state.writeBytes(snapshotPath(device), bytes);
    saved = revision;
    return true;
  }

  function saveNow(isWanted: () => boolean): Promise<boolean> {
    return (saving = save(isWanted).catch((error: unknown) => {
      log.warn('catalog.snapshot', { message: String(error) });
      return true;
    }));
  }

  async function keep(): Promise<void> {
    // The number of checks of a busy vault that are waited for.
    let patience = isSaved ? MAX_CHECKS : 1;
    let [pause, seen, checks] = [FIRST_DELAY_MS, catalog.revision, 0];
    while (!stopped) {
      await sleep(pause);
      pause = QUIET_MS;
      if (stopped || catalog.revision === saved) continue;
      checks += 1;
      if (catalog.revision === seen || checks >= patience) {
        const isDone = await saveNow(() => !stopped);
        patience = isDone ? MAX_CHECKS : Math.min(2 * patience, MAX_CHECKS);
        checks = 0;
      }
      seen = catalog.revision;
    }
  }
  void keep();

  return {
    async close() {
      stopped = true;
      await saving;
      if (saved === catalog.revision) return;
      const end = clock.now().getTime() + CLOSE_MS;
      await saveNow(() => clock.now().getTime() < end);
    },
  };
}
