import { BrainError } from '../base/errors';
import { firstPoints, withoutInvisible } from '../base/text';
import { asCode, isUnsafeAddress } from '../markdown/address';
import { memberOf, parseMembers, rewriteMembers } from './json-block';
import {
  type BlockLines,
  dangerIn,
  EMPTY_MAP,
  type Entry,
  type Fault,
  keepsBlanks,
  MAX_BLOCK,
  parseEntries,
  type SplitNote,
  splitNote,
  TAB_INDENTS,
  TABBED,
  withoutBom,
} from './split';
import {
  emptyMap,
  jsonValue,
  oneLine,
  readYaml,
  type Scalar,
  type Values,
  yamlList,
  yamlScalar,
  yamlValue,
} from './yaml';

/** An editable block: its lines and their values. The first entry of a repeated key counts. */
export interface Block extends BlockLines {
  /** True for an object of JSON, whose entries are its members. */
  readonly isJson: boolean;
  readonly values: Values;
  /**
   * Null when the block is YAML. Otherwise its first fault; the block can still be edited, because its keys can be read one by one
   * (`title: Tips: part 2`), and a value that is no YAML counts as its source text.
   */
  readonly unreadable: Fault | null;
  /** The first repeated key, or null. YAML does not allow it, and readers disagree on which entry counts. */
  readonly repeated: Fault | null;
  /** The first line that is indented with a tab, or null. YAML does not allow it, and other readers refuse the block. */
  readonly tabbed: Fault | null;
}

/** The block of a note without front matter. */
export const EMPTY_BLOCK: Block = {
  head: '',
  entries: [],
  tail: '',
  isJson: false,
  values: emptyMap(),
  unreadable: null,
  repeated: null,
  tabbed: null,
};

/**
 * The beginning of a text: front matter, a block between two fences that cannot be read as front matter (`fault`, with its line in
 * the block), or neither. Only front matter is separate from the body; anything else is text.
 */
type Opening =
  | { readonly kind: 'front matter'; readonly split: SplitNote; readonly block: Block }
  | { readonly kind: 'unreadable'; readonly split: SplitNote; readonly fault: Fault }
  | { readonly kind: 'none' };

/** Reads the beginning of a text. Never throws. */
export function openingOf(text: string): Opening {
  const split = splitNote(text);
  if (split === null) return { kind: 'none' };
  const block = readBlock(split.block);
  return 'reason' in block
    ? { kind: 'unreadable', split, fault: block }
    : { kind: 'front matter', split, block };
}

/** Returns the text behind the front matter, byte for byte; the whole text without its BOM when there is no readable one. */
export function bodyOf(text: string): string {
  const opening = openingOf(text);
  return opening.kind === 'front matter' ? opening.split.body : withoutBom(text);
}

/** The last block: the composition of a note reads it, and then the catalog does. */
let last: { readonly text: string; readonly block: Block | Fault } | null = null;

/** Parses a block for editing, or returns its fault. The result is shared and must not be changed. Never throws. */
export function readBlock(text: string): Block | Fault {
  if (last?.text === text) return last.block;
  const block = makeBlock(text);
  last = text.length > MAX_BLOCK ? null : { text, block };
  return block;
}

function makeBlock(text: string): Block | Fault {
  const danger = dangerIn(text);
  if (danger) return danger;
  const members = parseMembers(text);
  const lines = members ?? parseEntries(text);
  if ('reason' in lines) return lines;
  const isJson = members !== null;
  const first = firstOfEach(lines.entries);
  // YAML readers disagree on repeated keys (the last one counts, or the block is refused), so ours gets unique keys.
  const unique = first.length === lines.entries.length ? text : first.map(bytesOf).join('');
  const reading = readYaml(unique);
  if ('values' in reading) {
    const stray = strayLine(first, reading.values);
    return stray === null
      ? {
          ...lines,
          isJson,
          values: reading.values,
          unreadable: null,
          repeated: repeatedIn(lines.entries, first),
          tabbed: isJson ? null : tabbedIn(text),
        }
      : { line: stray, reason: MISREAD };
  }
  if (reading.fatal || isJson) return { line: 1, reason: reading.reason };
  return readEach(lines, first, reading.reason);
}

