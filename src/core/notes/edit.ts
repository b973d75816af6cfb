import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { inSlices, LONG_TEXT } from '../base/steps';
import { withoutEscapes } from '../gate/escapes';
import { markdownSteps } from '../markdown/parse';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, MAX_CONTENT, pathField, reasonField } from '../operation/fields';
import { operation } from '../operation/operation';
import type { Section } from '../markdown/spans';
import { checkContent } from './content';
import { withLineBreaks } from './opening';
import { readPath } from './targets';
import { superseded, supersede } from './update';

/** The longest words of a heading. */
const MAX_HEADING = 1000;

const replaceField = z.strictObject({
  old: z.string().min(1).max(MAX_CONTENT).describe('Text that stands exactly once in the body'),
  new: z.string().describe('What stands there instead'),
});
const sectionField = z.strictObject({
  heading: z.string().min(1).max(MAX_HEADING).describe('Words of a heading that stands exactly once'),
  content: z.string().describe('What stands below it instead'),
});

const input = z.strictObject({
  path: pathField.describe('Vault path, [[link]], title or alias'),
  append: z.string().optional().describe('Markdown to add at the end'),
  replace: replaceField.optional(),
  section: sectionField.optional(),
  reason: reasonField.default('edit'),
  expected_hash: hashField
    .optional()
    .describe('content_hash that you read; refused when the note has changed since'),
  dry_run: dryRunField,
});
type Ask = z.output<typeof input>;

/** The most places of a text that are counted. */
const MOST_COUNTED = 1000;

/**
 * Changes a part of a note and supersedes it as `updateNote` does: adds at the end, replaces a text that stands exactly once, or
 * what stands below a heading. Fails as `updateNote`, or with `not_there` for a text or heading that the body lacks, and with
 * `not_unique` and the count for one that it has several times; nothing has changed then.
 */
export const editNote = operation({
  name: 'edit',
  scope: 'propose',
  // Its errors tell what stands in a note.
  besides: 'read',
  mutates: true,
  input,
  output: superseded,
  async run(brain, sent, caller, watch) {
    const { ask, warnings } = withRealBreaks(sent, caller);
    const { replace, reason, expected_hash: expected, dry_run: dryRun } = ask;
    const { text, field } = givenText(ask);
    if (field !== 'replace.new') checkContent(text, field);
    const path = await readPath(brain, { path: ask.path });
    return supersede(brain, caller, watch, {
      path,
      async content(old) {
        const { frontmatter, body } = old;
        // Text that is not touched stays as it is stored. An agent has read some of it without the gate's escapes.
        const isStored =
          caller.human || replace === undefined || withLineFeeds(body).includes(withLineFeeds(replace.old));
        const text = await edited(brain, isStored ? body : withoutEscapes({ path, frontmatter }, body), ask);
        checkContent(text);
        return text;
      },
      ...{ reason, expected, dryRun, warnings },
      isLong: text.length >= LONG_TEXT,
      isPart: true,
    });
  },
});

/** Returns a call with the line breaks that an agent meant in what it adds below a heading or at the end. */
function withRealBreaks(ask: Ask, caller: Caller): { ask: Ask; warnings: string[] } {
  const { text, warnings } = withLineBreaks(ask.append ?? ask.section?.content ?? '', caller);
  if (warnings.length === 0) return { ask, warnings };
  if (ask.append !== undefined) return { ask: { ...ask, append: text }, warnings };
  return { ask: { ...ask, ...(ask.section && { section: { ...ask.section, content: text } }) }, warnings };
}

/** Returns the new text of a call, and the name of its field. @throws BrainError `invalid_field` for none or several */
function givenText({ append, replace, section }: Ask): { text: string; field: string } {
  const given = [
    ...(append === undefined ? [] : [{ text: append, field: 'append' }]),
    ...(replace === undefined ? [] : [{ text: replace.new, field: 'replace.new' }]),
    ...(section === undefined ? [] : [{ text: section.content, field: 'section.content' }]),
  ];
  const [only, another] = given;
  if (only !== undefined && another === undefined) return only;
  throw new BrainError(
    'invalid_field',
    'Give exactly one of "append", "replace" {"old", "new"} and "section" {"heading", "content"}.',
    { field: another?.field.split('.')[0] ?? 'append' },
  );
}

/** A change of a body: what stands between two offsets becomes a text. The offsets are those of the body with LF for CRLF. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Returns the body with the change. All other text stays byte for byte. */
async function edited(brain: Pick<Brain, 'pace'>, raw: string, ask: Ask): Promise<string> {
  const body = withLineFeeds(raw);
  const { from, to, text } = await spliceOf(brain, body, ask);
  return raw.slice(0, rawOffset(raw, from)) + text + raw.slice(rawOffset(raw, to));
}

