import { askModel } from '../model/ask-model';
import { newMarker } from '../model/marker';
import { MAX_QUOTE, Quotable } from '../model/quotes';
import type { LanguageModel } from '../ports';
import type { StopSignal } from '../host';
import { isBlank } from '../rules/text';
import { timestamp } from '../rules/time';
import { citationOf } from './cite';
import { cleanMarks } from './marks';
import type { Outcome } from './outcome';
import { type ModelAnswer, replySchema, systemPrompt, unprovenPrompt, userPrompt } from './prompt';
import { type Passage, selectPassages } from './select-passages';
import type { Evidence } from './passages';
import type { Citation } from './shapes';

const MAX_TOKENS = 2_000;
/** A longer answer is no answer to one question. In UTF-16 units. */
const MAX_ANSWER = 8_000;
/** Citations that are looked at; each is searched for in its passage. */
const MAX_CITATIONS = 40;
/** With more questions ahead, passages at once serve whoever waits for the answer better. */
const MOST_AHEAD = 16;

/**
 * Asks a model for an answer from the notes and keeps of its reply what the notes bear out: a quote that does not stand in
 * the passage it names is dropped, and with it every mark that no quote is left for. A reply none of whose quotes stands
 * has a second try, unless it is one.
 * @throws BrainError `llm_error` when the model gave no usable reply or was called off, `busy` when too many questions are
 * ahead
 */
export async function answerWith(
  model: LanguageModel,
  query: string,
  evidence: readonly Evidence[],
  now: Date,
  signal?: StopSignal,
): Promise<Outcome> {
  const passages = selectPassages(evidence, now);
  const marker = newMarker();
  const reply = await askModel(model, {
    system: systemPrompt(marker),
    user: userPrompt(query, passages, marker, timestamp(now).slice(0, 10)),
    schema: replySchema.refine(
      ({ answer }) => answer.length <= MAX_ANSWER,
      `the answer is longer than ${MAX_ANSWER} characters; say it in 200 words`,
    ),
    maxTokens: MAX_TOKENS,
    review: (given) =>
      isUnproven(check(given, passages, now)) ? unprovenPrompt(given.citations, marker) : null,
    isEmpty: (given) => 'abstained' in check(given, passages, now),
    mostAhead: MOST_AHEAD,
    signal,
  });
  return check(reply, passages, now);
}

function isUnproven(outcome: Outcome): boolean {
  return 'abstained' in outcome && outcome.abstained === 'no_valid_citations';
}

/** What a model's reply is worth. */
export function check(reply: ModelAnswer, passages: readonly Passage[], now: Date): Outcome {
  if (!reply.sufficient || isBlank(reply.answer)) return { abstained: 'insufficient_evidence' };
  const found = verified(reply.citations.slice(0, MAX_CITATIONS), passages, now);
  if (found.length === 0) return { abstained: 'no_valid_citations' };
  const valid = new Set(found.map(({ n }) => n));
  const text = cleanMarks(reply.answer, (n) => valid.has(n));
  if (isBlank(text)) return { abstained: 'insufficient_evidence' };
  return { text, citations: found.sort((a, b) => a.n - b.n) };
}

/** The citations whose quotes stand in the passages they name, each place once, unless one is too long to be sent back. */
function verified(cited: ModelAnswer['citations'], passages: readonly Passage[], now: Date): Citation[] {
  const quotable = new Map<Passage, readonly { readonly from: number; readonly text: Quotable }[]>();
  const partsOf = (passage: Passage) => {
    const made = passage.parts.map(({ from, to }) => ({
      from,
      text: new Quotable(passage.evidence.body.slice(from, to)),
    }));
    quotable.set(passage, made);
    return made;
  };
  const found = new Map<string, Citation>();
  for (const { n, quote } of cited) {
    const passage = passages[n - 1];
    if (passage === undefined) continue;
    for (const { from, text } of quotable.get(passage) ?? partsOf(passage)) {
      const place = text.find(quote);
      if (place === null || place.to - place.from > MAX_QUOTE) continue;
      const range = { from: from + place.from, to: from + place.to };
      found.set(`${n} ${range.from} ${range.to}`, citationOf(passage.evidence, n, range, now));
      break;
    }
  }
  return [...found.values()];
}
