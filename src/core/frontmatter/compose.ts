import { BrainError } from '../base/errors';
import { withoutInvisible } from '../base/text';
import type { Hall } from '../vocabulary/address';
import {
  CONFIRMATION_KEYS,
  checkEnvelope,
  envelopeProblem,
  isPersonStamp,
  PROTECTED_KEYS,
} from '../vocabulary/envelope';
import {
  applyChanges,
  type Block,
  bodyOf,
  bytesOf,
  type Changes,
  EMPTY_BLOCK,
  type Fences,
  fencesOf,
  firstOfEach,
  hasServiceKey,
  holdsTemplate,
  inertLine,
  inertWarnings,
  noChanges,
  openingOf,
  readBlock,
  refuseTemplates,
  type Rewritten,
  setKey,
  templateInField,
  visibleValue,
} from './block';
import { lineOfMember } from './json-block';
import { parseNote } from './parse';
import {
  type Entry,
  type Fault,
  languageFence,
  lineOfBlock,
  MAX_BLOCK,
  type SplitNote,
  splitNote,
  withoutBom,
} from './split';
import { callerText, type Flat, oneLine, type Scalar, type Values } from './yaml';

const MAX_KEY = 100;
const isProtected: ReadonlySet<string> = new Set(PROTECTED_KEYS);
/** The keys for which an empty text is no value, so that the call's value or the default replaces it. */
const maybeEmpty: ReadonlySet<string> = new Set(['type', 'domain', 'source_type']);

/** Returns true for the keys that no caller can set. */
function onlyServiceSets(key: string): boolean {
  return isProtected.has(key);
}

/** The key with which the owner of a vault locks a note. */
export const LOCK_KEY = 'locked';

/** Returns true for a key that the writer cannot set or remove: a service's key, and for a token the owner's lock. */
export function mayNotSet(key: string, writtenBy: string | undefined): boolean {
  return onlyServiceSets(key) || (key === LOCK_KEY && !isPersonStamp(writtenBy));
}

/** Returns true for a lock in a text that a token wrote: its owner has not set it. */
export function hasTokensLock({ frontmatter }: Pick<OpenedContent, 'frontmatter'>): boolean {
  const { written_by: writtenBy } = frontmatter;
  const isTokens = typeof writtenBy === 'string' && !isPersonStamp(writtenBy);
  return isTokens && Object.hasOwn(frontmatter, LOCK_KEY);
}

/** Returns the warning for a key that a caller cannot set. */
export function droppedKey(key: string): string {
  return `"${key}" was dropped: only ${onlyServiceSets(key) ? 'the service' : 'a person'} sets it.`;
}

/** Returns true when front matter has a value for the key; null is none. */
export function hasValue(values: Values, key: string): boolean {
  if (!Object.hasOwn(values, key) || values[key] === null) return false;
  return !maybeEmpty.has(key) || values[key] !== '';
}

/** Returns true when two values are equal as JSON. */
export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The values of a call in addition to its content. */
interface CallValues {
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly frontmatter?: Flat | undefined;
  readonly writtenBy: string | undefined;
  /** The values of the updated note; template code in them may be sent back. */
  readonly current?: Values | undefined;
}

/**
 * Adds the values of a call: its options, then its `frontmatter`. A key of the content's own block wins, and keys that the writer
 * cannot set are dropped; `warnings` gets a sentence for both.
 * @throws BrainError `invalid_field` for a key that front matter cannot have, `invalid_frontmatter` for template code.
 */
function addCallValues(
  changes: Changes,
  own: Values,
  call: CallValues,
  eol: string,
  warnings: string[],
): void {
  const options = Object.entries(call.options).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const added = new Set<string>();
  for (const [name, value] of [...options, ...Object.entries(call.frontmatter ?? {})]) {
    const key = withoutInvisible(name);
    if (mayNotSet(key, call.writtenBy)) {
      warnings.push(droppedKey(key));
      continue;
    }
    checkKey(key);
    const clean = Array.isArray(value) ? value.map(cleaned) : cleaned(value);
    const reads = Array.isArray(clean) ? clean.map(String) : String(clean);
    if (holdsTemplate(key) || holdsTemplate(reads)) {
      if (call.current !== undefined && isEqual(call.current[key], reads)) continue;
      throw templateInField(key);
    }
    if (hasValue(own, key)) {
      if (!isEqual(own[key], reads)) warnings.push(`"${key}" of the call was dropped: the content sets it.`);
    } else if (added.has(key)) {
      if (!isEqual(changes.expected.get(key), reads)) {
        warnings.push(`"${key}" of "frontmatter" was dropped: the call gives it as a field.`);
      }
    } else {
      const words = [name, ...(Array.isArray(value) ? value : [value])];
      warnings.push(...new Set(words.flatMap((each) => inertWarnings(`"${key}"`, String(each)))));
      if (isCut(value)) warnings.push(`"${key}" was cut to 500 characters.`);
      setKey(changes, key, clean, eol);
      added.add(key);
    }
  }
}

