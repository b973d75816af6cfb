import * as z from 'zod';
import {
  contentField,
  dryRunField,
  envelopeFields,
  frontmatterField,
  hallField,
  slugField,
  wingField,
} from '../fields';
import { operation } from '../operation';
import { asciiJson } from '../rules/ascii-json';
import { sha256 } from '../rules/hash';
import { ingestResultShape } from './ingest-result';
import { ingestSource } from './ingest-source';

/** Most pages of one batch. */
const MAX_PAGES = 200;

const sourceField = z.string().max(2000).optional().describe('URL or label of where it comes from');
const names = (max: number) => z.array(z.string().min(1).max(max)).max(50).optional();

const pageField = z.strictObject({
  title: z
    .string()
    .max(2000)
    .refine((title) => title.trim().length <= 200, 'must have at most 200 characters')
    .describe('A page with an empty one is skipped'),
  content: contentField,
  wing: wingField.optional(),
  hall: hallField.optional(),
  slug: slugField.optional(),
  summary: z.string().max(500).optional().describe('Kept as description'),
  tags: names(100),
  aliases: names(200),
  type: z.string().max(200).optional(),
  domain: z.string().max(200).optional(),
  source_type: z.enum(['internal', 'external']).optional().describe('Where the claim comes from'),
  source: sourceField,
  ...envelopeFields,
  frontmatter: frontmatterField,
});

const input = z.strictObject({
  pages: z.array(pageField).min(1).max(MAX_PAGES),
  source: sourceField,
  wing: wingField.optional().describe('For pages that name none'),
  hall: hallField.optional().describe('For pages that name none'),
  destination: z.enum(['raw', 'wiki']).optional(),
  dry_run: dryRunField,
});

/**
 * Takes a batch of pages that are structured already; no model is asked. They may link to each other by title. All or
 * nothing: when any of them cannot be used, it is `invalid_field` with `details.pages` naming each, and nothing was written.
 */
export const ingestPages = operation({
  name: 'ingest_raw',
  scope: 'propose',
  mutates: true,
  input,
  output: ingestResultShape,
  run(brain, { pages, source, wing, hall, destination, dry_run }, caller, watch) {
    const label = source === undefined || source.trim() === '' ? null : source.trim();
    return ingestSource(
      brain,
      {
        hash: sha256(asciiJson({ source: label, pages })),
        name: 'pages.json',
        label,
        reference: () => null,
        original: { kind: 'none' },
        read: () => Promise.reject(new Error('pages that are given are not read')),
        pages,
        wing,
        hall,
        destination: destination ?? brain.config.ingestDestination,
        force: false,
        dryRun: dry_run === true,
        ...watch,
      },
      caller,
    );
  },
});
