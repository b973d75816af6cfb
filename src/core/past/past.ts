import type { Pace } from '../base/steps';
import type { Timestamp } from '../base/time';
import type { StateStore } from '../ports/ports';
import {
  changeIn,
  comparePlaces,
  FOLDER,
  isLog,
  type LoggedChange,
  type PastChange,
} from '../storage/change-log';
import { parseLine } from '../storage/lines';
import { LineIndex, type LinePlace } from './line-index';

type PastPorts = Pick<StateStore, 'list' | 'readPart'>;

/** A log, as far as it is in the index. */
interface Log {
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

/**
 * What happened to the notes of a vault, as the logs of all devices have it. The logs are read once, and then what was added to
 * them; in memory is where their lines stand.
 */
export class Past {
  #known = new KnownLogs();
  #reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
  ) {}

  /** Reads what was added, and returns what can be asked of the logs as they are now. */
  read(): Promise<PastReader> {
    const done = this.#reading.then(async () => {
      await this.#readOn();
      return new PastReader(this.state, this.pace, this.#known);
    });
    this.#reading = done.catch(() => undefined); // Who asked gets the error; the next one reads again.
    return done;
  }

  async #readOn(): Promise<void> {
    const paths = (await this.state.list(FOLDER)).filter(isLog);
    for (const log of this.#known.logs) if (!paths.includes(log.path)) this.#known = new KnownLogs();
    for (const path of paths) {
      if (await this.#readLog(path)) continue;
      // Somebody replaced a log: what is known of it cannot be told from what is not.
      this.#known = new KnownLogs();
      return this.#readOn();
    }
  }

  /** Resolves false when the log does not begin with what is known of it. */
  async #readLog(path: string): Promise<boolean> {
    const known = this.#known;
    const number = known.numberOf(path);
    const log = known.logs[number];
    for (let size = PIECE; log !== undefined;) {
      const { tail } = log;
      const from = log.end - tail.length;
      const bytes = await this.state.readPart(path, from, log.end + size);
      if (bytes === null || !tail.every((byte, at) => bytes[at] === byte)) return log.end === 0;
      const isAll = bytes.length < tail.length + size;
      const end = isAll ? wholeLines(bytes, tail.length) : bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > tail.length) {
        const lines = bytes.subarray(tail.length, end);
        await this.pace.run(() => addLines(known.index, number, log.end, lines));
        log.end += lines.length;
        log.tail = bytes.slice(Math.max(0, end - TAIL), end);
      }
      if (isAll) return true;
      // A line is longer than the piece.
      if (end <= tail.length) size *= 2;
    }
    return true;
  }
}

/** The logs as far as they have been read. */
class KnownLogs {
  readonly index = new LineIndex();
  readonly logs: Log[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(path: string): number {
    let number = this.#numbers.get(path);
    if (number === undefined) {
      this.#numbers.set(path, (number = this.logs.length));
      this.logs.push({ path, end: 0, tail: new Uint8Array() });
    }
    return number;
  }
}

/** Answers questions of the logs. A question costs what its answer costs. */
export class PastReader {
  constructor(
    private readonly state: PastPorts,
    private readonly pace: Pick<Pace, 'run'>,
    private readonly known: KnownLogs,
  ) {}

  /** Resolves with the changes that name a path or a hash, oldest first. */
  async naming(name: string): Promise<PastChange[]> {
    const changes = await this.#changesAt(this.known.index.naming(name));
    return changes.filter(({ notes }) =>
      notes.some(({ path, before, after }) => path === name || before === name || after === name),
    );
  }

  /** Resolves with the changes of some operations, oldest first. */
  of(operations: Iterable<string>): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.ofKinds(operations));
  }

  /** Resolves with the changes at or after a time, oldest first. */
  since(time: Timestamp): Promise<PastChange[]> {
    return this.#changesAt(this.known.index.since(Date.parse(time)));
  }

  async #changesAt(lines: readonly number[]): Promise<PastChange[]> {
    const { index, logs } = this.known;
    const changes: PastChange[] = [];
    const places = lines.map((line) => index.placeOf(line));
    for (const group of groupsOf(places.sort((a, b) => a.file - b.file || a.from - b.from))) {
      const [{ file, from: start }] = group;
      const { path } = logs[file] ?? { path: '' };
      const bytes = await this.state.readPart(path, start, endOf(group.at(-1) ?? group[0]));
      if (bytes === null) continue;
      await this.pace.run(() => {
        for (const place of group) {
          const change = changeAt(bytes.subarray(place.from - start, endOf(place) - start));
          if (change !== null) changes.push({ ...change, place: [change.ts, path, place.from] });
        }
      });
    }
    return changes.sort(comparePlaces);
  }
}

function endOf({ from, length }: LinePlace): number {
  return from + length;
}

const LINE_FEED = 10;
const decoder = new TextDecoder();

/** Returns where the whole lines end: the last one may lack its line feed, but one that is being written is not whole. */
function wholeLines(bytes: Uint8Array, from: number): number {
  const end = Math.max(from, bytes.lastIndexOf(LINE_FEED) + 1);
  return changeAt(bytes.subarray(end)) === null ? end : bytes.length;
}

function changeAt(line: Uint8Array): LoggedChange | null {
  return changeIn(parseLine(decoder.decode(line)));
}

/** Adds the lines in these bytes, the first of which is at `start` of the file. */
function addLines(index: LineIndex, file: number, start: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(from, end);
    const change = line.length === 0 ? null : changeAt(line);
    if (change !== null) {
      const names = change.notes.flatMap(({ path, before, after }) =>
        [path, before, after].filter((name) => name !== null),
      );
      index.add({ file, from: start + from, length: line.length }, Date.parse(change.ts), change.op, names);
    }
    from = end + 1;
  }
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
