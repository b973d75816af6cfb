import type { Answer } from '../../core/registry/client';
import { count, counted } from '../kit/words';
import { parseWriter } from '../kit/writer';
import type { Draft, DraftChange } from '../place/place';

/** A pending note, as the service lists it. */
export type Entry = Answer<'pending'>['pending'][number];

/** Merges the suggestions of a note with a person's changes; `findings` is the hash of its present findings, when these are known. */
export function draftOf(
  { suggested, content_hash: hash }: Entry,
  change: DraftChange = {},
  findings = change.keep?.findings,
): Draft {
  const { keep } = change;
  return {
    wing: change.wing ?? suggested.wing ?? '',
    hall: change.hall ?? suggested.hall ?? null,
    slug: change.slug ?? suggested.slug,
    links: change.links ?? {},
    // Other findings have other indices: those of another text, and those of this text once a note that it links to has left.
    ...(keep?.of === hash &&
      keep.findings === findings &&
      keep.indices.length > 0 && { keep: keep.indices, findingsHash: keep.findings }),
  };
}

const ROW = 90;
const FLAGS = 22;
/** The gap between two rows (px). */
export const GAP = 2;

/** Returns the height of a row with the gap after it (px). The style sheet draws rows of that height. */
export function rowHeight(entry: Entry): number {
  return ROW + GAP + (hasFlags(entry) ? FLAGS : 0);
}

/** The height of the heading of a group (px). */
export const HEADING = 28;

/** Returns true when a row has a line of flags. */
export function hasFlags({
  warnings,
  rejected_before: before,
  unverified,
  extraction,
  stale,
  previous_hash: previous,
  risks,
  snoozed_until: until,
}: Entry): boolean {
  return (
    warnings.length > 0 ||
    risks.length > 0 ||
    before ||
    unverified ||
    stale ||
    extraction !== undefined ||
    previous !== undefined ||
    until !== undefined
  );
}

type Harmless = NonNullable<Entry['made_harmless']>;

/** Why the gate changed something when the note came in. */
const RULES: Readonly<Record<Harmless['findings'][number]['rule'], string>> = {
  missing: 'A link that leads nowhere became text',
  ambiguous: 'A link with several meanings became text',
  self: 'A link to the note itself became text',
  unreviewed: 'A link to a note that nobody has reviewed became text',
  protected: 'A link into a folder that notes may not point to became text',
  remote_embed: 'A remote image became a link',
  unsafe_scheme: 'An address that could run something became text',
  active_content: 'Content that could run by itself became text',
  invisible: 'Characters that nobody can see were removed',
};

/** Returns what the gate changed when a note came in, a sentence for each rule with its lines in the text as sent. */
export function harmlessWords({ count: total, findings, changed }: Harmless): string[] {
  const lines = new Map<string, number[]>();
  for (const { rule, line } of findings) {
    const known = lines.get(RULES[rule]) ?? [];
    if (line !== undefined && !known.includes(line)) known.push(line);
    lines.set(RULES[rule], known);
  }
  const words = [...lines].map(([rule, at]) => {
    if (at.length === 0) return `${rule}.`;
    return `${rule}: ${at.length === 1 ? 'line' : 'lines'} ${at.map(count).join(', ')} as sent.`;
  });
  if (total > findings.length) words.push(`And ${counted(total - findings.length, 'more place')}.`);
  if (changed) words.push('The text has changed since.');
  return words;
}

/** Returns true when every word of the filter occurs in the text of the row or in its path. */
export function matchesFilter(entry: Entry, filter: string): boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return true;
  const { title, excerpt, path, written_by: writtenBy = '', suggested } = entry;
  const text = [title, excerpt, path, writtenBy, suggested.wing ?? '', suggested.hall ?? '']
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns how an ingested page was made from its source: a sentence without its subject and its full stop. */
export function extractionWords({ extraction, written_by: writtenBy = '' }: Entry): string {
  switch (extraction) {
    case undefined:
      return '';
    case 'llm': {
      const { via } = parseWriter(writtenBy);
      return `by ${via ?? 'a language model'}, from a part of the source`;
    }
    case 'passthrough':
      return 'passed through: the text of the source, as it is';
    case 'structured':
      return 'given as a page by whoever sent it';
  }
}
