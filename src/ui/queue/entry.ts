import type { Answer } from '../../core/registry/client';
import type { Hall } from '../../core/vocabulary/address';
import { parseWriter } from '../kit/writer';

/** A note that awaits review, as the service lists it. */
export type Entry = Answer<'pending'>['pending'][number];

/** What a person has typed or chosen for a note, as far as it differs from what the note suggests. */
export interface DraftChange {
  readonly wing?: string;
  readonly hall?: Hall;
  readonly slug?: string;
  /** For targets of links that could mean several notes: the one that is meant. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Where a note would go. */
export interface Draft {
  readonly wing: string;
  readonly hall: Hall | null;
  readonly slug: string;
  readonly links: Readonly<Record<string, string>>;
}

/** The note's own suggestions with what was changed of them. */
export function draftOf({ suggested }: Entry, change: DraftChange = {}): Draft {
  return {
    wing: change.wing ?? suggested.wing ?? '',
    hall: change.hall ?? suggested.hall ?? null,
    slug: change.slug ?? suggested.slug,
    links: change.links ?? {},
  };
}

const ROW = 90;
const FLAGS = 22;
/** Between two rows. */
export const GAP = 2;

/** The height of a row in pixels, the gap to the next one included. The style sheet draws it so. */
export function rowHeight(entry: Entry): number {
  return ROW + GAP + (hasFlags(entry) ? FLAGS : 0);
}

/** True when a row has a line of flags. */
export function hasFlags({ warnings, rejected_before: before, unverified, extraction }: Entry): boolean {
  return warnings.length > 0 || before || unverified || extraction !== undefined;
}

/** True when every word is found in what the row shows, or in its path. */
export function fits(entry: Entry, filter: string): boolean {
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

/** How a page that came in through the pipeline was made of its source, in a sentence without its stop. */
export function madeWords({ extraction, written_by: writtenBy = '' }: Entry): string {
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
