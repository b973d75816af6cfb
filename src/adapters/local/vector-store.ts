import { KeyedMutex } from '../../core/base/concurrency';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { isRecord, parsedJson } from '../../core/base/json';
import { finish, inSlices, type Pace, type Steps, Tally } from '../../core/base/steps';
import { DIMENSIONS, normalised } from '../../core/embeddings/pieces';
import {
  type Maker,
  MakerChanged,
  type NearRow,
  StoreDown,
  type VectorRow,
  type VectorStore,
} from '../../core/embeddings/store';
import type { StateStore, VectorFilter } from '../../core/ports/ports';
import type { VaultPath } from '../../core/vocabulary/paths';
import { Rows } from './rows';
import { decodeSegment, encodeSegment, quantise, type SegmentContent, type SegmentRow } from './segment';

/** The version of the files. */
const VERSION = 1;
/** The most rows of a segment that a merge writes, 1.5 MiB, and the most times and removed paths of any segment. */
const SEGMENT_ROWS = 1024;
/** Segments with fewer entries are merged when there are more of them than this. */
const MAX_SMALL = 64;
/** The rows that one step applies. */
const APPLIED_PER_STEP = 256;
/** The paths that one step of a merge looks at. */
const LISTED_PER_STEP = 2048;
/** The rows that one step rounds. */
const ROUNDED_PER_STEP = 64;

export interface LocalVectorPorts {
  readonly state: StateStore;
  /** The device that the vectors belong to. */
  readonly device: string;
  readonly pace: Pick<Pace, 'run'>;
  readonly log: Log;
}

/** What is known of a segment on the disk. */
interface Segment {
  /** The number of its rows, dead ones included. */
  readonly rows: number;
  /** The paths of its rows that are replaced or removed. */
  readonly dead: VaultPath[];
  /** The paths whose times it changes. */
  readonly moved: readonly VaultPath[];
  /** The paths whose rows in earlier segments it removes. */
  readonly removed: readonly VaultPath[];
}

/** The vectors as they are on the disk: `now.json` names generation and maker, segments of other generations are void. */
interface Table {
  /** Absent, with its maker, until the first write. */
  readonly named: { readonly generation: string; readonly maker: Maker } | null;
  readonly rows: Rows;
  /** By number, which grows: of several entries for a path the one of the highest number is valid. */
  readonly segments: Map<number, Segment>;
  /** The number of the last segment that was written or tried. */
  last: number;
}

/**
 * Returns the vector store in files of one device, below `.brain/local.<device>/vectors/`. The process that holds the lock of
 * the vault is the only one that uses them. The rows are kept in memory with 16 bits a number. All files are derived: a damaged
 * one is deleted, and its notes are embedded anew.
 */
export function localVectorStore(ports: LocalVectorPorts): VectorStore {
  return new LocalVectorStore(ports);
}

class LocalVectorStore implements VectorStore {
  readonly healthy = 'The store of the vectors of this device works';
  readonly #ports: LocalVectorPorts;
  readonly #folder: string;
  /** Writes run one after the other, and so do searches, which share memory. */
  readonly #turns = new KeyedMutex();
  #opening: Promise<Table> | null = null;
  #table: Table | null = null;
  #isClosed = false;

  constructor(ports: LocalVectorPorts) {
    this.#ports = ports;
    this.#folder = `local.${ports.device}/vectors`;
  }

  async open(): Promise<void> {
    const { rows } = await this.#open();
    await this.#slices(rows.makeSketches());
  }

