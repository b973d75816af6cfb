import * as z from 'zod';
import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import { inSlices, type Watch } from '../base/steps';
import { isBlank } from '../base/text';
import { timestamp } from '../base/time';
import { gateApart } from '../gate/apart';
import { NOWHERE } from '../links/resolve';
import { askModel, newMarker } from '../model/ask';
import { failureFields, modelFailure } from '../model/failure';
import { MAX_QUOTE, Quotable } from '../model/quotes';
import { linkTargets } from '../notes/content';
import type { Brain } from '../operation/context';
import { hallField, limitField, MAX_QUERY, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import type { LanguageModel } from '../ports/ports';
import { placeWarnings, readPlace, underField } from '../search/filters';
import { searchResults } from '../search/query';
import { retrieve } from '../search/retrieve';
import { untold } from '../search/untold';
import { extract } from './extract';
import { cleanMarks, escapeBrackets, marksIn } from './marks';
import { citationOf, type Evidence, gatherEvidence, type Passage, selectPassages } from './passages';
import { type ModelAnswer, replySchema, systemPrompt, unprovenPrompt, userPrompt } from './prompt';
import { QueryCoverage } from './query-coverage';
import { type AnswerResult, answerShape, type Citation, type Outcome } from './shapes';

const MAX_TOKENS = 2_000;
/** The longest answer of a model, in UTF-16 units. */
const MAX_ANSWER = 8_000;
/** The number of citations that are checked; each is searched for in its passage. */
const MAX_CITATIONS = 40;
/** With more questions in the queue, passages at once serve the caller better. */
const MOST_AHEAD = 16;

/**
 * Asks a model for an answer from the notes and keeps what the notes support: a quote that its passage lacks is dropped, and so
 * is every mark without a quote. A reply without a valid quote gets a second try, unless it is the second.
 * @throws BrainError `llm_error` when the model gave no usable reply or was cancelled, `busy` when too many questions are
 * queued
 */
async function answerWith(
  model: LanguageModel,
  query: string,
  evidence: readonly Evidence[],
  now: Date,
  signal?: StopSignal,
): Promise<Outcome> {
  const passages = selectPassages(evidence);
  const marker = newMarker();
  const reply = await askModel(model, {
    system: systemPrompt(marker),
    user: userPrompt(query, passages, marker, timestamp(now).slice(0, 10)),
    schema: replySchema.refine(
      ({ answer }) => answer.length <= MAX_ANSWER,
      `the answer is longer than ${MAX_ANSWER} characters; say it in 200 words`,
    ),
    maxTokens: MAX_TOKENS,
    review: (given) => (isUnproven(check(given, passages)) ? unprovenPrompt(given.citations, marker) : null),
    isEmpty: (given) => 'abstained' in check(given, passages),
    mostAhead: MOST_AHEAD,
    signal,
  });
  return check(reply, passages);
}

function isUnproven(outcome: Outcome): boolean {
  return 'abstained' in outcome && outcome.abstained === 'no_valid_citations';
}

/** Returns the outcome of a model's reply. */
function check(reply: ModelAnswer, passages: readonly Passage[]): Outcome {
  if (!reply.sufficient || isBlank(reply.answer)) return { abstained: 'insufficient_evidence' };
  const found = verified(reply.citations.slice(0, MAX_CITATIONS), passages);
  if (found.length === 0) return { abstained: 'no_valid_citations' };
  const valid = new Set(found.map(({ n }) => n));
  const text = cleanMarks(reply.answer, (n) => valid.has(n));
  if (isBlank(text)) return { abstained: 'insufficient_evidence' };
  return { text, citations: found.sort((a, b) => a.n - b.n) };
}

/** Returns the citations whose quotes are in their passages, each place once, without those that are too long to send back. */
function verified(cited: ModelAnswer['citations'], passages: readonly Passage[]): Citation[] {
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
      found.set(`${n} ${range.from} ${range.to}`, citationOf(passage.evidence, n, range));
      break;
    }
  }
  return [...found.values()];
}

/** The interval of progress messages in seconds; clients expect one within five. */
const PROGRESS_INTERVAL_S = 4;

/**
 * Resolves with the result of work without known progress. Until it ends, `tell` gets the elapsed seconds at intervals, because
 * clients give up a call that is silent for long.
 */
async function withProgress<T>(sleep: Brain['sleep'], tell: Watch['progress'], work: Promise<T>): Promise<T> {
  if (tell === undefined) return work;
  let goesOn = true;
  const telling = async (): Promise<void> => {
    for (let done = PROGRESS_INTERVAL_S; ; done += PROGRESS_INTERVAL_S) {
      await sleep(PROGRESS_INTERVAL_S * 1000);
      if (!goesOn) return;
      tell({ done, total: 0 });
    }
  };
  void telling();
  try {
    return await work;
  } finally {
    goesOn = false;
  }
}

/** Matches control characters, which a terminal obeys, except line ends and tabs. */
const CONTROLS = /(?:(?!\t|\r?\n)\p{Cc})+/gu;

/** The number of related notes in an answer. */
const MAX_NEAREST = 5;

