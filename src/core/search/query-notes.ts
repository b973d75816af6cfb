import * as z from 'zod';
import type { Brain } from '../brain';
import type { SearchHit } from '../catalog/note-search';
import { BrainError } from '../errors';
import { hallField, limitField, MAX_QUERY, wingField } from '../fields';
import { operation } from '../operation';
import { sanitiseWing } from '../rules/address';
import { isStale } from '../rules/envelope';
import { countShape, hallShape, pathShape, timeShape } from '../shapes';
import { excerptWindow } from './excerpt-window';

const input = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY)
    .describe('What to look for, in plain words; "quoted words" must occur as they stand'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  limit: limitField(50, 10),
  include_raw: z.boolean().default(false).describe('Also search notes that nobody has reviewed yet'),
  explain: z.boolean().default(false).describe('Also say how each result was found'),
});

const resultShape = z.object({
  path: pathShape,
  title: z.string(),
  excerpt: z.string(),
  wing: z.string().optional(),
  hall: hallShape.optional(),
  score: z.number().describe('Comparable within one answer only'),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  status: z.enum(['wiki', 'knowledge', 'raw']).describe('raw = not reviewed'),
  updated_at: timeShape.optional(),
  stale: z.boolean().describe('True when the note is past its half-life'),
  ranks: z.object({ bm25: countShape.optional(), vector: countShape.optional() }).optional(),
  terms: z.array(z.string()).optional().describe('Terms of the query that were found'),
});
type SearchResult = z.input<typeof resultShape>;

const output = z.object({
  query: z.string(),
  mode: z.enum(['bm25', 'hybrid']),
  degraded: z.boolean().describe('True when hybrid retrieval is configured but was not used'),
  count: countShape,
  results: z.array(resultShape),
});

/**
 * Searches the notes, best first, ties by path. Unreviewed notes only when asked for; an unknown wing has no
 * notes. Fails with `empty_query` or `invalid_wing`.
 */
export const queryNotes = operation({
  name: 'query',
  scope: 'read',
  mutates: false,
  input,
  output,
  async run(brain, { query, wing, hall, limit, include_raw: includeRaw, explain }) {
    if (query.trim() === '') {
      throw new BrainError('empty_query', 'The query is empty. Say in a few words what to look for.', {
        field: 'query',
      });
    }
    const inWing = wing === undefined ? undefined : sanitiseWing(wing);
    const hits = brain.catalog.search(query, {
      ...(inWing !== undefined && { wing: inWing }),
      ...(hall !== undefined && { hall }),
      includeRaw,
      limit,
    });
    return {
      query,
      mode: 'bm25' as const,
      degraded: brain.config.pgDsn !== undefined,
      count: hits.length,
      results: hits.map((hit) => resultOf(brain, hit, explain)),
    };
  },
});

function resultOf(brain: Brain, { record, score, rank, terms }: SearchHit, explain: boolean): SearchResult {
  return {
    path: record.path,
    title: record.title,
    excerpt: excerptWindow(record.plain, terms, brain.catalog.analyser) ?? record.excerpt,
    ...(record.wing !== null && { wing: record.wing }),
    ...(record.hall !== null && { hall: record.hall }),
    // More digits only cost the reader; the order is already settled.
    score: Math.round(score * 10_000) / 10_000,
    ...(record.origin !== undefined && { origin: record.origin }),
    ...(record.written_by !== undefined && { written_by: record.written_by }),
    status: record.status,
    ...(record.updated_at !== undefined && { updated_at: record.updated_at }),
    stale: isStale(record.frontmatter, brain.clock.now()),
    ...(explain && { ranks: { bm25: rank }, terms: [...terms.keys()] }),
  };
}
