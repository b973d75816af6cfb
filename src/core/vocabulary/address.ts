import { BrainError } from '../base/errors';
import { fold, linkPath, type VaultPath, vaultPath } from './paths';
import { dashed, isDeviceName, numbered, prefixWithin } from './slug';

/** The kinds of memory, a closed set, in the order of indexes and lists. */
export const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'] as const;

export type Hall = (typeof HALLS)[number];

/** The names of the halls for people. */
export const HALL_TITLES: Readonly<Record<Hall, string>> = {
  facts: 'Facts',
  decisions: 'Decisions',
  failures: 'Failures',
  hypotheses: 'Hypotheses',
  sources: 'Sources',
};

/** What belongs in each hall, for people and models. */
export const HALL_MEANINGS: Readonly<Record<Hall, string>> = {
  facts: 'what is so, with how it is known',
  decisions: 'what was chosen, why, and what was not',
  failures: 'what went wrong, its cause, what changed since',
  hypotheses: 'guesses, with what speaks for and against them',
  sources: 'where knowledge came from',
};

/** Returns true for one of the five names, case-sensitive. */
export function isHall(text: unknown): text is Hall {
  return HALLS.some((hall) => hall === text);
}

/** The name of a wing: a sanitised name, or the name of an existing folder under `wiki/`. */
export type Wing = string & { readonly __brand: 'Wing' };

/** The address of a structured note. */
interface Address {
  readonly wing: Wing;
  readonly hall: Hall;
  readonly slug: string;
}

/** The longest name of a wing. Bytes are limited too, because 64 characters of four bytes do not fit into a file name. */
const MAX_WING = { codePoints: 64, bytes: 180 };

/** The longest name that is normalised (UTF-16 units): a long run of accents takes quadratic time. */
const MAX_WING_INPUT = 1000;

/**
 * Returns the one name of a wing for all its spellings: "Home Lab" and "home-lab" are equal. Only letters, marks, numbers and
 * single dashes remain. Idempotent.
 * @throws BrainError `invalid_wing` for a path, a hidden or reserved name, and a name of which nothing remains.
 */
export function sanitiseWing(name: string): Wing {
  // NFKC comes first, because it maps lookalikes to "/" and ".": a path in a wing is an attack, not a typing error.
  if (name.length > MAX_WING_INPUT) throw invalidWing(`is longer than ${MAX_WING_INPUT} characters`);
  const plain = name.normalize('NFKC').trim();
  if (/[/\\\0]/.test(plain)) throw invalidWing('may not contain "/", "\\" or NUL');
  if (/^[._]/.test(plain)) throw invalidWing('may not start with "." or "_"');
  const wing = prefixWithin(dashed(plain), MAX_WING.codePoints, MAX_WING.bytes).replace(/-$/, '');
  if (wing === '') throw invalidWing('must contain a letter or a number');
  if (isDeviceName(wing)) throw invalidWing(`may not be "${wing}", the name of a device on Windows`);
  return wing as Wing; // The brand exists for the compiler only.
}

function invalidWing(problem: string): BrainError {
  return new BrainError('invalid_wing', `The wing ${problem}. Use a plain topic name such as "homelab".`);
}

/** Returns `wiki/<wing>/<hall>/<slug>.md`. */
export function notePath({ wing, hall, slug }: Address): VaultPath {
  return vaultPath(`wiki/${wing}/${hall}/${slug}.md`);
}

/** Returns the address of a path `wiki/<wing>/<hall>/<slug>.md`; null for every other path and for `_index.md`. */
export function addressOf(path: string): Address | null {
  const wing = wingOfPath(path);
  const [, , hall, file = '', ...deeper] = path.split('/');
  if (wing === null || !isHall(hall) || deeper.length > 0) return null;
  const slug = linkPath(file);
  if (!file.endsWith('.md') || slug === '' || slug.startsWith('.') || fold(slug) === '_index') return null;
  return { wing, hall, slug };
}

/** Returns the wing of a path as its folder is spelt; null outside `wiki/<wing>/` and for hidden folders. */
export function wingOfPath(path: string): Wing | null {
  const match = /^wiki\/([^/.][^/]*)\/./.exec(path);
  return match?.[1] === undefined ? null : (match[1] as Wing); // A folder under wiki/ is a wing by its name.
}

/** Returns the path of a wing's map. */
export function wingIndexPath(wing: Wing): VaultPath {
  return vaultPath(`wiki/${wing}/_index.md`);
}

/**
 * Refuses half an address, with which the note would silently land among the notes without an address.
 * @throws BrainError `wing_and_hall_required_together`.
 */
export function requireBothOrNone(wing: string | undefined, hall: Hall | undefined): void {
  if ((wing === undefined) === (hall === undefined)) return;
  const [given, missing] = wing === undefined ? ['hall', 'wing'] : ['wing', 'hall'];
  throw new BrainError(
    'wing_and_hall_required_together',
    `"${given}" is given but "${missing}" is not. Give both, or neither for a note without an address.`,
  );
}

/** Returns the n-th path to try in the review queue: `raw/YYYY-MM-DD-slug.md`, then with `-2`, `-3` …; `date` is local. */
export function rawPath(date: string, slug: string, n: number): VaultPath {
  return vaultPath(`raw/${date}-${numbered(slug, n)}.md`);
}
