import { BrainError } from '../../errors';
import { withoutInvisible } from '../invisible';
import { firstPoints } from '../text';
import { readBlock, type Block } from './block';
import { oneLine } from './scalars';
import { splitNote } from './split';

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
export function inertText(text: string): string {
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
export interface FoundTemplate {
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
