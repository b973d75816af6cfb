import * as z from 'zod';
import type { VaultPath } from './paths';

const REF_KINDS = ['wikilink', 'embed', 'mdlink', 'image', 'html', 'code', 'template'] as const;
const REF_REASONS = [
  'missing',
  'ambiguous',
  'self',
  'unreviewed',
  'protected',
  'remote_embed',
  'unsafe_scheme',
  'active_content',
] as const;

export type RefKind = (typeof REF_KINDS)[number];
export type RefReason = (typeof REF_REASONS)[number];

/** One reference in a body, or one construct that could act on its own, and what the gate made of it. */
export interface Ref {
  /** What it points at, as written and without the fragment; for active content its language, tag or opening mark. */
  readonly target: string;
  /** The words that a reader sees, or the beginning of the source. */
  readonly text: string;
  /** Line of the body as it was given, counted from 1. */
  readonly line: number;
  readonly kind: RefKind;
  /** The file that it leads to. */
  readonly resolved?: VaultPath;
  /** True when the gate took its effect away: brackets removed, an embed made a plain link, code or a tag made text. */
  readonly unlinked: boolean;
  /** Why it leads nowhere or may not act; absent when nothing is wrong with it. */
  readonly reason?: RefReason;
  /** What an ambiguous target could mean. */
  readonly candidates?: VaultPath[];
}

/** The shape of `Ref` in answers. */
export const refSchema = z.object({
  target: z.string(),
  text: z.string(),
  line: z.number().int().min(1),
  kind: z.enum(REF_KINDS),
  resolved: z.string().optional(),
  unlinked: z.boolean().describe('True when the reference was turned into plain text or made harmless'),
  reason: z.enum(REF_REASONS).optional(),
  candidates: z.array(z.string()).readonly().optional(),
});
