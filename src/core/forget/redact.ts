import { isSha, type Sha } from '../base/hash';
import { asciiOf, isRecord, parsedJson } from '../base/json';
import { LINE_FEED, SPACE } from '../storage/lines';
import { linkPath, type VaultPath } from '../vocabulary/paths';

/** What names a note in a record. */
export interface Named {
  /** The hashes of its texts and of its source. */
  readonly hashes: ReadonlySet<Sha>;
  /** The paths that it had, and at which no other note is now. */
  readonly paths: ReadonlySet<VaultPath>;
  /** The ids of the changes that are about it: in them its paths mean it, also beside a text that stays. */
  readonly lines: ReadonlySet<string>;
}

/** Removes what is about a note from records in JSON. */
export class Redaction {
  /** Matches a name in a text. */
  readonly #named: RegExp;
  /** Matches at least every JSON with a name in it, where letters may be escapes. */
  readonly #written: RegExp;
  readonly #paths: ReadonlySet<string>;

  constructor(readonly named: Named) {
    const hashes = [...named.hashes];
    const paths = [...named.paths];
    this.#paths = named.paths;
    this.#named = anyOf([...hashes, ...paths.map(mention)]);
    const written = paths.map(linkPath).flatMap((path) => [path, asciiOf(JSON.stringify(path)).slice(1, -1)]);
    this.#written = anyOf([...hashes, ...written.map(literal)]);
  }

  /** Returns true when a value names the note. */
  names(value: unknown): boolean {
    if (typeof value === 'string') return this.#isName(value);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, each]) => this.#isName(key) || this.names(each));
  }

  /** Returns true for a record that is about the note: its hashes decide or, without any, its paths. */
  isAbout(record: Readonly<Record<string, unknown>>): boolean {
    const values = Object.entries(record).flatMap(([key, each]) =>
      key !== 'from' && typeof each === 'string' ? [each] : [],
    );
    return values.some(isSha)
      ? values.some((each) => this.#isHash(each))
      : values.some((each) => this.#is(each));
  }

  /** Returns the bytes of a log or of a record without what is about the note; null when nothing is. Every line stays where it is. */
  bytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
    let result: Uint8Array<ArrayBuffer> | null = null;
    for (let from = 0; from < bytes.length;) {
      const feed = bytes.indexOf(LINE_FEED, from);
      const end = feed < 0 ? bytes.length : feed;
      const line = decoder.decode(bytes.subarray(from, end));
      const value = this.#written.test(line) ? parsedJson(line.trim()) : undefined;
      const kept = this.names(value) ? this.#line(value) : value;
      const json = kept === undefined ? '' : JSON.stringify(kept);
      if (json !== (value === undefined ? '' : JSON.stringify(value))) {
        const text = new TextEncoder().encode(json);
        result = (result ?? bytes.slice()).fill(SPACE, from, end);
        if (text.length <= end - from) result.set(text, from);
      }
      from = end + 1;
    }
    return result;
  }

  /** Returns a line without what is about the note. A change keeps its id, its time and who made it. */
  #line(value: unknown): unknown {
    if (!isRecord(value) || Array.isArray(value.steps)) return isRecord(value) ? value : this.#without(value);
    if (typeof value.run === 'string' && typeof value.sees === 'string') {
      // The call was made: a repeated one is told so, and is given no answer.
      return { ...value, answer: undefined, wrote: undefined, done: true };
    }
    if (typeof value.op !== 'string' || !Array.isArray(value.notes)) return this.#without(value);
    const { decision, data, notes, ...change } = value;
    const isOwn = typeof change.id === 'string' && this.named.lines.has(change.id);
    const rows = notes.filter((row) => !this.#isOwnRow(row, isOwn));
    // That a note was forgotten stays, with the reason.
    const { forgotten, ...more } = isRecord(data) ? data : {};
    // What was decided about the note was no decision about the others, whose links only followed it.
    const isTold = value.op === 'forget' || notes.length === 0 || rows.includes(notes[0]);
    return {
      ...change,
      ...(!isTold && { op: 'follow' }),
      notes: rows,
      ...(isTold &&
        isRecord(decision) && { decision: this.#fieldsOf(isOwn ? { by: decision.by } : decision) }),
      ...(isRecord(data) && { data: { ...this.#fieldsOf(more), forgotten } }),
      ...(value.saw !== undefined && { saw: this.#without(value.saw) }),
    };
  }

  /** Returns true for the row of a change, `[path, before, after, …]`, that is about the note. */
  #isOwnRow(row: unknown, isOwn: boolean): boolean {
    if (!Array.isArray(row)) return false;
    const [path, before, after] = row as unknown[]; // They are checked.
    return this.#isHash(before) || this.#isHash(after) || (isOwn && this.#is(path));
  }

  /**
   * Returns a value without what is about the note; undefined when nothing of it may stay. A record, and a row of different things,
   * goes as a whole; of a list only the elements that name the note go.
   */
  #without(value: unknown): unknown {
    if (typeof value === 'string') return this.#isName(value) ? undefined : value;
    if (Array.isArray(value)) {
      const isRow = value.some((each) => each === null || typeof each === 'number' || isSha(each));
      if (!isRow)
        return value.map((each: unknown) => this.#without(each)).filter((each) => each !== undefined);
      const isCounted = value.some((each) => typeof each === 'number');
      const isGone = value.some((each) => this.#isHash(each) || (isCounted && this.#is(each)));
      return isGone ? undefined : value;
    }
    if (!isRecord(value)) return value;
    return this.isAbout(value) ? undefined : this.#fieldsOf(value);
  }

  #fieldsOf(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const kept: [string, unknown][] = [];
    for (const [key, each] of Object.entries(record)) {
      const isPlace = typeof each === 'string' && isPath(each);
      const value = isPlace ? each : this.#without(each);
      if (value !== undefined && !this.#isName(key)) kept.push([key, value]);
    }
    return Object.fromEntries(kept);
  }

  #isHash(value: unknown): boolean {
    return isSha(value) && this.named.hashes.has(value);
  }

  /** Returns true for a path of the note. */
  #is(value: unknown): boolean {
    return typeof value === 'string' && this.#paths.has(value);
  }

  /** Returns true for a text that is or holds a name. A path as a whole is that of the note or of another one. */
  #isName(text: string): boolean {
    if (isSha(text)) return this.#isHash(text);
    return isPath(text) && !/[0-9a-f]{64}/.test(text) ? this.#is(text) : this.#named.test(text);
  }
}

const decoder = new TextDecoder();

/** Returns true for a text that can be the path of a note as a whole. */
function isPath(text: string): boolean {
  return /^[^\n[\]]{1,1100}\.md$/i.test(text);
}

function anyOf(patterns: readonly string[]): RegExp {
  // An expression without alternatives would match everywhere.
  return new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'), 'u');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Returns the pattern of a path in a text. A name without a folder is a word too, so it needs its ending or brackets. */
function mention(path: string): string {
  const name = literal(linkPath(path));
  const linked = String.raw`\[\[${name}(?:\.md)?(?=[\]|#])`;
  const ending = path.includes('/') ? String.raw`(?:\.md)?` : String.raw`\.md`;
  return String.raw`${linked}|(?<![\p{L}\p{N}_/\-])${name}${ending}(?!\.?[\p{L}\p{N}_/\-])`;
}
