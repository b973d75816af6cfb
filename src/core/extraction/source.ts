import type { DocumentText } from '../documents/ports';

/** A document that was read, with its names. */
export interface SourceText {
  readonly text: DocumentText;
  /** The title that the sender gave; null when there is none. */
  readonly title: string | null;
  /** The file name. */
  readonly name: string;
  /** The URL or label of the document. */
  readonly source: string | null;
}
