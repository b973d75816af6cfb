import * as z from 'zod';
import {
  countShape,
  hallShape,
  hashShape,
  pathShape,
  timeShape,
  trustShapes,
  warningsShape,
} from '../operation/shapes';
import { searchResultShape } from '../search/query';
import { untoldShapes } from '../search/untold';

/** The reasons of an abstention. None says that something does not exist: the notes do not cover the world. */
const ABSTENTIONS = ['no_matches', 'insufficient_evidence', 'no_valid_citations'] as const;
type Abstention = (typeof ABSTENTIONS)[number];

/** The sentence for every abstention. */
export const NOT_COVERED = 'The notes do not cover this';

const citationShape = z.object({
  n: countShape.describe('The [n] of the answer'),
  path: pathShape,
  title: z.string(),
  quote: z.string().describe('Stands in the note exactly so'),
  content_hash: hashShape,
  wing: z.string().optional(),
  hall: hallShape.optional(),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  status: searchResultShape.shape.status,
  updated_at: timeShape.optional(),
  ...trustShapes,
});
export type Citation = z.input<typeof citationShape>;

export const answerShape = z.object({
  query: z.string(),
  answer: z.string().nullable().describe('Markdown with [n]; null when the notes do not cover the question'),
  abstained: z.boolean(),
  weak: z
    .boolean()
    .optional()
    .describe('True when the passages hold only a part of the question: they may answer it'),
  reason: z.enum(ABSTENTIONS).optional().describe('Why there is no answer'),
  mode: z.enum(['llm', 'extractive']).describe('extractive = passages of the notes, word for word'),
  citations: z.array(citationShape),
  nearest: z.array(searchResultShape).describe('The best notes that are not cited'),
  ...untoldShapes,
  model: z.string().optional().describe('The language model that was asked'),
  warnings: warningsShape,
});
export type AnswerResult = z.input<typeof answerShape>;

/** An answer before the gate, or the reason why there is none. A weak one holds only a part of the question. */
export type Outcome =
  | { readonly text: string; readonly citations: readonly Citation[]; readonly weak?: boolean }
  | { readonly abstained: Abstention };
