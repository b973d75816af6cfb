import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { invalidPages, type PageProblem } from '../page-problems';
import type { Wing } from '../rules/address';
import { isBlank } from '../rules/text';
import { inSlices, type Steps } from '../steps';
import { type BatchPage, batchPage, type BatchTerms } from './batch-page';
import { extractPages } from './extract-pages';
import type { IngestRequest } from './ingest-request';

/** The pages of a source, each validated by itself; nothing of them exists yet. */
export interface MadePages {
  readonly terms: BatchTerms;
  readonly pages: readonly BatchPage[];
  /** Titles of pages that have none, as they were given, by their place in the batch. */
  readonly skipped: ReadonlyMap<number, string>;
  readonly warnings: readonly string[];
  /** What is wrong with given pages, which are not among `pages`. They are refused when all that is wrong has been found. */
  readonly problems: readonly PageProblem[];
}

/**
 * Makes the pages of a source: takes those that are given, or reads the text and has them extracted.
 * @throws BrainError what is wrong with an extracted page, and what reading and extracting throw.
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
  const { signal, progress, title = null, name, label: source } = request;
  const text = await request.read();
  const extraction = await extractPages(brain, { text, title, name, source }, { signal, progress, blind });
  const { by, model } = extraction;
  const terms: BatchTerms = { ...shared, by, model, sourceHash: request.hash };
  const warnings = [...new Set([...text.warnings, ...extraction.warnings])];
  return { terms, warnings, ...(await batchOf(brain, extraction.pages, terms)) };
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

/**
 * Collects what is wrong with the pages that a caller has given, of each the first fault; what is wrong with an extracted one
 * is thrown at once.
 */
export class PageProblems {
  readonly #found: Map<number, PageProblem>;

  constructor(
    private readonly terms: Pick<BatchTerms, 'by'>,
    before: readonly PageProblem[] = [],
  ) {
    this.#found = new Map(before.map((problem) => [problem.index, problem]));
  }

  /** Every page with a fault, in their order. */
  get found(): readonly PageProblem[] {
    return [...this.#found.values()].sort((a, b) => a.index - b.index);
  }

  /** Does the work on one page. */
  of(index: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.add(index, error);
    }
  }

  /** The same for work in steps; null when something was wrong. */
  *ofSteps<T>(index: number, work: Steps<T>): Steps<T | null> {
    try {
      return yield* work;
    } catch (error) {
      this.add(index, error);
      return null;
    }
  }

  /** Takes note of what was wrong with one page. */
  add(index: number, error: unknown): void {
    if (!(error instanceof BrainError) || this.terms.by !== 'structured') throw error;
    if (this.#found.has(index)) return;
    this.#found.set(index, { index, code: error.code, message: error.message });
  }

  /** @throws BrainError `invalid_field` with `details.pages` when anything was wrong. */
  refuse(): void {
    if (this.#found.size > 0) throw invalidPages(this.found);
  }
}
