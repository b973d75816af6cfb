import * as z from 'zod';
import { operation } from '../../../src/core/operation/operation';
import { defineTool } from '../../../src/doors/mcp/tools';

const thing = operation({
  name: 'thing',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('for the HTTP door'),
    limit: z.number().int().min(1).max(50).default(10),
    offset: z.number().int().min(0).default(0),
    chars: z.number().int().min(200).max(1_000_000).default(40_000),
    deep: z.boolean().default(false),
    tags: z.array(z.string().min(1)).max(50).optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  output: z.object({
    title: z.string().describe('for the HTTP door'),
    count: z.number().int(),
    found: z.array(z.object({ path: z.string() })),
    reading: z.object({ done: z.number().int() }).optional(),
    paths: z.array(z.string()),
    front: z.record(z.string(), z.unknown()),
    answer: z.string().nullable(),
  }),
  run: () => Promise.reject(new Error('never run')),
});

const words = { name: 'brain_thing', title: 'Thing', description: 'Does a thing.' };
const tool = defineTool({
  ...words,
  operation: thing,
  fields: { hash: 'Which thing', limit: '', tags: '' },
  required: ['hash'],
  replaced: { limit: z.number().int().min(1).max(50).default(5) },
});

describe('a tool', () => {
  it('shows the offered fields in its own words, flat and closed', () => {
    expect(tool.listing.inputSchema).toEqual({
      type: 'object',
      properties: {
        hash: { type: 'string', description: 'Which thing' },
        limit: { type: 'integer', maximum: 50 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['hash'],
      additionalProperties: false,
    });
  });

  it('pays for no bound that a model would keep to anyway', () => {
    const fields = { offset: 'Where to go on', chars: '', deep: '' };
    const { listing } = defineTool({ ...words, operation: thing, fields });
    expect(listing.inputSchema.properties).toEqual({
      offset: { type: 'integer', description: 'Where to go on' },
      chars: { type: 'integer' },
      deep: { type: 'boolean' },
    });
  });

  it('takes fields that it does not list, as it takes the listed ones', () => {
    const { listing, read } = defineTool({
      ...words,
      operation: thing,
      fields: { hash: '' },
      unlisted: ['limit', 'tags'],
    });
    expect(Object.keys(listing.inputSchema.properties ?? {})).toEqual(['hash']);
    expect(read({ limit: '3', tags: '["a"]' })).toMatchObject({ limit: 3, tags: ['a'] });
    expect(() => read({ limit: 51 })).toThrow('"limit"');
  });

  it('outlines the named members of its answer, and an object without names', () => {
    expect(tool.listing.outputSchema).toEqual({ type: 'object' });
    const { listing } = defineTool({
      ...words,
      operation: thing,
      fields: {},
      describeAnswer: ['title', 'found', 'reading'],
    });
    expect(listing.outputSchema).toEqual({
      type: 'object',
      properties: { title: { type: 'string' }, found: { type: 'array' }, reading: { type: 'object' } },
      required: ['title', 'found'],
    });
    expect(() => defineTool({ ...words, operation: thing, fields: {}, describeAnswer: ['answer'] })).toThrow(
      'no plain member "answer"',
    );
  });

  it('takes its hints from the operation unless it says otherwise', () => {
    expect(tool.listing.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    const changing = { ...thing, mutates: true };
    expect(defineTool({ ...words, operation: changing, fields: {} }).listing.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: false,
    });
    expect(tool.listing).not.toHaveProperty('_meta');
  });

  it('gives the operation what it needs, defaults of its own included', () => {
    const hash = 'a'.repeat(64);
    expect(tool.read({ hash, limit: null })).toEqual({ hash, limit: 5 });
  });

  it('keeps checking what its schema no longer says', () => {
    expect(() => tool.read({ hash: 'short' })).toThrow('"hash"');
    expect(() => tool.read({ hash: 'a'.repeat(64), extra: {} })).toThrow(
      'Unknown field "extra". Allowed: hash, limit, tags.',
    );
  });
});
