import type { Brain } from '../brain';
import { askModel } from '../model/ask-model';
import { newMarker } from '../model/marker';
import { Quotable } from '../model/quotes';
import type { LanguageModel } from '../ports';
import type { StopSignal } from '../host';
import { localDate } from '../rules/time';
import type { Chunk } from './chunk-text';
import { type DraftPage, draftPage } from './draft-page';
import { firstQuote } from './evidence';
import { PAGE_LIMITS, replySchema, systemPrompt, userPrompt } from './extract-prompt';
import type { SourceText } from './source-text';

/** Eight pages of a sensible length; with the prompt it fits into the context that a local model is given. */
const MAX_TOKENS = 8_000;
const MAX_WINGS = 50;
const MAX_RELATED = 30;

/** A document, cut into parts. */
export interface CutSource {
  readonly source: SourceText;
  readonly title: string;
  readonly parts: readonly Chunk[];
}

/** What a model made of one part of a document. */
export interface PartPages {
  readonly drafts: readonly DraftPage[];
  readonly warnings: readonly string[];
}

/**
 * Asks the model for the pages of one part, and looks their quotes up in it.
 * @throws BrainError `llm_error` or `busy` when it gave no usable reply
 */
export async function extractPart(
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

/** The wings that a page may belong to: those with the most notes when there are many. */
function largestWings({ catalog }: Pick<Brain, 'catalog'>): string[] {
  const wings = catalog.wings();
  if (wings.length <= MAX_WINGS) return wings;
  const sized = wings.map((wing) => ({ wing, size: catalog.notesOfWing(wing).length }));
  // The catalog gives them in order, and sorting keeps it among equals.
  return sized
    .sort((a, b) => b.size - a.size)
    .slice(0, MAX_WINGS)
    .map(({ wing }) => wing);
}
