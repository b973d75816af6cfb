import type { RefReason } from '../../core/gate/finding';
import type { Answer } from '../../core/registry/client';

/** A finding of the gate about a link. */
export type NoteRef = Answer<'gate'>['refs'][number];

/** The links of a note: the target of each, or the reason why it has none. */
export interface NoteLinks {
  /** True when a target without a finding has no file. Otherwise nothing is known of it. */
  readonly isComplete?: boolean;
  /** Returns the finding about a target, as written and without its fragment; null for none. */
  find(target: string): NoteRef | null;
}

/** No known links: each is rendered as a link that cannot be opened. */
export const NO_LINKS: NoteLinks = { find: () => null };

/**
 * Indexes findings by target. An invalid reference takes precedence over others to the same target. A sound one is found by the
 * path of its note too, which is its target once the gate has given links their full form.
 */
export function noteLinks(refs: readonly NoteRef[]): NoteLinks {
  const byTarget = new Map<string, NoteRef>();
  for (const ref of refs) {
    const known = byTarget.get(ref.target);
    if (known === undefined || (known.reason === undefined && ref.reason !== undefined)) {
      byTarget.set(ref.target, ref);
    }
  }
  for (const ref of refs) {
    const full = ref.reason === undefined ? ref.resolved?.replace(/\.md$/, '') : undefined;
    if (full !== undefined && !byTarget.has(full)) byTarget.set(full, { ...ref, target: full });
  }
  return { find: (target) => byTarget.get(target) ?? null };
}

const REASONS: Readonly<Record<RefReason, string>> = {
  missing: 'No note has this name',
  ambiguous: 'Several notes have this name',
  self: 'A link to the note itself',
  unreviewed: 'It leads to a note that nobody has reviewed',
  protected: 'It leads to a folder that notes may not point to',
  remote_embed: 'Remote image, kept as a link',
  unsafe_scheme: 'An address that could run something',
  active_content: 'Content that could run by itself',
};

/** Returns the reason why the gate unlinks a reference, in words; empty for none. */
export function reasonWords({ reason, candidates }: Pick<NoteRef, 'reason' | 'candidates'>): string {
  if (reason === undefined) return '';
  if (reason === 'ambiguous' && candidates?.length === 2) return 'Two notes have this name';
  return REASONS[reason];
}
