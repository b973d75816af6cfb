import type { ErrorCode } from '../../core/base/errors';
import type { NativeKind, OfficeKind } from '../../core/documents/formats';
import type { DocumentFile, PageStart } from '../../core/documents/ports';

/** A document for the thread. The thread gets a copy: the caller keeps the bytes. */
export interface Job {
  readonly kind: NativeKind | OfficeKind;
  /** The name of the file, for messages. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The text of a document, without the note of who read it. */
export interface ReadText {
  readonly markdown: string;
  readonly title?: string;
  readonly pages?: readonly PageStart[];
  readonly address?: string;
  readonly properties?: Readonly<Record<string, string>>;
  /** The files in the document, which are documents of their own: the attachments of a mail. */
  readonly files?: readonly DocumentFile[];
  readonly warnings: readonly string[];
}

/** The answer of a thread to a job. `cause` is the error of an unforeseen failure, for the log alone. */
export type Answer = { readonly text: ReadText } | { readonly error: Refusal };

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly cause?: string;
}

/** Reads a character map (CMap) that a PDF file refers to instead of embedding it; null when it is not available. */
export type ReadCharacterMap = (name: string) => Promise<Uint8Array<ArrayBuffer> | null>;
