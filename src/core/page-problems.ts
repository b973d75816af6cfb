import { BrainError, type ErrorCode } from './errors';

/** What is wrong with one page of a batch. `index` counts from 0. */
export interface PageProblem {
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The refusal of a whole batch for the sake of some of its pages. */
export function invalidPages(problems: readonly PageProblem[]): BrainError {
  const [first] = problems;
  const count = problems.length === 1 ? 'One page' : `${problems.length} pages`;
  const example = first === undefined ? '' : ` pages[${first.index}]: ${first.message}`;
  return new BrainError(
    'invalid_field',
    `${count} of the batch cannot be used, so none was written.${example}`,
    {
      field: 'pages',
      pages: problems,
    },
  );
}
