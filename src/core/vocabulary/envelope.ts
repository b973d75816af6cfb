import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { lastWritten, noteTime, parseTime } from '../base/time';

/** Returns false for a note with `auto_tunnel: false`: no automatic tunnel starts or ends at it. */
export function allowsTunnels(frontmatter: Readonly<Record<string, unknown>>): boolean {
  const { auto_tunnel: value } = frontmatter;
  return !(typeof value === 'string' && /^(?:false|no|off)$/i.test(value));
}

/** Keys that no caller can set, neither in content nor in a `frontmatter` field: they record who did what, and when. */
export const PROTECTED_KEYS = [
  'wing',
  'hall',
  'created_at',
  'updated_at',
  'supersedes',
  'supersede_reason',
  'promoted_at',
  'promoted_by',
  'origin',
  'written_by',
  'rejected_at',
  'reject_reason',
  'rejected_by',
  'withdrawn_at',
  'verified_at',
  'verified_by',
] as const;

/** The keys of a person's confirmation, which is about one text. */
export const CONFIRMATION_KEYS = ['verified_at', 'verified_by'] as const;

/**
 * Returns the stamp of a caller for the front matter: the door, and the writer that the credential proves. A person is
 * `human:<name>`; every other caller is the token's name, followed by the claimed client in brackets.
 * @param via the maker of the text: the name of a model, or "passthrough"
 */
export function stampOf(caller: Caller, via?: string): { origin: string; written_by: string } {
  const { origin, name, human, client } = caller;
  const agent = client === undefined ? name : `${name} (${client})`;
  const by = human ? `human:${name}` : agent;
  return { origin, written_by: via === undefined ? by : `${by} via ${via}` };
}

/** Returns the name with which `isWriter` finds a caller's stamps, without the claimed client. */
export function stampName({ name, human }: Pick<Caller, 'name' | 'human'>): string {
  return human ? `human:${name}` : name;
}

/** Returns true for the stamp of a person, in the app or on the page. No token's name looks like it. */
export function isPersonStamp(writtenBy: unknown): boolean {
  return typeof writtenBy === 'string' && writtenBy.startsWith('human:');
}

/** A stamp with the maker of the text. A "via" in brackets is part of the client's claimed name. */
const VIA = /^[^(]*(?:\([^()]*\))? via ./;

/**
 * Returns true for front matter that the ingestion pipeline has written: its stamp names the maker of the text, which no caller
 * can forge. The source that such a note names is proven; in any other note it is only claimed.
 */
export function isOfPipeline({ written_by: writer }: Readonly<Record<string, unknown>>): boolean {
  return typeof writer === 'string' && VIA.test(writer);
}

/**
 * Returns true when a stamp is of this writer: `name` is the whole stamp, or the name of the token before the client's brackets.
 * Text that a model made for the writer (` via …`) counts as the writer's. A part of a name does not match: "lap" is not "laptop".
 */
export function isWriter(stamp: unknown, name: string): boolean {
  if (typeof stamp !== 'string' || name === '') return false;
  if (stamp === name || stamp.startsWith(`${name} via `)) return true;
  // A person has no client: brackets in a person's name are part of the name.
  return !name.startsWith('human:') && stamp.startsWith(`${name} (`);
}

/** Returns the rule that a stamp names, `ci` for `human:me/rule:ci`; undefined for the stamp of anybody else. */
export function ruleOf(stamp: string | undefined): string | undefined {
  return /^human:.*\/rule:(.+)$/s.exec(stamp ?? '')?.[1];
}

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
 * Returns the epoch milliseconds at which somebody last stood for a claim: the last write, or a later confirmation by a person.
 * Null without both.
 */
export function lastVerified(frontmatter: Readonly<Record<string, unknown>>): number | null {
  const times = [parseTime(lastWritten(frontmatter)), noteTime(frontmatter.verified_at)];
  const known = times.flatMap((time) => (time === null ? [] : time.getTime()));
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * Returns true when the half-life of a claim has passed since it was last written or confirmed. A note without a half-life, or without a
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
  const since = lastVerified(frontmatter);
  const made = since === null ? Infinity : since + days * DAY_MS;
  known.set(frontmatter, made);
  return made;
}
