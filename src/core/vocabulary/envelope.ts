import { BrainError } from '../base/errors';
import { lastWritten, parseTime } from '../base/time';

/** The speeds at which a claim ages. */
export const HALF_LIVES = ['volatile', 'seasonal', 'durable'] as const;
/** The ranges in which a claim holds. */
export const APPLIES = ['local', 'homelab', 'universal'] as const;
/** The origins of a claim: its source says it, or its writer concludes it. */
export const CLAIM_PROVENANCES = ['asserted', 'inferred'] as const;

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  half_life: HALF_LIVES,
  applies: APPLIES,
  claim_provenance: CLAIM_PROVENANCES,
};

/** The time after which a claim should be reviewed (days); a judgement, not a measurement. */
const SPAN_DAYS: ReadonlyMap<unknown, number> = new Map([
  ['volatile', 30],
  ['seasonal', 120],
  ['durable', 1095],
]);
const DAY_MS = 86_400_000;

interface Problem {
  readonly field: string;
  readonly message: string;
}

function findProblem(values: Readonly<Record<string, unknown>>): Problem | null {
  const given = Object.keys(ALLOWED).filter(
    (field) => Object.hasOwn(values, field) && (values[field] ?? null) !== null,
  );
  for (const field of given) {
    const allowed: readonly unknown[] = ALLOWED[field] ?? [];
    if (!allowed.includes(values[field])) {
      return {
        field,
        message: `"${field}" must be one of: ${allowed.join(', ')}. Correct it, or leave it out.`,
      };
    }
  }
  if (given.length === 0) return null;
  if (!given.includes('claim_provenance')) {
    const message = `"${given.join('" and "')}" without "claim_provenance": add claim_provenance (${CLAIM_PROVENANCES.join(' or ')}), or leave ${given.join(' and ')} out.`;
    return { field: 'claim_provenance', message };
  }
  if (given.length > 1) return null;
  const message = `"claim_provenance" alone says nothing: add half_life (${HALF_LIVES.join(', ')}) or applies (${APPLIES.join(', ')}), or leave claim_provenance out.`;
  return { field: 'half_life', message };
}

/**
 * Checks the claim envelope (the specification, part 2.1): every value is one of its set, and `claim_provenance` comes with
 * `half_life` or `applies` or both, and each of those with it. Null is no value; any other value outside the set is refused, also
 * an empty text.
 * @throws BrainError `invalid_envelope` with `details` {field, allowed}: the field to correct or to add.
 */
export function checkEnvelope(values: Readonly<Record<string, unknown>>): void {
  const problem = findProblem(values);
  if (problem === null) return;
  const { field, message } = problem;
  throw new BrainError('invalid_envelope', message, { field, allowed: ALLOWED[field] ?? [] });
}

/** Returns the message with which `checkEnvelope` would refuse the values, or null. It is for existing notes. */
export function envelopeProblem(values: Readonly<Record<string, unknown>>): string | null {
  return findProblem(values)?.message ?? null;
}

/**
 * Returns true when the half-life of a claim has passed since it was last written. A note without a half-life, or without a
 * time, is never stale. The front matter must not change after the first call, because the result is cached by its identity.
 */
export function isStale(frontmatter: Readonly<Record<string, unknown>>, now: Date): boolean {
  const days = SPAN_DAYS.get(frontmatter.half_life);
  return days !== undefined && now.getTime() >= staleFrom(frontmatter, days);
}

/** A cache: searches and overviews ask for every note, and reading its times takes longer than everything else. */
const known = new WeakMap<Readonly<Record<string, unknown>>, number>();

/** Returns the epoch milliseconds from which a claim is stale; Infinity for a note without a time. */
function staleFrom(frontmatter: Readonly<Record<string, unknown>>, days: number): number {
  const moment = known.get(frontmatter);
  if (moment !== undefined) return moment;
  const since = parseTime(lastWritten(frontmatter));
  const made = since === null ? Infinity : since.getTime() + days * DAY_MS;
  known.set(frontmatter, made);
  return made;
}