const MISREAD =
  'a YAML reader does not take it for the key that it looks like; check quotes, brackets and tabs above it';

/** Returns all bytes of an entry. */
export function bytesOf(entry: Entry): string {
  return entry.before + entry.text + entry.after;
}

/** Returns the first entry of each key. */
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
  const line = text.split('\n').findIndex((each) => TABBED.test(each));
  return line < 0 ? null : { line: line + 1, reason: TAB_INDENTS };
}

/** The widths of a tab (blanks) that people see in their editors. */
const TAB_WIDTHS = [2, 4, 8];

/** Returns the fault of the tab that alone makes a text unreadable: with blanks in its place it can be read. Null for other texts. */
function tabBehind(text: string): Fault | null {
  const tabbed = tabbedIn(text);
  if (tabbed === null) return null;
  const isReadable = TAB_WIDTHS.some((width) => {
    const blanks = text.replace(/^[ \t]*\t/gm, (indent) => indent.replaceAll('\t', ' '.repeat(width)));
    return blanks.length <= MAX_BLOCK && 'values' in readYaml(blanks);
  });
  return isReadable ? tabbed : null;
}

/** Returns the line of a key that only the lines or only the YAML reader has, which means that something hides a key. */
function strayLine(entries: readonly Entry[], values: Values): number | null {
  const missing = entries.find(({ key }) => !Object.hasOwn(values, key));
  if (missing) return missing.line;
  return Object.keys(values).length === entries.length ? null : 1;
}

/** The keys that are read one by one at most, each in about 20 µs. */
const MAX_READ_ALONE = 500;

/** Reads a block key by key, when it is no YAML as a whole. */
function readEach(lines: BlockLines, entries: readonly Entry[], reason: string): Block | Fault {
  if (entries.length > MAX_READ_ALONE) return tabBehind(entries.map(bytesOf).join('')) ?? { line: 1, reason };
  const values = emptyMap();
  let first: Fault | null = null;
  for (const entry of entries) {
    const reading = readYaml(entry.text);
    if ('values' in reading) {
      if (strayLine([entry], reading.values) !== null) return { line: entry.line, reason: MISREAD };
      values[entry.key] = reading.values[entry.key];
    } else if (reading.fatal || !closesWhatItOpens(entry.text)) {
      return faultOf(entry, reading.reason);
    } else {
      first ??= faultOf(entry, reading.reason);
      values[entry.key] = entry.text.slice(entry.valueAt).trim().replace(/\s+/g, ' ');
    }
  }
  const repeated = repeatedIn(lines.entries, entries);
  return {
    ...lines,
    isJson: false,
    values,
    unreadable: first ?? { line: 1, reason },
    repeated,
    tabbed: null,
  };
}

/** Returns the fault of an entry that is no YAML: the tab that is the cause, else what the parser says. */
function faultOf({ text, line }: Entry, reason: string): Fault {
  const tab = tabBehind(text);
  return tab === null ? { line, reason } : { ...tab, line: line + tab.line - 1 };
}

/** Returns true when each line closes its quotes and brackets, so that no reader continues the value on the next line. */
function closesWhatItOpens(text: string): boolean {
  return text.split('\n').every((line) => {
    const rest = line.replace(/"[^"]*"|'[^']*'/g, '');
    const count = (sign: string): number => rest.split(sign).length;
    return !/"|(?:^|[\s,:[{-])'/.test(rest) && count('[') === count(']') && count('{') === count('}');
  });
}

/**
 * The mark of template code: template plug-ins run the text behind it anywhere in a new file. A YAML escape only delays that,
 * because the app writes front matter anew when a property is edited, and then writes the mark itself.
 */
const MARK = '<%';
const MAX_SHOWN = 60;

/** Returns true when a value of front matter, or a text or a key inside it, holds template code. */
export function holdsTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MARK);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => holdsTemplate(key) || holdsTemplate(each));
}

/** Returns the text with its template marks broken, so that no plug-in runs it. */
function inertText(text: string): string {
  return text.replaceAll(MARK, '< %');
}

/**
 * Converts text from a caller or a document to a value: one line, no invisible characters, no template code. An address that
 * opens a program becomes Markdown code.
 */
export function inertLine(text: string): string {
  const line = inertText(oneLine(withoutInvisible(text)));
  return isUnsafeAddress(line) ? asCode(line) : line;
}

