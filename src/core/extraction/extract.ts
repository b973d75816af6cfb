import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import { inSlices, type Watch } from '../base/steps';
import { localDate } from '../base/time';
import { askModel, newMarker } from '../model/ask';
import { failureFields, modelFailure } from '../model/failure';
import { Quotable } from '../model/quotes';
import type { Brain } from '../operation/context';
import type { LanguageModel } from '../ports/ports';
import { withAttachments } from './attachments';
import { type Chunk, chunkText } from './chunks';
import { firstQuote } from './evidence';
import {
  type DraftPage,
  draftPage,
  extractedPage,
  joinPages,
  PAGE_LIMITS,
  replySchema,
  systemPrompt,
  userPrompt,
} from './model-page';
import type { ExtractedPage, Extraction } from './page';
import { passPart, ingestVerbatim, titleOfSource } from './passthrough';
import { type SourceText, withFacts } from './source';

/** The most tokens of a reply: eight pages of a sensible length. With the prompt it fits into the context of a local model. */
const MAX_TOKENS = 8_000;
const MAX_WINGS = 50;
const MAX_RELATED = 30;

/** A document, cut into parts. */
interface CutSource {
  readonly source: SourceText;
  readonly title: string;
  readonly parts: readonly Chunk[];
}

/** The pages that a model made of one part of a document. */
interface PartPages {
  readonly drafts: readonly DraftPage[];
  readonly warnings: readonly string[];
}

/**
 * Asks the model for the pages of one part, and looks up their quotes in it.
 * @throws BrainError `llm_error` or `busy` when it gave no usable reply
 */
async function extractPart(
  brain: Pick<Brain, 'catalog' | 'clock' | 'pace'>,
  model: LanguageModel,
  { source, title, parts }: CutSource,
  index: number,
  {
    signal,
    blind = false,
  }: { readonly signal?: StopSignal | undefined; readonly blind?: boolean | undefined } = {},
): Promise<PartPages> {
  const { from = 0, to = 0 } = parts[index] ?? {};
  const text = source.text.markdown.slice(from, to);
  const marker = newMarker();
  const related = blind
    ? []
    : await brain.pace.run(() => brain.catalog.similar(title, text, { limit: MAX_RELATED }));
  const user = userPrompt(
    {
      title,
      source: source.source,
      today: localDate(brain.clock.now()),
      part: { n: index + 1, of: parts.length },
      wings: blind ? [] : largestWings(brain),
      related: related.map((note) => note.title),
      text,
    },
    marker,
  );
  const { pages } = await askModel(model, {
    system: systemPrompt(marker),
    user,
    schema: replySchema,
    maxTokens: MAX_TOKENS,
    isEmpty: (reply) => reply.pages.every((page) => draftPage(page, null) === null),
    signal,
  });
  const quotable = await brain.pace.run(() => new Quotable(text));
  const drafts: DraftPage[] = [];
  const warnings: string[] = [];
  for (const page of pages.slice(0, PAGE_LIMITS.pages)) {
    const at = await brain.pace.run(() => firstQuote(quotable, page.evidence.slice(0, PAGE_LIMITS.evidence)));
    const draft = await brain.pace.run(() => draftPage(page, at === null ? null : from + at));
    if (draft === null) continue;
    drafts.push(draft);
    if (page.body.length > PAGE_LIMITS.body) warnings.push(`The language model made "${draft.title}" ${CUT}`);
  }
  if (pages.length > PAGE_LIMITS.pages) warnings.push(tooMany(pages.length));
  return { drafts, warnings };
}

const CUT = `longer than ${PAGE_LIMITS.body} characters; the rest of it was left out.`;

function tooMany(count: number): string {
  return `The language model made ${count} pages of one part; the first ${PAGE_LIMITS.pages} were taken.`;
}

/** Returns the wings that a page may belong to; those with the most notes when there are many. */
function largestWings({ catalog }: Pick<Brain, 'catalog'>): string[] {
  const wings = catalog.wings();
  if (wings.length <= MAX_WINGS) return wings;
  const sized = wings.map((wing) => ({ wing, size: catalog.notesOfWing(wing).length }));
  // The catalog returns them in order, and the sort is stable.
  return sized
    .sort((a, b) => b.size - a.size)
    .slice(0, MAX_WINGS)
    .map(({ wing }) => wing);
}

/** The unit of progress is a part of the document. */
export interface ExtractOptions extends Watch {
  /** True to fail instead of passing the text through when no model makes the pages. */
  readonly requireModel?: boolean | undefined;
  /** True to tell the model nothing of other notes: the caller may not read them, and a document can ask for them. */
  readonly blind?: boolean | undefined;
}

/** After this many failures in a row the model is not asked for the other parts: each may take minutes to fail. */
const MAX_FAILURES = 2;

/**
 * Returns the pages of a document: those that the language model makes of each part, joined when they are about the same;
 * without a model, or when it fails, the unchanged text, with a warning that says why. No text is lost, except after the
 * twentieth part, with a warning. Attachments become further pages with their text as it is, which the model does not read.
 * @throws BrainError `starting` when the vault is closing, `busy` when the work was cancelled or the queue of the model is
 * full, which is no failure of the model, and, when a model is required, `llm_error` as soon as it fails for a part
 */
export async function extractPages(
  brain: Brain,
  source: SourceText,
  options: ExtractOptions = {},
): Promise<Extraction> {
  const extraction = await extractText(brain, source, options);
  const own = extraction.pages.map((page) => withFacts(page, source));
  return { ...extraction, pages: await inSlices(withAttachments(source, own), brain.pace) };
}

