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
        limit: { type: 'integer', maximum: 50, default: 5 },
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
      chars: { type: 'integer', default: 40_000 },
      deep: { type: 'boolean' },
    });
  });

  it('outlines its answer', () => {
    expect(tool.listing.outputSchema).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string' },
        count: { type: 'integer' },
        found: { type: 'array', items: { type: 'object' } },
        reading: { type: 'object' },
        paths: { type: 'array', items: { type: 'string' } },
        front: { type: 'object' },
        answer: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['title', 'count', 'found', 'paths', 'front', 'answer'],
    });
  });

  it('takes its hints from the operation unless it says otherwise', () => {
    expect(tool.listing.annotations).toEqual({
      title: 'Thing',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
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
