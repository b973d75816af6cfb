import { BrainError } from '../base/errors';
import type { Sha } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, keepBest, type Pace, sortSteps, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import type { Timestamp } from '../base/time';
import type { StateStore } from '../ports/ports';
import {
  type ChangeLog,
  comparePlaces,
  isCopy,
  type LoggedChange,
  type PastChange,
} from '../storage/change-log';
import { dataName, dataNames, dataSeen, type EventData } from '../storage/event-data';
import { LINE_FEED, parseLine } from '../storage/lines';
import { ruleOf } from '../vocabulary/envelope';
import { LineIndex, type LinePlace } from './line-index';
import { eventIn, isLog, LOG_FOLDERS } from './old-forms';

type PastPorts = Pick<StateStore, 'list' | 'readPart'>;

/** A log, as far as it is in the index. */
interface Log {
  /** Its place among the logs. */
  readonly number: number;
  readonly path: string;
  /** The bytes that are in the index: whole lines. */
  end: number;
  /** The last of these bytes. */
  tail: Uint8Array;
}

/** The bytes that are read at a time, and those by which a log is known again. */
const PIECE = 1 << 18;
const TAIL = 64;
/** Lines with no more bytes than this between them are read together. */
const GAP = 1 << 14;
/** How old a read may be for a search (ms), and how often as long as it took. */
const RECENT_MS = 2_000;
const LOOKS_SHARE = 20;

/**
 * What happened to the notes of a vault, as the logs of all devices have it. The logs are read once, and then what was added to
 * them; in memory is where their lines stand.
 */
export class Past {
  #known = new KnownLogs();
  #reading: Promise<unknown> = Promise.resolve();
  /** The read that has not begun yet: it serves all who ask until then. */
  #next: Promise<PastReader> | null = null;
  /** The last read for a search: when it began, how long it may serve (ms), and after how many changes of this process it began. */
  #last: {
    readonly at: number;
    serves: number;
    readonly count: number;
    readonly read: Promise<PastReader>;
  } | null = null;
  #edition = 0;

  /** @param log the log to which this process appends; it is told of the times of all changes that are read */
  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
    private readonly log: Pick<ChangeLog, 'seen' | 'count' | 'now' | 'path'> | null = null,
  ) {}

  /** Reads what was added, and returns what can be asked of the logs as they are now. */
  read(): Promise<PastReader> {
    if (this.#next === null) {
      this.#next = this.#readAfter(() => {
        this.#next = null;
        return this.#readOn();
      });
    }
    return this.#next;
  }

  /**
   * Resolves as `read` does, but may lack what others have changed in the last two seconds, or longer where a look takes long: every
   * search asks, and most changes of others are as old as that when they are seen.
   */
  recent(): Promise<PastReader> {
    const { log } = this;
    if (log === null) return this.read();
    const { count, now, path } = log;
    const last = this.#last;
    const isFresh = last !== null && Math.abs(now - last.at) < last.serves;
    if (isFresh && last.count === count) return last.read;
    // Of what this process has changed since, only its own log has the lines.
    const read = isFresh && path !== null ? this.#readAfter(() => this.#readOwn(path)) : this.read();
    const next = { at: isFresh ? last.at : now, serves: isFresh ? last.serves : RECENT_MS, count, read };
    this.#last = next;
    read.then(
      () => {
        if (!isFresh) next.serves = Math.max(RECENT_MS, LOOKS_SHARE * (log.now - now));
      },
      () => (this.#last = null),
    );
    return read;
  }

  async #readOwn(path: string): Promise<void> {
    if (!(await this.#readLog(path, true))) await this.#readOn();
  }

  #readAfter(look: () => Promise<void>): Promise<PastReader> {
    const read = this.#reading.then(async () => {
      await look();
      return new PastReader(this.state, this.pace, this.#known, this.#edition);
    });
    this.#reading = read.catch(() => undefined); // Who asked gets the error; the next one reads again.
    return read;
  }

  async #readOn(): Promise<void> {
    const lists = await Promise.all(LOG_FOLDERS.map((folder) => this.state.list(folder)));
    const paths = lists.flat().filter(isLog);
    // The lines of a copy are known when those of the log are.
    paths.sort((a, b) => Number(isCopy(a)) - Number(isCopy(b)));
    for (const log of this.#known.logs) if (!paths.includes(log.path)) this.#forget();
    for (const path of paths) {
      if (await this.#readLog(path)) continue;
      // Somebody replaced a log: what is known of it cannot be told from what is not.
      this.#forget();
      return this.#readOn();
    }
  }

  #forget(): void {
    this.#known = new KnownLogs();
    this.#edition += 1;
  }

  /** Resolves false when the log does not begin with what is known of it. */
  async #readLog(path: string, isOwn = false): Promise<boolean> {
    const { index } = this.#known;
    const log = this.#known.logAt(path);
    for (let size = PIECE; ;) {
      const { tail } = log;
      const from = log.end - tail.length;
      const bytes = await this.state.readPart(path, from, log.end + size);
      if (bytes === null || !tail.every((byte, at) => bytes[at] === byte)) return log.end === 0;
      const isAll = bytes.length < tail.length + size;
      const end = isAll ? wholeLines(path, bytes, tail.length) : bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > tail.length) {
        const lines = bytes.subarray(tail.length, end);
        await this.pace.run(() => addLines(index, log, lines, (at) => this.log?.seen(at)));
        if (!isOwn) this.#edition += 1;
        log.end += lines.length;
        log.tail = bytes.slice(Math.max(0, end - TAIL), end);
      }
      if (isAll) return true;
      // A line is longer than the piece.
      if (end <= tail.length) size *= 2;
    }
  }
}

