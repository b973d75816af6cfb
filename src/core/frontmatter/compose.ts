import { BrainError } from '../base/errors';
import { withoutInvisible } from '../base/text';
import type { Hall } from '../vocabulary/address';
import { checkEnvelope, envelopeProblem } from '../vocabulary/envelope';
import { isPersonStamp, PROTECTED_KEYS } from '../vocabulary/provenance';
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
  madeInert,
  noChanges,
  openingOf,
  readBlock,
  refuseTemplates,
  type Rewritten,
  setKey,
  templateInField,
  visible,
} from './block';
import { parseNote } from './parse';
import {
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
/** Of these an empty text is no value either, and what a call gives or the default stands in for it. */
const maybeEmpty: ReadonlySet<string> = new Set(['type', 'domain', 'source_type']);

/** True for the keys that no caller can set, wherever they stand. */
function onlyServiceSets(key: string): boolean {
  return isProtected.has(key);
}

/** The key with which the owner of a vault forbids changes of a note. */
export const LOCK_KEY = 'locked';

/** True for the keys that the one who writes cannot set or remove: those of the service, and the owner's lock for a token. */
export function mayNotSet(key: string, writtenBy: string | undefined): boolean {
  return onlyServiceSets(key) || (key === LOCK_KEY && !isPersonStamp(writtenBy));
}

/** The warning for a key that a caller tried to set. */
export function droppedKey(key: string): string {
  return `"${key}" was dropped: only ${onlyServiceSets(key) ? 'the service' : 'a person'} sets it.`;
}

/** True when front matter has a value of its own for the key: null is none. */
export function says(values: Values, key: string): boolean {
  if (!Object.hasOwn(values, key) || values[key] === null) return false;
  return !maybeEmpty.has(key) || values[key] !== '';
}

/** True when two values read alike. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Adds what a call gives beside its content: its options, then its `frontmatter`. The content's own block has the first
 * word on every key, and keys that the one who writes cannot set are dropped; both are said in `warnings`.
 * @param standing what the note says that is updated: of that, template code may be sent back
 * @throws BrainError `invalid_field` for a key that cannot stand in front matter, `invalid_frontmatter` for template code.
 */
function addOffers(
  changes: Changes,
  own: Values,
  offers: {
    options: Readonly<Record<string, string | undefined>>;
    frontmatter?: Flat | undefined;
    writtenBy: string | undefined;
    standing?: Values | undefined;
  },
  eol: string,
  warnings: string[],
): void {
  const given = Object.entries(offers.options).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const taken = new Set<string>();
  for (const [name, value] of [...given, ...Object.entries(offers.frontmatter ?? {})]) {
    const key = withoutInvisible(name);
    if (mayNotSet(key, offers.writtenBy)) {
      warnings.push(droppedKey(key));
      continue;
    }
    checkKey(key);
    const clean = Array.isArray(value) ? value.map(cleaned) : cleaned(value);
    const reads = Array.isArray(clean) ? clean.map(String) : String(clean);
    if (holdsTemplate(key) || holdsTemplate(reads)) {
      if (offers.standing !== undefined && same(offers.standing[key], reads)) continue;
      throw templateInField(key);
    }
    if (says(own, key)) {
      if (!same(own[key], reads)) warnings.push(`"${key}" of the call was dropped: the content sets it.`);
    } else if (taken.has(key)) {
      if (!same(changes.expected.get(key), reads)) {
        warnings.push(`"${key}" of "frontmatter" was dropped: the call gives it as a field.`);
      }
    } else {
      const words = [name, ...(Array.isArray(value) ? value : [value])];
      warnings.push(...new Set(words.flatMap((each) => madeInert(`"${key}"`, String(each)))));
      if (isCut(value)) warnings.push(`"${key}" was cut to 500 characters.`);
      setKey(changes, key, clean, eol);
      taken.add(key);
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

/** Content from a caller, taken apart and found safe to merge. */
export interface OpenedContent {
  readonly frontmatter: Values;
  /** The text after the front matter, byte for byte, without a BOM. */
  readonly body: string;
  readonly block: Block;
  readonly fences: Fences;
  /** Number of the first line of the block in the content, from 1. */
  readonly firstLine: number;
  readonly warnings: readonly string[];
}

/** Blocks that stand one after the other; more than a round trip or two through a careless client can leave. */
const MAX_STACKED = 8;

/**
 * Takes apart what a caller sent. A second block right below the first is folded into it when it holds a key of the
 * service; any other one is text between two rules and stays in the body. Invisible characters in a block are removed, which
 * is said in the warnings.
 * @throws BrainError `invalid_frontmatter` with `details.line` when the block cannot be merged safely.
 */
export function openContent(content: string): OpenedContent {
  refuseLanguageFence(content);
  const opening = openingOf(content);
  if (opening.kind === 'none') {
    const body = withoutBom(content);
    const fences = fencesOf(content, null);
    return { frontmatter: EMPTY_BLOCK.values, body, block: EMPTY_BLOCK, fences, firstLine: 1, warnings: [] };
  }
  const fences = fencesOf(content, opening.split);
  const warnings = new Set<string>();
  let block = openBlock(content, opening.split, warnings);
  let { body } = opening.split;
  for (let count = 2; ; count += 1) {
    const below = splitNote(body);
    if (below === null || !isFrontMatter(readBlock(shownText(below.block)))) break;
    if (count > MAX_STACKED) {
      throw invalidFrontmatter(lineOfBlock(content, below), 'too many blocks stand one after the other');
    }
    block = fold(block, openBlock(content, below, warnings), warnings);
    body = below.body;
  }
  const firstLine = lineOfBlock(content, opening.split);
  return { frontmatter: block.values, body, block, fences, firstLine, warnings: [...warnings] };
}

/** What is said when a text began like front matter where it must be text. */
export const ESCAPED =
  'The text began like a second front matter block; the line that opened it was escaped.';

/** Empty blocks that are looked through; whoever sends more has the first one escaped. */
const MAX_EMPTY = 100;

/**
 * A body as it may stand in a note. Where it begins with what a reader could take for front matter when the body is sent back
 * by itself or below a block, the line that opens that is escaped. Text between two rules stays. Never throws.
 */
export function asText(body: string): string {
  let below = splitNote(body);
  for (let count = 0; below !== null && count < MAX_EMPTY; count += 1) {
    const block = readBlock(shownText(below.block));
    if ('reason' in block) return body;
    if (block.entries.length > 0) break;
    // Two rules, perhaps with a heading between them: what counts stands below.
    below = splitNote(below.body);
  }
  const first = below && splitNote(body);
  if (first === null) return body;
  const at = body.length - first.open.length - first.block.length - first.close.length - first.body.length;
  return `${body.slice(0, at)}\\${body.slice(at)}`;
}

/** The note in which a second block is text. Never throws. */
export function oneBlock(text: string): string {
  const body = splitNote(text)?.body;
  if (body === undefined) return text;
  return text.slice(0, text.length - body.length) + asText(body);
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

/** Below the first block only YAML with a key of the service counts as front matter. */
function isFrontMatter(second: Block | Fault): boolean {
  return !('reason' in second) && second.unreadable === null && hasServiceKey(second.values);
}

/** Reads one block of the content. A merge key is refused: readers disagree on whether it sets keys of the service. */
function openBlock(content: string, split: SplitNote, warnings: Set<string>): Block {
  const block = visibleBlock(split.block, warnings);
  const merge = 'reason' in block ? undefined : block.entries.find(({ key }) => key === '<<');
  if (!('reason' in block) && merge === undefined) return block;
  const { line, reason } =
    'reason' in block ? block : { line: merge?.line ?? 1, reason: 'the key "<<" is not supported' };
  throw invalidFrontmatter(lineOfBlock(content, split) + line - 1, reason);
}

/** A note whose block has no invisible characters, where it can be read; its body stays as it is. */
export function visibleNote(text: string): { text: string; warnings: string[] } {
  const split = splitNote(text);
  const warnings = new Set<string>();
  const block = split === null ? null : visibleBlock(split.block, warnings);
  if (split === null || block === null || 'reason' in block || warnings.size === 0)
    return { text, warnings: [] };
  const { open, close, body } = split;
  const shown = open + block.head + block.entries.map(bytesOf).join('') + block.tail + close + body;
  return { text: shown, warnings: [...warnings] };
}

/** The text of a block without invisible characters; one that is too large to be read is left as it is. */
function shownText(block: string): string {
  return block.length > MAX_BLOCK ? block : withoutInvisible(block);
}

/** An escape of a quoted text, with all backslashes before it, so that one that is itself escaped is told. */
const ESCAPE = /(\\+)(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/g;

/** Reads a block without its invisible characters, those that stand as an escape included. */
function visibleBlock(text: string, warnings: Set<string>): Block | Fault {
  const seen = shownText(text);
  if (seen !== text) warnings.add(INVISIBLE_REMOVED);
  const block = readBlock(seen);
  if ('reason' in block || same(block.values, visible(block.values))) return block;
  const escaped = block.entries.map((entry) => {
    const { key } = entry;
    const isVisible = same(block.values[key], visible(block.values[key])) && key === withoutInvisible(key);
    return isVisible ? bytesOf(entry) : entry.before + withoutEscapes(entry.text) + entry.after;
  });
  const again = readBlock(block.head + escaped.join('') + block.tail);
  if ('reason' in again) return again;
  if (!same(again.values, visible(again.values))) {
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

/** The first block with those keys of the second that it lacks, both byte for byte. */
function fold(first: Block, second: Block, warnings: Set<string>): Block {
  warnings.add('A second front matter block was joined with the first.');
  const known = new Set(first.entries.map(({ key }) => key));
  const added = second.entries.filter(({ key }) => !known.has(key));
  for (const { key } of second.entries) {
    if (known.has(key))
      warnings.add(`"${key}" of the second front matter block was dropped: the first block sets it.`);
  }
  const entries = [...first.entries, ...added].map(bytesOf);
  const joined = readBlock(first.head + entries.join('') + second.head + second.tail + first.tail);
  const refused = (reason: string) =>
    invalidFrontmatter(1, `the two blocks at the start cannot be joined: ${reason}`);
  if ('reason' in joined) throw refused(joined.reason);
  if (joined.unreadable !== null && first.unreadable === null) throw refused(joined.unreadable.reason);
  return joined;
}

/** The error of front matter that is refused; `line` counts from 1 in what the caller sent. */
function invalidFrontmatter(line: number, reason: string): BrainError {
  return new BrainError(
    'invalid_frontmatter',
    `The front matter cannot be used (line ${line} of the content: ${reason}). Correct it, or leave the front matter out.`,
    { line },
  );
}

/** Where the claims of a note come from; the values of `source_type`. */
export const SOURCE_TYPES = ['internal', 'external'] as const;

/** The new text of a note, and short sentences on the keys that did not come through as they were sent or cannot be read. */
export interface Composed {
  readonly text: string;
  readonly warnings: string[];
}

/** What the service itself sets: a text or a list of texts. */
export type OwnedValue = string | readonly string[];

/** The claim properties that a call may give beside its content. */
type EnvelopeOptions = {
  readonly [key in 'half_life' | 'applies' | 'claim_provenance']?: string | undefined;
};

/** All that a write may give beside its content; what the content itself says comes first. */
export type WriteOptions = EnvelopeOptions & {
  readonly [key in 'type' | 'domain' | 'source_type']?: string | undefined;
};

/**
 * What a new note is stamped with. Without an address the wing and hall of the content itself are carried through; a note that
 * waits for review may have one half of it.
 */
export interface WriteValues {
  readonly address: { readonly wing?: string; readonly hall?: Hall } | null;
  readonly created_at: string;
  readonly origin: string;
  readonly written_by: string;
  readonly options: WriteOptions;
  readonly frontmatter?: Flat | undefined;
  /** The text of the note that it takes the place of. */
  readonly current?: string | undefined;
}

/** What an update changes; `set` holds the service's own values. */
export interface UpdateValues {
  readonly set: Readonly<Record<string, string>>;
  readonly envelope: EnvelopeOptions;
  readonly frontmatter?: Flat | undefined;
}

/**
 * The text of a new note: one block with the service's keys and all keys of the content's own block that a caller may
 * set, then `body` as given; `parseNote` of the text gives that very body. Content without a block gets the stamped
 * block and its closing fence line in front, and nothing else.
 * @throws BrainError `invalid_envelope`, `invalid_source_type`, `invalid_frontmatter`, or `invalid_field` for a key of
 * `frontmatter` that cannot be written.
 */
export function composeWrite(opened: OpenedContent, body: string, values: WriteValues): Composed {
  const { frontmatter: own, fences } = opened;
  const { address, created_at, origin, written_by } = values;
  refuseTemplates(opened, values.current);
  const warnings = [...opened.warnings];
  const changes = noChanges();
  const decided = new Map<string, string>(Object.entries({ ...address, created_at, origin, written_by }));
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
  addOffers(changes, own, { ...values, writtenBy: written_by }, fences.eol, warnings);
  const hall = address?.hall ?? own.hall;
  if (hall === 'facts' && !says(own, 'source_type') && !changes.lines.has('source_type')) {
    setKey(changes, 'source_type', 'internal', fences.eol);
  }
  const result = applyChanges(opened.block, changes);
  checkEnvelope(result.values);
  checkSourceType(result.values, changes);
  const text = joined(fences, result.text, body);
  return { text, warnings: [...warnings, ...repeatedKeys(result), ...unreadableKeys(text)] };
}

/**
 * The text of a note that is superseded: its block stays byte for byte but for the keys that the caller gives (in the
 * content or in `frontmatter`) and those that the service sets; its body is replaced.
 * @throws BrainError as `composeWrite`; `invalid_frontmatter` also when the block that stands there cannot be edited.
 */
export function composeUpdate(
  current: string,
  opened: OpenedContent,
  body: string,
  values: UpdateValues,
): Composed {
  const { fences, block } = openNote(current);
  refuseTemplates(opened, current);
  const { frontmatter: own } = opened;
  const warnings = [...opened.warnings];
  const changes = noChanges();
  for (const entry of firstOfEach(opened.block.entries)) {
    const { key } = entry;
    // What stands in this very note and is sent back with it is no attempt to set anything.
    const isBack = Object.hasOwn(block.values, key) && same(own[key], visible(block.values[key]));
    if (mayNotSet(key, values.set.written_by)) {
      if (!isBack && own[key] !== values.set[key]) warnings.push(droppedKey(key));
    } else if (!isBack) {
      const lines = Object.hasOwn(block.values, key) ? entry.text : bytesOf(entry);
      changes.lines.set(key, fences.eol === '\r\n' ? withCrlf(lines) : lines);
      changes.expected.set(key, own[key]);
    }
  }
  const keys = opened.block.entries.map(({ key }) => key);
  warnings.push(...repeatedKeys({ repeated: keys.filter((key, at) => keys.indexOf(key) < at) }));
  const offers = {
    options: values.envelope,
    frontmatter: values.frontmatter,
    writtenBy: values.set.written_by,
    standing: block.values,
  };
  addOffers(changes, own, offers, fences.eol, warnings);
  for (const [key, value] of Object.entries(values.set)) {
    setKey(changes, key, callerText(inertLine(value)), fences.eol);
    warnings.push(...madeInert(`"${key}"`, value));
  }
  const result = applyChanges(block, changes, block.unreadable !== null || opened.block.unreadable !== null);
  checkEnvelope(result.values);
  if (changes.lines.has('source_type')) checkSourceType(result.values, changes);
  const text = joined(fences, result.text, body);
  return { text, warnings: [...warnings, ...repeatedKeys(result), ...unreadableKeys(text)] };
}

/**
 * Sets and removes keys of a whole note and leaves its body alone. A block that becomes empty goes. A claim envelope
 * that breaks its rules is only a warning here, so that old notes can still be moved.
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
 * A new body for the note `current`, with the line ends of the one that it replaces, or of the block where that has none: a
 * note in CRLF stays so whatever a caller sends. For any other note, a mixed one too, the body is as it was sent. Never throws.
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

/** The note with another body; the block and its fences keep their bytes. Never throws. */
export function replaceBody(text: string, body: string): string {
  const opening = openingOf(text);
  if (opening.kind !== 'front matter') return plainNote(fencesOf(text, null), body);
  return joined(fencesOf(text, opening.split), opening.split.block, body);
}

/** A note without front matter; an empty block keeps a body that begins like front matter from being read as such. */
function plainNote(fences: Fences, body: string): string {
  return bodyOf(body) === body ? body : joined(fences, '', body);
}

function joined({ open, close, eol }: Fences, block: string, body: string): string {
  return open + block + close + (body === '' || close.endsWith('\n') ? '' : eol) + body;
}

/** Takes a note of the vault apart for editing. */
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

/** What is no YAML stays as it was sent; who sent it is told what the owner of the vault will be told of the note. */
function unreadableKeys(text: string): string[] {
  const { problem } = parseNote(text);
  return problem === null ? [] : [problem];
}

/** An empty `source_type` in a block is none; an empty one that a call gives is outside the values. */
function checkSourceType(values: Values, { expected }: Changes): void {
  const allowed: readonly unknown[] = SOURCE_TYPES;
  if (allowed.includes(values.source_type)) return;
  if (!says(values, 'source_type') && expected.get('source_type') !== '') return;
  throw new BrainError(
    'invalid_source_type',
    '"source_type" must be one of: internal, external. Correct it, or leave it out.',
    { field: 'source_type', allowed },
  );
}
