import { type Sha, sha256 } from '../base/hash';
import { compareText } from '../base/text';
import type { NoteRecord } from '../catalog/record';
import type { Brain } from '../operation/context';
import type { IngestedPage } from '../operation/shapes';
import type { LedgerEntry } from '../storage/ledger';
import { isOfPipeline } from '../vocabulary/envelope';
import type { SourceAddition } from './batch';

/** A source that was ingested before. */
export interface KnownSource {
  /** Null when a crash came before the ledger line: then only the pages show it. */
  readonly entry: LedgerEntry | null;
  /** The notes made from it, and those that said the same then, as far as they exist, rejected ones included; by path. */
  readonly pages: readonly NoteRecord[];
}

/**
 * Returns what is known of a source by the hash of its original; null when it was never ingested, or may be ingested again.
 * Only pages of the pipeline count: callers can write a hash into their notes, which could keep a document out.
 */
export async function findIngestedSource(
  brain: Pick<Brain, 'catalog' | 'ledger'>,
  sourceHash: Sha,
): Promise<KnownSource | null> {
  const entry = await brain.ledger.find(sourceHash);
  const own = brain.catalog.ofSource(sourceHash).filter(({ frontmatter }) => isOfPipeline(frontmatter));
  if (entry === null && own.length === 0) return null;
  const listed = (entry?.pages ?? []).flatMap((path) => brain.catalog.record(path) ?? []);
  const pages = new Map([...own, ...listed].map((note) => [note.path, note]));
  return { entry, pages: [...pages.values()].sort((a, b) => compareText(a.path, b.path)) };
}

/** Returns the answer for a page of a known source; `edit` is the edit that adds a source to it. */
export function foundPage(
  { title, path, status, content_hash }: NoteRecord,
  { edit, warning }: SourceAddition,
  showText: boolean,
): IngestedPage {
  return {
    title,
    status: status === 'rejected' ? 'rejected_before' : 'duplicate',
    path,
    content_hash: edit === undefined ? content_hash : sha256(edit.text),
    duplicate_of: path,
    similar: [],
    refs: [],
    unlinked: [],
    ...(showText && edit !== undefined && { text: edit.text }),
    warnings: warning === undefined ? [] : [warning],
  };
}
