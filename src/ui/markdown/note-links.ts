import type { RefReason } from '../../core/gate/finding';
import type { Answer } from '../../core/registry/client';

/** One finding of the gate, as the service answers it. */
export type NoteRef = Answer<'gate'>['refs'][number];

/** What is known about the links of a note: where each leads, or why it leads nowhere. */
export interface NoteLinks {
  /** What the gate says about a target, as written and without its fragment; null when it says nothing. */
  find(target: string): NoteRef | null;
}

/** No link is known: each is shown as one, and none can be opened. */
export const NO_LINKS: NoteLinks = { find: () => null };

/** The links by what the gate has reported. Of several references to one target, one that is wrong counts first. */
export function noteLinks(refs: readonly NoteRef[]): NoteLinks {
  const byTarget = new Map<string, NoteRef>();
  for (const ref of refs) {
    const known = byTarget.get(ref.target);
    if (known === undefined || (known.reason === undefined && ref.reason !== undefined)) {
      byTarget.set(ref.target, ref);
    }
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

/** Why the gate takes the effect of a reference away, in words. */
export function reasonWords({ reason, candidates }: Pick<NoteRef, 'reason' | 'candidates'>): string {
  if (reason === undefined) return '';
  if (reason === 'ambiguous' && candidates?.length === 2) return 'Two notes have this name';
  return REASONS[reason];
}
