import { BrainError } from '../base/errors';
import { firstPoints, withoutInvisible } from '../base/text';
import {
  type BlockLines,
  dangerIn,
  type Entry,
  type Fault,
  keepsBlanks,
  MAX_BLOCK,
  parseEntries,
  type SplitNote,
  splitNote,
  withoutBom,
} from './split';
import { emptyMap, oneLine, readYaml, type Scalar, type Values, yamlList, yamlScalar } from './yaml';

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
type Opening =
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

/**
 * Plug-ins for templates run what follows this mark anywhere in a new file. Written as an escape of YAML it runs later: the
 * app writes front matter anew whenever a property is edited, and then the mark stands there.
 */
const MARK = '<%';
const MAX_SHOWN = 60;

/** True when a value of front matter holds template code: in a text, or in a text or a key within it. */
export function holdsTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MARK);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => holdsTemplate(key) || holdsTemplate(each));
}

/** The text with nothing in it that a template plug-in runs. */
function inertText(text: string): string {
  return text.replaceAll(MARK, '< %');
}

/** A caller's or a document's words as a value: on one line, all of them visible, and none of them template code. */
export function inertLine(text: string): string {
  return inertText(oneLine(withoutInvisible(text)));
}

const BREAKS = /[\t-\r\u0085\u2028\u2029]/;

/**
 * What is said of a caller's words that could not stand in front matter as they were sent; nothing when they could. That
 * spaces around them go is not said.
 */
export function madeInert(name: string, text: string): string[] {
  const line = oneLine(text);
  const seen = oneLine(withoutInvisible(text));
  const said: string[] = [];
  if (seen.includes(MARK)) said.push(`Template code in ${name} was made plain text.`);
  else if (seen !== line) said.push(`Invisible characters were removed from ${name}.`);
  if (BREAKS.test(text)) said.push(`${name} was put on one line: its line breaks and tabs are not kept.`);
  if (/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text.replace(/[\t-\r\u0085]/g, ''))) {
    said.push(`Characters that front matter cannot hold were removed from ${name}.`);
  }
  return said;
}

/** The value with every text and key in it as `withoutInvisible` has it. */
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { __proto__: null };
  for (const [key, each] of Object.entries(value)) copy[withoutInvisible(key)] = visible(each);
  return copy;
}

/** Where template code stands in a block: the line, from 1, and the key, or null for a comment. */
interface FoundTemplate {
  readonly line: number;
  readonly key: string | null;
}

/**
 * The first template code of a block, in values, keys and comments, as it stands there or as an escape; null when there is
 * none. What stands in `standing` as well, in whole lines, is passed over.
 */
