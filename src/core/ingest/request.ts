import type { Sha } from '../base/hash';
import type { StopSignal } from '../base/host';
import type { Progress } from '../base/steps';
import type { DocumentText, Upload } from '../documents/ports';
import type { Extraction, RawPage } from '../extraction/page';
import type { LinkTargets } from '../links/resolve';
import type { IngestedPage, IngestResult } from '../operation/shapes';
import type { Hall } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';

/** What to do with the document itself. */
export type Original =
  /** The document is outside the vault, or there is none; nothing is kept. */
  | { readonly kind: 'none' }
  /** The document exists only in the call: it is kept among the processed originals before the first page is created. */
  | { readonly kind: 'keep'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The document was received and is staged: it gets its place among the processed originals before the first page is created. */
  | { readonly kind: 'upload'; readonly upload: Upload }
  /** The document is in the inbox and moves to the processed originals when its pages exist. */
  | { readonly kind: 'move'; readonly from: VaultPath }
  /** The document has its place in the vault and stays there. */
  | { readonly kind: 'stands'; readonly path: VaultPath };

/** The pages of a document, made before its turn to be written. */
export interface Prepared extends Extraction {
  /** True when the converter read the document. */
  readonly converted: boolean;
}

/** What a source shares with the others that it came with. */
export interface Siblings {
  /** Identifies the sources that came together. */
  readonly batch: string;
  /** Returns the address that was assigned to a page; null for one that a note or another page replaces. */
  pathOf(index: number): VaultPath | null;
  /** Returns true for the address of a page that may not exist yet. */
  promises(path: VaultPath): boolean;
  /** Returns a function that adds the pages of all sources to link targets, for a page of the queue or of the wiki. */
  targets(queued: boolean): (targets: LinkTargets) => LinkTargets;
}

/** One source to ingest. */
export interface IngestRequest {
  /** The SHA-256 of the original's bytes; identifies a source that was ingested before. */
  readonly hash: Sha;
  /** The file name with its extension: the name of the document and of the kept original. */
  readonly name: string;
  /** The source as its sender calls it, repeated in the answer. An address or the name of a note becomes a reference. */
  readonly label: string | null;
  /** Returns the reference of pages to the original at this path, without a page number; null for none. */
  readonly reference: (original: VaultPath | null) => string | null;
  readonly original: Original;
  /** Returns the text; called at most once, and only when pages have to be made. */
  readonly read: () => Promise<DocumentText>;
  /** Structured pages; then `read` is not called and no model is asked. */
  readonly pages?: readonly RawPage[] | undefined;
  /** Returns the pages that were made of the text before; `read` is called when it returns null. */
  readonly prepared?: (() => Promise<Prepared | null>) | undefined;
  /** Returns the text as a note of this service, when the folder that it came with is from another program. */
  readonly translate?: ((text: DocumentText) => Promise<DocumentText>) | undefined;
  /** The other sources that it came with. */
  readonly siblings?: Siblings | undefined;
  /** True for a posted text: it is the sender's own, while the claims of a file are external. */
  readonly posted?: boolean | undefined;
  readonly title?: string | undefined;
  /** For pages that name none; takes precedence over the suggestion of a model. */
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  /** True to make the pages of a known source again. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** True when nobody reads the answer: the search for similar notes is skipped. */
  readonly unread?: boolean | undefined;
  readonly signal?: StopSignal | undefined;
  readonly progress?: ((progress: Progress) => void) | undefined;
}

/** Returns the answer for one source, with the counts of its pages. */
export function resultOf(
  { label, hash }: Pick<IngestRequest, 'label' | 'hash'>,
  run: Pick<IngestResult, 'extraction' | 'destination' | 'warnings'> & {
    readonly original: VaultPath | null;
    readonly pages: readonly IngestedPage[];
  },
): IngestResult {
  const count = (status: IngestedPage['status']) => run.pages.filter((page) => page.status === status).length;
  return {
    ...(label !== null && { source: label }),
    source_hash: hash,
    ...(run.original !== null && { original: run.original }),
    extraction: run.extraction,
    destination: run.destination,
    counts: {
      written: count('written'),
      duplicate: count('duplicate'),
      rejected_before: count('rejected_before'),
      skipped: count('skipped_empty_title'),
    },
    pages: [...run.pages],
    warnings: run.warnings,
  };
}
