import type { NoteRecord } from '../catalog/note-record';
import type { SearchableNote } from '../catalog/note-search';
import { isStale } from '../rules/envelope';

/** What a search may ask of where a note comes from and how fresh it is. What is left out asks nothing. */
export interface TrustFilter {
  /** As the note's front matter has it; a note that does not say is neither. */
  readonly sourceType?: 'internal' | 'external' | undefined;
  /** The whole name, or what stands before the client's name in brackets: "laptop" finds "laptop (claude)". */
  readonly writtenBy?: string | undefined;
  /** `raw` also asks for raw notes. */
  readonly status?: SearchableNote['status'] | undefined;
  /** True leaves out notes that are past their half-life. */
  readonly notStale?: boolean | undefined;
}

/** The filter as a test of one note, or null when it lets every note pass. */
export function trusted(filter: TrustFilter, now: Date): ((note: NoteRecord) => boolean) | null {
  const { sourceType, writtenBy, status, notStale = false } = filter;
  if (sourceType === undefined && writtenBy === undefined && status === undefined && !notStale) return null;
  return ({ frontmatter, status: own, written_by: writer }) =>
    (sourceType === undefined || frontmatter.source_type === sourceType) &&
    (writtenBy === undefined || isWriter(writer, writtenBy)) &&
    (status === undefined || own === status) &&
    (!notStale || !isStale(frontmatter, now));
}

function isWriter(writer: string | undefined, name: string): boolean {
  return writer !== undefined && (writer === name || writer.startsWith(`${name} (`));
}
