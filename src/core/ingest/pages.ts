import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import type { Sha } from '../base/hash';
import { apart, inSlices, type Steps } from '../base/steps';
import { firstPoints, isBlank } from '../base/text';
import { timestamp } from '../base/time';
import { extractPages } from '../extraction/extract';
import type { ExtractedPage, RawPage } from '../extraction/page';
import { holdsTemplate, inertLine, inertWarnings, templateInField, visibleValue } from '../frontmatter/block';
import {
  type Composed,
  composeWrite,
  openContent,
  type OpenedContent,
  type OwnedValue,
  setKeys,
} from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { oneLine } from '../frontmatter/yaml';
import type { Gated } from '../gate/gate';
import { newReferences } from '../links/references';
import { FACTS, type MarkdownFacts } from '../markdown/facts';
import { checkContent } from '../notes/content';
import { type Placing, wingFolder } from '../notes/targets';
import { type SafeProperties, safePropertiesSteps } from '../notes/properties';
import type { Brain } from '../operation/context';
import { MAX_TITLE } from '../operation/fields';
import { invalidPages, type PageProblem } from '../operation/input';
import { hashForName, mayWrite } from '../operation/limits';
import type { SentText } from '../operation/sent';
import { listOf } from '../sources/source-references';
import { fileStem, type Hall, isHall, notePath, slugify, type Wing } from '../vocabulary/address';
import { stampOf } from '../vocabulary/envelope';
import { withoutNotionId } from './dialect-notion';
import type { IngestRequest, Prepared } from './request';

/** The value of `extracted_by`: how a page was made. */
type ExtractedBy = 'llm' | 'passthrough' | 'structured';

/** The values that all pages of a batch share. */
export interface BatchTerms {
  readonly wing: Wing | undefined;
  readonly hall: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  readonly by: ExtractedBy;
  /** The name of the model that made the pages. */
  readonly model: string | undefined;
  /** The hash of the original; null when there is none. */
  readonly sourceHash: Sha | null;
}

/** A validated page of a batch. */
export interface BatchPage {
  /** The position in the batch, from 0. */
  readonly index: number;
  readonly title: string;
  /** The page. What would act in fields that become properties, also in its title, is text. */
  readonly page: RawPage & Partial<Pick<ExtractedPage, 'page' | 'unverified' | 'verbatim'>>;
  /** The page as it was sent, and what was made harmless in its properties. */
  readonly sent: SentText & Pick<SafeProperties<unknown>, 'refs'>;
  /** The content. Its body has a heading of the first level. */
  readonly opened: OpenedContent;
  /** The facts of that body. */
  readonly facts: MarkdownFacts;
  /** The address in the wiki, or a suggestion for the reviewer, which may be incomplete. */
  readonly wing: Wing | undefined;
  readonly hall: Hall | undefined;
  /** True when the page goes to the review queue. */
  readonly queued: boolean;
  readonly stem: string;
  /** True for a name that the caller supplied: in the wiki it gets no number, and a conflict is an error. */
  readonly named: boolean;
  readonly warnings: readonly string[];
}

/**
 * Validates a page and determines its name and address.
 * @throws BrainError the first fault of the page
 */
export function* batchPage(
  brain: Pick<Brain, 'catalog' | 'vault' | 'whole' | 'limits' | 'config'>,
  sent: BatchPage['page'],
  index: number,
  terms: BatchTerms,
): Steps<BatchPage> {
  const title = firstPoints(oneLine(sent.title), MAX_TITLE);
  checkContent(sent.content);
  const { tags, aliases, summary, source, type, domain } = sent;
  const said = { title, tags, aliases, summary, source, type, domain };
  const safe = yield* safePropertiesSteps(brain, openContent(sent.content), sent.frontmatter, {}, said);
  const { opened, frontmatter } = safe;
  const page = { ...sent, ...safe.fields, ...(frontmatter !== undefined && { frontmatter }) };
  const warnings = [...safe.warnings];
  const { wing, hall } = placeOf(brain, page, opened, terms, warnings);
  const isWhole = wing !== undefined && hall !== undefined;
  const addressed = isWhole && mayWrite(brain, notePath({ wing, hall, slug: 'x' }));
  if (terms.destination === 'wiki' && isWhole && !addressed) {
    warnings.push(`This token may not write to wiki/${wing}/${hall}/: the page waits for review.`);
  } else if (terms.destination === 'wiki' && !addressed) {
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
    sent: { text: sent.content, fields: { ...sent.frontmatter, ...said }, refs: safe.refs },
    ...(yield* withHeading(opened, title)),
    wing,
    hall,
    queued: terms.destination === 'raw' || !addressed,
    stem:
      slug === undefined ? slugify(title, hashForName(brain, page.content)) : fileStem(slug, 'invalid_slug'),
    named: slug !== undefined,
    warnings,
  };
}