function cleaned(value: Scalar): Scalar {
  return typeof value === 'string' ? callerText(withoutInvisible(value)) : value;
}

function isCut(value: Scalar | readonly Scalar[]): boolean {
  if (typeof value === 'object') return value.some(isCut);
  return (
    typeof value === 'string' && callerText(withoutInvisible(value)) !== oneLine(withoutInvisible(value))
  );
}

function checkKey(key: string): void {
  if (key !== '' && key === oneLine(key) && key.length <= MAX_KEY && key !== '<<' && !/["\\]/.test(key))
    return;
  throw new BrainError(
    'invalid_field',
    'A key of "frontmatter" must be 1 to 100 characters on one line, without quotes and backslashes. Rename or leave it out.',
    { field: 'frontmatter' },
  );
}

/** A caller's content, split and safe to merge. */
export interface OpenedContent {
  readonly frontmatter: Values;
  /** The text after the front matter, byte for byte, without a BOM. */
  readonly body: string;
  readonly block: Block;
  readonly fences: Fences;
  /** The line of the block's first line in the content, counted from 1. */
  readonly firstLine: number;
  readonly warnings: readonly string[];
}

/** The stacked blocks at most: a round trip or two through a careless client leaves fewer. */
const MAX_STACKED = 8;

/** Opens a body alone: nothing in it is front matter. */
export function openBody(body: string): OpenedContent {
  const fences = fencesOf(body, null);
  return { frontmatter: EMPTY_BLOCK.values, body, block: EMPTY_BLOCK, fences, firstLine: 1, warnings: [] };
}

/**
 * Splits a caller's content. A second block right below the first one is merged into it when it has a key of the service; any other
 * one is text between two rules and stays in the body. Invisible characters in a block are removed, with a warning.
 * @throws BrainError `invalid_frontmatter` with `details.line` when the block cannot be merged safely.
 */
export function openContent(content: string): OpenedContent {
  refuseLanguageFence(content);
  const opening = openingOf(content);
  if (opening.kind === 'none') return { ...openBody(withoutBom(content)), fences: fencesOf(content, null) };
  const fences = fencesOf(content, opening.split);
  const warnings = new Set<string>();
  let block = openBlock(content, opening.split, warnings);
  let { body } = opening.split;
  for (let count = 2; ; count += 1) {
    const below = splitNote(body);
    if (below === null || !isFrontMatter(readBlock(visibleText(below.block)))) break;
    if (count > MAX_STACKED) {
      throw invalidFrontmatter(lineOfBlock(content, below), 'too many blocks stand one after the other');
    }
    block = mergeBlocks(block, openBlock(content, below, warnings), warnings);
    body = below.body;
  }
  const firstLine = lineOfBlock(content, opening.split);
  return { frontmatter: block.values, body, block, fences, firstLine, warnings: [...warnings] };
}

/** The warning for a body that began like front matter. */
export const ESCAPED =
  'The text began like a second front matter block; the line that opened it was escaped.';

/** The empty blocks that are skipped at most. With more of them, the first one is escaped. */
const MAX_EMPTY = 100;

/**
 * Escapes the first line of a body that begins like front matter, so that no reader takes it for that when the body is sent back
 * alone or below a block. Text between two rules stays. Never throws.
 */
export function escapeFrontMatter(body: string): string {
  let below = splitNote(body);
  for (let count = 0; below !== null && count < MAX_EMPTY; count += 1) {
    const block = readBlock(visibleText(below.block));
    if ('reason' in block) return body;
    if (block.entries.length > 0) break;
    // Two rules, perhaps with a heading between them: the search continues below.
    below = splitNote(below.body);
  }
  const first = below && splitNote(body);
  if (first === null) return body;
  const at = body.length - first.open.length - first.block.length - first.close.length - first.body.length;
  return `${body.slice(0, at)}\\${body.slice(at)}`;
}

/** Escapes a second front matter block of a note. Never throws. */
export function escapeSecondBlock(text: string): string {
  const body = splitNote(text)?.body;
  if (body === undefined) return text;
  return text.slice(0, text.length - body.length) + escapeFrontMatter(body);
}

/**
 * Refuses front matter in a language other than YAML, which some readers run as code.
 * @throws BrainError `invalid_frontmatter` with `details.line`.
 */
export function refuseLanguageFence(content: string): void {
  const language = languageFence(content);
  if (language === null) return;
  const reason = `"${oneLine(language.fence)}" is no fence; only YAML between two lines of --- is front matter`;
  throw invalidFrontmatter(language.line, reason);
}

/** Returns true when a second block is front matter: YAML with a key of the service. */
function isFrontMatter(second: Block | Fault): boolean {
  return !('reason' in second) && second.unreadable === null && hasServiceKey(second.values);
}

/** Parses one block of the content. It refuses a merge key, because readers disagree on whether it sets the service's keys. */
function openBlock(content: string, split: SplitNote, warnings: Set<string>): Block {
  const block = visibleBlock(split.block, warnings);
  const merge = 'reason' in block ? undefined : block.entries.find(({ key }) => key === '<<');
  if (!('reason' in block) && merge === undefined) return block;
  const { line, reason } =
    'reason' in block ? block : { line: merge?.line ?? 1, reason: 'the key "<<" is not supported' };
  throw invalidFrontmatter(lineOfBlock(content, split) + line - 1, reason);
}

/** Removes invisible characters from a note's block, when it can be read, with a warning. The body stays. */
export function withVisibleBlock(text: string): { text: string; warnings: string[] } {
  const split = splitNote(text);
  const warnings = new Set<string>();
  const block = split === null ? null : visibleBlock(split.block, warnings);
  if (split === null || block === null || 'reason' in block || warnings.size === 0)
    return { text, warnings: [] };
  const { open, close, body } = split;
  const shown = open + block.head + block.entries.map(bytesOf).join('') + block.tail + close + body;
  return { text: shown, warnings: [...warnings] };
}

/** Removes the invisible characters of a block's text; a block that is too large stays. */
function visibleText(block: string): string {
  return block.length > MAX_BLOCK ? block : withoutInvisible(block);
}

/** A Unicode escape with all backslashes before it; an even number of them means that it is itself escaped. */
const ESCAPE = /(\\+)(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/g;

/** Parses a block without its invisible characters, escaped ones included. */
function visibleBlock(text: string, warnings: Set<string>): Block | Fault {
  const seen = visibleText(text);
  if (seen !== text) warnings.add(INVISIBLE_REMOVED);
  const block = readBlock(seen);
  if ('reason' in block || isEqual(block.values, visibleValue(block.values))) return block;
  const escaped = block.entries.map((entry) => {
    const { key } = entry;
    const isVisible =
      isEqual(block.values[key], visibleValue(block.values[key])) && key === withoutInvisible(key);
    return isVisible ? bytesOf(entry) : entry.before + withoutEscapes(entry.text) + entry.after;
  });
  const again = readBlock(block.head + escaped.join('') + block.tail);
  if ('reason' in again) return again;
  if (!isEqual(again.values, visibleValue(again.values))) {
    return { line: 1, reason: 'it holds invisible characters that cannot be taken out' };
  }
  warnings.add(INVISIBLE_REMOVED);
  return again;
}

const INVISIBLE_REMOVED = 'Invisible characters were removed from the front matter.';

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (all: string, slashes: string, short?: string, long?: string) => {
    const point = parseInt(short ?? long ?? '', 16);
    const isHidden =
      slashes.length % 2 === 1 && point <= 0x10ffff && withoutInvisible(String.fromCodePoint(point)) === '';
    return isHidden ? slashes.slice(1) : all;
  });
}

/** Adds to the first block the keys of the second one that it lacks, both byte for byte. */
function mergeBlocks(first: Block, second: Block, warnings: Set<string>): Block {
  warnings.add('A second front matter block was joined with the first.');
  const known = new Set(first.entries.map(({ key }) => key));
  const added = second.entries.filter(({ key }) => !known.has(key));
  for (const { key } of second.entries) {
    if (known.has(key))
      warnings.add(`"${key}" of the second front matter block was dropped: the first block sets it.`);
  }
  const joined = readBlock(
    first.isJson || second.isJson ? joinedMembers(first, second, added) : joinedLines(first, second, added),
  );
  const refused = (reason: string) =>
    invalidFrontmatter(1, `the two blocks at the start cannot be joined: ${reason}`);
  if ('reason' in joined) throw refused(joined.reason);
  if (joined.unreadable !== null && first.unreadable === null) throw refused(joined.unreadable.reason);
  return joined;
}

function joinedLines(first: Block, second: Block, added: readonly Entry[]): string {
  const entries = [...first.entries, ...added].map(bytesOf);
  return first.head + entries.join('') + second.head + second.tail + first.tail;
}

/** Joins two blocks of which one at least is JSON; the result is written as the first one is. */
function joinedMembers(first: Block, second: Block, added: readonly Entry[]): string {
  const changes = noChanges();
  for (const entry of added) {
    changes.lines.set(entry.key, second.isJson ? lineOfMember(entry, '\n') : bytesOf(entry));
    changes.expected.set(entry.key, second.values[entry.key]);
  }
  return applyChanges(first, changes, true).text;
}

/** Returns the error for refused front matter. @param line in the caller's content, counted from 1 */
function invalidFrontmatter(line: number, reason: string): BrainError {
  return new BrainError(
    'invalid_frontmatter',
    `The front matter cannot be used (line ${line} of the content: ${reason}). Correct it, or leave the front matter out.`,
    { line },
  );
}

/** The values of `source_type`: the origin of a note's claims. */
export const SOURCE_TYPES = ['internal', 'external'] as const;

/** The new text of a note, and warnings for the keys that were changed, dropped or cannot be read. */
export interface Composed {
  readonly text: string;
  readonly warnings: string[];
}

/** A value that the service itself sets. */
export type OwnedValue = string | readonly string[];

/** The claim properties that a call may have in addition to its content. */
type EnvelopeOptions = {
  readonly [key in 'half_life' | 'applies' | 'claim_provenance']?: string | undefined;
};

/** The properties that a write may have in addition to its content; the content's own values win. */
export type WriteOptions = EnvelopeOptions & {
  readonly [key in 'type' | 'domain' | 'source_type']?: string | undefined;
};

/**
 * The stamps of a new note. Without an address the content's own wing and hall stay, because a note that waits for review may have
 * only one of them.
 */
export interface WriteValues {
  readonly address: { readonly wing?: string | undefined; readonly hall?: Hall | undefined } | null;
  readonly created_at: string;
  readonly origin: string;
  readonly written_by: string;
  readonly options: WriteOptions;
  readonly frontmatter?: Flat | undefined;
  /** The text of the note that it replaces. */
  readonly current?: string | undefined;
}

/** The changes of an update; `set` has the service's own values. */
export interface UpdateValues {
  readonly set: Readonly<Record<string, string>>;
  readonly envelope: EnvelopeOptions;
  readonly frontmatter?: Flat | undefined;
}

/**
 * Composes a new note: one block with the service's keys and all keys of the content's own block that a caller may set, then `body`
 * unchanged; `parseNote` of the result returns an equal body. Content without a block only gets the stamped block in front.
 * @throws BrainError `invalid_envelope`, `invalid_source_type`, `invalid_frontmatter`, or `invalid_field` for a key of
 * `frontmatter` that cannot be written.
 */
export function composeWrite(opened: OpenedContent, body: string, values: WriteValues): Composed {
  const { frontmatter: own, fences } = opened;
  const { address, created_at, origin, written_by } = values;
  refuseTemplates(opened, values.current);
  const warnings = [...opened.warnings];
  const changes = noChanges();
  const decided = new Map(Object.entries({ ...address, created_at, origin, written_by }));
  for (const key of PROTECTED_KEYS) {
    const value = decided.get(key);
    if (value !== undefined) {
      setKey(changes, key, value, fences.eol);
      if (Object.hasOwn(own, key) && own[key] !== changes.expected.get(key)) {
        warnings.push(`"${key}" of the content was replaced: the service sets it.`);
      }
    } else if (Object.hasOwn(own, key) && !(address === null && (key === 'wing' || key === 'hall'))) {
      changes.lines.set(key, null);
      warnings.push(droppedKey(key));
    }
  }
  if (Object.hasOwn(own, LOCK_KEY) && mayNotSet(LOCK_KEY, written_by)) {
    changes.lines.set(LOCK_KEY, null);
    warnings.push(droppedKey(LOCK_KEY));
  }
  const call = { options: values.options, frontmatter: values.frontmatter, writtenBy: written_by };
  addCallValues(changes, own, call, fences.eol, warnings);
  const hall = address?.hall ?? own.hall;
  if (hall === 'facts' && !hasValue(own, 'source_type') && !changes.lines.has('source_type')) {
    setKey(changes, 'source_type', 'internal', fences.eol);
  }
  const result = applyChanges(opened.block, changes);
  checkEnvelope(result.values);
  checkSourceType(result.values, changes);
  const text = joined(fences, result.text, body);
  return { text, warnings: [...warnings, ...repeatedKeys(result), ...unreadableKeys(text)] };
}

/**
 * Composes an updated note: its block stays byte for byte except for the keys of the caller (in the content or in `frontmatter`) and
 * those of the service; its body is replaced. A confirmation of another body is removed.
 * @throws BrainError as `composeWrite`; `invalid_frontmatter` also when the current block cannot be edited.
 */
export function composeUpdate(
  current: string,
  opened: OpenedContent,
  body: string,
  values: UpdateValues,
): Composed {
  const { fences, block, body: before } = openNote(current);
  refuseTemplates(opened, current);
  const { frontmatter: own } = opened;
  const warnings = [...opened.warnings];
  const changes = noChanges();
  for (const entry of firstOfEach(opened.block.entries)) {
    const { key } = entry;
    // A value of the note that is sent back unchanged is no attempt to set it.
    const isUnchanged =
      Object.hasOwn(block.values, key) && isEqual(own[key], visibleValue(block.values[key]));
    if (mayNotSet(key, values.set.written_by)) {
      if (!isUnchanged && own[key] !== values.set[key]) warnings.push(droppedKey(key));
    } else if (!isUnchanged) {
      const lines = Object.hasOwn(block.values, key) ? entry.text : bytesOf(entry);
      changes.lines.set(
        key,
        opened.block.isJson
          ? lineOfMember(entry, fences.eol)
          : fences.eol === '\r\n'
            ? withCrlf(lines)
            : lines,
      );
      changes.expected.set(key, own[key]);
    }
  }
  const keys = opened.block.entries.map(({ key }) => key);
  warnings.push(...repeatedKeys({ repeated: keys.filter((key, at) => keys.indexOf(key) < at) }));
  const call = {
    options: values.envelope,
    frontmatter: values.frontmatter,
    writtenBy: values.set.written_by,
    current: block.values,
  };
  addCallValues(changes, own, call, fences.eol, warnings);
  for (const [key, value] of Object.entries(values.set)) {
    setKey(changes, key, callerText(inertLine(value)), fences.eol);
    warnings.push(...inertWarnings(`"${key}"`, value));
  }
  // A person has confirmed the text before, not this one.
  const unconfirmed =
    body === before ? [] : CONFIRMATION_KEYS.filter((key) => Object.hasOwn(block.values, key));
  for (const key of unconfirmed) changes.lines.set(key, null);
  const result = applyChanges(block, changes, block.unreadable !== null || opened.block.unreadable !== null);
  checkEnvelope(result.values);
  if (changes.lines.has('source_type')) checkSourceType(result.values, changes);
  const text = joined(fences, result.text, body);
  return { text, warnings: [...warnings, ...repeatedKeys(result), ...unreadableKeys(text)] };
}

/**
 * Sets and removes keys of a note; its body stays. An empty block is removed. A claim envelope that breaks its rules is only a
 * warning here, so that old notes can still be moved.
 * @throws BrainError `invalid_frontmatter` when the block cannot be edited safely.
 */
export function setKeys(
  text: string,
  set: Readonly<Record<string, OwnedValue>>,
  remove: readonly string[] = [],
): Composed {
  const { fences, block, body } = openNote(text);
  const changes = noChanges();
  for (const key of remove) if (Object.hasOwn(block.values, key)) changes.lines.set(key, null);
  for (const [key, value] of Object.entries(set)) setKey(changes, key, value, fences.eol);
  if (changes.lines.size === 0) return { text: withoutBom(text), warnings: [] };
  const result = applyChanges(block, changes);
  const problem = envelopeProblem(result.values);
  return {
    text: result.text === '' ? plainNote(fences, body) : joined(fences, result.text, body),
    warnings: [...repeatedKeys(result), ...(problem === null ? [] : [problem])],
  };
}

/**
 * Returns a note with the lines that some keys have in its former text; it loses those that the former text does not have. Its
 * body and its other keys stay.
 * @throws BrainError `invalid_frontmatter` when the block cannot be edited safely.
 */
export function withKeysOf(text: string, former: string, keys: readonly string[]): string {
  const { fences, block, body } = openNote(text);
  const opening = openingOf(former);
  const before = opening.kind === 'front matter' ? opening.block : EMPTY_BLOCK;
  const changes = noChanges();
  for (const key of keys) {
    const entry = before.entries.find((each) => each.key === key);
    if (entry !== undefined) {
      changes.lines.set(key, before.isJson ? lineOfMember(entry, fences.eol) : entry.text);
      changes.expected.set(key, before.values[key]);
    } else if (Object.hasOwn(block.values, key)) changes.lines.set(key, null);
  }
  if (changes.lines.size === 0) return withoutBom(text);
  const result = applyChanges(block, changes, block.unreadable !== null || before.unreadable !== null);
  return result.text === '' ? plainNote(fences, body) : joined(fences, result.text, body);
}

/**
 * Converts a new body to CRLF when the note `current` has only CRLF: in its body, or in its block when the body has no line ends.
 * For any other note the body stays as sent. Never throws.
 */
export function withLineEndsOf(current: string, body: string): string {
  const split = splitNote(current);
  const old = split === null ? withoutBom(current) : split.body;
  const model = split === null || old.includes('\n') ? old : split.open + split.block + split.close;
  return /\r\n/.test(model) && !BARE_FEED.test(model) ? withCrlf(body) : body;
}

const BARE_FEED = /(?<!\r)\n/;

function withCrlf(text: string): string {
  return text.replace(/(?<!\r)\n/g, '\r\n');
}

/** Replaces a note's body; the block and its fences keep their bytes. Never throws. */
export function replaceBody(text: string, body: string): string {
  const opening = openingOf(text);
  if (opening.kind !== 'front matter') return plainNote(fencesOf(text, null), body);
  return joined(fencesOf(text, opening.split), opening.split.block, body);
}

/** Returns a note without front matter. A body that begins like front matter gets an empty block above it. */
function plainNote(fences: Fences, body: string): string {
  return bodyOf(body) === body ? body : joined(fences, '', body);
}

function joined({ open, close, eol }: Fences, block: string, body: string): string {
  return open + block + close + (body === '' || close.endsWith('\n') ? '' : eol) + body;
}

/** Splits a note of the vault for editing. */
function openNote(text: string): { fences: Fences; block: Block; body: string } {
  const opening = openingOf(text);
  if (opening.kind === 'none') {
    return { fences: fencesOf(text, null), block: EMPTY_BLOCK, body: withoutBom(text) };
  }
  const { split } = opening;
  if (opening.kind === 'front matter') {
    return { fences: fencesOf(text, split), block: opening.block, body: split.body };
  }
  const { fault } = opening;
  const line = lineOfBlock(text, split) + fault.line - 1;
  throw new BrainError(
    'invalid_frontmatter',
    `The front matter of the note cannot be edited safely (line ${line}: ${fault.reason}). Correct it in the vault first.`,
    { line },
  );
}

function repeatedKeys({ repeated }: Pick<Rewritten, 'repeated'>): string[] {
  return [...new Set(repeated)].map(
    (key) => `"${key}" stood more than once in the front matter: the first one counts.`,
  );
}

/** Returns the parse problem of a composed note as a warning: values that are no YAML stay as sent. */
function unreadableKeys(text: string): string[] {
  const { problem } = parseNote(text);
  return problem === null ? [] : [problem];
}

/** Checks `source_type`. An empty one in a block counts as absent; an empty one of a call is refused. */
function checkSourceType(values: Values, { expected }: Changes): void {
  const allowed: readonly unknown[] = SOURCE_TYPES;
  if (allowed.includes(values.source_type)) return;
  if (!hasValue(values, 'source_type') && expected.get('source_type') !== '') return;
  throw new BrainError(
    'invalid_source_type',
    '"source_type" must be one of: internal, external. Correct it, or leave it out.',
    { field: 'source_type', allowed },
  );
}