  async known(maker: Maker): Promise<Map<VaultPath, Date> | null> {
    const table = await this.#open();
    if (!this.#isMadeBy(table, maker)) return null;
    return table.rows.read(table.rows.known(), (steps) => this.#slices(steps));
  }

  async paths(): Promise<VaultPath[]> {
    const { rows } = await this.#open();
    return [...(await rows.read(rows.known(), (steps) => this.#slices(steps))).keys()];
  }

  put(rows: readonly VectorRow[], maker: Maker): Promise<void> {
    return this.#write(async () => {
      const added = await this.#slices(this.#rounded(rows));
      const table = await this.#ownedBy(maker);
      if (added.length === 0) return;
      await this.#append(table, { rows: added, moved: [], removed: [] });
      await this.#mergeLater(table);
    });
  }

  touch(rows: readonly Pick<VectorRow, 'path' | 'updatedAt'>[], maker: Maker): Promise<void> {
    return this.#write(async () => {
      const table = await this.#checked(maker);
      for (let from = 0; from < rows.length; from += SEGMENT_ROWS) {
        const there = rows.slice(from, from + SEGMENT_ROWS).filter(({ path }) => table.rows.has(path));
        const moved = there.map(({ path, updatedAt }) => [path, updatedAt.getTime()] as const);
        if (moved.length > 0) await this.#append(table, { rows: [], moved, removed: [] });
      }
      await this.#mergeLater(table);
    });
  }

  remove(paths: readonly VaultPath[], maker: Maker): Promise<void> {
    return this.#write(async () => {
      const table = await this.#checked(maker);
      for (let from = 0; from < paths.length; from += SEGMENT_ROWS) {
        const removed = paths.slice(from, from + SEGMENT_ROWS).filter((path) => table.rows.has(path));
        if (removed.length > 0) await this.#append(table, { rows: [], moved: [], removed });
      }
      await this.#mergeLater(table);
    });
  }

  clear(maker: Maker): Promise<void> {
    return this.#write(async () => {
      const before = await this.#open();
      this.#isMadeBy(before, maker);
      await this.#begin(maker);
      for (const number of before.segments.keys()) await this.#delete(this.#fileOf(before, number));
    });
  }

  async nearest(
    vector: Float32Array,
    limit: number,
    filter: VectorFilter,
    maker: Maker,
  ): Promise<NearRow[] | null> {
    await this.#open();
    return this.#turns.run('search', async () => {
      const table = await this.#open();
      if (!this.#isMadeBy(table, maker)) return null;
      const unit = unitOf(vector);
      const found = await table.rows.read(table.rows.nearest(unit, limit, filter), (steps) =>
        this.#slices(steps),
      );
      // The vectors may have been made over to another maker meanwhile.
      return this.#isMadeBy(this.#table ?? table, maker) ? found : null;
    });
  }

  async count(maker: Maker): Promise<number> {
    const table = await this.#open();
    this.#isMadeBy(table, maker);
    return table.rows.size;
  }

  async advice(): Promise<null> {
    return null;
  }

  tidy(paths: readonly VaultPath[] = []): Promise<void> {
    return this.#write(async () => this.#merge(await this.#open(), paths));
  }

  /** Always null: the lock of the vault is the lease. */
  async lease(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turns.run('write', async () => undefined);
  }

  /** Returns the table, which the first call reads. After a failure the next call reads it again. */
  async #open(): Promise<Table> {
    if (this.#isClosed) throw new StoreDown('The vectors of this device are closed.');
    if (this.#table !== null) return this.#table;
    this.#opening ??= this.#load()
      .then((table) => (this.#table = table))
      .finally(() => (this.#opening = null));
    try {
      return await this.#opening;
    } catch (error) {
      throw this.#down(error, 'read');
    }
  }

  /** Runs `work` after all earlier writes. @throws StoreDown, MakerChanged, BrainError `starting` */
  #write(work: () => Promise<void>): Promise<void> {
    return this.#turns.run('write', async () => {
      try {
        await work();
      } catch (error) {
        throw this.#down(error, 'written');
      }
    });
  }

  #slices<T>(steps: Steps<T>): Promise<T> {
    return inSlices(steps, this.#ports.pace);
  }

  /** Returns an error that is safe to show. */
  #down(error: unknown, what: 'read' | 'written'): Error {
    if (error instanceof StoreDown || error instanceof MakerChanged || error instanceof BrainError)
      return error;
    const code = isRecord(error) && typeof error.code === 'string' ? ` (${error.code})` : '';
    this.#ports.log.warn('vectors.failed', { reason: String(error) });
    return new StoreDown(
      `The vectors of this device cannot be ${what}${code}. See that the disk has room and that .brain/${this.#folder} can be read and written.`,
    );
  }

  /** Returns true when the rows are this maker's, or when there are none and no maker. @throws StoreDown for another vault. */
  #isMadeBy({ named }: Table, maker: Maker): boolean {
    if (named === null) return true;
    if (named.maker.vault !== maker.vault) {
      throw new StoreDown(
        `The folder .brain/${this.#folder} holds the vectors of another vault, so nothing of it is read or changed. Delete the folder and start again: the vectors of this vault are then made anew.`,
        true,
      );
    }
    return named.maker.model === maker.model;
  }

  /** @throws MakerChanged, StoreDown */
  async #checked(maker: Maker): Promise<Table> {
    const table = await this.#open();
    if (!this.#isMadeBy(table, maker)) throw new MakerChanged();
    return table;
  }

  /** Returns the table of the maker, which a table without a maker becomes. @throws MakerChanged, StoreDown */
  async #ownedBy(maker: Maker): Promise<Table> {
    const table = await this.#checked(maker);
    return table.named === null ? this.#begin(maker) : table;
  }

  /** Begins a new generation, which has no rows. */
  async #begin(maker: Maker): Promise<Table> {
    const generation = crypto.randomUUID().slice(0, 8);
    const now = { version: VERSION, generation, maker };
    try {
      await this.#ports.state.write(`${this.#folder}/now.json`, `${JSON.stringify(now)}\n`);
    } catch (error) {
      // The file may have been replaced all the same, so the next call reads everything again.
      this.#table = null;
      throw error;
    }
    const table = emptyTable({ generation, maker });
    this.#table = table;
    return table;
  }

  *#rounded(rows: readonly VectorRow[]): Steps<SegmentRow[]> {
    // A path that a call names twice has the later row.
    const found = new Map<VaultPath, SegmentRow>();
    for (const [at, { path, vector, updatedAt }] of rows.entries()) {
      found.set(path, { path, updatedAt: updatedAt.getTime(), ...quantise(unitOf(vector)) });
      if (at % ROUNDED_PER_STEP === ROUNDED_PER_STEP - 1) yield;
    }
    return [...found.values()];
  }

  /** Writes a segment, and applies it when it is written. */
  async #append(table: Table, content: SegmentContent): Promise<void> {
    const number = await this.#writeSegment(table, content);
    // At once: no search sees a part of it.
    finish(applySteps(table, number, content));
  }

  async #writeSegment(table: Table, content: SegmentContent): Promise<number> {
    // A number is never used again: a write that fails may have left its file.
    const number = (table.last += 1);
    const bytes = await this.#slices(encodeSegment(number, content));
    await this.#ports.state.writeBytes(this.#fileOf(table, number), bytes);
    return number;
  }

  #fileOf({ named }: Table, number: number): string {
    return `${this.#folder}/${named?.generation ?? ''}-${number}.vec`;
  }

  /** Merges after a write, which a failure of the merge does not fail. */
  async #mergeLater(table: Table): Promise<void> {
    try {
      await this.#merge(table);
    } catch (error) {
      this.#ports.log.warn('vectors.merge', { reason: String(error) });
    }
  }

  /**
   * Writes the live rows of small and mostly dead segments into fewer ones, then deletes those, the oldest first. A cut in
   * between leaves rows twice, which are equal.
   */
  async #merge(table: Table, paths: readonly VaultPath[] = []): Promise<void> {
    const merged = toMerge(table, new Set(paths));
    if (merged.size === 0) return;
    const { moved, removed } = await this.#slices(listsOf(table, merged));
    const rows = await this.#slices(table.rows.storedIn(new Set(merged.keys())));
    const end = Math.max(rows.length, moved.length, removed.length);
    for (let from = 0; from < end; from += SEGMENT_ROWS) {
      if (this.#isClosed) return;
      const content: SegmentContent = {
        rows: rows.slice(from, from + SEGMENT_ROWS),
        moved: moved.slice(from, from + SEGMENT_ROWS),
        removed: removed.slice(from, from + SEGMENT_ROWS),
      };
      const number = await this.#writeSegment(table, content);
      table.segments.set(number, segmentOf(content));
      for (const { path } of content.rows) {
        merged.get(table.rows.homeOf(path) ?? 0)?.dead.push(path);
        table.rows.settle(path, number);
      }
    }
    // A later one may remove what an earlier one has.
    for (const number of [...merged.keys()].sort((a, b) => a - b)) {
      await this.#ports.state.remove(this.#fileOf(table, number));
      table.segments.delete(number);
    }
  }

  /** Reads now.json and the segments of its generation, and deletes the other ones and those that are damaged. */
  async #load(): Promise<Table> {
    const { state, log } = this.#ports;
    const text = await state.read(`${this.#folder}/now.json`);
    const named = text === null ? null : namedIn(text);
    if (text !== null && named === null) log.warn('vectors.damaged', { file: 'now.json' });
    const table = emptyTable(named);
    const numbers: number[] = [];
    for (const file of await state.list(this.#folder)) {
      const [, generation, digits] = SEGMENT_FILE.exec(file) ?? [];
      if (digits === undefined) continue;
      if (generation === named?.generation) numbers.push(Number(digits));
      else await this.#delete(file);
    }
    for (const number of numbers.sort((a, b) => a - b)) {
      table.last = number;
      const file = this.#fileOf(table, number);
      const bytes = await state.readBytes(file);
      const content = bytes === null ? null : await this.#slices(decodeSegment(bytes, number));
      if (content === null) {
        log.warn('vectors.damaged', { file });
        await this.#delete(file);
      } else await this.#slices(applySteps(table, number, content));
    }
    return table;
  }

  /** Deletes a file that nobody reads. What a failure leaves is deleted at the next opening. */
  async #delete(file: string): Promise<void> {
    try {
      await this.#ports.state.remove(file);
    } catch (error) {
      this.#ports.log.warn('vectors.delete', { file, reason: String(error) });
    }
  }
}

