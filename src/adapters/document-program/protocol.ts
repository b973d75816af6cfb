import type { ErrorCode } from '../../core/base/errors';
import type { NativeKind } from '../../core/documents/formats';
import type { PageStart } from '../../core/documents/ports';

/** One document for the thread that reads documents. A copy: the caller keeps the bytes. */
export interface Job {
  readonly kind: NativeKind;
  /** As messages call it. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a document says, before anybody asks who read it. */
export interface ReadText {
  readonly markdown: string;
  readonly title?: string;
  readonly pages?: readonly PageStart[];
  readonly warnings: readonly string[];
}

/** What the thread answers, once. `cause` is there when no reader foresaw the failure; it is for the log alone. */
export type Answer = { readonly text: ReadText } | { readonly error: Refusal };

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly cause?: string;
}

/** Reads one of the tables of characters that PDF files may refer to instead of having them; null when it is not there. */
export type ReadCharacterMap = (name: string) => Promise<Uint8Array<ArrayBuffer> | null>;
