import { BrainError } from '../../errors';
import { checkEnvelope, envelopeProblem } from '../envelope';
import type { Hall } from '../hall';
import { PROTECTED_KEYS } from '../provenance';
import { bodyOf, bytesOf, EMPTY_BLOCK, firstOfEach, openingOf, type Block } from './block';
import { inertLine, madeInert, refuseTemplates, visible } from './inert';
import { addOffers, droppedKey, LOCK_KEY, mayNotSet, same, says } from './offers';
import type { OpenedContent } from './open-content';
import { parseNote } from './parse-note';
import type { Values } from './read';
import {
  applyChanges,
  fencesOf,
  noChanges,
  setKey,
  type Changes,
  type Fences,
  type Rewritten,
} from './rewrite';
import { callerText, type Flat } from './scalars';
import { lineOfBlock, splitNote, withoutBom } from './split';

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
export type EnvelopeOptions = {
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