const SEGMENT_FILE = /\/([0-9a-f]{8})-([1-9]\d{0,9})\.vec$/;

function emptyTable(named: Table['named']): Table {
  return { named, rows: new Rows(), segments: new Map(), last: 0 };
}

/** Changes the rows as a segment says, in steps. */
function* applySteps({ rows, segments }: Table, number: number, content: SegmentContent): Steps<void> {
  const dies = (path: VaultPath): void => {
    segments.get(rows.homeOf(path) ?? 0)?.dead.push(path);
  };
  segments.set(number, segmentOf(content));
  for (const [at, row] of content.rows.entries()) {
    dies(row.path);
    rows.put(row, number);
    if (at % APPLIED_PER_STEP === APPLIED_PER_STEP - 1) yield;
  }
  for (const [path, updatedAt] of content.moved) rows.touch(path, updatedAt);
  for (const path of content.removed) {
    dies(path);
    rows.remove(path);
  }
}

function segmentOf({ rows, moved, removed }: SegmentContent): Segment {
  return { rows: rows.length, dead: [], moved: moved.map(([path]) => path), removed };
}

/**
 * Returns the segments to merge: small ones when they are many, those whose rows are mostly dead, and, with the small ones, those
 * with lists when the lists are twice as long as such a merge may leave them.
 */