async function spliceOf(
  brain: Pick<Brain, 'pace'>,
  body: string,
  { append, replace, section }: Ask,
): Promise<Splice> {
  if (append !== undefined) return appending(body, withLineFeeds(append));
  if (replace !== undefined) return replacing(body, withLineFeeds(replace.old), withLineFeeds(replace.new));
  if (section === undefined) throw new Error('An edit says what it changes.');
  const { sections } = await inSlices(markdownSteps(body), brain.pace);
  return replacingSection(body, sections, section);
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n/g, '\n');
}

/** Returns where an offset of the text with LF for CRLF is in the text itself. */
function rawOffset(raw: string, at: number): number {
  let returns = 0;
  for (let next = raw.indexOf('\r\n'); next >= 0 && next - returns < at; next = raw.indexOf('\r\n', next + 2))
    returns += 1;
  return at + returns;
}

/** Matches the line of an item, and of a table row: the next of its kind comes right below it. */
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])/;
const ROW = /^[ \t]*\|/;

/** Adds a text at the end: as the next item or row of a list or table, otherwise as a paragraph of its own. */
function appending(body: string, text: string): Splice {
  const before = body.trimEnd();
  const last = before.slice(before.lastIndexOf('\n') + 1);
  const added = text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  const goesOn = [ITEM, ROW].some((kind) => kind.test(last) && kind.test(added));
  const gap = before === '' ? '' : goesOn ? '\n' : '\n\n';
  return { from: before.length, to: body.length, text: `${gap}${added}\n` };
}

function replacing(body: string, old: string, text: string): Splice {
  const from = body.indexOf(old);
  if (from < 0) throw notThere('"old" does not stand in the body', 'replace.old');
  if (body.includes(old, from + 1)) {
    let count = 0;
    for (let next = from; next >= 0 && count < MOST_COUNTED; next = body.indexOf(old, next + 1)) count += 1;
    throw notUnique('"old" stands', count, 'Send more of the text around it.', 'replace.old');
  }
  return { from, to: from + old.length, text };
}

/** Replaces what stands below a heading, which itself stays. A heading in a quote or an item is text of the section. */
function replacingSection(
  body: string,
  sections: readonly Section[],
  { heading, content }: NonNullable<Ask['section']>,
): Splice {
  const headings = sections.flatMap(({ kind, level, inList, from, to }) => {
    const start = lineStart(body, from);
    const isOwn = kind === 'heading' && !inList && /^ {0,3}(?:#{1,6}[ \t]*)?$/.test(body.slice(start, from));
    return isOwn ? [{ level, start, to, words: headingWords(body.slice(start, to)) }] : [];
  });
  const wanted = headingWords(heading);
  const found = headings.filter(({ words }) => words === wanted);
  const [only] = found;
  if (only === undefined) throw notThere('No heading has these words', 'section.heading');
  if (found.length > 1)
    throw notUnique('The heading stands', found.length, 'Use "replace" instead.', 'section.heading');
  const next = headings.find(({ start, level }) => start > only.start && level <= only.level);
  const text = withLineFeeds(content).trim();
  const from = body.slice(0, only.to).trimEnd().length;
  return { from, to: next?.start ?? body.length, text: `\n\n${text}\n${next === undefined ? '' : '\n'}` };
}

/** Returns where the line of an offset begins. A lone CR ends a line too. */
function lineStart(body: string, at: number): number {
  return Math.max(body.lastIndexOf('\n', at - 1), body.lastIndexOf('\r', at - 1)) + 1;
}

/** Returns the words of a heading, without the marks around them. */
function headingWords(text: string): string {
  const [line = ''] = text.trim().split(/[\n\r]/);
  const words = line.replace(/[ \t]+/g, ' ').trim();
  return words
    .replace(/^#{1,6} ?/, '')
    .replace(/(?:^| )#+$/, '')
    .trim()
    .toLowerCase();
}

function notThere(what: string, field: string): BrainError {
  return new BrainError(
    'not_there',
    `${what} as it is now. Read the note with ${called('note', 'a read')} and send the text exactly as it stands there.`,
    { field },
  );
}

function notUnique(what: string, count: number, help: string, field: string): BrainError {
  return new BrainError('not_unique', `${what} ${count} times, so it is not clear which is meant. ${help}`, {
    field,
    count,
  });
}
