import * as z from 'zod';
import { BrainError } from '../base/errors';
import { firstPoints } from '../base/text';
import { inertLine } from '../frontmatter/block';
import { linkTo } from '../links/references';
import { NOWHERE } from '../links/resolve';
import { parseMarkdown, within } from '../markdown/parse';
import { asCode, closeOpenBlocks } from '../markdown/repair';
import type { Range } from '../markdown/spans';
import { MAX_QUOTE, Quotable } from '../model/quotes';
import { checkContent, gateBody } from '../notes/content';
import { placeNote } from '../notes/write';
import { resolveInputPath } from '../notes/targets';
import type { Brain } from '../operation/context';
import { dryRunField, MAX_QUERY, MAX_TITLE, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { writeResultShape } from '../operation/shapes';
import { type VaultPath } from '../vocabulary/paths';
import { escapeMarks, keepTrueMarks } from './marks';
import { readNoteText } from '../search/note-text';
import { joined } from './passages';

const MAX_ANSWER = 64 * 1024;
const MAX_CITATIONS = 40;
/** The longest name of a model. */
const MAX_MODEL = 100;
/** The heading above the quotes. */
const QUOTES = '## Quotes';

const input = z.strictObject({
  query: z.string().max(MAX_QUERY).describe('The question'),
  answer: z.string().describe('The answer in Markdown'),
  citations: z
    .array(
      z.strictObject({
        n: z.number().int().min(1).max(9999).describe('The [n] of the answer'),
        path: pathField,
        quote: z.string().max(MAX_QUOTE).describe('Words of that note'),
      }),
    )
    .min(1)
    .max(MAX_CITATIONS),
  model: z.string().max(MAX_MODEL).optional().describe('The language model that answered'),
  dry_run: dryRunField,
});

/** An existing cited note, with the quoted words as they are in it. */
interface Source {
  readonly n: number;
  readonly path: VaultPath;
  readonly title: string;
  readonly quote: string;
}

/**
 * Adds an answer to the review queue as a note of type `answer`: the question as its title, the answer, and every quote with a
 * link to its note. Only what the notes support is filed: each cited note is read again, and marks without a citation are
 * removed. Fails with `note_not_found`, `path_not_allowed`, with `invalid_field` for a quote that its note lacks and for a
 * number of two notes, or as a write.
 */
export const fileAnswer = operation({
  name: 'file_answer',
  scope: 'propose',
  // Refusals reveal whether a note has a quote, and the filed note contains titles.
  besides: 'read',
  mutates: true,
  input,
  output: writeResultShape,
  async run(brain, { query, answer, citations, model, dry_run: dryRun }, caller, watch) {
    const question = query.replace(/\s+/g, ' ').trim();
    if (question === '') {
      throw new BrainError('empty_query', 'The question is empty. It becomes the title of the note.', {
        field: 'query',
      });
    }
    checkContent(answer, 'answer', MAX_ANSWER);
    const cited = new Set(citations.map(({ n }) => n));
    const text = keepTrueMarks(answer, (n) => cited.has(n));
    checkContent(text, 'answer', MAX_ANSWER);
    const sources = await checkedSources(brain, citations);
    const title = firstPoints(inertLine(question), MAX_TITLE);
    const content = await contentOf(brain, title, text, sources);
    return placeNote(
      brain,
      {
        content,
        options: { type: 'answer' },
        frontmatter: {
          title,
          sources: [...new Set(sources.map((source) => inertLine(linkOf(source))))],
          ...(model !== undefined && model.trim() !== '' && { answered_by: model.trim() }),
        },
        dryRun,
        signal: watch?.signal,
        forReview: true,
      },
      caller,
    );
  },
});

/**
 * Returns the content of the note. An unclosed construct in the answer, or one that the gate opens, must not swallow the quotes
 * and their links.
 */
async function contentOf(
  brain: Brain,
  title: string,
  answer: string,
  sources: readonly Source[],
): Promise<string> {
  const quotes = sources.map((source) => {
    const quoted = escapeMarks(source.quote)
      .split(/\r?\n/)
      .map((line) => `> ${line}`.trimEnd());
    return `[${source.n}] ${linkOf(source)}\n\n${closeOpenBlocks(quoted.join('\n'))}`;
  });
  const around = (shown: string) =>
    `${closeOpenBlocks(`# ${title}`)}\n\n${shown}\n\n${QUOTES}\n\n${quotes.join('\n\n')}\n`;
  const content = around(closeOpenBlocks(answer.trim()));
  const { body } = await gateBody(brain, {
    body: content,
    from: NOWHERE,
    mode: 'full',
  });
  return showsQuotes(body, sources.length) ? content : around(asCode(answer.trim()));
}

/** Returns true when the heading of the quotes is parsed as a heading, and `count` lines below it that name a note as text. */
function showsQuotes(content: string, count: number): boolean {
  const heading = content.lastIndexOf(`\n${QUOTES}\n`) + 1;
  const { sections, quiet } = parseMarkdown(content);
  const kinds = new Map(sections.map(({ from, kind }) => [from, kind]));
  const names = Array.from(content.slice(heading).matchAll(/^\[\d+\] /gm), ({ index }) => heading + index);
  return (
    kinds.get(heading) === 'heading' &&
    names.length === count &&
    names.every((at) => kinds.get(at) === 'prose') &&
    ![heading, ...names].some(within(quiet))
  );
}

/** Returns a link to the note; its path when that cannot be linked. */
function linkOf({ path, title }: Pick<Source, 'path' | 'title'>): string {
  return linkTo(path, title) ?? path;
}

/** A cited note, read once for all of its quotes. */
interface Cited {
  readonly path: VaultPath;
  readonly title: string;
  readonly body: string;
  /** The pieces that a reader sees. */
  readonly pieces: readonly Range[];
  /** Adjacent pieces joined, ready for searching. */
  readonly parts: readonly (Range & { readonly text: Quotable })[];
}

async function checkedSources(
  brain: Brain,
  citations: z.output<typeof input>['citations'],
): Promise<Source[]> {
  const read = new Map<string, Cited>();
  const pathOf = new Map<number, VaultPath>();
  const sources: Source[] = [];
  for (const [index, { n, path: given, quote }] of citations.entries()) {
    const note = read.get(given) ?? (await readCited(brain, given));
    read.set(given, note);
    const other = pathOf.get(n) ?? note.path;
    pathOf.set(n, other);
    if (other !== note.path) {
      throw new BrainError(
        'invalid_field',
        `"citations.${index}.n" is ${n}, the number of ${other}. Give each cited note a number of its own.`,
        { field: `citations.${index}.n`, path: note.path },
      );
    }
    const place = placeOf(note, quote);
    if (place === null) {
      throw new BrainError(
        'invalid_field',
        `"citations.${index}.quote" does not stand in ${note.path}, which may have changed. Ask the question again.`,
        { field: `citations.${index}.quote`, path: note.path },
      );
    }
    const { path, title, body } = note;
    sources.push({ n, path, title, quote: body.slice(place.from, place.to) });
  }
  return sources;
}

/** Returns the range of a quote in a note: visible words, or whole paragraphs of any length. */
function placeOf({ body, pieces, parts }: Cited, quote: string): Range | null {
  for (const { from, to, text } of parts) {
    const found = text.find(quote);
    if (found !== null) return { from: from + found.from, to: from + found.to };
    const own = pieces.filter((piece) => from <= piece.from && piece.to <= to);
    for (const form of new Set([quote, quote.normalize('NFC'), quote.normalize('NFD')])) {
      const first = own.find(
        (piece) =>
          body.startsWith(form, piece.from) && own.some((last) => last.to === piece.from + form.length),
      );
      if (first !== undefined) return { from: first.from, to: first.from + form.length };
    }
  }
  return null;
}

async function readCited(brain: Brain, given: string): Promise<Cited> {
  const path = resolveInputPath(brain, given);
  const status = brain.catalog.statusOf(path);
  if (status !== 'wiki' && status !== 'knowledge' && status !== 'vault') {
    const message =
      "Only notes in wiki/ and knowledge/ and the owner's notes can be cited: the others are not reviewed.";
    throw new BrainError('path_not_allowed', message, { path });
  }
  const title = brain.catalog.record(path)?.title;
  const note = title === undefined ? null : await readNoteText(brain, path);
  if (title === undefined || note === null) {
    const message = `There is no note at ${path} that could be cited. Ask the question again.`;
    throw new BrainError('note_not_found', message, { path });
  }
  const { body, heading } = note;
  // The title is quoted from its heading.
  const pieces = heading === null ? note.pieces : [heading, ...note.pieces];
  const parts = joined(body, pieces).map(({ from, to }) => ({
    from,
    to,
    text: new Quotable(body.slice(from, to)),
  }));
  return { path, title, body, pieces, parts };
}
