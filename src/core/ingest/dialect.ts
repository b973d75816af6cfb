import { type Steps, Tally } from '../base/steps';
import { holdsTemplate } from '../frontmatter/block';
import type { DocumentText } from '../documents/ports';
import { UNITS_PER_STEP } from '../markdown/spans';
import { PROTECTED_KEYS } from '../vocabulary/envelope';

/** A folder of notes in the form that another program gives them. Places are paths below the folder. */
export interface Dialect {
  /** A sentence that names the program, for the summary of the job. */
  readonly told: string;
  /** What `isLeftOut` leaves out, in words. */
  readonly leftOut: string;
  /** Returns true for a note of that program. Only such files are scanned, named and translated. */
  has(place: string): boolean;
  /** Returns true for a file that is no note: a setting, a backup, or a part of another file. */
  isLeftOut(place: string): boolean;
  /** Returns true for a file whose text the translation of others needs. */
  isScanned(place: string): boolean;
  /** Notes what others say of the file, before the first one is translated. */
  scan(place: string, text: DocumentText): Steps<void>;
  /** Returns what links of the folder call the file, beside its path, name and title. */
  names(place: string): readonly string[];
  /** Returns the text as a note of this service. Links lead to names, paths or titles of the folder. */
  translate(place: string, text: DocumentText): Steps<DocumentText>;
}

/** The places that one step looks at. */
export const PLACES_PER_STEP = 512;

/** Returns the items that pass a test, in steps. */
export function* filterSteps<T>(items: readonly T[], test: (item: T) => boolean): Steps<T[]> {
  const found: T[] = [];
  const tally = new Tally(PLACES_PER_STEP);
  for (const item of items) {
    if (test(item)) found.push(item);
    if (tally.isFull()) yield;
  }
  return found;
}

/** A longer line is no line of a note, and stays as it is (UTF-16 units). */
const MAX_LINE = 64 * 1024;

/**
 * Changes the lines of a text in steps; a line may become several, or none. Lines of a block of code stay.
 * @param change gets a line without its end, and returns the line, or null to leave it out
 */
export function* changeLines(text: string, change: (line: string) => string | null): Steps<string> {
  const result: string[] = [];
  const tally = new Tally(UNITS_PER_STEP);
  let fence = '';
  for (const line of yield* linesOf(text)) {
    if (tally.isFull(line.length + 1)) yield;
    const [, mark = ''] = /^[ \t>]*(?:[-*+][ \t]+)*(`{3,}|~{3,})/.exec(line.slice(0, 200)) ?? [];
    const isCode = fence !== '' || mark !== '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    const changed = isCode || line.length > MAX_LINE ? line : change(line);
    if (changed !== null) result.push(changed);
  }
  return result.join('\n');
}

/** Splits a text into lines in steps. */
export function* linesOf(text: string): Steps<string[]> {
  const lines: string[] = [];
  const tally = new Tally(16 * UNITS_PER_STEP);
  for (let from = 0; from <= text.length;) {
    const feed = text.indexOf('\n', from);
    const end = feed < 0 ? text.length : feed;
    lines.push(text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end));
    if (tally.isFull(end - from + 1)) yield;
    from = end + 1;
  }
  return lines;
}

/** Applies `change` to the parts of a line that are no inline code. */
export function outsideCode(line: string, change: (text: string) => string): string {
  if (!line.includes('`')) return change(line);
  const runs = [...line.matchAll(/`+/g)];
  /** By the length of a run: the next one. */
  const next = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let n = runs.length - 1; n >= 0; n -= 1) {
    const length = runs[n]?.[0].length ?? 0;
    closing[n] = next.get(length) ?? -1;
    next.set(length, n);
  }
  let result = '';
  let end = 0;
  for (let n = 0; n < runs.length; n += 1) {
    const close = runs[closing[n] ?? -1];
    const open = runs[n];
    if (close === undefined || open === undefined) continue;
    const to = close.index + close[0].length;
    result += change(line.slice(end, open.index)) + line.slice(open.index, to);
    end = to;
    n = closing[n] ?? n;
  }
  return result + change(line.slice(end));
}

/** Keys that a note has from the service, and those whose values it checks. They stay in the text. */
const RESERVED: ReadonlySet<string> = new Set([
  ...PROTECTED_KEYS,
  'locked',
  'tunnels',
  'source_type',
  'half_life',
  'applies',
  'claim_provenance',
  'sources',
  'source_hash',
  'extracted_by',
  'extracted_part',
  'evidence',
]);
const KEY = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _./()?&+-]{0,59}$/u;
/** The longest value that front matter takes whole (UTF-16 units). */
const MAX_VALUE = 500;
/** The longest list of values. */
const MAX_VALUES = 100;
/** The properties of one page: with the keys of the service they fit into 64 KiB of front matter (UTF-16 units). */
const MAX_PROPERTIES = 16 * 1024;

/** The properties of a page, as far as its front matter can hold them. */
export class Properties {
  readonly values: Record<string, string | readonly string[]> = {};
  readonly #keys = new Set<string>();
  #room = MAX_PROPERTIES;

  /**
   * Adds a property. Returns false for one that stays in the text: its key is one of the service or taken, its value is empty, too
   * long or template code, or no room is left.
   */
  add(key: string, value: string | readonly string[]): boolean {
    const name = key.toLowerCase();
    const isList = typeof value !== 'string';
    const length = key.length + (isList ? value.join('", "').length : value.length) + 8;
    const fits = length <= this.#room && (isList ? value.length <= MAX_VALUES : value.length <= MAX_VALUE);
    const isFree = KEY.test(key) && !RESERVED.has(name) && !this.#keys.has(name);
    if (!fits || !isFree || value.length === 0 || holdsTemplate(value)) return false;
    this.#room -= length;
    this.#keys.add(name);
    this.values[key] = value;
    return true;
  }
}

/** Returns the last segment of a place without its extension. */
export function stemIn(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

/** Escapes words for the text of a link. */
export function linkText(words: string): string {
  return words.replace(/[[\]\\]/g, '\\$&');
}
