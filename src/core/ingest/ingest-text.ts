import { utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { dryRunField, hallField, MAX_TITLE, wingField } from '../fields';
import { operation } from '../operation';
import { openContent } from '../rules/frontmatter/open-content';
import { bodyOf } from '../rules/frontmatter/block';
import { sha256 } from '../rules/hash';
import { factSteps } from '../rules/markdown';
import { slugify } from '../rules/slug';
import { firstPoints, isBlank, withoutNul } from '../rules/text';
import { noteTitle } from '../rules/title';
import { type DocumentText, MAX_TEXT } from './document';
import { jobShape } from './ingest-answers';
import type { IngestRequest } from './ingest-request';
import { ingestResultShape } from './ingest-result';
import { ingestSource } from './ingest-source';
import { backgroundField, perhapsInBackground } from './job-operations';
import { sourceReference } from './source-reference';
import { inSlices } from '../steps';

/** A text without a title is called by its first words: so many code points of them at most. */
const NAME_POINTS = 60;
/** A title stands at the beginning; so many UTF-16 units are looked at for one. */
const TITLE_REACH = 64 * 1024;

const input = z.strictObject({
  text: z.string().describe('Plain text or Markdown'),
  title: z.string().max(MAX_TITLE).optional(),
  source: z.string().max(2000).optional().describe('URL or label of where it comes from'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z
    .enum(['raw', 'wiki'])
    .optional()
    .describe('raw: the review queue; wiki: live at once, for pages with wing and hall'),
  force: z.boolean().optional().describe('Make the pages again when the text is known already'),
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Turns a text into pages and keeps it, word for word, among the handled originals. The same text again is `unchanged`.
 * Fails with `empty_content`, `invalid_wing`, a code of its front matter, or `busy` when as many wait to be ingested as may,
 * and then nothing was written or kept.
 */
export const ingestText = operation({
  name: 'ingest',
  scope: 'propose',
  mutates: true,
  input,
  output: z.union([jobShape, ingestResultShape]),
  async run(brain, { text, title, source, dry_run, background, ...place }, caller, watch) {
    if (isBlank(text)) {
      throw new BrainError('empty_content', '"text" is empty. Send the text to ingest.', { field: 'text' });
    }
    const bytes = utf8ToBytes(text);
    const hash = sha256(bytes);
    const called = blankAsNone(title) ?? (await titleIn(text, brain.pace));
    const name = `${called === null ? 'text' : slugify(called, hash)}-${hash.slice(0, 8)}.txt`;
    const request: IngestRequest = {
      hash,
      name,
      label: blankAsNone(source),
      reference: (original) => sourceReference(original, name),
      original: { kind: 'keep', bytes },
      posted: true,
      read: async () => documentOf(text),
      title: called ?? undefined,
      wing: place.wing,
      hall: place.hall,
      destination: place.destination ?? brain.config.ingestDestination,
      force: place.force === true,
      dryRun: dry_run === true,
    };
    return perhapsInBackground(brain, { caller, background, watch }, (each) =>
      ingestSource(brain, { ...request, ...each }, caller),
    );
  },
});

function blankAsNone(text: string | undefined): string | null {
  return text === undefined || isBlank(text) ? null : text.trim();
}

const CUT = `Only the first ${MAX_TEXT.toLocaleString('en')} characters of the text were read; the kept original has all of it.`;

function documentOf(sent: string): DocumentText {
  const text = withoutNul(sent);
  if (text.length <= MAX_TEXT) return { markdown: text, converted: false, warnings: [] };
  return {
    // Not within a character of two units.
    markdown: text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, ''),
    converted: false,
    warnings: [CUT],
  };
}

/** What a text calls itself, else its first words; null when it has none. */
async function titleIn(text: string, pace: Brain['pace']): Promise<string | null> {
  const beginning = text.slice(0, TITLE_REACH);
  const { h1, plain } = await inSlices(factSteps(bodyOf(beginning)), pace);
  const own = noteTitle(frontMatterOf(beginning), h1);
  return [own, firstPoints(plain, NAME_POINTS)].find((name) => name !== null && !isBlank(name)) ?? null;
}

function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return openContent(text).frontmatter;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return {};
    throw error;
  }
}
