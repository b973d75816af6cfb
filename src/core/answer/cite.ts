import { isStale } from '../rules/envelope';
import type { Range } from '../rules/markdown-section';
import { isChangedSinceReview } from '../rules/time';
import type { Evidence } from './passages';
import type { Citation } from './shapes';

/** A citation of the words in `range` of a note's body. */
export function citationOf(
  { hit: { record }, body, contentHash }: Evidence,
  n: number,
  { from, to }: Range,
  now: Date,
): Citation {
  return {
    n,
    path: record.path,
    title: record.title,
    quote: body.slice(from, to),
    content_hash: contentHash,
    ...(record.wing !== null && { wing: record.wing }),
    ...(record.hall !== null && { hall: record.hall }),
    ...(record.origin !== undefined && { origin: record.origin }),
    ...(record.written_by !== undefined && { written_by: record.written_by }),
    ...(record.updated_at !== undefined && { updated_at: record.updated_at }),
    status: record.status,
    stale: isStale(record.frontmatter, now),
    ...(isChangedSinceReview(record.frontmatter) && { changed_since_review: true as const }),
  };
}