export function templateIn(block: Block, standing = ''): FoundTemplate | null {
  const lines = `\n${plainLines(standing)}`;
  const isNew = (text: string): boolean => standing === '' || !lines.includes(`\n${plainLines(text)}`);
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
 * Refuses content whose front matter brings template code into a note; what the note's text `current` has already may be sent
 * back with it.
 * @throws BrainError `invalid_frontmatter` with `details.line`, in the content, and `details.key` where it is a value.
 */
export function refuseTemplates(
  { block, firstLine }: { readonly block: Block; readonly firstLine: number },
  current = '',
): void {
  const found = templateIn(block, splitNote(current)?.block);
  if (found !== null) throw templateRefused({ ...found, line: found.line + firstLine - 1 }, 'the content');
}

/**
 * The template code in the front matter of a note of the vault; null when there is none, or none that can be told because the
 * block cannot be read. Lines count in the note.
 */
export function templateOfNote(text: string): FoundTemplate | null {
  const split = splitNote(text);
  const block = split === null ? null : readBlock(split.block);
  if (split === null || block === null || 'reason' in block) return null;
  const found = templateIn(block);
  const before = text.length - split.block.length - split.close.length - split.body.length;
  return found && { ...found, line: found.line + text.slice(0, before).split('\n').length - 1 };
}

/** The refusal of template code that was found `of` the content or a note. */
export function templateRefused({ line, key }: FoundTemplate, of: string): BrainError {
  const where = key === null ? `line ${line} of ${of}` : `line ${line} of ${of}, "${shown(key)}"`;
  return new BrainError(
    'invalid_frontmatter',
    `The front matter holds template code ("<%" in ${where}), which a plug-in would run. Take it out of the front matter; in the body it is made plain text.`,
    { line, ...(key !== null && { key: shown(key) }) },
  );
}

/** What is said of a note that a person may promote with template code in its front matter. */
export function templateWarning({ line, key }: FoundTemplate): string {
  const where = key === null ? `line ${line}` : `line ${line}, "${shown(key)}"`;
  return `The front matter holds template code ("<%" in ${where} of the note), which a plug-in may run; only a person can promote it as it is.`;
}

/** The refusal of template code in a field of a call that becomes a property. */
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

/** The keys of the service in the order in which they stand at the top of every block that it writes. */
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

/** True when the block holds a key that the service itself writes. */
export function hasServiceKey(values: Values): boolean {
  return SERVICE_KEYS.some((key) => Object.hasOwn(values, key));
}

/** The fence lines that a block is written between, and the line end of the lines that are added. */
export interface Fences {
  readonly open: string;
  readonly close: string;
  readonly eol: string;
}

/** The fences that stand in the text; where there are none, plain ones with the text's own line end. */
export function fencesOf(text: string, split: SplitNote | null): Fences {
  const feed = text.indexOf('\n');
  const eol = feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n';
  if (split === null) return { open: `---${eol}`, close: `---${eol}`, eol };
  return { open: split.open, close: split.close, eol: split.open.endsWith('\r\n') ? '\r\n' : '\n' };
}

/** What is to become of a block. Keys that are not named stay as they are. */
export interface Changes {
  /** Whole lines for a key, or null to take it out. */
  readonly lines: Map<string, string | null>;
  /** What must be read back for the keys that are set. */
  readonly expected: Map<string, unknown>;
}

/** Changes that leave a block as it is; `setKey` and the caller fill them. */
export function noChanges(): Changes {
  return { lines: new Map(), expected: new Map() };
}

/**
 * Sets a key to a value on one line; texts lose control characters and line ends, and template code in them becomes
 * plain text.
 */
export function setKey(changes: Changes, key: string, value: Scalar | readonly Scalar[], eol: string): void {
  const clean = typeof value === 'object' ? value.map(cleanScalar) : cleanScalar(value);
  const yaml = typeof clean === 'object' ? yamlList(clean) : yamlScalar(clean);
  changes.lines.set(key, `${yamlScalar(key)}: ${yaml}${eol}`);
  changes.expected.set(key, typeof clean === 'object' ? clean.map(String) : String(clean));
}

function cleanScalar(value: Scalar): Scalar {
  return typeof value === 'string' ? inertText(oneLine(value)) : value;
}

/** A new block, what it says, and the keys of which a second entry was dropped. */
export interface Rewritten {
  readonly text: string;
  readonly values: Values;
  readonly repeated: readonly string[];
  /** What in it is no YAML, and stands as it was sent. */
  readonly unreadable: Fault | null;
}

/**
 * Applies changes to a block and reads the outcome once: each key of the service, and each key that was changed, must
 * stand there once and say what it should.
 * @throws BrainError `invalid_frontmatter` when it does not; then nothing may be written.
 */
export function applyChanges(
  block: Block,
  changes: Changes,
  mayBeUnreadable = block.unreadable !== null,
): Rewritten {
  const { text, repeated } = rewrite(block, changes);
  const result = readBlock(text);
  if ('reason' in result) throw unsafe(result);
  if (result.unreadable !== null && !mayBeUnreadable) throw unsafe(result.unreadable);
  const counts = new Map<string, number>();
  for (const { key } of result.entries) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of new Set<string>([...SERVICE_KEYS, ...changes.lines.keys()])) {
    const wanted = changes.lines.has(key) ? changes.expected.get(key) : block.values[key];
    const stands = counts.get(key) ?? 0;
    if (stands > 1 || JSON.stringify(result.values[key]) !== JSON.stringify(wanted)) {
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

/** The new block: comments at the start, keys of the service in their order, then all other keys in theirs, new ones last. */
function rewrite(block: BlockLines, { lines }: Changes): { text: string; repeated: string[] } {
  const service = new Map<string, string>();
  const others: string[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  const place = (key: string, text: string): void => {
    if (isServiceKey.has(key)) service.set(key, text);
    else others.push(text);
  };
  // Comments and blank lines around an entry that goes are not the service's to remove: the next entry takes them.
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
  const first = SERVICE_KEYS.map((key) => service.get(key) ?? '').join('');
  return { text: block.head + first + others.join('') + loose + block.tail, repeated };
}
