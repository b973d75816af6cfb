import { BrainError } from '../base/errors';
import type { Sha } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, keepBest, type Pace, sortSteps, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import { type Timestamp, timestamp } from '../base/time';
import type { StateFile, StateStore } from '../ports/ports';
import {
  type ChangeLog,
  comparePlaces,
  compareSegments,
  isCopy,
  minReaderIn,
  type LoggedChange,
  type NoteChange,
  type PastChange,
  segmentOf,
} from '../storage/change-log';
import { dataName, dataNames, dataSeen, type EventData, isTelling } from '../storage/event-data';
import { LINE_FEED, parseLine, SPACE } from '../storage/lines';
import { ruleOf, stampName } from '../vocabulary/envelope';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import { faultsOf, type PastFaults } from './faults';
import { type LogHead, type PackedLog, packLog, unpackLog } from './kept';
import { LineIndex, type LinePlace } from './line-index';
import { eventIn, isLog, LOG_FOLDERS } from './old-forms';

type PastPorts = Pick<StateStore, 'stats' | 'list' | 'readPart' | 'readBytes' | 'writeBytes' | 'remove'>;

/** A log, as far as it is in the indexes. */
interface Log extends LogHead {
  /** Its place among the logs that were found. */
  readonly number: number;
  readonly indexes: LineIndex[];
  /** The size of the file when it got its stamp (bytes). */
  size: number;
  /** True when a file has the indexes of the whole log. */
  isKept: boolean;
}

/** The head of a log of which nothing has been read. */
const UNREAD = { end: 0, tail: [], torn: 0 };

/** A line of a log. */
interface LineOfLog extends LinePlace {
  readonly log: Log;
}

