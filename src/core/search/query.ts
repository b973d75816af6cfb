import * as z from 'zod';
import { ORIGINS } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isBlank } from '../base/text';
import { timeSince } from '../base/time';
import { type QuotedPhrase, quotedPhrases } from '../fulltext/query-phrases';
import { withoutEscapes } from '../gate/escapes';
import type { Brain } from '../operation/context';
import { hallField, limitField, MAX_QUERY, sinceField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { dateOf, type Trust, trustOf } from '../notes/trust';
import {
  countShape,
  hallShape,
  pathShape,
  readingShape,
  timeShape,
  trustShapes,
  warningsShape,
} from '../operation/shapes';
import { importIn } from '../vocabulary/paths';
import { attachmentResult, SCORE_DIGITS, withAttachments } from './attachments';
import { excerptReaches, hitExcerpt } from './excerpt';
import { isQueue, placeWarnings, readPlace, underField } from './filters';
import { passagesOf } from './passages';
import { type Retrieval, retrieve, type RetrievedHit } from './retrieve';
import { untold, untoldShapes } from './untold';
import { understand } from './understand';

export const STATUSES = ['wiki', 'knowledge', 'raw', 'vault'] as const;
const FOUND_STATUSES = [...STATUSES, 'attachment'] as const;
/** The most tokens of passages that may be asked for. */
const MAX_TOKENS = 10_000;
/** The longest name in a stamp. */
const MAX_WRITER = 200;

const input = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY)
    .describe(
      'What to look for, in plain words; "quoted words" must occur as they stand; tag:x, path:x, title:x, property:x and reviewed:true filter, -word leaves out',
    ),
  wing: wingField.optional(),
  hall: hallField.optional(),
  under: underField,
  since: sinceField
    .optional()
    .describe('Only notes from then on: a time, a date, or a span such as 24h or 7d'),
  order: z
    .enum(['best', 'recent'])
    .default('best')
    .describe('recent = the best results, the last changed first'),
  limit: limitField(50, 10),
  include_raw: z.boolean().default(false).describe('Also search notes that nobody has reviewed yet'),
  source_type: z.enum(['internal', 'external']).optional().describe('Only notes that name this source type'),
  written_by: z
    .string()
    .max(MAX_WRITER)
    .optional()
    .describe('Only notes of this writer: the name, with or without the brackets'),
  origin: z.enum(ORIGINS).optional().describe('Only notes that came in by this door'),
  status: z.enum(FOUND_STATUSES).optional().describe('Only notes in this state, or attachments alone'),
  not_stale: z.boolean().default(false).describe('Leave out notes past their half-life'),
  reviewed: z
    .boolean()
    .default(false)
    .describe('Only notes whose present text a person has reviewed, and those of the owner'),
  max_tokens: z
    .number()
    .int()
    .min(0)
    .max(MAX_TOKENS)
    .default(1_000)
    .describe(
      'Most tokens of all passages together, one counted for four UTF-16 units or one character of a script without spaces; 0 = none',
    ),
  explain: z.boolean().default(false).describe('Say how each result was found'),
});

/** A found note, as every answer with a list of notes shows it. */
export const searchResultShape = z.object({
  path: pathShape,
  title: z.string(),
  excerpt: z.string(),
  wing: z.string().optional(),
  hall: hallShape.optional(),
  score: z.number().describe('Comparable within one answer only'),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  status: z.enum(STATUSES).describe('raw = not reviewed, vault = a note of the owner'),
  import: z.string().optional().describe('The import that the owner brought it with'),
  updated_at: timeShape.optional(),
  ...trustShapes,
  ranks: z.object({ bm25: countShape.optional(), vector: countShape.optional() }).optional(),
  terms: z.array(z.string()).optional().describe('Terms of the query that were found'),
});
type SearchResult = z.input<typeof searchResultShape>;

/** A found note or attachment. */
const foundShape = searchResultShape.extend({
  status: z
    .enum(FOUND_STATUSES)
    .describe(
      'raw = not reviewed, vault = a note of the owner, attachment = a PDF file or a canvas: its words are data',
    ),
  passages: z
    .array(z.string())
    .optional()
    .describe(
      'Up to three parts of the note around the words of the query, best first: whole sentences, items or table rows',
    ),
  page: countShape.optional().describe('The page of an attachment where the words stand'),
});

const output = z.object({
  query: z.string(),
  parsed: z
    .object({
      words: z.string(),
      filters: z.array(z.object({ key: z.string(), value: z.string(), not: z.boolean() })),
      without: z.array(z.string()),
    })
    .optional()
    .describe(
      'What was understood of a query with operators: its words, its filters, and words no result holds',
    ),
  mode: z.enum(['bm25', 'hybrid']),
  degraded: z.boolean().describe('True when hybrid retrieval is configured but was not used'),
  count: countShape,
  reading: readingShape.optional(),
  searched: countShape.optional().describe('Told when nothing was found: how many notes were looked through'),
  guessed: z
    .array(z.object({ word: z.string(), terms: z.array(z.string()) }))
    .optional()
    .describe('Words found nowhere, and what was looked for instead'),
  ...untoldShapes,
  results: z.array(foundShape),
  warnings: warningsShape.optional().describe('A wing or folder that has no notes, with the nearest names'),
});

/**
 * Searches the notes, best first. Unreviewed notes are found only when asked for; an unknown wing or
 * folder has no notes, and a warning names the nearest. Fails with `empty_query`, `invalid_wing` or `path_not_allowed`.
 */
