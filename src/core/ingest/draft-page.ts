import { BrainError } from '../errors';
import { sanitiseWing } from '../rules/address';
import { openingOf } from '../rules/frontmatter/block';
import { inertLine } from '../rules/frontmatter/inert';
import { oneLine } from '../rules/frontmatter/scalars';
import { withoutBom } from '../rules/frontmatter/split';
import type { Hall } from '../rules/hall';
import { markdownFacts } from '../rules/markdown';
import { fold } from '../rules/paths';
import { firstPoints, isBlank, withoutNul } from '../rules/text';
import { finish } from '../steps';
import { closedFence, firstBlocks } from './blocks';
import type { PageStart } from './document';
import { pageAt } from './evidence';
import { type ModelPage, PAGE_LIMITS } from './extract-prompt';
import type { ExtractedPage } from './raw-page';

/** More of a kind are not looked at. */
const MANY = 50;

/** A page of a model's reply, within its limits and rid of everything that is no text of a page. */
export interface DraftPage {
  readonly title: string;
  readonly wing: string | undefined;
  readonly hall: Hall;
  readonly summary: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** Titles of other pages. */
  readonly links: readonly string[];
  readonly halfLife: ModelPage['half_life'];
  readonly applies: ModelPage['applies'];
  /** Where the first of its quotes stands in the document, as an offset; null when none of them does. */
  readonly at: number | null;
}

/**
 * What is kept of a page that a model made; null when nothing is in it. A document may have steered the model, so all that a
 * page can bring along is its own text and the values that the schema has.
 * @param at where the first of its quotes stands in the document, or null
 */
export function draftPage(page: ModelPage, at: number | null): DraftPage | null {
  const whole = bodyAlone(page.body) || oneLine(page.summary);
  const title = plainLine(page.title, PAGE_LIMITS.title) || titleFrom(whole);
  if (title === '') return null;
  const body = withoutTitle(whole, title);
  return {
    title,
    wing: wingOrNone(page.wing),
    hall: page.hall,
    summary: plainLine(page.summary, PAGE_LIMITS.summary),
    body: finish(closedFence(firstBlocks(body, PAGE_LIMITS.body))),
    tags: distinct(page.tags.slice(0, MANY).map(tagOf)).slice(0, PAGE_LIMITS.tags),
    links: distinct(page.links.slice(0, MANY).map(linkTitle)).slice(0, PAGE_LIMITS.links),
    halfLife: page.half_life,
    applies: page.applies,
    at,
  };
}

/**
 * The page as the pipeline takes it. Its content begins with its title, so that nothing in it can pass for front matter, and
 * ends with a line of links, of which the gate leaves those that lead somewhere.
 */
export function extractedPage(draft: DraftPage, pages: readonly PageStart[] | undefined): ExtractedPage {
  const { title, wing, hall, summary, body, tags, links, halfLife, applies, at } = draft;
  const others = links.filter((link) => fold(link) !== fold(title) && !body.includes(`[[${link}`));
  const related = others.length === 0 ? [] : [`Related: ${others.map((link) => `[[${link}]]`).join(', ')}`];
  const isClaim = halfLife !== '' || applies !== '';
  return {
    title,
    content: `${[`# ${title}`, body, ...related].filter((part) => part !== '').join('\n\n')}\n`,
    ...(wing !== undefined && { wing }),
    hall,
    ...(summary !== '' && { summary }),
    ...(tags.length > 0 && { tags }),
    ...(halfLife !== '' && { half_life: halfLife }),
    ...(applies !== '' && { applies }),
    ...(isClaim && { claim_provenance: at === null ? 'inferred' : 'asserted' }),
    page: at === null ? undefined : pageAt(pages, at),
    unverified: at === null,
  };
}

/** The body without the front matter that a model put before it: what it may say there, it says in the other fields. */
function bodyAlone(body: string): string {
  let rest = withoutBom(body);
  for (let opening = openingOf(rest); opening.kind === 'front matter'; opening = openingOf(rest)) {
    if (opening.block.entries.length === 0) break;
    rest = opening.split.body;
  }
  const text = withoutNul(rest).trim();
  return isBlank(text) ? '' : text;
}

function withoutTitle(body: string, title: string): string {
  const [line = '', heading = ''] = /^#[ \t]+([^\n]*)\n*/.exec(body) ?? [];
  return fold(plainLine(heading, PAGE_LIMITS.title)) === fold(title) ? body.slice(line.length) : body;
}

/** Words of the body that may stand for a title. */
const TITLE_POINTS = 60;

function titleFrom(body: string): string {
  const { headings, plain } = markdownFacts(firstPoints(body, PAGE_LIMITS.body));
  return plainLine(headings[0]?.text || firstPoints(plain, TITLE_POINTS), PAGE_LIMITS.title);
}

/** A value for front matter and headings: one line, at most `max` code points. */
function plainLine(text: string, max: number): string {
  const line = inertLine(text.slice(0, 4 * max)).replace(/\s+/g, ' ');
  const cut = firstPoints(line, max).trim();
  return isBlank(cut) ? '' : cut;
}

function wingOrNone(name: string): string | undefined {
  try {
    return name.trim() === '' ? undefined : sanitiseWing(name);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_wing') return undefined;
    throw error;
  }
}

const MAX_TAG = 50;

/** A tag as Obsidian reads it; '' when none can be made of the text. */
function tagOf(text: string): string {
  const tag = plainLine(text, MAX_TAG)
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{M}\p{N}_/-]/gu, '')
    .replace(/^[-/]+|[-/]+$/g, '');
  return /[^\d/_-]/.test(tag) ? tag : '';
}

/** A title that can stand in a link. */
function linkTitle(text: string): string {
  return plainLine(text.replace(/[[\]|#^\\]+/g, ' '), PAGE_LIMITS.title);
}

/** Without empty ones, and of those that look the same the first. */
function distinct(texts: readonly string[]): string[] {
  const seen = new Set<string>(['']);
  return texts.filter((text) => !seen.has(fold(text)) && seen.add(fold(text)));
}
