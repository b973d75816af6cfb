import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A zod schema as JSON Schema, for what comes in or for what goes out. What JSON Schema cannot say is left open. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** The fields of an object schema. */
export function fieldsOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const fields = new Map<string, JsonSchema>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (typeof field === 'object') fields.set(name, field);
  }
  return fields;
}
