import { isStale } from '../vocabulary/envelope';
import type { Range } from '../markdown/spans';
import { bestStretch, citationOf, type Evidence } from './passages';
import { closed } from '../markdown/repair';
import { escapeMarks } from './marks';
import type { Outcome } from './shapes';
import type { CoveredTerms, QueryCoverage } from './query-coverage';

/** Passages that are shown at most, and how long each may be, in UTF-16 units: about a paragraph. */
const MAX_PASSAGES = 3;
const MAX_PASSAGE = 600;
/** A passage that holds less of the query than this, by what its words tell, says too little of it to be an answer. */
const MIN_SHARE = 0.6;

/**
 * Answers with the passages themselves, best first; of equals those that are not stale, then those that the search ranked
 * higher. Abstains when the best one holds too little of the query: silence is better than a passage beside the point.
 * Title, aliases, tags, wing and hall count with a passage that holds some of the query itself. A note of whose text no passage
 * does answers with its beginning, and only when title and aliases alone name what is asked: tags, wing and hall are the
 * same for many notes, of which none need speak of it.
 */
export function extract(evidence: readonly Evidence[], worth: QueryCoverage, now: Date): Outcome {
  const passages = evidence.map((note, rank) => {
    const covered = ({ from, to }: { from: number; to: number }) => worth.in(note.body.slice(from, to));
    const range = bestStretch(note, (stretch) => worth.share(covered(stretch)), MAX_PASSAGE);
    const share = shareOf(note, covered(range), worth);
    return { note, range, rank, share, stale: isStale(note.hit.record.frontmatter, now) };
  });
  const best = passages
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.share - a.share || Number(a.stale) - Number(b.stale) || a.rank - b.rank)
    .slice(0, MAX_PASSAGES);
  if (best.length === 0) return { abstained: 'insufficient_evidence' };
  const citations = best.map(({ note, range }, index) => citationOf(note, index + 1, range, now));
  const own = new Set<number>();
  let text = '';
  for (const [index, { note, range }] of best.entries()) {
    if (text !== '') text += '\n\n';
    own.add(text.length);
    text += marked(index + 1, closed(opened(note, range)));
  }
  // A `[2]` of the note's own is no citation of the second note.
  return { text: escapeMarks(text, (at) => own.has(at)), citations };
}

/** How much of the query a passage is worth, with what is known of its note. */
function shareOf({ hit: { record }, named }: Evidence, held: CoveredTerms, worth: QueryCoverage): number {
  if (held.size > 0) return worth.share(held, named);
  return worth.share(worth.in([record.title, ...record.aliases].join('\n')));
}

/** A passage that begins within a fence or math, with what opens these in front of it. */
function opened({ body, blocks }: Evidence, { from, to }: Range): string {
  const passage = body.slice(from, to);
  const block = blocks.find((each) => each.from < from && from < each.to);
  if (block === undefined) return passage;
  const [opening = ''] = /^(?:\$\$|(?:`{3,}|~{3,})[ \t]*[\w-]*)/.exec(body.slice(block.from, block.to)) ?? [];
  return `${opening}\n${passage}`;
}

/** A heading, a list, a quote, a table or a fence is one only at the beginning of a line. */
function marked(n: number, passage: string): string {
  return `[${n}]${/^(?:[#>|]|```|~~~|\$\$|[*+-][ \t]|\d+[.)][ \t])/.test(passage) ? '\n\n' : ' '}${passage}`;
}
