import type { Answer } from '../client';

type Result = Answer<'answer'>;

/** What a person is told when there is no answer. Never that something does not exist: the notes are not the world. */
export const NOT_COVERED = 'The notes do not cover this.';

const REASONS: Readonly<Record<NonNullable<Result['reason']>, string>> = {
  no_matches: 'No note was found for the question.',
  insufficient_evidence: 'Notes were found, but what they say is not enough for an answer.',
  no_valid_citations:
    'The model answered, but none of its quotes stands in a note, so its answer is not shown.',
};

/** Why there is no answer, in a sentence. */
export function reasonWords(reason: Result['reason']): string {
  return reason === undefined ? '' : REASONS[reason];
}

/** Whose words an answer is. */
export function makerWords({ mode, model }: Pick<Result, 'mode' | 'model'>): string {
  return mode === 'llm' ? `Answered by ${model ?? 'a language model'}` : 'Word for word from the notes';
}

/** The numbers of `[1]`, or of several in a row. */
export function numbersIn(marks: string): number[] {
  return [...marks.matchAll(/\[(\d+)\]/g)].map(([, digits]) => Number(digits));
}