function* withHeading(opened: OpenedContent, title: string): Steps<Pick<BatchPage, 'opened' | 'facts'>> {
  const facts = yield* apart(FACTS, opened.body);
  if (facts.title !== null) return { opened, facts };
  const body = `# ${title}\n\n${opened.body.replace(/^\s*\n/, '')}`;
  return { opened: { ...opened, body }, facts: yield* apart(FACTS, body) };
}

/**
 * Returns the address of a page. A structured page has its own first. For other pages, the call comes before the text, and the
 * text before a guess of the model.
 */
function placeOf(
  brain: Placing,
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

function wingOrNone(brain: Placing, name: string, warnings: string[]): Wing | undefined {
  try {
    return wingFolder(brain, name);
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_wing') throw error;
    warnings.push('The wing that the text names cannot be used and was left out.');
    return undefined;
  }
}

/** The source of a page, for its front matter. */
export interface PageSource {
  /** Elements of `sources`, in order. */
  readonly references: readonly string[];
  /** The name of the source, when it is no reference. */
  readonly name: string | null;
  /** True when the page comes from a file or from the web. */
  readonly external: boolean;
}

/**
 * Composes the text of a page: front matter with stamps, references and the facts of the pipeline, then the gated body.
 * @throws BrainError as `composeWrite`
 */
export function composePage(
  brain: Pick<Brain, 'clock' | 'catalog'>,
  { page: batchPage, gated }: { readonly page: BatchPage; readonly gated: Pick<Gated, 'body'> },
  terms: BatchTerms,
  source: PageSource,
  caller: Caller,
): Composed {
  const { page, opened, wing, hall } = batchPage;
  const by = extractedBy(batchPage, terms);
  const fields = { tags: page.tags, aliases: page.aliases, summary: page.summary, source: page.source };
  if (by === 'structured') {
    // A caller can correct a structured page; a document is accepted whatever it contains.
    const live = Object.entries(fields).find(([, value]) => holdsTemplate(visibleValue(value)));
    if (live !== undefined) throw templateInField(live[0]);
  }
  const composed = composeWrite(opened, gated.body, {
    address: wing === undefined && hall === undefined ? null : { wing, hall },
    created_at: timestamp(brain.clock.now()),
    ...stampOf(caller, by === 'structured' ? undefined : by === 'llm' ? (terms.model ?? by) : by),
    options: {
      type: page.type,
      domain: page.domain,
      source_type: page.source_type ?? (source.external ? 'external' : undefined),
      half_life: page.half_life,
      applies: page.applies,
      claim_provenance: page.claim_provenance,
    },
    frontmatter: page.frontmatter,
  });
  const { frontmatter: own } = parseNote(composed.text);
  const { text, warnings } = setKeys(composed.text, addedProperties(brain, batchPage, terms, source, own));
  const words = { title: batchPage.title, ...fields, source: [source.name ?? '', ...source.references] };
  const inert = Object.entries(words).flatMap(([key, value = []]) =>
    [value].flat().flatMap((each) => inertWarnings(`"${key}"`, each)),
  );
  return { text, warnings: [...composed.warnings, ...new Set(inert), ...warnings] };
}

/** Returns the properties that a page gets from its source and from the pipeline, in addition to its own. */
function addedProperties(
  { catalog }: Pick<Brain, 'catalog'>,
  batchPage: BatchPage,
  terms: BatchTerms,
  { name, references }: PageSource,
  own: Readonly<Record<string, unknown>>,
): Record<string, OwnedValue> {
  const { page } = batchPage;
  const existing = listOf(own.sources);
  const sources = [...existing, ...newReferences(existing, references, catalog)];
  const aliases = union(listOf(own.aliases), [page.title, ...(page.aliases ?? [])].map(inertLine));
  // People also write several tags in one text.
  const given = listOf(own.tags).flatMap((text) => text.split(/[\s,]+/).map(tagOf));
  const tags = union(given, (page.tags ?? []).map(tagOf));
  const summary = inertLine(page.summary ?? '');
  return {
    aliases,
    // The tags of the text keep their notation when there are none to add.
    ...(page.tags !== undefined && tags.length > 0 && { tags }),
    ...(summary !== '' && isUnset(own.description) && { description: summary }),
    ...(name !== null && isUnset(own.source) && { source: inertLine(name) }),
    ...(sources.length > 0 && { sources }),
    ...(terms.sourceHash !== null && { source_hash: terms.sourceHash }),
    extracted_by: extractedBy(batchPage, terms),
    ...(page.unverified === true && { evidence: 'unverified' }),
  };
}

/** Returns how a page was made: one with the unchanged text is `passthrough`, also when a model made the others. */
function extractedBy({ page }: BatchPage, { by }: BatchTerms): ExtractedBy {
  return by === 'llm' && page.verbatim !== undefined ? 'passthrough' : by;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns a tag in the form of a property list: without number sign and spaces. */
function tagOf(text: string): string {
  return inertLine(text).replace(/^#+/, '').replace(/\s+/g, '-');
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other].filter((item) => item !== ''))];
}