/** The texts of forgotten notes, each with the time at which it was forgotten (ms since the epoch). */
type ForgottenTexts = ReadonlyMap<Sha, number>;

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
  /** The logs as far as they have been read, by path. */
  readonly #logs = new Map<string, Log>();
  #found = 0;
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
  /** The edition when the copies of logs were read. */
  #copied = 0;
  /** The texts of forgotten notes, and the number of lines that were read for them. */
  #forgotten: { readonly texts: ForgottenTexts; readonly lines: number } = { texts: new Map(), lines: 0 };

  /**
   * @param log the log to which this process appends; it is told of the times and heads of all logs that are read
   * @param folder where `keep` keeps indexes; null for nowhere
   */
  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
    private readonly log: Pick<ChangeLog, 'seen' | 'needs' | 'count' | 'now' | 'path'> | null = null,
    private readonly folder: string | null = null,
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
    const log = this.#logs.get(path);
    if (log === undefined || !(await this.#readMore(log, true))) await this.#readOn();
  }

  #readAfter(look: () => Promise<void>): Promise<PastReader> {
    const read = this.#reading.then(async () => {
      await look();
      const reader = (): PastReader =>
        new PastReader(this.state, this.pace, [...this.#logs.values()], this.#edition, this.#forgotten.texts);
      const lines = reader().countOf(dataName('forgotten'));
      if (lines !== this.#forgotten.lines) {
        const told = await reader().telling('forgotten');
        const texts = new Map<Sha, number>();
        for (const { at, data } of told)
          for (const text of data?.forgotten?.hashes ?? []) texts.set(text, at);
        this.#forgotten = { texts, lines };
      }
      return reader();
    });
    this.#reading = read.catch(() => undefined); // Who asked gets the error; the next one reads again.
    return read;
  }

  /**
   * Keeps the indexes of logs to which nothing will be added in files, so that the next start need not read these logs. A file that
   * is damaged, or made of another text, is not used.
   */
  async keep(): Promise<void> {
    const { folder, state } = this;
    if (folder === null) return;
    const { logs } = await this.read();
    for (const log of logs) {
      if (log.isKept || !this.#isClosed(log.path)) continue;
      // The log must not be read on meanwhile.
      const packed = this.#reading.then(() => inSlices(packLog(log, log.indexes), this.pace));
      this.#reading = packed.catch(() => undefined);
      await state.writeBytes(keptAt(folder, log.path), await packed);
      log.isKept = true;
    }
    const kept = new Set(logs.map(({ path }) => keptAt(folder, path)));
    for (const path of await state.list(folder)) if (!kept.has(path)) await state.remove(path, false);
  }

  /** Returns true for a log to which its device adds no more: it has a later one, or is not that of the month in an old form. */
  #isClosed(path: string): boolean {
    const month = timestamp(new Date(this.log?.now ?? 0)).slice(0, 'YYYY-MM'.length);
    const segment = segmentOf(path);
    if (segment === null) return !isCopy(path) && !path.startsWith(`changes/${month}`);
    return [...this.#logs.keys()].some((other) => {
      const later = segmentOf(other);
      return later?.device === segment.device && compareSegments(later, segment) > 0;
    });
  }

  async #readOn(): Promise<void> {
    const found: StateFile[] = [];
    for (const folder of LOG_FOLDERS)
      for await (const file of this.state.stats(folder)) if (isLog(file.path)) found.push(file);
    found.sort((a, b) => compareText(a.path, b.path));
    const there = new Set(found.map(({ path }) => path));
    for (const path of this.#logs.keys()) if (!there.has(path)) this.#forget(path);
    for (const file of found) if (!isCopy(file.path)) await this.#readLog(file);
    // Which lines a copy repeats is known when those of the logs are.
    if (this.#edition !== this.#copied)
      for (const path of this.#logs.keys()) if (isCopy(path)) this.#logs.delete(path);
    for (const file of found) if (isCopy(file.path)) await this.#readLog(file);
    this.#copied = this.#edition;
  }

  #forget(path: string): void {
    this.#logs.delete(path);
    this.#edition += 1;
  }

  #add(head: LogHead, indexes: LineIndex[] = []): Log {
    const log = { ...head, number: (this.#found += 1), indexes, size: 0, isKept: indexes.length > 0 };
    this.#logs.set(head.path, log);
    return log;
  }

  /** Brings what is known of a log up to date. */
  async #readLog({ path, stamp, size }: StateFile): Promise<void> {
    let log = this.#logs.get(path);
    if (log?.stamp === stamp) return;
    if (log === undefined) {
      const kept = await this.#kept(path, stamp);
      // Its stamp is that of a log that was read.
      log = this.#add({ path, stamp: '', ...UNREAD, ...kept?.head }, kept?.indexes);
      this.#edition += 1;
      if (kept !== null) {
        for (const { times } of kept.indexes) await this.pace.run(() => this.log?.seen(times));
        log.size = size;
        return;
      }
    }
    // A log that changed and did not grow was written anew.
    const hasGrown = size > log.size;
    if (!hasGrown || !(await this.#readMore(log, path === this.log?.path))) {
      // Somebody replaced the log: what is known of it cannot be told from what is not.
      this.#forget(path);
      log = this.#add({ path, stamp: '', ...UNREAD });
      await this.#readMore(log);
    }
    [log.stamp, log.size] = [stamp, size];
  }

  /** Resolves with the kept indexes of a log as it is now; null for none that can be used. */
  async #kept(path: string, stamp: string): Promise<PackedLog | null> {
    if (this.folder === null || isCopy(path)) return null;
    const bytes = await this.state.readBytes(keptAt(this.folder, path)).catch(() => null);
    const kept = bytes && (await inSlices(unpackLog(bytes), this.pace));
    return kept?.head.path === path && kept.head.stamp === stamp ? kept : null;
  }

  /** Adds the lines that are new in a log; resolves false when it does not begin with what is known of it. */
  async #readMore(log: Log, isOwn = false): Promise<boolean> {
    for (let size = PIECE; ;) {
      const { path, tail } = log;
      const from = log.end - tail.length;
      const bytes = await this.state.readPart(path, from, log.end + size);
      if (bytes === null || !tail.every((byte, at) => bytes[at] === byte)) return log.end === 0;
      const isAll = bytes.length < tail.length + size;
      const end = isAll ? wholeLines(path, bytes, tail.length) : bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > tail.length) {
        const lines = bytes.subarray(tail.length, end);
        await this.pace.run(() => addLines([...this.#logs.values()], log, lines, this.log));
        if (!isOwn) this.#edition += 1;
        log.isKept = false;
        log.end += lines.length;
        log.tail = [...bytes.subarray(Math.max(0, end - TAIL), end)];
      }
      if (isAll) return true;
      // A line is longer than the piece.
      if (end <= tail.length) size *= 2;
    }
  }
}

/** Returns where the indexes of a log are kept. */
function keptAt(folder: string, path: string): string {
  return `${folder}/${path}.index`;
}

/** Yields the lines of logs that `pick` finds in each index. */
function* linesIn(logs: Iterable<Log>, pick: (index: LineIndex) => readonly number[]): Generator<LineOfLog> {
  for (const log of logs)
    for (const index of log.indexes) for (const line of pick(index)) yield { log, ...index.placeOf(line) };
}

/** Answers questions of the logs. A question costs what its answer costs. */
export class PastReader {
  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
    readonly logs: readonly Log[],
    /** Another number than of an earlier reader when the logs of others may have changed since. */
    readonly edition: number,
    /** The texts of notes that were forgotten: what names one is passed over, also where it is not removed yet. */
    private readonly forgotten: ForgottenTexts,
    /** The files that a caller may read, who learns of the data alone that is about them; null for the whole past. */
    private readonly sees: ((path: string) => boolean) | null = null,
  ) {}

  /** Returns the reader for a caller who may read some files alone: it has no changes, but the data about these files. */
  seenBy(sees: (path: string) => boolean): PastReader {
    return new PastReader(this.state, this.pace, this.logs, this.edition, this.forgotten, sees);
  }

  /**
   * Resolves with the changes that have data of a kind, oldest first, perhaps some without.
   * @param of a text or a note that the data names
   */
  async telling(kind: keyof EventData, of?: Sha | VaultPath): Promise<PastChange[]> {
    return this.#changesAt((index) => index.naming(dataName(kind, of)));
  }

  /** Resolves with the changes that name a path or a hash, oldest first. */
  async naming(name: string): Promise<PastChange[]> {
    const changes = await this.#changesAt((index) => index.naming(name));
    return changes.filter(({ notes }) =>
      notes.some(({ path, before, after }) => path === name || before === name || after === name),
    );
  }

  /** Returns what is wrong with the logs. */
  faults(): PastFaults {
    return faultsOf(this.logs);
  }

  /** Returns how many lines may name a path or a hash. */
  countOf(name: string): number {
    let count = 0;
    for (const { indexes } of this.logs) for (const index of indexes) count += index.count(name);
    return count;
  }

  /** Resolves with the changes by which a writer put notes into the queue, oldest first. */
  async proposedBy(writer: string): Promise<PastChange[]> {
    const changes = await this.#changesAt((index) => index.naming(proposerName(writer)));
    return changes.filter((change) => proposerOf(change) === writer);
  }

  /** Resolves with the changes of the calls with a key, oldest first. */
  withKey(key: string): Promise<PastChange[]> {
    return this.#changesAt((index) => index.naming(keyName(key)));
  }

  /** Resolves with the changes of some operations, oldest first. */
  async of(operations: Iterable<string>): Promise<PastChange[]> {
    const wanted = new Set(operations);
    const changes = await this.#changesAt((index) => [...wanted].flatMap((op) => index.naming(opName(op))));
    return changes.filter(({ op }) => wanted.has(op));
  }

  /** Resolves with the number of changes of some operations, and with the last of them, at most `max`, oldest first. */
  async lastOf(
    operations: Iterable<string>,
    max: number,
  ): Promise<{ readonly count: number; readonly changes: PastChange[] }> {
    const names = [...operations].map(opName);
    const all = this.logs.flatMap((log) => log.indexes.map((index) => ({ log, index })));
    // Mostly the last lines of the last logs are the last in time, and what comes after them is passed over.
    all.sort((a, b) => b.index.latest - a.index.latest);
    const last: LineOfLog[] = [];
    let count = 0;
    const steps = function* (): Steps<void> {
      for (const { log, index } of all) {
        for (const name of names) {
          count += index.count(name);
          if (index.latest < (last[max - 1]?.time ?? -Infinity)) continue;
          for (const line of index.naming(name).reverse())
            keepBest(last, { log, ...index.placeOf(line) }, max, (a, b) => compareLines(b, a));
        }
        yield;
      }
    };
    await inSlices(steps(), this.pace);
    return { count, changes: await this.#read(last) };
  }

  /** Returns the times at which a rule promoted notes (ms since the epoch), in no order. */
  timesOfRule(rule: string): number[] {
    return [...linesIn(this.logs, (index) => index.naming(ruleName(rule)))].map(({ time }) => time);
  }

  /** Resolves with the changes at or after a time, oldest first. */
  since(time: Timestamp): Promise<PastChange[]> {
    return this.#changesAt((index) => index.since(Date.parse(time)));
  }

  /**
   * Resolves with the changes at or after a time of some notes and texts, and of what these notes and texts came from or became,
   * oldest first, perhaps with some others.
   * @param names the paths and hashes to begin with
   * @param leads returns the paths and hashes to which a change leads from known ones
   */
  async around(
    names: Iterable<string>,
    time: Timestamp,
    leads: (change: PastChange, known: ReadonlySet<string>) => readonly (string | null)[] = allNames,
  ): Promise<PastChange[]> {
    const from = Date.parse(time);
    const known = new Set(names);
    const recent = this.logs.flatMap((log) =>
      log.indexes
        .filter(({ latest }) => latest >= from)
        .map((index) => ({ log, index, lines: new Set<number>() })),
    );
    const count = recent.reduce((sum, { index }) => sum + index.since(from).length, 0);
    if (count <= known.size) return this.since(time);
    const changes: PastChange[] = [];
    for (let next = [...known]; next.length > 0;) {
      const found: LineOfLog[] = [];
      const steps = function* (): Steps<void> {
        for (const { log, index, lines } of recent) {
          for (const [at, name] of next.entries()) {
            for (const line of index.naming(name)) {
              const place = index.placeOf(line);
              if (place.time < from || lines.has(line)) continue;
              lines.add(line);
              found.push({ log, ...place });
            }
            if (at % ITEMS_PER_STEP === 0) yield;
          }
        }
      };
      await inSlices(steps(), this.pace);
      const more = await this.#read(found);
      next = [];
      for (const change of more) {
        changes.push(change);
        for (const name of leads(change, known)) {
          if (name === null || known.has(name)) continue;
          known.add(name);
          next.push(name);
        }
      }
    }
    return inSlices(sortSteps(changes, comparePlaces), this.pace);
  }

  #seenOf(change: LoggedChange): LoggedChange {
    const { sees, forgotten } = this;
    if (sees === null) {
      const { notes, at } = change;
      // What was written since has its own past.
      const isOld = (hash: Sha | null): boolean => hash !== null && at <= (forgotten.get(hash) ?? -Infinity);
      const isKept = ({ before, after }: NoteChange): boolean => !isOld(before) && !isOld(after);
      if (forgotten.size === 0 || notes.every(isKept)) return change;
      const [main] = notes;
      const kept = { ...change, notes: notes.filter(isKept) };
      if (main === undefined || isKept(main) || change.op === 'forget') return kept;
      // What was decided about a note that is forgotten was no decision about the others.
      const { decision: _, ...rest } = kept;
      return { ...rest, op: 'follow' };
    }
    const { at, ts, op, data } = change;
    return { at, ts, op, notes: [], ...(data && { data: dataSeen(data, sees) }) };
  }

  async #changesAt(pick: (index: LineIndex) => readonly number[]): Promise<PastChange[]> {
    const lines: LineOfLog[] = [];
    const { logs } = this;
    const steps = function* (): Steps<void> {
      for (const line of linesIn(logs, pick)) if (lines.push(line) % ITEMS_PER_STEP === 0) yield;
    };
    await inSlices(steps(), this.pace);
    return this.#read(lines);
  }

  async #read(lines: LineOfLog[]): Promise<PastChange[]> {
    const changes: PastChange[] = [];
    const inOrder = sortSteps(lines, (a, b) => a.log.number - b.log.number || a.from - b.from);
    for (const group of groupsOf(await inSlices(inOrder, this.pace))) {
      const [{ log, from: start }] = group;
      const bytes = await this.state.readPart(log.path, start, endOf(group.at(-1) ?? group[0]));
      await this.pace.run(() => {
        for (const place of group) {
          const line = bytes?.subarray(place.from - start, endOf(place) - start);
          const change = line === undefined ? null : changeAt(log.path, line);
          // It named a forgotten note.
          if (change === null && line !== undefined && isBlank(line)) continue;
          if (change === null) throw replaced();
          changes.push({ ...this.#seenOf(change), place: [change.at, log.path, place.from] });
        }
      });
    }
    return inSlices(sortSteps(changes, comparePlaces), this.pace);
  }
}

