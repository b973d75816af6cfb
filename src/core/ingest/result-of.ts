import type { VaultPath } from '../rules/paths';
import type { IngestRequest } from './ingest-request';
import type { IngestedPage, IngestResult } from './ingest-result';

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
