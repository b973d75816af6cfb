import type * as z from 'zod';
import { BrainError } from '../core/errors';
import { firstPoints } from '../core/rules/text';
import { fieldsOf, jsonSchema } from './schema';

const MAX_NAME = 100;

type Coerce = (text: string) => unknown;

const toNumber: Coerce = (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text);
const toBoolean: Coerce = (text) => (text === 'true' ? true : text === 'false' ? false : text);

/**
 * For routes whose input is the body. A field that was put into the address by mistake must not be passed over: `dry_run` is
 * one.
 * @throws BrainError `unknown_field` when there is any parameter.
 */
export function refuseParameters(query: object): void {
  const [name] = Object.keys(query);
  if (name === undefined) return;
  throw new BrainError(
    'unknown_field',
    `This route takes its fields from the JSON body, not from the address. Put "${firstPoints(name, MAX_NAME)}" there.`,
    { fields: [firstPoints(name, MAX_NAME)] },
  );
}

/**
 * Makes the function that turns a parsed query string into an operation's input: everything arrives as text, so the
 * fields that the schema wants as numbers or booleans are read as such. What cannot be read stays text, and the
 * schema refuses it by name.
 * @throws (the function) BrainError `invalid_field` for a parameter that is given twice.
 */
export function queryReader(schema: z.ZodType): (query: object) => Record<string, unknown> {
  const coercions = new Map<string, Coerce>();
  for (const [name, { type }] of fieldsOf(jsonSchema(schema, 'input'))) {
    if (type === 'integer' || type === 'number') coercions.set(name, toNumber);
    if (type === 'boolean') coercions.set(name, toBoolean);
  }
  return (query) => {
    const input: [string, unknown][] = [];
    for (const [name, text] of Object.entries(query)) {
      if (typeof text !== 'string') {
        throw new BrainError('invalid_field', `The parameter "${name}" is given more than once.`, {
          field: name,
        });
      }
      input.push([name, coercions.get(name)?.(text) ?? text]);
    }
    return Object.fromEntries(input);
  };
}