/** The logs as far as they have been read. */
class KnownLogs {
  readonly index = new LineIndex();
  readonly logs: Log[] = [];
  logAt(path: string): Log {
    const known = this.logs.find((log) => log.path === path);
    if (known !== undefined) return known;
    const log = { number: this.logs.length, path, end: 0, tail: new Uint8Array() };
    this.logs.push(log);
    return log;
  }
}

/** Answers questions of the logs. A question costs what its answer costs. */
export class PastReader {
  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
    private readonly known: KnownLogs,
    /** Another number than of an earlier reader when the logs of others may have changed since. */
    readonly edition: number,
    /** The files that a caller may read, who learns of the data alone that is about them; null for the whole past. */
    private readonly sees: ((path: string) => boolean) | null = null,
  ) {}

  /** Returns the reader for a caller who may read some files alone: it has no changes, but the data about these files. */
  seenBy(sees: (path: string) => boolean): PastReader {
    return new PastReader(this.state, this.pace, this.known, this.edition, sees);
  }

  /**
   * Resolves with the changes that have data of a kind, oldest first, perhaps some without.
   * @param hash a text that the data names
   */
  async telling(kind: keyof EventData, hash?: Sha): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.naming(dataName(kind, hash)));
  }

  /** Resolves with the changes that name a path or a hash, oldest first. */
  async naming(name: string): Promise<PastChange[]> {
    const changes = await this.#changesAt(this.known.index.naming(name));
    return changes.filter(({ notes }) =>
      notes.some(({ path, before, after }) => path === name || before === name || after === name),
    );
  }

  /** Returns how many lines may name a path or a hash. */
  countOf(name: string): number {
    return this.known.index.naming(name).length;
  }

  /** Resolves with the changes of the calls with a key, oldest first. */
  withKey(key: string): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.naming(keyName(key)));
  }

  /** Resolves with the changes of some operations, oldest first. */
  of(operations: Iterable<string>): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.ofKinds(operations));
  }

  /** Resolves with the number of changes of some operations, and with the last of them, at most `max`, oldest first. */
  async lastOf(
    operations: Iterable<string>,
    max: number,
  ): Promise<{ readonly count: number; readonly changes: PastChange[] }> {
    const { index } = this.known;
    const lines = index.ofKinds(operations);
    const byTime = (a: LinePlace, b: LinePlace): number =>
      b.time - a.time || this.#compareFiles(b, a) || b.from - a.from;
    const last: LinePlace[] = [];
    const steps = function* (): Steps<void> {
      // Mostly the last lines are the last in time, and what comes after them is passed over.
      for (let at = lines.length - 1; at >= 0; at -= 1) {
        keepBest(last, index.placeOf(lines[at] ?? 0), max, byTime);
        if (at % ITEMS_PER_STEP === 0) yield;
      }
    };
    await inSlices(steps(), this.pace);
    return { count: lines.length, changes: await this.#read(last) };
  }

  /** Returns the times at which a rule promoted notes (ms since the epoch), in no order. */
  timesOfRule(rule: string): number[] {
    return this.known.index.naming(ruleName(rule)).map((line) => this.known.index.placeOf(line).time);
  }

  /** Resolves with the changes at or after a time, oldest first. */
  since(time: Timestamp): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.since(Date.parse(time)));
  }

  #seenOf(change: LoggedChange): LoggedChange {
    const { sees } = this;
    if (sees === null) return change;
    const { at, ts, op, data } = change;
    return { at, ts, op, notes: [], ...(data && { data: dataSeen(data, sees) }) };
  }

  #changesAt(lines: readonly number[]): Promise<PastChange[]> {
    return this.#read(lines.map((line) => this.known.index.placeOf(line)));
  }

  #compareFiles({ file: a }: LinePlace, { file: b }: LinePlace): number {
    const { logs } = this.known;
    return a === b ? 0 : compareText(logs[a]?.path ?? '', logs[b]?.path ?? '');
  }

  async #read(places: LinePlace[]): Promise<PastChange[]> {
    const { logs } = this.known;
    const changes: PastChange[] = [];
    const inOrder = sortSteps(places, (a, b) => a.file - b.file || a.from - b.from);
    for (const group of groupsOf(await inSlices(inOrder, this.pace))) {
      const [{ file, from: start }] = group;
      const { path } = logs[file] ?? { path: '' };
      const bytes = await this.state.readPart(path, start, endOf(group.at(-1) ?? group[0]));
      await this.pace.run(() => {
        for (const place of group) {
          const change = bytes && changeAt(path, bytes.subarray(place.from - start, endOf(place) - start));
          if (change === null) throw replaced();
          changes.push({ ...this.#seenOf(change), place: [change.at, path, place.from] });
        }
      });
    }
    return inSlices(sortSteps(changes, comparePlaces), this.pace);
  }
}

