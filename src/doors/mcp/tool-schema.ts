import * as z from 'zod';
import { isRecord } from '../../core/rules/record';

type Schema = z.core.JSONSchema.JSONSchema;

/** The JSON Schema of an object, as it goes over the wire. */
export type ObjectSchema = Schema & { type: 'object' };

/** Numbers that reach so far count characters. */
const LONG = 1000;

/**
 * The schema of a tool's arguments, with the tool's own words for its fields. What only the service checks is left out, such
 * as patterns and lengths: a model pays for every word of it in every conversation, and some clients choke on regular
 * expressions.
 */
export function inputSchema(
  input: z.ZodObject,
  words: Readonly<Record<string, string | undefined>>,
): ObjectSchema {
  const schema = convert(input, (node) => {
    delete node.pattern;
    delete node.maxLength;
    delete node.minLength;
    delete node.maxItems;
    // Nobody asks for less than nothing, or for no results.
    if (node.minimum === 0 || node.minimum === 1) delete node.minimum;
    // A page of a text is as long as its reader wants; only a number of results is worth a word.
    if (typeof node.maximum === 'number' && node.maximum >= LONG) {
      delete node.minimum;
      delete node.maximum;
    }
    // Whoever leaves out a switch or an offset means just that.
    if (node.default === false || node.default === 0) delete node.default;
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    const description = words[field];
    if (typeof node === 'object' && description !== undefined && description !== '')
      node.description = description;
  }
  return schema;
}

/**
 * The outline of a tool's answer: names and types, and of the objects in it only that they are some. Clients check answers
 * against it and do not show it to the model; the API description has every detail.
 */
export function outputSchema(output: z.ZodType): ObjectSchema {
  const schema = convert(output, (node) => {
    delete node.propertyNames;
    // The model reads the word itself; which others there might have been is in the API description.
    if (node.type === 'string') delete node.enum;
    // No reader needs to be told that anything may be there.
    if (isRecord(node.additionalProperties) && Object.keys(node.additionalProperties).length === 0)
      delete node.additionalProperties;
    if (typeof node.items === 'object' && !Array.isArray(node.items) && node.items.type === 'object') {
      node.items = { type: 'object' };
    }
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    if (typeof node !== 'object') continue;
    if (node.properties !== undefined) {
      schema.properties = { ...schema.properties, [field]: { type: 'object' } };
    }
    // Some readers of schemas know no list of types.
    const { type: types, ...rest } = node;
    if (Array.isArray(types)) {
      const anyOf = types.map((type) => ({ type }));
      schema.properties = { ...schema.properties, [field]: { ...rest, anyOf } };
    }
  }
  return schema;
}

/** `$schema`, the operation's own descriptions and the bounds of safe integers tell a model nothing. */
function convert(schema: z.ZodType, trim: (node: Schema) => void): ObjectSchema {
  const { $schema: _, ...json }: Schema = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema: node }) {
      delete node.description;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      trim(node);
    },
  });
  if (json.type !== 'object') throw new Error('The arguments and the answer of a tool must be objects.');
  return { ...json, type: 'object' };
}
