/** The kinds of memory, a closed set, in the order in which indexes and lists show them. */
export const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'] as const;

export type Hall = (typeof HALLS)[number];

/** Headings for people. */
export const HALL_TITLES: Readonly<Record<Hall, string>> = {
  facts: 'Facts',
  decisions: 'Decisions',
  failures: 'Failures',
  hypotheses: 'Hypotheses',
  sources: 'Sources',
};

/** What belongs in each, for people and models alike. */
export const HALL_MEANINGS: Readonly<Record<Hall, string>> = {
  facts: 'what is so, with how it is known',
  decisions: 'what was chosen, why, and what was not',
  failures: 'what went wrong, its cause, what changed since',
  hypotheses: 'guesses, with what speaks for and against them',
  sources: 'where knowledge came from',
};

/** True for exactly the five names, case-sensitive. */
export function isHall(text: unknown): text is Hall {
  return HALLS.some((hall) => hall === text);
}
