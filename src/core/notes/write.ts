import * as z from 'zod';
import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import { inSlices } from '../base/steps';
import { noteTitle } from '../links/title';
import { factSteps } from '../markdown/facts';
import {
  contentField,
  dryRunField,
  envelopeFields,
  frontmatterField,
  hallField,
  slugField,
  wingField,
} from '../operation/fields';
import { operation } from '../operation/operation';
import { writeResultShape } from '../operation/shapes';
import { fileStem, slugify } from '../vocabulary/address';
import { checkContent } from './content';
import { placeNote } from './place';

const input = z.strictObject({
  wing: wingField.optional(),
  hall: hallField.optional(),
  filename: slugField.optional(),
  slug: slugField.optional(),
  content: contentField,
  type: z.string().max(200).optional(),
  domain: z.string().max(200).optional(),
  source_type: z.enum(['internal', 'external']).optional().describe('Where the claim comes from'),
  ...envelopeFields,
  frontmatter: frontmatterField,
  overwrite: z.boolean().optional().describe('Replace an existing note; its old version is kept'),
  dry_run: dryRunField,
});

/**
 * Writes a new note: with wing and hall to `wiki/<wing>/<hall>/<slug>.md`, with neither to `knowledge/`. The same note again is
 * `unchanged`; another note at the address is `note_exists` unless `overwrite`.
 */
export const writeNote = operation({
  name: 'write',
  scope: 'propose',
  mutates: true,
  input,
  output: writeResultShape,
  codes: { slug: 'invalid_filename' },
  run(
    brain,
    { wing, hall, filename, slug, content, type, domain, source_type, frontmatter, ...rest },
    caller,
    watch,
  ) {
    checkContent(content);
    if (filename !== undefined && slug !== undefined && filename !== slug) {
      throw new BrainError('invalid_field', '"filename" and "slug" mean the same; give one of them.', {
        field: 'slug',
      });
    }
    const name = filename ?? slug;
    const { half_life, applies, claim_provenance, overwrite, dry_run: dryRun } = rest;
    return placeNote(
      brain,
      {
        content,
        wing,
        hall,
        stem: name === undefined ? undefined : fileStem(name, 'invalid_filename'),
        async deriveStem(body, said) {
          const { h1 } = await inSlices(factSteps(body), brain.pace);
          return slugify(noteTitle(said, h1) ?? '', sha256(content));
        },
        options: { type, domain, source_type, half_life, applies, claim_provenance },
        frontmatter,
        overwrite,
        dryRun,
        signal: watch?.signal,
      },
      caller,
    );
  },
});
