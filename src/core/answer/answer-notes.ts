import * as z from 'zod';
import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { hallField, limitField, MAX_QUERY, wingField } from '../fields';
import { failureFields, modelFailure } from '../model/model-failure';
import { linkTargets } from '../notes/link-targets';
import { operation } from '../operation';
import type { Watch } from '../progress';
import { sanitiseWing } from '../rules/address';
import { gateSteps } from '../rules/gate';
import { isBlank } from '../rules/text';
import { searchResults } from '../search/query-notes';
import { retrieve } from '../search/retrieve';
import { inSlices } from '../steps';
import { answerWith } from './ask';
import { extract } from './extract';
import { escapeBrackets, marksIn } from './marks';
import type { Outcome } from './outcome';
import { type Evidence, gatherEvidence } from './passages';
import { QueryWorth } from './query-worth';
import { type AnswerResult, answerShape } from './shapes';
import { tellMeanwhile } from './tell-meanwhile';

/** Runs of control characters, which a terminal obeys; the ends of lines and tabs are none. */
const CONTROLS = /(?:(?!\t|\r?\n)\p{Cc})+/gu;

/** Notes that are named beside the cited ones. */
const MAX_NEAREST = 5;

const input = z.strictObject({
  query: z.string().max(MAX_QUERY).describe('The question, as you would ask a person'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  limit: limitField(20, 8).describe('Notes that are read for the answer'),
});

/**
 * Answers a question from the notes, and from nothing else: with the configured language model, every quote checked against
 * the note it names, or without one with the passages themselves. Where the notes do not cover the question it abstains
 * and says why; a model that fails, or for which too many questions wait, costs a warning, never the answer. Whoever waits for
 * the model hears again and again that it goes on. Fails with `empty_query` or `invalid_wing`, or with `busy` when it is called
 * off before the model has answered.
 */
export const answerNotes = operation({
  name: 'answer',
  scope: 'read',
  mutates: false,
  input,
  output: answerShape,
  async run(brain, { query, wing, hall, limit }, _caller, watch): Promise<AnswerResult> {
    if (isBlank(query)) {
      throw new BrainError(
        'empty_query',
        'The question is empty. Say in a few words what you want to know.',
        {
          field: 'query',
        },
      );
    }
    const inWing = wing === undefined ? undefined : sanitiseWing(wing);
    const { degraded, hits } = await retrieve(brain, { query, wing: inWing, hall, limit });
    const worth = new QueryWorth(brain.catalog, query, hits);
    const evidence = await gatherEvidence(brain, hits, worth);
    const warnings = degraded
      ? ['Vectors could not be used; the notes were found by their words alone.']
      : [];
    const asked = { query, evidence, worth, found: hits.length > 0, watch };
    const { outcome, model } = await outcomeOf(brain, asked, warnings);
    const found = 'text' in outcome ? outcome : null;
    const text = found === null ? null : await gated(brain, found.text, warnings);
    const cited = new Set(found?.citations.map(({ path }) => path));
    const nearest = hits.filter(({ record }) => !cited.has(record.path)).slice(0, MAX_NEAREST);
    return {
      query,
      answer: text,
      abstained: found === null,
      ...('abstained' in outcome && { reason: outcome.abstained }),
      mode: model === undefined ? 'extractive' : 'llm',
      citations: [...(found?.citations ?? [])],
      nearest: await searchResults(brain, nearest, false),
      ...(model !== undefined && { model }),
      warnings,
    };
  },
});

/** A question with the notes that were found for it. */
interface Asked {
  readonly query: string;
  readonly evidence: readonly Evidence[];
  readonly worth: QueryWorth;
  /** False when the search found nothing at all. */
  readonly found: boolean;
  readonly watch: Watch | undefined;
}

/** The outcome, and the model that it comes from if one was asked and gave it. */
async function outcomeOf(
  brain: Brain,
  { query, evidence, worth, found, watch }: Asked,
  warnings: string[],
): Promise<{ outcome: Outcome; model?: string }> {
  const now = brain.clock.now();
  // Notes may have been found that have gone since, or that are a title alone.
  if (evidence.length === 0)
    return { outcome: { abstained: found ? 'insufficient_evidence' : 'no_matches' } };
  let failed: string | null = null;
  if (brain.model !== undefined) {
    const { signal, progress } = watch ?? {};
    try {
      const asked = answerWith(brain.model, query, evidence, now, signal);
      const outcome = await tellMeanwhile(brain.sleep, progress, asked);
      return { outcome, model: brain.model.name };
    } catch (error) {
      const failure = modelFailure(error);
      // Nobody waits for passages either.
      if (signal?.stopped === true) throw calledOff();
      failed = failure.message;
      brain.log.warn('answer.model_failed', failureFields(failure));
    }
  }
  const outcome = extract(evidence, worth, now);
  if (failed !== null)
    warnings.push('text' in outcome ? `${failed} These are passages of the notes instead.` : failed);
  return { outcome };
}

function calledOff(): BrainError {
  return new BrainError('busy', 'The question was called off. Ask it again when an answer is wanted.');
}

/**
 * An answer may be shown as Markdown, whatever a model or a note made of it: what a write may not bring in, it may not show.
 */
async function gated(brain: Brain, text: string, warnings: string[]): Promise<string> {
  const from = { path: null, wing: null, hall: null };
  const pass = async (shown: string) => {
    const body = shown.replace(CONTROLS, '');
    const targets = await linkTargets(brain, body, from);
    return inSlices(gateSteps({ body, from, targets, mode: 'full', activeContent: true }), brain.pace);
  };
  const first = await pass(text);
  // Of `[[[no-note|2]]]` the gate leaves `[2]`, which nobody has checked.
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
