import { valueTexts } from '../catalog/beside';
import type { NoteRecord } from '../catalog/record';
import { titleKey } from '../links/resolve';

/** A filter of a query, such as `tag:garden`, `cuisine:italian` or `-path:archive`. */
interface QueryFilter {
  /** `tag`, `path`, `title`, or a property. */
  readonly key: string;
  readonly value: string;
  /** True when notes with the value are left out. */
  readonly not: boolean;
}

/** What a query with operators asks for. */
export interface ParsedQuery {
  /** Its words without the operators. */
  readonly words: string;
  readonly filters: QueryFilter[];
  /** The words that no note may hold. */
  readonly without: string[];
}

/** The keys that filter without a property of that name. */
const OWN_KEYS: ReadonlySet<string> = new Set(['tag', 'path', 'title']);

/** The one value of the filter by review, whose test needs the past of a note. */
const REVIEWED = { key: 'reviewed', value: 'true' };

/** Returns true for a query with `reviewed:true`. */
export function asksReviewed({ filters }: Pick<ParsedQuery, 'filters'>): boolean {
  return filters.some(isReviewFilter);
}

function isReviewFilter({ key, value, not }: QueryFilter): boolean {
  return !not && titleKey(key) === REVIEWED.key && titleKey(value) === REVIEWED.value;
}

/** The most operators of a query that count: each is a test of every note. */
const MAX_OPERATORS = 16;

/** A part of a query without blanks but in quotes. */
const PART = /(?:"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|\S)+/gu;
/** `key:value` and `key:"a value"`. An address (`http://…`), a drive (`C:\x`) and `std::vector` have another sign behind the colon. */
const FILTER =
  /^(-?)(\p{L}[\p{L}\p{M}\p{N}_-]*):(?:"([^"]+)"|“([^“”]+)”|(#?[\p{L}\p{M}\p{N}][^"“”„«»「」]*))$/u;
const EXCLUDED = /^-(\p{L}[\p{L}\p{M}\p{N}'’_.-]{2,})$/u;
/** A word that a program takes for an option. */
const FLAG = /^-{1,2}[^\s-]/;

/** Returns the keys, folded, that a query filters by where there are such properties. */
export function keysIn(query: string): string[] {
  return partsOf(query).flatMap((part) => {
    const key = titleKey(FILTER.exec(part)?.[2] ?? '');
    return key === '' || OWN_KEYS.has(key) ? [] : [key];
  });
}

/**
 * Reads the operators of a query; returns null if it has none. Never throws.
 * @param properties the keys, folded, that are properties of notes
 */
export function parseQuery(query: string, properties: ReadonlySet<string>): ParsedQuery | null {
  const parts = partsOf(query);
  const filters: QueryFilter[] = [];
  const without: string[] = [];
  const words: string[] = [];
  const isFilter = (part: string) => FILTER.test(part);
  // Beside other options a word with a dash is an option itself.
  const hasFlags = parts.some((part) => FLAG.test(part) && !EXCLUDED.test(part) && !isFilter(part));
  for (const part of parts) {
    const [, minus, key = '', ...values] = FILTER.exec(part) ?? [];
    const folded = titleKey(key);
    const value = values.find((each) => each !== undefined)?.trim() ?? '';
    const excluded = hasFlags ? undefined : EXCLUDED.exec(part)?.[1];
    if (filters.length + without.length === MAX_OPERATORS) words.push(part);
    else if (
      value !== '' &&
      (OWN_KEYS.has(folded) || properties.has(folded) || isReviewFilter({ key, value, not: minus === '-' }))
    )
      filters.push({ key, value, not: minus === '-' });
    else if (excluded !== undefined) without.push(excluded);
    else words.push(part);
  }
  // Without anything to look for, a dash is a mark of the word.
  if (filters.length === 0 && (without.length === 0 || words.length === 0)) return null;
  return { words: words.join(' '), filters, without };
}

/** Returns the operators of a query as they may be written: `tag:network`, `-ipvs`. */
export function writtenOperators({ filters, without }: Pick<ParsedQuery, 'filters' | 'without'>): string[] {
  const said = filters.map(({ key, value, not }) => {
    const quoted = /\s/.test(value) ? `"${value}"` : value;
    return `${not ? '-' : ''}${key}:${quoted}`;
  });
  return [...said, ...without.map((word) => `-${word}`)];
}

function partsOf(query: string): string[] {
  return query.match(PART) ?? [];
}

/** Returns a test whether a note passes the filters. Case and accents do not count. */
export function filterTest(filters: readonly QueryFilter[]): (note: NoteRecord) => boolean {
  const tests = filters
    .filter((filter) => !isReviewFilter(filter))
    .map(({ key, value, not }) => {
      const test = testOf(titleKey(key), value);
      return (note: NoteRecord) => test(note) !== not;
    });
  return (note) => tests.every((test) => test(note));
}

function testOf(key: string, value: string): (note: NoteRecord) => boolean {
  const wanted = titleKey(key === 'tag' ? value.replace(/^#/, '') : value);
  switch (key) {
    case 'tag':
      // A tag holds those below it.
      return ({ tags }) => tags.some((tag) => `${titleKey(tag)}/`.startsWith(`${wanted}/`));
    case 'path':
      return ({ path }) => titleKey(path).includes(wanted);
    case 'title':
      return ({ title }) => titleKey(title).includes(wanted);
    default: {
      const whole = wholeWords(wanted);
      return ({ frontmatter }) =>
        Object.entries(frontmatter).some(
          ([name, texts]) =>
            titleKey(name) === key && valueTexts(texts).some((text) => whole.test(titleKey(text))),
        );
    }
  }
}

/** Returns a pattern for a text that neither begins nor ends within a word or a number. */
function wholeWords(text: string): RegExp {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}]|\\p{N}[.,])${literal}(?![\\p{L}\\p{M}\\p{N}]|[.,]\\p{N})`, 'u');
}
