import type * as z from 'zod';

/** What a validation library says by itself begins like this; everything else is a sentence of ours. */
const LIBRARY = /^(?:Invalid|Too (?:small|big)|Unrecognized)/;

/** Puts into a sentence what is wrong with the value of a field, and what would do. */
export function inputSentence(field: string, issue: z.core.$ZodIssue): string {
  const words = LIBRARY.test(issue.message) ? wordsOf(issue) : issue.message;
  return /^(?:must|may|names|is|has) /.test(words) ? `"${field}" ${words}.` : `"${field}": ${words}.`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? 'of another kind'}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'must have another name';
    case 'invalid_union':
      return `must be ${kindsOf(issue.errors).join(' or ')}`;
    case 'invalid_format':
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
      return 'must have another form; see GET /openapi.json';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** The kinds of which a value may be any one. */
function kindsOf(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string[] {
  const kinds = alternatives.flatMap(([issue]) =>
    issue?.code === 'invalid_union'
      ? kindsOf(issue.errors)
      : issue?.code === 'invalid_type'
        ? [KINDS[issue.expected]]
        : [],
  );
  const known = [...new Set(kinds.filter((kind) => kind !== undefined))];
  return known.length > 0 ? known : ['of another form'];
}

function sizeOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${limit} entries`;
  return `be ${bound} ${limit}`;
}
