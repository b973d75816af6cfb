import { BrainError } from '../base/errors';
import { utf8Length } from '../base/hash';
import { apart, type Steps } from '../base/steps';
import { isBlank } from '../base/text';
import { type Block, bodyOf, openingOf, templateIn } from '../frontmatter/block';
import { openContent, SOURCE_TYPES } from '../frontmatter/compose';
import { languageFence } from '../frontmatter/split';
import { oneLine, type Values } from '../frontmatter/yaml';
import { noteTitle, wordsOfName } from '../links/title';
import { FACTS } from '../markdown/facts';
import { fenceAround } from '../markdown/fence';
import type { Range } from '../markdown/spans';
import { MAX_CONTENT } from '../operation/fields';
import { envelopeProblem } from '../vocabulary/envelope';
import { stemOf } from '../vocabulary/paths';
import { cutSteps } from './chunks';
import { pageAt } from './evidence';
import type { ExtractedPage } from './page';
import type { SourceText } from './source';

/** The most bytes of text on one page: the limit of a note, with room for the title and for links to attachments. */
const MAX_BYTES = MAX_CONTENT - 32 * 1024;
/** The part of a text that is searched for a title, in UTF-16 units: titles are at the beginning. */
const TITLE_REACH = 64 * 1024;

/** The whole text of a document on one page, or on several when it is longer than a note may be. */
export interface VerbatimPages {
  readonly pages: readonly ExtractedPage[];
  readonly warnings: readonly string[];
}

/**
 * Returns the unchanged text, for a person to make pages of: used without a language model, or when it fails. Front matter of
 * the document stays front matter when a note may have it, and becomes text otherwise. Nothing is left out.
 */
export function* ingestVerbatim(source: SourceText): Steps<VerbatimPages> {
  const { markdown, pages } = source.text;
  const title = yield* titleOfSource(source);
  const parts = yield* partsOf(markdown);
  const isUsable = ownFrontMatter(markdown) !== null;
  const made = parts.map((range, index): ExtractedPage => {
    const which = `${index + 1} of ${parts.length}`;
    const part = passPart(source, range, which, parts.length === 1 ? title : `${title} (${which})`);
    const content = index === 0 && isUsable ? markdown.slice(0, range.to) : part.content;
    if (parts.length > 1) return { ...part, content };
    return { title, content, hall: 'sources', page: pageAt(pages, 0), verbatim: 'whole', unverified: false };
  });
  const warnings = isUsable
    ? []
    : ['The document begins with front matter that a note cannot have; it stands in the text instead.'];
  return { pages: made, warnings };
}

/** The front matter key for the part of its document that a page has. */
export const PART_KEY = 'extracted_part';

/** Returns a part of a document unchanged. `which` names the part, such as `3 of 7`. */
export function passPart(
  { text }: SourceText,
  { from, to }: Range,
  which: string,
  title: string,
): ExtractedPage {
  return {
    title,
    content: asBody(text.markdown.slice(from, to), title),
    hall: 'sources',
    frontmatter: { [PART_KEY]: which },
    page: pageAt(text.pages, from),
    verbatim: 'part',
    unverified: false,
  };
}

/** Returns the title of a document: the sender's, else its own, else its file name. */
export function* titleOfSource({ text, title, name }: SourceText): Steps<string> {
  const beginning = text.markdown.slice(0, TITLE_REACH);
  const own = ownFrontMatter(beginning)?.title;
  const given = [title, text.title, own].find((each) => typeof each === 'string' && !isBlank(each));
  const { h1 } = yield* apart(FACTS, bodyOf(beginning));
  const found = noteTitle({ title: given }, h1) ?? wordsOfName(stemOf(name));
  return isBlank(oneLine(found)) ? NAMELESS : found;
}

/** The title of a document without a visible one: a page without a title would be skipped. */
const NAMELESS = 'Untitled';

/** Matches the usual form of a property name: one word that does not begin like a sentence or a line of a letterhead. */
const PROPERTY = /^(?:<<|[\p{Ll}\p{Lo}_][\p{L}\p{M}\p{N}_-]*)$/u;

/** Matches a property name that begins with a capital, but none of a letterhead. */
const CAPITAL = /^(?!(?:From|To|Cc|Re|Subject)$)[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u;

/**
 * Returns true when a block at the head of a document has properties, and is no letterhead between two rules ("Dear Sir: …").
 */
function isMeant({ entries, unreadable }: Block): boolean {
  if (unreadable !== null) return false;
  const keys = entries.map(({ key }) => key);
  return keys.some((key) => PROPERTY.test(key)) || keys.every((key) => CAPITAL.test(key));
}

/** Returns the document's own front matter; null when a note cannot have it. */
function ownFrontMatter(markdown: string): Values | null {
  try {
    const { frontmatter, block } = openContent(markdown);
    if (!isMeant(block)) return null;
    // A template plug-in would run it, and unseen content of a document must never run.
    if (templateIn(block) !== null) return null;
    const types: readonly unknown[] = [...SOURCE_TYPES, undefined, null, ''];
    return envelopeProblem(frontmatter) === null && types.includes(frontmatter.source_type)
      ? frontmatter
      : null;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}

/** Returns a text as a body that no reader takes for front matter; what looks like it becomes code. */
function asBody(text: string, title: string): string {
  const opening = openingOf(text);
  if (opening.kind !== 'front matter' || opening.block.entries.length === 0 || !isMeant(opening.block)) {
    return opening.kind === 'none' && languageFence(text) === null ? text : `# ${title}\n\n${text}`;
  }
  const { split } = opening;
  const mark = fenceAround(split.block);
  return `# ${title}\n\n${mark}yaml\n${split.block}${mark}\n\n${split.body}`;
}

function* partsOf(text: string): Steps<Range[]> {
  const parts: Range[] = [];
  for (let from = 0; ;) {
    yield;
    // A character has at least as many bytes as UTF-16 units, so the text after these belongs to another part.
    const most = text.slice(from, from + MAX_BYTES + 1);
    if (utf8Length(most) <= MAX_BYTES) return [...parts, { from, to: text.length }];
    const { read: fits } = new TextEncoder().encodeInto(most, new Uint8Array(MAX_BYTES));
    const to = yield* cutSteps(text, from, from + fits);
    parts.push({ from, to });
    from = to;
  }
}
