import { BrainError } from '../../errors';
import { readBlock, type Block } from './block';
import { keepsBlanks, type BlockLines, type Fault } from './entries';
import type { Values } from './read';
import { inertText } from './inert';
import { oneLine, yamlList, yamlScalar, type Scalar } from './scalars';
import type { SplitNote } from './split';

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
