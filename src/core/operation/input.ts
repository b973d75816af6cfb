import * as z from 'zod';
import { BrainError, type ErrorCode } from '../base/errors';
import { isRecord } from '../base/json';
import { firstPoints } from '../base/text';

/** Matches a default message of the validation library; every other message is a sentence of this project. */
const LIBRARY = /^(?:Invalid|Too (?:small|big)|Unrecognized)/;

/** Returns a sentence about the wrong value of a field and the values it accepts. */
function inputSentence(field: string, issue: z.core.$ZodIssue): string {
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
      return 'must have another form';
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

/** Returns the kinds of value that a union accepts. */
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

/** The fault of one page of a batch. `index` counts from 0. */
export interface PageProblem {
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Returns the error that refuses a batch because of some of its pages. */
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

/** Error codes for wrong values of particular fields, so that a program can tell what to correct. */
export type FieldCodes = Readonly<Record<string, ErrorCode>>;
export const CODE_OF_FIELD: FieldCodes = {
  hall: 'invalid_hall',
  wing: 'invalid_wing',
  filename: 'invalid_filename',
  slug: 'invalid_slug',
  source_type: 'invalid_source_type',
  half_life: 'invalid_envelope',
  applies: 'invalid_envelope',
  claim_provenance: 'invalid_envelope',
  window: 'invalid_window',
};

/**
 * Parses the input of an operation. Agents often send `null` for an absent value, so null fields of a call, and of objects in
 * its lists, are dropped. `codes` are those of the operation; they take precedence over the common ones.
 * @throws BrainError with the code of the first fault
 */
export function readInput<In extends z.ZodObject>(
  schema: In,
  raw: unknown,
  codes: FieldCodes = {},
): z.output<In> {
  const given = raw === undefined ? {} : withoutNulls(schema, raw);
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw (
      pageFaults(parsed.error, given) ??
      invalidInput(parsed.error.issues, Object.keys(schema.shape), given, { ...CODE_OF_FIELD, ...codes })
    );
  return parsed.data;
}

/** Drops null fields, except those for which null is a value, and unknown ones, which are refused whatever their value. */
function withoutNulls(type: z.core.$ZodType, raw: unknown): unknown {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return withoutNulls(type.unwrap(), raw);
  if (type instanceof z.ZodArray && Array.isArray(raw)) {
    return raw.map((element: unknown) => withoutNulls(type.element, element));
  }
  if (!(type instanceof z.ZodObject) || !isRecord(raw)) return raw;
  const shape: Readonly<Record<string, z.core.$ZodType>> = type.shape;
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field === undefined) return [[name, value]];
      return value === null && !takesNull(field) ? [] : [[name, withoutNulls(field, value)]];
    }),
  );
}

function takesNull(type: z.core.$ZodType): boolean {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return takesNull(type.unwrap());
  return type instanceof z.ZodNullable;
}

/**
 * Returns the error for the first fault of an input. Unknown fields come before all others, because an ignored filter or a
 * mistyped name is the most expensive mistake. `raw` is the input as the schema got it, `fields` the fields that it accepts;
 * null when they are unknown.
 */
function invalidInput(
  issues: readonly z.core.$ZodIssue[],
  fields: readonly string[] | null,
  raw: unknown,
  codes: FieldCodes = CODE_OF_FIELD,
): BrainError {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown?.code === 'unrecognized_keys') {
    const where = unknown.path.length > 0 ? ` in "${unknown.path.join('.')}"` : '';
    const allowed = where === '' && fields !== null ? fields : undefined;
    const listed = allowed?.length === 0 ? 'There are none here.' : `Allowed: ${allowed?.join(', ')}.`;
    return new BrainError(
      'unknown_field',
      `Unknown field${unknown.keys.length > 1 ? 's' : ''} ${named(unknown.keys)}${where}.` +
        ` ${allowed ? listed : 'Leave it out.'}`,
      {
        fields: unknown.keys.slice(0, MAX_NAMED).map((key) => firstPoints(key, MAX_FIELD_NAME)),
        ...(allowed && { allowed }),
      },
    );
  }
  const [issue] = issues;
  if (!issue) return new BrainError('invalid_field', 'The input does not fit this operation.');
  if (issue.path.length === 0) {
    return new BrainError(
      'invalid_field',
      'The input must be a JSON object with the fields of this operation.',
    );
  }
  const field = issue.path.join('.');
  if (valueAt(raw, issue.path) === undefined) {
    return new BrainError('missing_field', `"${field}" is required.`, { field });
  }
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String);
    return new BrainError(codeOf(codes, issue.path), `"${field}" must be one of: ${allowed.join(', ')}.`, {
      field,
      allowed,
    });
  }
  return new BrainError(codeOf(codes, issue.path), inputSentence(field, issue), { field });
}

/** The list whose items are reported one by one: it may be long, and its sender has to find each faulty one. */
const BATCH = 'pages';

/** Returns the error that lists the faulty pages of a batch; null when none is faulty, or another field is as well. */
function pageFaults({ issues }: z.ZodError, raw: unknown): BrainError | null {
  const byPage = new Map<number, z.core.$ZodIssue[]>();
  for (const issue of issues) {
    const [list, index, ...path] = issue.path;
    if (list !== BATCH || typeof index !== 'number') return null;
    byPage.set(index, [...(byPage.get(index) ?? []), { ...issue, path }]);
  }
  if (byPage.size === 0) return null;
  const problems = [...byPage].map(([index, faults]) => {
    const { code, message } = invalidInput(faults, null, valueAt(raw, [BATCH, index]));
    return { index, code, message };
  });
  return invalidPages(problems.sort((a, b) => a.index - b.index));
}

/** The number of wrong fields that an error names: an answer must not grow with a hostile request. */
const MAX_NAMED = 10;
const MAX_FIELD_NAME = 100;

function named(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_NAMED).map((key) => `"${firstPoints(key, MAX_FIELD_NAME)}"`);
  const others = keys.length - shown.length;
  return shown.join(', ') + (others > 0 ? ` and ${others} more` : '');
}

/** Returns the value that the caller sent at a path, which the validator does not keep. */
function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function codeOf(codes: FieldCodes, path: readonly PropertyKey[]): ErrorCode {
  return path.length === 1 ? (codes[String(path[0])] ?? 'invalid_field') : 'invalid_field';
}