function allNames({ notes }: LoggedChange): (string | null)[] {
  return notes.flatMap(({ path, before, after }) => [path, before, after]);
}

/** Compares two lines as `comparePlaces` does. */
function compareLines(a: LineOfLog, b: LineOfLog): number {
  return a.time - b.time || compareText(a.log.path, b.log.path) || a.from - b.from;
}

/** The name under which the index has the lines of an operation. No path and no hash has a colon first. */
function opName(op: string): string {
  return `:op ${op}`;
}

/** The name under which the index has the promotions of a rule. */
function ruleName(rule: string): string {
  return `:rule ${rule}`;
}

function keyName(key: string): string {
  return `:key ${key}`;
}

function proposerName(writer: string): string {
  return `:proposer ${writer}`;
}

/** Returns the name in the stamps of who put notes into the queue by a change; null for any other change. */
function proposerOf({ by, decision, notes }: LoggedChange): string | null {
  const isArrival = ({ path, before, from }: NoteChange): boolean =>
    before === null && from === undefined && zoneOf(path) === 'raw';
  return by !== undefined && decision === undefined && notes.some(isArrival) ? stampName(by) : null;
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

function isBlank(line: Uint8Array): boolean {
  return line.length > 0 && line.every((byte) => byte === SPACE);
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

/** Adds the lines in these bytes, which follow what is known of the log, and tells the log of this process of them. */
function addLines(
  logs: Iterable<Log>,
  log: Log,
  bytes: Uint8Array,
  own: Pick<ChangeLog, 'seen' | 'needs'> | null,
): void {
  const times: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(from, end);
    const value = line.length === 0 ? null : parseLine(decoder.decode(line));
    if (value === undefined) log.torn += 1;
    const change = eventIn(log.path, value);
    if (change === null) own?.needs(minReaderIn(value) ?? 0, log.path);
    else if (change.notes.length > 0 || isTelling(change)) {
      const place = { from: log.end + from, length: line.length, time: change.at };
      const names = namesIn(change);
      if (!isCopy(log.path) || !hasLine(logs, place, names)) indexOf(log).add(place, names);
      times.push(change.at);
    }
    from = end + 1;
  }
  own?.seen(times);
}

/** Returns the index that gets the next line of a log. */
function indexOf({ indexes }: Log): LineIndex {
  const last = indexes.at(-1);
  if (last?.isFull === false) return last;
  const next = new LineIndex();
  indexes.push(next);
  return next;
}

/** Returns the names by which a change is found: whoever changes them changes `EDITION`. */
function namesIn(change: LoggedChange): string[] {
  const { op, decision, key } = change;
  const names = dataNames(change);
  for (const name of allNames(change)) if (name !== null) names.push(name);
  const rule = op === 'promote' ? ruleOf(decision?.by) : undefined;
  if (rule !== undefined) names.push(ruleName(rule));
  if (key !== undefined) names.push(keyName(key));
  const proposer = proposerOf(change);
  if (proposer !== null) names.push(proposerName(proposer));
  return [...names, opName(op)];
}

/** Returns true when a line with the time, the length and the names of this one is known: the copy of a log repeats lines. */
function hasLine(logs: Iterable<Log>, { time, length }: LinePlace, [name = '']: readonly string[]): boolean {
  for (const line of linesIn(logs, (index) => index.naming(name)))
    if (line.time === time && line.length === length) return true;
  return false;
}

/** Yields places in their order as groups, each of which is read at a time. */
function* groupsOf(places: readonly LineOfLog[]): Generator<[LineOfLog, ...LineOfLog[]]> {
  let group: [LineOfLog, ...LineOfLog[]] | null = null;
  for (const place of places) {
    const last: LineOfLog | undefined = group?.at(-1);
    const isNear = last?.log === place.log && place.from - endOf(last) < GAP;
    if (group !== null && isNear && endOf(place) - group[0].from < PIECE) group.push(place);
    else {
      if (group !== null) yield group;
      group = [place];
    }
  }
  if (group !== null) yield group;
}
