import { envelopeFields } from '../../core/fields';
import { isRecord } from '../../core/rules/record';
import { parseJson } from '../body';
import type { JsonSchema } from '../schema';

/**
 * A body without the null members that mean the same as none: those of messages, of their `params`, and everything in `_meta`
 * and in the params of `initialize`, which many clients write out whole. The `id` stays, whose null has a meaning, and so do the
 * arguments of a call, which the tool reads.
 */
export function withoutNullMembers(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNullMembers);
  if (!isRecord(body)) return body;
  const message = withoutNulls(body, (name) => name === 'id');
  if (!isRecord(message.params)) return message;
  if (message.method === 'initialize') return { ...message, params: deeplyWithoutNulls(message.params) };
  const params = withoutNulls(message.params);
  return {
    ...message,
    params: '_meta' in params ? { ...params, _meta: deeplyWithoutNulls(params._meta) } : params,
  };
}

function withoutNulls(
  record: Readonly<Record<string, unknown>>,
  keeps: (name: string) => boolean = () => false,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null || keeps(name)));
}

function deeplyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deeplyWithoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(withoutNulls(value)).map(([name, each]) => [name, deeplyWithoutNulls(each)]),
  );
}

/**
 * The arguments of a tool as its schema wants them. Many clients send every value as a text, and a text for every field that
 * was left empty: a text is read as the number, truth value, list or object that the schema wants in its place, and an empty one
 * of a field that need not be given means that it is not. What a text cannot be read as is left to be refused; where the schema
 * wants a text, a text stays what it is. The claim envelope is none of this: there an empty text is a value, and a wrong one.
 */
export function lenientArguments(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = schema.properties ?? {};
  const given = Object.entries(args).flatMap(([name, value]): [string, unknown][] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof field !== 'object') return [[name, value]];
    const isOptional = schema.required?.includes(name) !== true;
    if (value === '' && isOptional && !Object.hasOwn(envelopeFields, name)) return [];
    return [[name, lenientValue(field, value)]];
  });
  return Object.fromEntries(given);
}

function lenientValue(schema: JsonSchema, value: unknown): unknown {
  const read = typeof value === 'string' ? readText(schema, value.trim(), value) : value;
  const { items } = schema;
  if (Array.isArray(read) && typeof items === 'object' && !Array.isArray(items))
    return read.map((each: unknown) => lenientValue(items, each));
  return schema.type === 'object' && isRecord(read) ? lenientArguments(schema, read) : read;
}

const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

function readText({ type }: JsonSchema, text: string, given: string): unknown {
  if (type === 'number' || type === 'integer') {
    const read = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(read) && (type === 'number' || Number.isInteger(read)) ? read : given;
  }
  if (type === 'boolean') {
    if (/^true$/i.test(text)) return true;
    return /^false$/i.test(text) ? false : given;
  }
  if (type === 'array') {
    const read = readJsonText(text, '[');
    return Array.isArray(read) ? read : given;
  }
  if (type === 'object') {
    const read = readJsonText(text, '{');
    return isRecord(read) ? read : given;
  }
  return given;
}

/** The value that a text is the JSON of; null when it is none, or one that no body could hold. */
function readJsonText(text: string, opening: string): unknown {
  if (!text.startsWith(opening)) return null;
  try {
    return parseJson(new TextEncoder().encode(text));
  } catch {
    return null;
  }
}
