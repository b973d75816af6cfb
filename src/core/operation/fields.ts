import * as z from 'zod';
import { HALLS } from '../vocabulary/address';
import { APPLIES, CLAIM_PROVENANCES, HALF_LIVES } from '../vocabulary/envelope';

/** Limits of input fields, in bytes or characters. */
export const MAX_CONTENT = 1024 * 1024;
export const MAX_ROOT_NOTE = 64 * 1024;
export const MAX_QUERY = 2000;
export const MAX_REASON = 500;
export const MAX_TITLE = 200;

/** Fields that operations share, so that a field has the same meaning and limits everywhere. */
export const hallField = z.enum(HALLS).describe('Kind of memory');
/** The longest name and path that are processed, in UTF-16 units: normalising a longer one could take quadratic time. */
const MAX_NAME = 500;
export const MAX_PATH = 1100;

export const wingField = z.string().max(MAX_NAME).describe('Topic domain, a free name such as "homelab"');
export const slugField = z.string().max(MAX_NAME).describe('File name of the note without .md');
export const pathField = z
  .string()
  .max(MAX_PATH)
  .describe('Vault path such as wiki/homelab/facts/wireguard-mtu.md');
export const contentField = z.string().describe('The note in Markdown');
export const reasonField = z
  .string()
  .max(MAX_REASON)
  .refine((text) => text.trim() !== '', 'say in a few words why')
  .describe('Why, in a few words; kept with the note');
export const dryRunField = z.boolean().optional().describe('Answer what would happen and change nothing');
export const hashField = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits, as returned in content_hash');

/** The claim envelope: no field, or `claim_provenance` with at least one of the other two. */
export const envelopeFields = {
  half_life: z.enum(HALF_LIVES).optional().describe('How fast the claim ages; needs claim_provenance'),
  applies: z.enum(APPLIES).optional().describe('How far the claim holds; needs claim_provenance'),
  claim_provenance: z
    .enum(CLAIM_PROVENANCES)
    .optional()
    .describe('asserted by a source, or inferred; goes with half_life or applies'),
};

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const key = z
  .string()
  .regex(
    /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,98}[\p{L}\p{M}\p{N}_.-])?$/u,
    'is not usable as a front matter key',
  );

/** Flat front matter, for keys that the content's own block lacks. */
export const frontmatterField = z
  .record(key, z.union([scalar, z.array(scalar).max(1000)]))
  .refine((keys) => Object.keys(keys).length <= 100, 'has more than 100 keys')
  .optional();

/** A page size between 1 and `max`; `standard` by default. */
export function limitField(max: number, standard: number) {
  return z.number().int().min(1).max(max).default(standard);
}

export const offsetField = z.number().int().min(0).default(0);

/** The beginning of a span that ends now, which `timeSince` reads. */
export const sinceField = z
  .string()
  .max(40)
  .describe('RFC 3339 time or YYYY-MM-DD, or a span back from now such as 24h or 7d');
