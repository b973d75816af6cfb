import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { MAX_TITLE } from '../fields';
import { checkContent } from '../notes/content';
import { wingFolder } from '../notes/target';
import type { Wing } from '../rules/address';
import { oneLine } from '../rules/frontmatter/scalars';
import { type OpenedContent, openContent } from '../rules/frontmatter/open-content';
import { type Hall, isHall } from '../rules/hall';
import { sha256, type Sha } from '../rules/hash';
import { factSteps, type MarkdownFacts } from '../rules/markdown';
import { fileStem, slugify } from '../rules/slug';
import { firstPoints } from '../rules/text';
import type { Steps } from '../steps';
import type { ExtractedPage, RawPage } from './raw-page';

/** How a page came to be, as its front matter says it. */
export type ExtractedBy = 'llm' | 'passthrough' | 'structured';

/** What all pages of a batch share. */
export interface BatchTerms {
  readonly wing: Wing | undefined;
  readonly hall: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  readonly by: ExtractedBy;
  /** Name of the model that made the pages. */
  readonly model: string | undefined;
  /** Hash of the original; null when there is none. */
  readonly sourceHash: Sha | null;
}

/** A page on its way, validated by itself. */
export interface BatchPage {
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly title: string;
  readonly page: RawPage & Partial<Pick<ExtractedPage, 'page' | 'unverified' | 'verbatim'>>;
  /** Its content; the body has a heading of the first level. */
  readonly opened: OpenedContent;
  /** Of that body. */
  readonly facts: MarkdownFacts;
  /** Where it belongs: its address in the wiki, or what is suggested to the reviewer, which may be half of one. */
  readonly wing: Wing | undefined;
  readonly hall: Hall | undefined;
  /** True when it waits for review. */
  readonly queued: boolean;
  readonly stem: string;
  /** True for a name that the caller chose: it is kept or refused, never numbered in the wiki. */
  readonly named: boolean;
  readonly warnings: readonly string[];
}

/**
 * Validates a page and settles what it is called and where it belongs.
 * @throws BrainError the code of what is wrong with it.
 */
export function* batchPage(
  brain: Pick<Brain, 'catalog'>,
  page: BatchPage['page'],
  index: number,
  terms: BatchTerms,
): Steps<BatchPage> {
  const title = firstPoints(oneLine(page.title), MAX_TITLE);
  checkContent(page.content);
  const opened = openContent(page.content);
  const warnings: string[] = [];
  const { wing, hall } = placeOf(brain, page, opened, terms, warnings);
  const addressed = wing !== undefined && hall !== undefined;
  if (terms.destination === 'wiki' && !addressed) {
    const missing = [wing === undefined ? 'wing' : '', hall === undefined ? 'hall' : ''].filter(Boolean);
    warnings.push(`Without a ${missing.join(' and a ')} it cannot stand in the wiki: it waits for review.`);
  }
  if (page.unverified === true) {
    warnings.push('Unverified evidence: none of the quotes that were to bear it out stands in the source.');
  }
  const { slug } = page;
  return {
    index,
    title,
    page,
    ...(yield* withHeading(opened, title)),
    wing,
    hall,
    queued: terms.destination === 'raw' || !addressed,
    stem: slug === undefined ? slugify(title, sha256(page.content)) : fileStem(slug, 'invalid_slug'),
    named: slug !== undefined,
    warnings,
  };
}

function* withHeading(opened: OpenedContent, title: string): Steps<Pick<BatchPage, 'opened' | 'facts'>> {
  const facts = yield* factSteps(opened.body);
  if (facts.h1 !== null) return { opened, facts };
  const body = `# ${title}\n\n${opened.body.replace(/^\s*\n/, '')}`;
  return { opened: { ...opened, body }, facts: yield* factSteps(body) };
}

/**
 * Where a page belongs. Pages that a caller has structured know best; of others, what the caller says comes before what
 * the text says of itself, and that before what was only guessed.
 */
function placeOf(
  brain: Pick<Brain, 'catalog'>,
  page: BatchPage['page'],
  { frontmatter: own }: OpenedContent,
  { by, wing, hall }: BatchTerms,
  warnings: string[],
): { wing: Wing | undefined; hall: Hall | undefined } {
  const wingOf = (name: unknown): Wing | undefined =>
    typeof name === 'string' && name.trim() !== '' ? wingOrNone(brain, name, warnings) : undefined;
  const hallOf = (name: unknown): Hall | undefined => (isHall(name) ? name : undefined);
  if (by !== 'structured') {
    return {
      wing: wing ?? wingOf(own.wing) ?? wingOf(page.wing),
      hall: hall ?? hallOf(own.hall) ?? hallOf(page.hall),
    };
  }
  const given = page.wing === undefined ? undefined : wingFolder(brain, page.wing);
  return {
    wing: given ?? wing ?? wingOf(own.wing),
    hall: hallOf(page.hall) ?? hall ?? hallOf(own.hall),
  };
}

function wingOrNone(brain: Pick<Brain, 'catalog'>, name: string, warnings: string[]): Wing | undefined {
  try {
    return wingFolder(brain, name);
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_wing') throw error;
    warnings.push('The wing that the text names cannot be used and was left out.');
    return undefined;
  }
}
