import { BrainError } from '../errors';
import type { StopSignal } from '../host';

/** A file that somebody wants to have read. */
export interface DocumentFile {
  /** With its extension, which tells what it is. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Where a page of a paged document begins. */
export interface PageStart {
  /** From 1. */
  readonly page: number;
  /** Index into the text, in UTF-16 units. */
  readonly from: number;
}

/** Most characters of text that are taken from one document, in UTF-16 units. */
export const MAX_TEXT = 2_000_000;

/** What a document says. */
export interface DocumentText {
  /** Markdown, not yet gated: what it holds is a stranger's. */
  readonly markdown: string;
  /** The title that the document gives itself. */
  readonly title?: string;
  /** Pages in their order, the first at 0; only of documents that have pages. */
  readonly pages?: readonly PageStart[];
  /** True when the converter read it. */
  readonly converted: boolean;
  /** What a reader should know: text that was cut, pages without any. */
  readonly warnings: readonly string[];
}

/**
 * Whether a file of a name can be read: by this program, by the converter, by the converter if there were one, or not at
 * all.
 */
export type Readability = 'native' | 'converter' | 'no_converter' | 'unknown';

/** Reads documents of any kind. */
export interface DocumentReader {
  readability(name: string): Readability;
  /**
   * The text of a document. Rejects with `unsupported_type` for a kind that cannot be read (now), `no_text` when there is
   * none in it, `too_large` beyond a limit of its kind, `converter_error` when the converter fails, `busy` when it is called
   * off; never with anything else for a file that is damaged or hostile, and never later than the limits of its kind allow.
   */
  read(file: DocumentFile, signal?: StopSignal): Promise<DocumentText>;
}

/**
 * The text of a file. What it fails with names the file by its path in the vault, for those of them that name it at all; a file
 * from outside (`path` null) goes by its name.
 * @throws as the reader rejects
 */
export async function readDocument(
  documents: Pick<DocumentReader, 'read'>,
  file: DocumentFile,
  path: string | null,
  signal?: StopSignal,
): Promise<DocumentText> {
  try {
    return await documents.read(file, signal);
  } catch (error) {
    if (path === null || !(error instanceof BrainError) || error.details?.file === undefined) throw error;
    throw new BrainError(error.code, error.message, { ...error.details, file: path });
  }
}