const BREAKS = /[\t-\r\u0085\u2028\u2029]/;

/** Returns warnings for text from a caller that `inertLine` changes; trimmed spaces give none. */
export function inertWarnings(name: string, text: string): string[] {
  const line = oneLine(text);
  const seen = oneLine(withoutInvisible(text));
  const warnings: string[] = [];
  if (seen.includes(MARK)) warnings.push(`Template code in ${name} was made plain text.`);
  else if (seen !== line) warnings.push(`Invisible characters were removed from ${name}.`);
  if (BREAKS.test(text)) warnings.push(`${name} was put on one line: its line breaks and tabs are not kept.`);
  if (/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text.replace(/[\t-\r\u0085]/g, ''))) {
    warnings.push(`Characters that front matter cannot hold were removed from ${name}.`);
  }
  return warnings;
}

/** Applies `withoutInvisible` to every text and key of a value. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { __proto__: null };
  for (const [key, each] of Object.entries(value)) copy[withoutInvisible(key)] = visibleValue(each);
  return copy;
}

/** The place of template code: its line, counted from 1, and its key, or null for a comment. */
interface FoundTemplate {
  readonly line: number;
  readonly key: string | null;
}

/**
 * Finds the first template code of a block, in values, keys and comments, escaped or not; null without any.
 * @param current the note's current block; template code in its lines is allowed
 */
export function templateIn(block: Block, current = ''): FoundTemplate | null {
  const lines = `\n${plainLines(current)}`;
  const start = block.isJson ? '' : '\n';
  const isNew = (text: string): boolean => current === '' || !lines.includes(start + plainLines(text));
  const inText = (text: string): boolean => text.includes(MARK) && isNew(text);
  const lineIn = (text: string, first: number): number =>
    first + Math.max(text.slice(0, text.indexOf(MARK)).split('\n').length - 1, 0);
  if (inText(block.head)) return { line: lineIn(block.head, 1), key: null };
  for (const { key, before, text, line } of block.entries) {
    if (inText(before)) return { line: line - before.split('\n').length + lineIn(before, 1), key: null };
    const holds = text.includes(MARK) || holdsTemplate(key) || holdsTemplate(block.values[key]);
    if (holds && isNew(text)) return { line: text.includes(MARK) ? lineIn(text, line) : line, key };
  }
  if (!inText(block.tail)) return null;
  const all = block.head + block.entries.map(({ before, text, after }) => before + text + after).join('');
  return { line: lineIn(block.tail, all.split('\n').length), key: null };
}

function plainLines(text: string): string {
  return withoutInvisible(text).replaceAll('\r\n', '\n');
}

/**
 * Refuses content whose front matter brings new template code into a note; template code of the note's text `current` may be sent
 * back.
 * @throws BrainError `invalid_frontmatter` with `details.line`, in the content, and `details.key` where it is a value.
 */
export function refuseTemplates(
  { block, firstLine }: { readonly block: Block; readonly firstLine: number },
  current = '',
): void {
  const found = templateIn(block, splitNote(current)?.block);
  if (found !== null) throw templateRefused({ ...found, line: found.line + firstLine - 1 }, 'the content');
}

/** Finds the first template code in a note's front matter, with its line in the note; null without any or for an unreadable block. */
export function templateOfNote(text: string): FoundTemplate | null {
  const split = splitNote(text);
  const block = split === null ? null : readBlock(split.block);
  if (split === null || block === null || 'reason' in block) return null;
  const found = templateIn(block);
  const before = text.length - split.block.length - split.close.length - split.body.length;
  return found && { ...found, line: found.line + text.slice(0, before).split('\n').length - 1 };
}

/** Returns the error for template code. @param of the text that has it: the content, or a note */
export function templateRefused({ line, key }: FoundTemplate, of: string): BrainError {
  const where = key === null ? `line ${line} of ${of}` : `line ${line} of ${of}, "${shown(key)}"`;
  return new BrainError(
    'invalid_frontmatter',
    `The front matter holds template code ("<%" in ${where}), which a plug-in would run. Take it out of the front matter; in the body it is made plain text.`,
    { line, ...(key !== null && { key: shown(key) }) },
  );
}

