import * as z from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

/** The JSON Schema of an object, as it goes over the wire. */
export type ObjectSchema = Schema & { type: 'object' };

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
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    const description = words[field];
    if (typeof node === 'object' && description !== undefined && description !== '')
      node.description = description;
  }
  return schema;
}

/**
 * The outline of a tool's answer: names and types, and of a list of objects only that it is one. Clients check answers
 * against it and do not show it to the model; the API description has every detail.
 */
export function outputSchema(output: z.ZodType): ObjectSchema {
  return convert(output, (node) => {
    delete node.propertyNames;
    if (typeof node.items === 'object' && !Array.isArray(node.items) && node.items.type === 'object') {
      node.items = { type: 'object' };
    }
  });
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