async function extractText(brain: Brain, source: SourceText, options: ExtractOptions): Promise<Extraction> {
  const { model } = brain;
  if (model === undefined) {
    if (options.requireModel === true) throw new BrainError('llm_error', NO_MODEL);
    const pages = await inSlices(ingestVerbatim(source), brain.pace);
    options.progress?.({ done: 1, total: 1 });
    return { by: 'passthrough', ...pages };
  }
  const parts = await inSlices(chunkText(source.text.markdown), brain.pace);
  const title = await inSlices(titleOfSource(source), brain.pace);
  const cut = { source, title, parts };
  const outcomes = await askForAll(brain, model, cut, options);
  const made = outcomes.filter((outcome) => 'drafts' in outcome);
  const drafts = await inSlices(joinPages(made.flatMap((outcome) => outcome.drafts)), brain.pace);
  const failed = failedRuns(parts, outcomes);
  if (drafts.length === 0) {
    if (options.requireModel === true) throw new BrainError('llm_error', `${NOTHING} Nothing was changed.`);
    const { pages, warnings } = await inSlices(ingestVerbatim(source), brain.pace);
    const why = failed.length === 0 ? [NOTHING] : [...new Set(failed.map(({ reason }) => reason))];
    return { by: 'passthrough', pages, warnings: [...why.map((each) => `${each} ${KEPT}`), ...warnings] };
  }
  const passed = failed.map((run) => ({ ...run, page: passRun(source, cut.title, run) }));
  return {
    by: 'llm',
    model: model.name,
    pages: [
      ...drafts.map((draft) => extractedPage(draft, source.text.pages)),
      ...passed.map(({ page }) => page),
    ],
    warnings: [
      ...made.flatMap(({ warnings }) => warnings),
      ...passed.map(({ reason, page }) => `${reason} The text stands as it is in "${page.title}".`),
      ...unread(source, parts),
    ],
  };
}

const NO_MODEL =
  'No language model is set up. Set BRAIN_LLM_URL and BRAIN_LLM_MODEL, or their settings, and try again.';
const NOTHING = 'The language model found nothing in the text that is worth a page.';
const KEPT = 'The text was taken as it is.';

/** The outcome of one part. */
type Outcome = PartPages | { readonly failure: BrainError };

async function askForAll(
  brain: Brain,
  model: LanguageModel,
  cut: CutSource,
  { signal, progress, requireModel, blind }: ExtractOptions,
): Promise<Outcome[]> {
  const total = cut.parts.length;
  const outcomes: Outcome[] = [];
  let failures = 0;
  let failure: BrainError | null = null;
  for (const index of cut.parts.keys()) {
    progress?.({ done: index, total });
    refuseStopped(signal);
    if (failure !== null && failures >= MAX_FAILURES) {
      outcomes.push({ failure });
      continue;
    }
    try {
      outcomes.push(await extractPart(brain, model, cut, index, { signal, blind }));
      failures = 0;
    } catch (thrown) {
      failure = modelFailure(thrown);
      // A cancelled call of the model fails as well.
      refuseStopped(signal);
      if (requireModel === true || failure.code === 'busy') throw failure;
      brain.log.warn('extract.model_failed', { ...failureFields(failure), part: index + 1, parts: total });
      outcomes.push({ failure });
      failures += 1;
    }
  }
  progress?.({ done: total, total });
  return outcomes;
}

function refuseStopped(signal: StopSignal | undefined): void {
  if (signal?.stopped !== true) return;
  const message = 'The work was called off before there were pages. Start it again when it is wanted.';
  throw new BrainError('busy', message);
}

/** Consecutive failed parts, as one range of the text. */
interface FailedRun {
  readonly from: number;
  readonly to: number;
  /** Part numbers from 1, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly of: number;
  readonly reason: string;
}

function passRun(source: SourceText, title: string, { from, to, first, last, of }: FailedRun): ExtractedPage {
  const which = first === last ? `${first} of ${of}` : `${first} to ${last} of ${of}`;
  return passPart(source, { from, to }, which, `${title} (${first === last ? 'part' : 'parts'} ${which})`);
}

function failedRuns(parts: readonly Chunk[], outcomes: readonly Outcome[]): FailedRun[] {
  const runs: FailedRun[] = [];
  for (let first = 0; first < parts.length; first += 1) {
    const outcome = outcomes[first];
    if (outcome === undefined || 'drafts' in outcome) continue;
    let last = first;
    for (let next = outcomes[last + 1]; next !== undefined && 'failure' in next; next = outcomes[last + 1])
      last += 1;
    const [from, to] = [parts[first]?.fresh ?? 0, parts[last]?.to ?? 0];
    runs.push({
      from,
      to,
      first: first + 1,
      last: last + 1,
      of: parts.length,
      reason: outcome.failure.message,
    });
    first = last;
  }
  return runs;
}

/** Returns a warning about the part of a long document that was not read. */
function unread({ text: { markdown } }: SourceText, parts: readonly Chunk[]): string[] {
  const read = parts.at(-1)?.to ?? 0;
  if (read === markdown.length) return [];
  const percent = Math.floor((100 * read) / markdown.length);
  return [
    `The document is longer than the language model is given: it read the first ${percent} %, and the rest stands in the original alone. Split the document to have all of it read.`,
  ];
}