/** Returns the warning for a note with template code in its front matter, which only a person may promote. */
export function templateWarning({ line, key }: FoundTemplate): string {
  const where = key === null ? `line ${line}` : `line ${line}, "${shown(key)}"`;
  return `The front matter holds template code ("<%" in ${where} of the note), which a plug-in may run; only a person can promote it as it is.`;
}

/** Returns the error for template code in a field of a call that becomes a property. */
export function templateInField(key: string): BrainError {
  return new BrainError(
    'invalid_frontmatter',
    `"${shown(key)}" holds template code ("<%"), which a plug-in would run in front matter. Take it out; in the body it is made plain text.`,
    { key: shown(key) },
  );
}

function shown(key: string): string {
  return firstPoints(inertLine(key), MAX_SHOWN);
}

/** The keys of the service, in their order at the top of every block that it writes. */
export const SERVICE_KEYS = [
  'wing',
  'hall',
  'created_at',
  'type',
  'domain',
  'source_type',
  'half_life',
  'applies',
  'claim_provenance',
  'origin',
  'written_by',
  'promoted_at',
  'promoted_by',
  'updated_at',
  'supersedes',
  'supersede_reason',
] as const;

const isServiceKey: ReadonlySet<string> = new Set(SERVICE_KEYS);

/** Returns true when values have a key that the service itself writes. */
export function hasServiceKey(values: Values): boolean {
  return SERVICE_KEYS.some((key) => Object.hasOwn(values, key));
}

/** The fence lines around a block, and the line end for added lines. */
export interface Fences {
  readonly open: string;
  readonly close: string;
  readonly eol: string;
}

/** Returns the fences of a text; for a text without front matter, plain ones with the text's line end. */
export function fencesOf(text: string, split: SplitNote | null): Fences {
  const feed = text.indexOf('\n');
  const eol = feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n';
  if (split === null) return { open: `---${eol}`, close: `---${eol}`, eol };
  return { open: split.open, close: split.close, eol: split.open.endsWith('\r\n') ? '\r\n' : '\n' };
}

/** Returns the value of an entry of a block; that of a repeated key as if it stood alone. */
export function valueOf(block: Block, entry: Entry): unknown {
  if (block.repeated === null || firstOfEach(block.entries).includes(entry)) return block.values[entry.key];
  const alone = readBlock(entry.text);
  return 'reason' in alone ? entry.text.slice(entry.valueAt) : alone.values[entry.key];
}

/**
 * Returns a block with other keys and values in place of some entries, on one line each. A key that is there already gets a number.
 * @throws BrainError `invalid_frontmatter` when the result does not read as it should
 */
export function withEntries(
  block: Block,
  changed: ReadonlyMap<Entry, { readonly key: string; readonly value: unknown }>,
  eol: string,
): Block {
  const used = new Set(block.entries.map(({ key }) => key));
  const lines = block.entries.map((entry) => {
    const becomes = changed.get(entry);
    if (becomes === undefined) return bytesOf(entry);
    let { key } = becomes;
    for (let n = 2; key !== entry.key && used.has(key); n += 1) key = `${becomes.key} ${n}`;
    used.add(key);
    if (block.isJson) return `${entry.before}${jsonValue(key)}: ${jsonValue(becomes.value)}${entry.after}`;
    return `${entry.before}${yamlScalar(key)}: ${yamlValue(becomes.value)}${eol}${entry.after}`;
  });
  const result = readBlock(block.head + lines.join('') + block.tail);
  if ('reason' in result) throw unsafe(result);
  return result;
}

/** The changes to a block. Other keys stay. */
export interface Changes {
  /** The new lines of a key in YAML, or null to remove it. */
  readonly lines: Map<string, string | null>;
  /** The values of the set keys, which the result must have. */
  readonly expected: Map<string, unknown>;
}

/** Returns empty changes, which `setKey` and the caller fill. */
export function noChanges(): Changes {
  return { lines: new Map(), expected: new Map() };
}

/** Sets a key to a value on one line. Texts lose control characters and line ends, and template code becomes plain text. */
export function setKey(changes: Changes, key: string, value: Scalar | readonly Scalar[], eol: string): void {
  const clean = typeof value === 'object' ? value.map(cleanScalar) : cleanScalar(value);
  const yaml = typeof clean === 'object' ? yamlList(clean) : yamlScalar(clean);
  changes.lines.set(key, `${yamlScalar(key)}: ${yaml}${eol}`);
  changes.expected.set(key, typeof clean === 'object' ? clean.map(String) : String(clean));
}

