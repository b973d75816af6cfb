import * as z from 'zod';
import { BrainError, called } from '../base/errors';
import { inSlices, LONG_TEXT } from '../base/steps';
import type { ParsedNote } from '../frontmatter/parse';
import { withoutEscapes } from '../gate/escapes';
import { markdownSteps } from '../markdown/parse';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, pathField, reasonField } from '../operation/fields';
import { operation } from '../operation/operation';
import type { VaultPath } from '../vocabulary/paths';
import { checkContent } from './content';
import { readPath } from './targets';
import { superseded, supersede } from './update';

const replaceField = z.strictObject({
  old: z.string().min(1).describe('Text that stands exactly once in the body'),
  new: z.string().describe('What stands there instead'),
});
const sectionField = z.strictObject({
  heading: z.string().min(1).describe('Words of a heading that stands exactly once'),
  content: z.string().describe('What stands below it instead, up to the next heading of its level or above'),
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

/**
 * Changes a part of a note and supersedes it as `updateNote` does: adds at the end, replaces a text that stands exactly once, or
 * what stands below a heading. Fails as `updateNote`, or with `not_there` for a text or heading that the body lacks, and with
 * `not_unique` and the count for one that it has several times; nothing has changed then.
 */
export const editNote = operation({
  name: 'edit',
  scope: 'write',
  // Its errors tell what stands in a note.
  besides: 'read',
  mutates: true,
  input,
  output: superseded,
  async run(brain, ask, caller, watch) {
    const { replace, reason, expected_hash: expected, dry_run: dryRun } = ask;
    const { text, field } = givenText(ask);
    if (field !== 'replace.new') checkContent(text, field);
    const path = await readPath(brain, { path: ask.path });
    return supersede(brain, caller, watch, {
      path,
      async content(old) {
        // Text that is not touched stays as it is stored. An agent has read some of it without the gate's escapes.
        const isStored =
          caller.human ||
          replace === undefined ||
          withLineFeeds(old.body).includes(withLineFeeds(replace.old));
        const edited = await edit(brain, isStored ? old.body : shownBody(path, old), ask);
        checkContent(edited);
        return edited;
      },
      ...{ reason, expected, dryRun },
      isLong: text.length >= LONG_TEXT,
      isPart: true,
    });
  },
});

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

/** Returns the body as agents read it. */
function shownBody(path: VaultPath, { frontmatter, body }: ParsedNote): string {
  return withoutEscapes({ path, frontmatter }, body);
}

/** Returns the body with the change, its line ends as LF where they matter: a write restores those of the note. */
async function edit(
  brain: Pick<Brain, 'pace'>,
  shown: string,
  { append, replace, section }: Ask,
): Promise<string> {
  const body = withLineFeeds(shown);
  if (append !== undefined) return appended(body, withLineFeeds(append));
  if (replace !== undefined) return replaced(body, withLineFeeds(replace.old), withLineFeeds(replace.new));
  if (section !== undefined) return withSection(brain, body, section);
  return body;
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n/g, '\n');
}

/** Matches the line of an item or a table row, which goes on with another one right below it. */
const GOES_ON = /^[ \t]*(?:[-*+]|\d{1,9}[.)]|\|)/;

/** Adds a text at the end: as the next item or row of a list or table, otherwise as a paragraph of its own. */
function appended(body: string, text: string): string {
  const before = body.trimEnd();
  const last = before.slice(before.lastIndexOf('\n') + 1);
  const added = text.replace(/^\s*\n/, '').trimEnd();
  const gap = before === '' ? '' : GOES_ON.test(last) && GOES_ON.test(added) ? '\n' : '\n\n';
  return `${before}${gap}${added}\n`;
}

function replaced(body: string, old: string, text: string): string {
  const at = body.indexOf(old);
  if (at < 0) throw notThere('"old" does not stand in the body', 'replace.old');
  let count = 0;
  for (let next = at; next >= 0; next = body.indexOf(old, next + old.length)) count += 1;
  if (count > 1) throw notUnique('"old" stands', count, 'Send more of the text around it.', 'replace.old');
  return body.slice(0, at) + text + body.slice(at + old.length);
}

/** Replaces what stands below a heading, which itself stays. */
async function withSection(
  brain: Pick<Brain, 'pace'>,
  body: string,
  { heading, content }: NonNullable<Ask['section']>,
): Promise<string> {
  const { sections } = await inSlices(markdownSteps(body), brain.pace);
  const headings = sections.filter(({ kind }) => kind === 'heading');
  const wanted = headingWords(heading);
  const found = headings.filter(({ from, to }) => headingWords(body.slice(from, to)) === wanted);
  const [only] = found;
  if (only === undefined) throw notThere('No heading has these words', 'section.heading');
  if (found.length > 1)
    throw notUnique('The heading stands', found.length, 'Use "replace" instead.', 'section.heading');
  const next = headings.find(({ from, level }) => from > only.from && level <= only.level);
  const below = body.slice(0, only.to).trimEnd();
  const rest = next === undefined ? '' : `\n${body.slice(body.lastIndexOf('\n', next.from) + 1)}`;
  return `${below}\n\n${withLineFeeds(content).trim()}\n${rest}`;
}

/** Returns the words of a heading, without the marks around them. */
function headingWords(line: string): string {
  return line
    .replace(/\n[ \t]*[=-]+\s*$/, '')
    .replace(/^[\s>]*#{0,6}\s*/, '')
    .replace(/\s+#*\s*$/, '')
    .replace(/\s+/g, ' ')
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