/** The validated pages of a source; none exists in the vault yet. */
export interface MadePages {
  readonly terms: BatchTerms;
  readonly pages: readonly BatchPage[];
  /** Titles of pages with an empty title, as given, by position. */
  readonly skipped: ReadonlyMap<number, string>;
  readonly warnings: readonly string[];
  /** The faults of given pages, which are not among `pages`. The batch is refused once all faults are known. */
  readonly problems: readonly PageProblem[];
}

/**
 * Makes the pages of a source: validates given ones, or reads the text and extracts pages from it.
 * @throws BrainError a fault of an extracted page, or the error of reading and extracting
 */
export async function makePages(
  brain: Brain,
  request: IngestRequest,
  {
    blind,
    ...place
  }: { readonly wing: Wing | undefined; readonly destination: 'raw' | 'wiki'; readonly blind: boolean },
): Promise<MadePages> {
  const shared = { ...place, hall: request.hall };
  if (request.pages !== undefined) {
    const terms: BatchTerms = { ...shared, by: 'structured', model: undefined, sourceHash: null };
    return { terms, warnings: [], ...(await batchOf(brain, request.pages, terms)) };
  }
  const prepared = (await request.prepared?.()) ?? (await prepare(brain, request, blind));
  const { by, model, warnings } = prepared;
  const terms: BatchTerms = { ...shared, by, model, sourceHash: request.hash };
  return { terms, warnings, ...(await batchOf(brain, prepared.pages, terms)) };
}

/**
 * Reads a document and makes its pages.
 * @param blind true when the language model must not be told of other notes
 * @throws BrainError the error of reading and extracting
 */
export async function prepare(
  brain: Brain,
  request: Pick<IngestRequest, 'name' | 'label' | 'title' | 'read' | 'translate' | 'signal' | 'progress'>,
  blind: boolean,
): Promise<Prepared> {
  const { signal, progress, title = null, label: source } = request;
  const name = withoutNotionId(request.name);
  const read = await request.read();
  const text = (await request.translate?.(read)) ?? read;
  const extraction = await extractPages(brain, { text, title, name, source }, { signal, progress, blind });
  const warnings = [...new Set([...text.warnings, ...extraction.warnings])];
  return { ...extraction, warnings, converted: text.converted };
}

async function batchOf(
  brain: Brain,
  given: readonly BatchPage['page'][],
  terms: BatchTerms,
): Promise<Pick<MadePages, 'pages' | 'skipped' | 'problems'>> {
  const pages: BatchPage[] = [];
  const skipped = new Map<number, string>();
  const problems = new PageProblems(terms);
  for (const [index, page] of given.entries()) {
    if (isBlank(page.title)) skipped.set(index, page.title);
    else {
      const steps = problems.ofSteps(index, batchPage(brain, page, index, terms));
      const batched = await inSlices(steps, brain.pace);
      if (batched !== null) pages.push(batched);
    }
  }
  return { pages, skipped, problems: problems.found };
}

/** Collects the first fault of each page that a caller has given. A fault of an extracted page is thrown at once. */
export class PageProblems {
  readonly #found: Map<number, PageProblem>;

  constructor(
    private readonly terms: Pick<BatchTerms, 'by'>,
    before: readonly PageProblem[] = [],
  ) {
    this.#found = new Map(before.map((problem) => [problem.index, problem]));
  }

  /** The faults, in the order of the pages. */
  get found(): readonly PageProblem[] {
    return [...this.#found.values()].sort((a, b) => a.index - b.index);
  }

  /** Runs the work on one page and records its fault. */
  of(index: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.add(index, error);
    }
  }

  /** Runs work in steps and records its fault; null then. */
  *ofSteps<T>(index: number, work: Steps<T>): Steps<T | null> {
    try {
      return yield* work;
    } catch (error) {
      this.add(index, error);
      return null;
    }
  }

  /** Records the fault of one page. */
  add(index: number, error: unknown): void {
    if (!(error instanceof BrainError) || this.terms.by !== 'structured') throw error;
    if (this.#found.has(index)) return;
    this.#found.set(index, { index, code: error.code, message: error.message });
  }

  /** @throws BrainError `invalid_field` with `details.pages` when there are faults */
  refuse(): void {
    if (this.#found.size > 0) throw invalidPages(this.found);
  }
}
