import type { Sha } from '../base/hash';
import type { StopSignal } from '../base/host';
import type { Progress } from '../base/steps';
import type { DocumentText } from '../documents/ports';
import type { RawPage } from '../extraction/page';
import type { IngestedPage, IngestResult } from '../operation/shapes';
import type { Hall } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';

/** What becomes of the document itself. */
export type Original =
  /** It is outside the vault, or there is none; nothing is kept. */
  | { readonly kind: 'none' }
  /** It exists nowhere but in the call: it is kept among the handled originals before the first page is made. */
  | { readonly kind: 'keep'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It lies in the inbox and moves to the handled originals when its pages stand. */
  | { readonly kind: 'move'; readonly from: VaultPath }
  /** It has its place in the vault and stays there. */
  | { readonly kind: 'stands'; readonly path: VaultPath };

/** One source that is to become pages. */
export interface IngestRequest {
  /** SHA-256 of the original's bytes; by it a source is known again. */
  readonly hash: Sha;
  /** File name with its extension: what the document is called, and what it is kept as. */
  readonly name: string;
  /** What its sender says the source is, as the answer repeats it; an address or a name becomes a reference of its own. */
  readonly label: string | null;
  /** How a page refers to the original, without a page number; null for not at all. Given where the original is to stand. */
  readonly reference: (original: VaultPath | null) => string | null;
  readonly original: Original;
  /** The text; asked for at most once, and only when pages have to be made. */
  readonly read: () => Promise<DocumentText>;
  /** Pages that are structured already; then nothing is read, and no model is asked. */
  readonly pages?: readonly RawPage[] | undefined;
  /** True for words that somebody sends: they are the sender's own, while what a file says comes from outside. */
  readonly posted?: boolean | undefined;
  readonly title?: string | undefined;
  /** For pages that name none; before what a model suggests. */
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  /** Makes the pages again of a source that is known. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** True where nobody reads the answer: then it does not say which notes are similar, for which each page is searched for. */
  readonly unread?: boolean | undefined;
  readonly signal?: StopSignal | undefined;
  readonly progress?: ((progress: Progress) => void) | undefined;
}

/** The answer for one source: what is said of the run, with its pages counted. */
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
