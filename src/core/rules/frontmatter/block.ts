import { dangerIn, MAX_BLOCK } from './danger';
import { parseEntries, type BlockLines, type Entry, type Fault } from './entries';
import { emptyMap, readYaml, type Values } from './read';
import { splitNote, type SplitNote, withoutBom } from './split';

/** A block that can be edited: its lines, and what they say. Of a repeated key the first one counts. */
export interface Block extends BlockLines {
  readonly values: Values;
  /**
   * Null when the block is YAML. Else why and where it is not, although it can be edited all the same because each of its
   * keys stands for itself (`title: Tips: part 2`); a value that is no YAML is then read as the text that stands there.
   */
  readonly unreadable: Fault | null;
  /** The first key that stood above already; null when none did. YAML does not allow it, and readers disagree on what counts. */
  readonly repeated: Fault | null;
  /** The first line that a tab indents; null when none does. YAML does not allow it, and other readers refuse the block for it. */
  readonly tabbed: Fault | null;
}

/** The block of a note that has none. */
export const EMPTY_BLOCK: Block = {
  head: '',
  entries: [],
  tail: '',
  values: emptyMap(),
  unreadable: null,
  repeated: null,
  tabbed: null,
};

/**
 * How a text begins: with front matter, with a block between two fence lines that cannot be read as front matter (`fault` says
 * why, its line counts in the block), or with neither. Only front matter is set apart from the body; anything else is text.
 */
export type Opening =
  | { readonly kind: 'front matter'; readonly split: SplitNote; readonly block: Block }
  | { readonly kind: 'unreadable'; readonly split: SplitNote; readonly fault: Fault }
  /** `comments` says that there is a block all the same, of nothing but what YAML takes for comments. */
  | { readonly kind: 'none'; readonly comments: boolean };

/** The opening of a text. Nothing but comments between two rules is Markdown with headings or tags, not front matter. Never throws. */
export function openingOf(text: string): Opening {
  const split = splitNote(text);
  if (split === null) return { kind: 'none', comments: false };
  const block = readBlock(split.block);
  if ('reason' in block) return { kind: 'unreadable', split, fault: block };
  const holdsComments = block.entries.length === 0 && split.block.includes('#');
  return holdsComments ? { kind: 'none', comments: true } : { kind: 'front matter', split, block };
}

/** What follows the front matter of a text, byte for byte; all of the text without its BOM when it has none that can be read. */
export function bodyOf(text: string): string {
  const opening = openingOf(text);
  return opening.kind === 'front matter' ? opening.split.body : withoutBom(text);
}

/** The block that was read last: who composes a note reads its block, and then the catalog does. */
let last: { readonly text: string; readonly block: Block | Fault } | null = null;

/** Reads a block for editing, or says why that is not safe. The result is shared and must not be changed. Never throws. */
export function readBlock(text: string): Block | Fault {
  if (last?.text === text) return last.block;
  const block = makeBlock(text);
  last = text.length > MAX_BLOCK ? null : { text, block };
  return block;
}

function makeBlock(text: string): Block | Fault {
  const danger = dangerIn(text);
  if (danger) return danger;
  const lines = parseEntries(text);
  if ('reason' in lines) return lines;
  const first = firstOfEach(lines.entries);
  // Readers disagree on a repeated key: some take the last one, some refuse. So none of them gets to see one.
  const unique = first.length === lines.entries.length ? text : first.map(bytesOf).join('');
  const reading = readYaml(unique);
  if ('values' in reading) {
    const stray = strayLine(first, reading.values);
    return stray === null
      ? {
          ...lines,
          values: reading.values,
          unreadable: null,
          repeated: repeatedIn(lines.entries, first),
          tabbed: tabbedIn(text),
        }
      : { line: stray, reason: MISREAD };
  }
  if (reading.fatal) return { line: 1, reason: reading.reason };
  return readEach(lines, first, reading.reason);
}

const MISREAD =
  'a YAML reader does not take it for the key that it looks like; check quotes, brackets and tabs above it';

/** All bytes of an entry. */
export function bytesOf(entry: Entry): string {
  return entry.before + entry.text + entry.after;
}

/** The entries without those that repeat the key of an earlier one. */
export function firstOfEach(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ key }) => !seen.has(key) && seen.add(key));
}

function repeatedIn(all: readonly Entry[], first: readonly Entry[]): Fault | null {
  if (all.length === first.length) return null;
  const again = all.find((entry) => !first.includes(entry));
  return again === undefined ? null : { line: again.line, reason: 'its key stands above already' };
}

function tabbedIn(text: string): Fault | null {
  if (!text.includes('\t')) return null;
  const line = text.split('\n').findIndex((each) => /^ *\t\s*\S/.test(each));
  return line < 0 ? null : { line: line + 1, reason: 'a tab indents it, where YAML allows blanks only' };
}

/** The line of a key that the lines show and the reader does not, or the other way round: then something hides a key. */
function strayLine(entries: readonly Entry[], values: Values): number | null {
  const missing = entries.find(({ key }) => !Object.hasOwn(values, key));
  if (missing) return missing.line;
  return Object.keys(values).length === entries.length ? null : 1;
}

/** Keys of a block that is no YAML; reading them one by one takes some 20 µs each. */
const MAX_READ_ALONE = 500;

/** Reads a block that is no YAML as a whole, key by key. */
function readEach(lines: BlockLines, entries: readonly Entry[], reason: string): Block | Fault {
  if (entries.length > MAX_READ_ALONE) return { line: 1, reason };
  const values = emptyMap();
  let first: Fault | null = null;
  for (const entry of entries) {
    const reading = readYaml(entry.text);
    if ('values' in reading) {
      if (strayLine([entry], reading.values) !== null) return { line: entry.line, reason: MISREAD };
      values[entry.key] = reading.values[entry.key];
    } else if (reading.fatal || !closesWhatItOpens(entry.text)) {
      return { line: entry.line, reason: reading.reason };
    } else {
      first ??= { line: entry.line, reason: reading.reason };
      values[entry.key] = entry.text.slice(entry.valueAt).trim().replace(/\s+/g, ' ');
    }
  }
  const repeated = repeatedIn(lines.entries, entries);
  return { ...lines, values, unreadable: first ?? { line: 1, reason }, repeated, tabbed: null };
}

/** True when no quote or bracket of these lines stays open, so that no reader can take what follows for a part of them. */
function closesWhatItOpens(text: string): boolean {
  return text.split('\n').every((line) => {
    const rest = line.replace(/"[^"]*"|'[^']*'/g, '');
    const count = (sign: string): number => rest.split(sign).length;
    return !/"|(?:^|[\s,:[{-])'/.test(rest) && count('[') === count(']') && count('{') === count('}');
  });
}