function cleanScalar(value: Scalar): Scalar {
  return typeof value === 'string' ? inertText(oneLine(value)) : value;
}

/** A new block, its values, and the keys whose later entries were dropped. */
export interface Rewritten {
  readonly text: string;
  readonly values: Values;
  readonly repeated: readonly string[];
  /** The first fault of a value that is no YAML and stays as sent. */
  readonly unreadable: Fault | null;
}

/**
 * Applies changes to a block and parses the result: each key of the service, and each changed key, must be there once with its
 * expected value.
 * @throws BrainError `invalid_frontmatter` when it is not; then nothing may be written.
 */
export function applyChanges(
  block: Block,
  changes: Changes,
  mayBeUnreadable = block.unreadable !== null,
): Rewritten {
  const { text, repeated } = block.isJson ? rewriteJson(block, changes) : rewrite(block, changes);
  const result = readBlock(text);
  if ('reason' in result) throw unsafe(result);
  if (result.unreadable !== null && !mayBeUnreadable) throw unsafe(result.unreadable);
  const counts = new Map<string, number>();
  for (const { key } of result.entries) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of new Set<string>([...SERVICE_KEYS, ...changes.lines.keys()])) {
    const expected = changes.lines.has(key) ? changes.expected.get(key) : block.values[key];
    const count = counts.get(key) ?? 0;
    if (count > 1 || JSON.stringify(result.values[key]) !== JSON.stringify(expected)) {
      throw unsafe({ line: 1, reason: `"${key}" would not read as it should` });
    }
  }
  return { text, values: result.values, repeated, unreadable: result.unreadable };
}

function unsafe({ line, reason }: Fault): BrainError {
  return new BrainError(
    'invalid_frontmatter',
    `The front matter cannot be joined with the keys of the service (line ${line} of the result: ${reason}). Send simpler front matter, one "key: value" a line.`,
    { line },
  );
}

/** Builds the new block: leading comments, the service's keys in their order, all other keys in theirs, new ones last. */
function rewrite(block: BlockLines, { lines }: Changes): { text: string; repeated: string[] } {
  const service = new Map<string, string>();
  const others: string[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  const place = (key: string, text: string): void => {
    if (isServiceKey.has(key)) service.set(key, text);
    else others.push(text);
  };
  // Comments and blank lines around a removed entry are a person's: they move to the next entry.
  let loose = '';
  for (const { key, before, text, after } of block.entries) {
    const again = seen.has(key) && (isServiceKey.has(key) || lines.has(key));
    const change = lines.get(key);
    if (again && change !== null) repeated.push(key);
    seen.add(key);
    if (again || change === null) {
      loose += before + after;
    } else {
      const gap = change !== undefined && keepsBlanks(change) ? '' : after;
      place(key, loose + before + (change ?? text) + gap);
      loose = '';
    }
  }
  for (const [key, text] of lines) {
    if (text !== null && !seen.has(key)) place(key, text);
  }
  const keys = SERVICE_KEYS.map((key) => service.get(key) ?? '').join('') + others.join('');
  // A block with keys is no empty map any more.
  const head = keys === '' ? block.head : block.head.replace(EMPTY_MAP, '');
  return { text: head + keys + loose + block.tail, repeated };
}

/** Builds the new block of JSON: its members in their order, then the service's keys in theirs, other new ones last. */
function rewriteJson(block: BlockLines, { lines, expected }: Changes): { text: string; repeated: string[] } {
  const changed = new Map<string, string | null>();
  for (const key of new Set([...SERVICE_KEYS, ...lines.keys()])) {
    const text = lines.get(key);
    if (text === undefined) continue;
    const written = text === null ? null : parseEntries(text);
    if (written !== null && 'reason' in written) throw unsafe(written);
    const entry = written?.entries[0];
    const source = entry?.text.slice(entry.valueAt) ?? '';
    changed.set(key, text === null ? null : memberOf(key, source, expected.get(key)));
  }
  return { text: rewriteMembers(block, changed), repeated: [] };
}