/** The name under which the index has the promotions of a rule. No path and no hash has a colon first. */
function ruleName(rule: string): string {
  return `:rule ${rule}`;
}

function keyName(key: string): string {
  return `:key ${key}`;
}

/** Returns the error for a log that is no longer what was read: an answer without some of its lines would not be true. */
function replaced(): BrainError {
  return new BrainError(
    'busy',
    'A log of changes was replaced by another program just now. Try again in a few seconds.',
    { retry_after: 2 },
  );
}

function endOf({ from, length }: LinePlace): number {
  return from + length;
}

const decoder = new TextDecoder();

/** Returns where the whole lines end: the last one may lack its line feed, but one that is being written is not whole. */
function wholeLines(log: string, bytes: Uint8Array, from: number): number {
  const end = Math.max(from, bytes.lastIndexOf(LINE_FEED) + 1);
  return changeAt(log, bytes.subarray(end)) === null ? end : bytes.length;
}

function changeAt(log: string, line: Uint8Array): LoggedChange | null {
  return eventIn(log, parseLine(decoder.decode(line)));
}

/** Adds the lines in these bytes, which follow what is known of the log. */
function addLines(
  index: LineIndex,
  { number: file, end: start, path: log }: Log,
  bytes: Uint8Array,
  seen: (at: number) => void,
): void {
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(from, end);
    const change = line.length === 0 ? null : changeAt(log, line);
    if (change !== null && (change.notes.length > 0 || change.data !== undefined)) {
      const names = dataNames(change);
      for (const { path, before, after } of change.notes)
        for (const name of [path, before, after]) if (name !== null) names.push(name);
      const rule = change.op === 'promote' ? ruleOf(change.decision?.by) : undefined;
      if (rule !== undefined) names.push(ruleName(rule));
      if (change.key !== undefined) names.push(keyName(change.key));
      const place = { file, from: start + from, length: line.length, time: change.at };
      if (!isCopy(log) || !hasLine(index, place, names)) index.add(place, change.op, names);
      seen(change.at);
    }
    from = end + 1;
  }
}

/** Returns true when a line with the time, the length and the names of this one is known: the copy of a log repeats lines. */
function hasLine(index: LineIndex, { time, length }: LinePlace, [name = '']: readonly string[]): boolean {
  return index.naming(name).some((line) => {
    const known = index.placeOf(line);
    return known.time === time && known.length === length;
  });
}

/** Returns places in their order as groups, each of which is read at a time. */
function groupsOf(places: readonly LinePlace[]): [LinePlace, ...LinePlace[]][] {
  const groups: [LinePlace, ...LinePlace[]][] = [];
  for (const place of places) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isNear = last?.file === place.file && place.from - endOf(last) < GAP;
    if (group !== undefined && isNear && endOf(place) - group[0].from < PIECE) group.push(place);
    else groups.push([place]);
  }
  return groups;
}
