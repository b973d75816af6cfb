import { BrainError } from '../../errors';
import { withoutInvisible } from '../invisible';
import { isPersonStamp, PROTECTED_KEYS } from '../provenance';
import { holdsTemplate, madeInert, templateInField } from './inert';
import type { Values } from './read';
import { setKey, type Changes } from './rewrite';
import { callerText, oneLine, type Flat, type Scalar } from './scalars';

const MAX_KEY = 100;
const isProtected: ReadonlySet<string> = new Set(PROTECTED_KEYS);
/** Of these an empty text is no value either, and what a call gives or the default stands in for it. */
const maybeEmpty: ReadonlySet<string> = new Set(['type', 'domain', 'source_type']);

/** True for the keys that no caller can set, wherever they stand. */
export function onlyServiceSets(key: string): boolean {
  return isProtected.has(key);
}

/** The key with which the owner of a vault forbids changes of a note. */
export const LOCK_KEY = 'locked';

/** True for the keys that the one who writes cannot set or remove: those of the service, and the owner's lock for a token. */
export function mayNotSet(key: string, writtenBy: string | undefined): boolean {
  return onlyServiceSets(key) || (key === LOCK_KEY && !isPersonStamp(writtenBy));
}

/** The warning for a key that a caller tried to set. */
export function droppedKey(key: string): string {
  return `"${key}" was dropped: only ${onlyServiceSets(key) ? 'the service' : 'a person'} sets it.`;
}

/** True when front matter has a value of its own for the key: null is none. */
export function says(values: Values, key: string): boolean {
  if (!Object.hasOwn(values, key) || values[key] === null) return false;
  return !maybeEmpty.has(key) || values[key] !== '';
}

/** True when two values read alike. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Adds what a call gives beside its content: its options, then its `frontmatter`. The content's own block has the first
 * word on every key, and keys that the one who writes cannot set are dropped; both are said in `warnings`.
 * @param standing what the note says that is updated: of that, template code may be sent back
 * @throws BrainError `invalid_field` for a key that cannot stand in front matter, `invalid_frontmatter` for template code.
 */
export function addOffers(
  changes: Changes,
  own: Values,
  offers: {
    options: Readonly<Record<string, string | undefined>>;
    frontmatter?: Flat | undefined;
    writtenBy: string | undefined;
    standing?: Values | undefined;
  },
  eol: string,
  warnings: string[],
): void {
  const given = Object.entries(offers.options).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const taken = new Set<string>();
  for (const [name, value] of [...given, ...Object.entries(offers.frontmatter ?? {})]) {
    const key = withoutInvisible(name);
    if (mayNotSet(key, offers.writtenBy)) {
      warnings.push(droppedKey(key));
      continue;
    }
    checkKey(key);
    const clean = Array.isArray(value) ? value.map(cleaned) : cleaned(value);
    const reads = Array.isArray(clean) ? clean.map(String) : String(clean);
    if (holdsTemplate(key) || holdsTemplate(reads)) {
      if (offers.standing !== undefined && same(offers.standing[key], reads)) continue;
      throw templateInField(key);
    }
    if (says(own, key)) {
      if (!same(own[key], reads)) warnings.push(`"${key}" of the call was dropped: the content sets it.`);
    } else if (taken.has(key)) {
      if (!same(changes.expected.get(key), reads)) {
        warnings.push(`"${key}" of "frontmatter" was dropped: the call gives it as a field.`);
      }
    } else {
      const words = [name, ...(Array.isArray(value) ? value : [value])];
      warnings.push(...new Set(words.flatMap((each) => madeInert(`"${key}"`, String(each)))));
      if (isCut(value)) warnings.push(`"${key}" was cut to 500 characters.`);
      setKey(changes, key, clean, eol);
      taken.add(key);
    }
  }
}

function cleaned(value: Scalar): Scalar {
  return typeof value === 'string' ? callerText(withoutInvisible(value)) : value;
}

function isCut(value: Scalar | readonly Scalar[]): boolean {
  if (typeof value === 'object') return value.some(isCut);
  return (
    typeof value === 'string' && callerText(withoutInvisible(value)) !== oneLine(withoutInvisible(value))
  );
}

function checkKey(key: string): void {
  if (key !== '' && key === oneLine(key) && key.length <= MAX_KEY && key !== '<<' && !/["\\]/.test(key))
    return;
  throw new BrainError(
    'invalid_field',
    'A key of "frontmatter" must be 1 to 100 characters on one line, without quotes and backslashes. Rename or leave it out.',
    { field: 'frontmatter' },
  );
}
