import { isSha, type Sha } from '../base/hash';
import { asciiOf, isRecord, parsedJson } from '../base/json';
import { LINE_FEED, SPACE } from '../storage/lines';
import { linkPath, type VaultPath } from '../vocabulary/paths';

/** What names a note in a record: the hashes of its texts and sources, and the paths that it had. */
export interface Named {
  readonly hashes: ReadonlySet<Sha>;
  readonly paths: ReadonlySet<VaultPath>;
}

/** Removes what names a note from records in JSON. */
export class Redaction {
  /** Matches a name in a text. */
  readonly #named: RegExp;
  /** Matches at least every JSON with a name in it, where letters may be escapes. */
  readonly #written: RegExp;

  constructor(readonly named: Named) {
    const hashes = [...named.hashes];
    const paths = [...named.paths];
    this.#named = anyOf([...hashes, ...paths.map(within)]);
    const written = paths.map(linkPath).flatMap((path) => [path, asciiOf(JSON.stringify(path)).slice(1, -1)]);
    this.#written = anyOf([...hashes, ...written.map(literal)]);
  }

  /** Returns true when a value names the note. */
  names(value: unknown): boolean {
    if (typeof value === 'string') return this.#named.test(value);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, each]) => this.#named.test(key) || this.names(each));
  }

  /** Returns the bytes of a log or of a record without what names the note; null when nothing does. Every line stays where it is. */
  bytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
    let result: Uint8Array<ArrayBuffer> | null = null;
    for (let from = 0; from < bytes.length;) {
      const feed = bytes.indexOf(LINE_FEED, from);
      const end = feed < 0 ? bytes.length : feed;
      const line = decoder.decode(bytes.subarray(from, end));
      const value = this.#written.test(line) ? parsedJson(line.trim()) : undefined;
      if (this.names(value)) {
        const kept = this.#line(value);
        const text = new TextEncoder().encode(kept === undefined ? '' : JSON.stringify(kept));
        result = (result ?? bytes.slice()).fill(SPACE, from, end);
        if (text.length <= end - from) result.set(text, from);
      }
      from = end + 1;
    }
    return result;
  }

  /** Returns a line without what names the note. A change keeps its id, its time and who made it. */
  #line(value: unknown): unknown {
    if (!isRecord(value)) return this.#without(value);
    if (typeof value.run === 'string' && typeof value.sees === 'string') {
      // The call was made: a repeated one is told so, and is given no answer.
      return { ...value, answer: undefined, wrote: undefined, done: true };
    }
    if (typeof value.op !== 'string' || !Array.isArray(value.notes)) return this.#without(value);
    const { id, at, ts, op, by, key, decision, data, ...fields } = value;
    // That a note was forgotten stays.
    const { forgotten, ...more } = isRecord(data) ? data : {};
    // What was decided about the note was no decision about the others, whose links only followed it.
    const isAboutIt = op !== 'forget' && this.names(value.notes[0]);
    const told = isRecord(decision) && !isAboutIt;
    const kept = this.#fieldsOf({ ...fields, ...(told && { decision: this.#fieldsOf(decision) }) });
    return {
      id,
      at,
      ts,
      op: isAboutIt ? 'follow' : op,
      by,
      ...kept,
      key,
      ...(isRecord(data) && { data: { ...this.#fieldsOf(more), forgotten } }),
    };
  }

  /**
   * Returns a value without what names the note; undefined when nothing of it may stay. A record, and a row of different things
   * such as `[path, hash, hash]`, is about what it names and goes as a whole; of a list only the named elements go.
   */
  #without(value: unknown): unknown {
    if (typeof value === 'string') return this.names(value) ? undefined : value;
    if (Array.isArray(value)) {
      const kept = value.map((each: unknown) => this.#without(each));
      const isRow = value.some((each) => each === null || typeof each === 'number' || isSha(each));
      if (isRow && kept.includes(undefined)) return undefined;
      return kept.filter((each) => each !== undefined);
    }
    if (!isRecord(value)) return value;
    const isAboutIt = Object.values(value).some((each) => typeof each === 'string' && this.names(each));
    return isAboutIt ? undefined : this.#fieldsOf(value);
  }

  #fieldsOf(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const entries = Object.entries(record).map(([key, each]) => [key, this.#without(each)] as const);
    return Object.fromEntries(entries.filter(([key, each]) => each !== undefined && !this.names(key)));
  }
}

const decoder = new TextDecoder();

function anyOf(patterns: readonly string[]): RegExp {
  // An expression without alternatives would match everywhere.
  return new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'), 'u');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Returns the pattern of a path that is no part of a longer one. A name without a folder is a word too, so it needs its ending. */
function within(path: string): string {
  const ending = path.includes('/') ? String.raw`(?:\.md)?` : String.raw`\.md`;
  return String.raw`(?<![\p{L}\p{N}_/\-])${literal(linkPath(path))}${ending}(?!\.?[\p{L}\p{N}_/\-])`;
}