const input = z.strictObject({
  query: z.string().max(MAX_QUERY).describe('The question, as you would ask a person'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  under: underField,
  limit: limitField(20, 8).describe('Notes that are read for the answer'),
});

/**
 * Answers a question from the notes only: with the configured language model, checking every quote against its note, or without
 * one with passages. Abstains with a reason when the notes do not cover the question. A failed or busy model causes a warning,
 * never an error. While the model works, the caller gets progress messages. Fails with `empty_query`, `invalid_wing` or
 * `path_not_allowed`, or with `busy` when cancelled before the model has answered.
 */
export const answerNotes = operation({
  name: 'answer',
  scope: 'read',
  mutates: false,
  input,
  output: answerShape,
  async run(brain, { query, wing, hall, under, limit }, _caller, watch): Promise<AnswerResult> {
    if (isBlank(query)) {
      throw new BrainError(
        'empty_query',
        'The question is empty. Say in a few words what you want to know.',
        {
          field: 'query',
        },
      );
    }
    const place = readPlace(brain, wing, under);
    // A question is whole: behind a blank, its last word is not the beginning of another one.
    const { degraded, hits } = await retrieve(brain, { query: `${query} `, ...place, hall, limit });
    const worth = await inSlices(QueryCoverage.of(brain.catalog, query, hits), brain.pace);
    const evidence = await gatherEvidence(brain, hits, worth);
    const warnings = hits.length === 0 ? await placeWarnings(brain, place) : [];
    if (degraded) warnings.push('Vectors could not be used; the notes were found by their words alone.');
    const asked = { query, evidence, worth, found: hits.length > 0, watch };
    const { outcome, model } = await outcomeOf(brain, asked, warnings);
    const found = 'text' in outcome ? outcome : null;
    const text = found === null ? null : await gated(brain, found.text, warnings);
    const cited = new Set(found?.citations.map(({ path }) => path));
    const nearest = hits.filter(({ record }) => !cited.has(record.path)).slice(0, MAX_NEAREST);
    const sure = found !== null && found.weak !== true;
    const { waiting, ...missing } = await untold(brain, { query, ...place, hall, limit }, hits);
    return {
      query,
      answer: text,
      abstained: found === null,
      ...(found?.weak === true && { weak: true }),
      ...('abstained' in outcome && { reason: outcome.abstained }),
      mode: model === undefined ? 'extractive' : 'llm',
      citations: [...(found?.citations ?? [])],
      nearest: await searchResults(brain, nearest, false),
      ...(waiting !== undefined && { waiting }),
      ...(!sure && missing),
      ...(model !== undefined && { model }),
      warnings,
    };
  },
});

/** A question with the notes that were found for it. */
interface Question {
  readonly query: string;
  readonly evidence: readonly Evidence[];
  readonly worth: QueryCoverage;
  /** False when the search found nothing. */
  readonly found: boolean;
  readonly watch: Watch | undefined;
}

/** Returns the outcome, with the model that it comes from. */
async function outcomeOf(
  brain: Brain,
  { query, evidence, worth, found, watch }: Question,
  warnings: string[],
): Promise<{ outcome: Outcome; model?: string }> {
  const now = brain.clock.now();
  // The found notes may be gone by now, or have only a title.
  if (evidence.length === 0)
    return { outcome: { abstained: found ? 'insufficient_evidence' : 'no_matches' } };
  let failed: string | null = null;
  if (brain.model !== undefined) {
    const { signal, progress } = watch ?? {};
    try {
      const asked = answerWith(brain.model, query, evidence, now, signal);
      const outcome = await withProgress(brain.sleep, progress, asked);
      return { outcome, model: brain.model.name };
    } catch (error) {
      const failure = modelFailure(error);
      // A cancelled caller does not wait for passages either.
      if (signal?.stopped === true) throw cancelled();
      failed = failure.message;
      brain.log.warn('answer.model_failed', failureFields(failure));
    }
  }
  const outcome = extract(evidence, worth);
  if (failed !== null)
    warnings.push('text' in outcome ? `${failed} These are passages of the notes instead.` : failed);
  return { outcome };
}

function cancelled(): BrainError {
  return new BrainError('busy', 'The question was called off. Ask it again when an answer is wanted.');
}

/** Gates an answer, because it may be rendered as Markdown: it must not show what a write may not contain. */
async function gated(brain: Brain, text: string, warnings: string[]): Promise<string> {
  const pass = async (shown: string) => {
    const body = shown.replace(CONTROLS, '');
    const targets = await linkTargets(brain, body, NOWHERE);
    return inSlices(
      gateApart({ body, from: NOWHERE, targets, mode: 'full', activeContent: true }),
      brain.pace,
    );
  };
  const first = await pass(text);
  // The gate turns `[[[no-note|2]]]` into `[2]`, which was never checked.
  const isTrue = marksIn(first.body).join() === marksIn(text).join();
  const result = isTrue ? first : await pass(escapeBrackets(text));
  if (result.unlinked.length > 0) {
    warnings.push(
      `Links or active content were taken out of the answer: ${result.unlinked.length === 1 ? 'one place' : `${result.unlinked.length} places`}.`,
    );
  }
  warnings.push(...result.warnings);
  const controls = text.match(CONTROLS)?.length ?? 0;
  if (controls > 0) {
    warnings.push(
      `Control characters were removed in ${controls === 1 ? 'one place' : `${controls} places`}.`,
    );
  }
  return result.body;
}
