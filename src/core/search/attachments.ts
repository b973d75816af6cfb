import type { AttachmentHit } from '../attachments/view';
import { wingKey } from '../catalog/wings';
import type { QuotedPhrase } from '../fulltext/query-phrases';
import type { Brain } from '../operation/context';
import { wingOfPath } from '../vocabulary/address';
import { fileName, importIn, type VaultPath } from '../vocabulary/paths';
import { type Retrieval, type Retrieved, type RetrievedHit } from './retrieve';

/** How much the words of an attachment count beside those of a note: a person wrote the note in this vault. */
const ATTACHMENT_WEIGHT = 0.8;

/** Significant digits of a score. */
export const SCORE_DIGITS = 6;

/** A found attachment; its score compares with those of the notes of the same answer. */
interface FoundAttachment {
  readonly attachment: AttachmentHit;
  readonly score: number;
}

/**
 * Resolves with the notes and the attachments for a search, best first, as many as it asks for. An attachment comes where a note with its
 * words would, and never before the notes of which the query is a name. Of notes alone the order and the scores stay.
 */
export async function withAttachments(
  brain: Pick<Brain, 'attachments' | 'catalog'>,
  retrieval: Retrieval,
  { hits, named, worthOf }: Retrieved,
): Promise<(RetrievedHit | FoundAttachment)[]> {
  const { limit } = retrieval;
  const all: (RetrievedHit | FoundAttachment)[] = [...hits];
  for (const attachment of await found(brain, retrieval)) {
    const words = ATTACHMENT_WEIGHT * scoreAmongNotes(brain, attachment);
    const score = Math.min(worthOf(words), hits[named - 1]?.score ?? Infinity);
    const place = all.findIndex((hit, at) => at >= named && hit.score < score);
    all.splice(place === -1 ? all.length : place, 0, { attachment, score });
  }
  return all.slice(0, limit);
}

async function found(
  { attachments }: Pick<Brain, 'attachments'>,
  {
    query,
    limit,
    wing,
    under,
    hall,
    sourceType,
    writtenBy,
    origin,
    reviewed,
    passes,
    since,
    status = 'attachment',
  }: Retrieval,
): Promise<AttachmentHit[]> {
  // What is known of a note alone, an attachment has not.
  const isOfNotes = [hall, sourceType, writtenBy, origin, passes, since].some((value) => value !== undefined);
  if (isOfNotes || reviewed === true || status !== 'attachment') return [];
  const key = wing === undefined ? null : (wingKey(wing) ?? wing);
  const accept = (path: VaultPath): boolean => {
    const own = wingOfPath(path);
    return (
      (key === null || (own !== null && (wingKey(own) ?? own) === key)) &&
      (under === undefined || path.startsWith(`${under}/`))
    );
  };
  return attachments.best(query, { limit, accept });
}

/** Returns the score that the part would have if its words were as rare among the attachments as among the notes. */
function scoreAmongNotes({ catalog }: Pick<Brain, 'catalog'>, { score, terms }: AttachmentHit): number {
  let [here, among] = [0, 0];
  for (const [term, idf] of terms) {
    here += idf;
    among += catalog.words.weigh(term).idf;
  }
  return here === 0 ? 0 : (score * among) / here;
}

/** Returns the result for a found attachment. */
export async function attachmentResult(
  { attachments }: Pick<Brain, 'attachments'>,
  { attachment, score }: FoundAttachment,
  { explain, phrases }: { readonly explain: boolean; readonly phrases: readonly QuotedPhrase[] },
) {
  const { path, page, terms } = attachment;
  const wing = wingOfPath(path);
  return {
    path,
    title: fileName(path),
    excerpt: await attachments.excerpt(attachment, { terms, phrases }),
    ...(wing !== null && { wing }),
    score: Number(score.toPrecision(SCORE_DIGITS)),
    status: 'attachment' as const,
    ...importIn(path),
    stale: false,
    ...(page !== undefined && { page }),
    ...(explain && { ranks: {}, terms: [...terms.keys()] }),
  };
}
