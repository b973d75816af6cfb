import type { DocumentText } from '../documents/ports';

/** A document that was read, and what it is called. */
export interface SourceText {
  readonly text: DocumentText;
  /** The title that whoever sent it gave; null when nobody did. */
  readonly title: string | null;
  /** File name. */
  readonly name: string;
  /** URL or label of where it comes from. */
  readonly source: string | null;
}
