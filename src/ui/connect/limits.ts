import type { TokenLimits } from '../../core/access/tokens';
import { BrainError } from '../../core/base/errors';
import { readPaths, wingNames } from '../../core/vocabulary/token-limits';

/** The limits of a token as a person types them: names that are separated by commas; an empty field limits nothing. */
export interface LimitFields {
  readonly read: string;
  readonly wings: string;
}

export const NO_LIMITS: LimitFields = { read: '', wings: '' };

/** The limits that the fields name, null while a field has an error, and these errors. */
interface ReadFields {
  readonly limits: TokenLimits | null;
  readonly problems: { readonly read: string | null; readonly wings: string | null };
}

/** Reads the fields. */
export function readLimits({ read, wings }: LimitFields): ReadFields {
  const [paths, pathProblem] = namesIn(read, readPaths);
  const [names, wingProblem] = namesIn(wings, wingNames);
  const isValid = pathProblem === null && wingProblem === null;
  return {
    limits: isValid ? { ...(paths && { read: paths }), ...(names && { writeWings: names }) } : null,
    problems: { read: pathProblem, wings: wingProblem },
  };
}

function namesIn(
  text: string,
  read: (names: readonly string[]) => string[],
): readonly [names: readonly string[] | null, problem: string | null] {
  if (text.trim() === '') return [null, null];
  const names = text.split(',').map((name) => name.trim());
  try {
    return [read(names.filter((name) => name !== '')), null];
  } catch (error) {
    if (error instanceof BrainError) return [null, error.message];
    throw error;
  }
}

/** Returns what a token reads and writes, in a sentence; null for one without limits. */
export function limitWords({ read, writeWings }: TokenLimits): string | null {
  const parts = [
    ...(read === undefined ? [] : [`Reads only ${read.join(', ')}.`]),
    ...(writeWings === undefined ? [] : [`Writes only into ${writeWings.join(', ')}.`]),
  ];
  return parts.length === 0 ? null : parts.join(' ');
}

/** Returns the options of `brain token add` for the limits, with a space before each; quoted as a POSIX shell needs it. */
export function limitOptions({ read, writeWings }: TokenLimits): string {
  return [
    ...(read === undefined ? [] : [` --read ${quoted(read.join(','))}`]),
    ...(writeWings === undefined ? [] : [` --write-wings ${quoted(writeWings.join(','))}`]),
  ].join('');
}

function quoted(text: string): string {
  return /^[\w./,-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}