function toMerge({ segments, rows }: Table, gone: ReadonlySet<VaultPath>): Map<number, Segment> {
  const all = [...segments];
  const listed = ({ moved, removed }: Segment): number => moved.length + removed.length;
  const isSmall = (segment: Segment): boolean => segment.rows + listed(segment) < SEGMENT_ROWS;
  const small = all.filter(([, segment]) => isSmall(segment));
  const large = all.filter(([, segment]) => !isSmall(segment));
  const wasted = large.filter(([, segment]) => segment.rows > 0 && 2 * segment.dead.length > segment.rows);
  const lists = large.filter(([, segment]) => listed(segment) > 0);
  const length = lists.reduce((sum, [, segment]) => sum + listed(segment), 0);
  const isLong = length > 4 * rows.size + SEGMENT_ROWS;
  const named = all.filter(([, { dead, moved, removed }]) =>
    [...dead, ...moved, ...removed].some((path) => gone.has(path) && !rows.has(path)),
  );
  return new Map([
    ...named,
    ...(small.length > MAX_SMALL || isLong ? small : []),
    ...wasted,
    ...(isLong ? lists : []),
  ]);
}

/** Returns the times and the removed paths that still matter without the merged segments, in steps. */
function* listsOf(
  { segments, rows }: Table,
  merged: ReadonlyMap<number, Segment>,
): Steps<Pick<SegmentContent, 'moved' | 'removed'>> {
  const tally = new Tally(LISTED_PER_STEP);
  const ghosts = new Set<VaultPath>();
  for (const [number, { dead }] of segments) {
    if (merged.has(number)) continue;
    for (const path of dead) {
      ghosts.add(path);
      if (tally.isFull()) yield;
    }
  }
  const moved = new Map<VaultPath, number>();
  const removed = new Set<VaultPath>();
  for (const segment of merged.values()) {
    for (const path of segment.moved) {
      const [home, time] = [rows.homeOf(path), rows.timeOf(path)];
      if (home !== undefined && time !== undefined && !merged.has(home)) moved.set(path, time);
      if (tally.isFull()) yield;
    }
    for (const path of segment.removed) {
      // It is kept only while another segment has a row for it, which would come back otherwise.
      if (ghosts.has(path) && !rows.has(path)) removed.add(path);
      if (tally.isFull()) yield;
    }
  }
  return { moved: [...moved], removed: [...removed] };
}

/** Returns generation and maker of now.json; null when it is damaged. @throws StoreDown for that of a newer version. */
function namedIn(text: string): Table['named'] {
  const { version, generation, maker } = recordIn(text);
  if (typeof version === 'number' && version > VERSION) {
    throw new StoreDown(
      'The vectors of this device were written by a newer version. Start that one, or delete their folder to have them made anew.',
      true,
    );
  }
  if (typeof generation !== 'string' || !/^[0-9a-f]{8}$/.test(generation) || !isRecord(maker)) return null;
  const { model, vault } = maker;
  return typeof model === 'string' && typeof vault === 'string'
    ? { generation, maker: { model, vault } }
    : null;
}

function recordIn(text: string): Record<string, unknown> {
  const value = parsedJson(text);
  return isRecord(value) ? value : {};
}

/** Returns the vector at length 1. @throws StoreDown when it has none, or another number of numbers. */
function unitOf(vector: Float32Array): Float32Array {
  const unit = vector.length === DIMENSIONS ? normalised(vector) : null;
  if (unit === null) throw new StoreDown(`A vector has no direction, or not ${DIMENSIONS} numbers.`);
  return unit;
}
