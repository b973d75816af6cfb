import type { NoteRecord } from '../catalog/note-record';
import type { SearchableNote } from '../catalog/note-search';
import { isStale } from '../rules/envelope';
import { isWriter } from '../rules/provenance';

/** What a search may ask of where a note comes from and how fresh it is. What is left out asks nothing. */
export interface TrustFilter {
  /** As the note's front matter has it; a note that does not say is neither. */
  readonly sourceType?: 'internal' | 'external' | undefined;
  /** As `isWriter` tells it: "laptop" finds "laptop (claude)" and what a model made for either. */
  readonly writtenBy?: string | undefined;
  /** The door that the note came in by. */
  readonly origin?: string | undefined;
  /** `raw` also asks for raw notes. */
  readonly status?: SearchableNote['status'] | undefined;
  /** True leaves out notes that are past their half-life. */
  readonly notStale?: boolean | undefined;
}

/** The filter as a test of one note, or null when it lets every note pass. */
export function trusted(filter: TrustFilter, now: Date): ((note: NoteRecord) => boolean) | null {
  const { sourceType, writtenBy, origin, status, notStale = false } = filter;
  const asked = [sourceType, writtenBy, origin, status].some((value) => value !== undefined);
  if (!asked && !notStale) return null;
  return ({ frontmatter, status: own, written_by: writer, origin: door }) =>
    (sourceType === undefined || frontmatter.source_type === sourceType) &&
    (writtenBy === undefined || isWriter(writer, writtenBy)) &&
    (origin === undefined || door === origin) &&
    (status === undefined || own === status) &&
    (!notStale || !isStale(frontmatter, now));
}