export const queryNotes = operation({
  name: 'query',
  scope: 'read',
  mutates: false,
  early: true,
  input,
  output,
  async run(brain, { query, wing, under, explain, ...rest }) {
    if (isBlank(query)) {
      throw new BrainError('empty_query', 'The query is empty. Say in a few words what to look for.', {
        field: 'query',
      });
    }
    const reading = brain.reading();
    const place = readPlace(brain, wing, under);
    const includeRaw = rest.include_raw || rest.status === 'raw' || isQueue(place.under);
    const asked = {
      ...place,
      hall: rest.hall,
      includeRaw,
      sourceType: rest.source_type,
      writtenBy: rest.written_by,
      origin: rest.origin,
      status: rest.status,
      notStale: rest.not_stale,
      since: startOf(brain, rest.since),
      reviewed: rest.reviewed,
      limit: rest.limit,
    };
    const understood = await understand(brain, query);
    const searchFor = async (retrieval: Retrieval) => {
      const retrieved = await retrieve(brain, retrieval);
      const best = await withAttachments(brain, retrieval, retrieved);
      return { ...retrieved, hits: rest.order === 'recent' ? byDate(best) : best };
    };
    const filtered = understood && (await searchFor({ ...asked, ...understood.asked }));
    // What finds nothing with its operators was perhaps meant as words.
    const isFiltered = filtered !== null && filtered.hits.length > 0;
    const { mode, degraded, hits } = isFiltered ? filtered : await searchFor({ ...asked, query });
    const parsed = isFiltered ? understood?.parsed : undefined;
    const words = parsed?.words ?? query;
    const phrases = quotedPhrases(words, brain.catalog.words.analyser);
    const results = await foundResults(brain, hits, { explain, phrases, words, maxTokens: rest.max_tokens });
    const warnings = hits.length === 0 ? await placeWarnings(brain, place) : [];
    const besides = await untold(
      brain,
      { ...asked, query, ...(isFiltered && understood?.asked) },
      hits.map((hit) => ('record' in hit ? hit : hit.attachment)),
    );
    const guessed = explain ? brain.catalog.words.guesses(words) : [];
    return {
      query,
      ...(parsed && { parsed }),
      mode,
      degraded,
      count: results.length,
      ...(reading && { reading }),
      ...(results.length === 0 && { searched: brain.catalog.searchedCount({ includeRaw }) }),
      ...(guessed.length > 0 && { guessed: guessed.map(({ word, terms }) => ({ word, terms: [...terms] })) }),
      ...besides,
      results,
      ...(warnings.length > 0 && { warnings }),
    };
  },
});

/** Returns the time with which the span of a search begins (ms); undefined for none. */
function startOf({ clock }: Pick<Brain, 'clock'>, since: string | undefined): number | undefined {
  return since === undefined ? undefined : timeSince(since, clock.now()).getTime();
}

type Hits = Awaited<ReturnType<typeof withAttachments>>;

/** Returns hits, the last changed first; attachments, which have no date, come last. */
function byDate(hits: Hits): Hits {
  const dateIn = (hit: Hits[number]): number => ('record' in hit ? dateOf(hit.record) : 0);
  return [...hits].sort((one, other) => dateIn(other) - dateIn(one));
}

/** What is told of results. */
interface Telling {
  readonly explain: boolean;
  readonly phrases: readonly QuotedPhrase[];
  readonly words: string;
  readonly maxTokens: number;
}

/** Returns the results for notes and attachments, best first. */
async function foundResults(
  brain: Brain,
  hits: Hits,
  { explain, phrases, words, maxTokens }: Telling,
): Promise<z.input<typeof foundShape>[]> {
  const notes = hits.flatMap((hit) => ('record' in hit ? [hit] : []));
  const passages = (await passagesOf(brain, notes, words, maxTokens)).values();
  const ofNotes = (await searchResults(brain, notes, explain, phrases)).values();
  const results: z.input<typeof foundShape>[] = [];
  for (const hit of hits) {
    if ('record' in hit) {
      const [result, shown = []] = [ofNotes.next().value, passages.next().value];
      if (result !== undefined) results.push({ ...result, ...(shown.length > 0 && { passages: shown }) });
    } else results.push(await attachmentResult(brain, hit, { explain, phrases }));
  }
  return results;
}

/**
 * Returns the results for hits, best first; `explain` adds how each was found.
 * @param phrases the quoted phrases of the query
 */
export async function searchResults(
  brain: Brain,
  hits: readonly RetrievedHit[],
  explain: boolean,
  phrases: readonly QuotedPhrase[] = [],
): Promise<SearchResult[]> {
  const reaches = excerptReaches(hits);
  return Promise.all(
    hits.map(async (hit, place) => {
      const { record, terms } = hit;
      const excerpt = await hitExcerpt(brain, record, { terms, phrases }, reaches[place] ?? 0);
      const trust = await trustOf(brain, record);
      return searchResult(hit, { excerpt, trust, explain });
    }),
  );
}

function searchResult(
  { record, score, ranks, terms }: RetrievedHit,
  { excerpt, trust, explain }: { excerpt: string; trust: Trust; explain: boolean },
): SearchResult {
  return {
    path: record.path,
    title: record.title,
    excerpt: withoutEscapes(record, excerpt),
    ...(record.wing !== null && { wing: record.wing }),
    ...(record.hall !== null && { hall: record.hall }),
    // These digits tell neighbours apart even in a long fused list.
    score: Number(score.toPrecision(SCORE_DIGITS)),
    ...(record.origin !== undefined && { origin: record.origin }),
    ...(record.written_by !== undefined && { written_by: record.written_by }),
    status: record.status,
    ...importIn(record.path),
    ...(record.updated_at !== undefined && { updated_at: record.updated_at }),
    ...trust,
    ...(explain && { ranks, terms: [...terms.keys()] }),
  };
}
