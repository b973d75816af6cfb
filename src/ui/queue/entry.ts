import type { Answer } from '../../core/registry/client';
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
