import type { Range } from '../markdown/spans';
import { bestStretch, citationOf, type Evidence } from './passages';
import { closeOpenBlocks } from '../markdown/repair';
import { escapeMarks } from './marks';
import type { Outcome } from './shapes';
import type { CoveredTerms, QueryCoverage } from './query-coverage';

/** The most passages of an answer, and the length of each in UTF-16 units: about a paragraph. */
const MAX_PASSAGES = 3;
const MAX_PASSAGE = 600;
/** The least share of the query, by weight, that a passage contains which is an answer, and one that may be an answer. */
const MIN_SHARE = 0.6;
const MIN_WEAK = 0.45;
/** How much more of the query a passage contains that comes before one whose note is a place higher in the search. */
const PER_PLACE = 0.06;
/** The places that a stale note loses. */
const STALE_PLACES = 2;

/**
 * Answers with the passages themselves, best first by what they contain of the query and by the ranks of their notes. Where none contains
 * enough, those that may answer come as weak; abstains when there are none: no answer is better than a passage about something else.
 * Title, aliases, tags, wing and hall count, though less, for a passage that contains some of the query itself. A note without such a
 * passage answers with its beginning, and only when title and aliases alone contain enough: many notes share tags, wing and hall and need
 * not be about them.
 */
export function extract(evidence: readonly Evidence[], worth: QueryCoverage): Outcome {
  const passages = evidence.map((note, rank) => {
    const covered = ({ from, to }: { from: number; to: number }) => worth.in(note.body.slice(from, to));
    const range = bestStretch(note, (stretch) => worth.share(covered(stretch)), MAX_PASSAGE);
    const share = shareOf(note, covered(range), worth);
    const places = rank + (note.trust.stale ? STALE_PLACES : 0);
    return { note, range, share, value: share - PER_PLACE * places };
  });
  const weak = !passages.some(({ share }) => share >= MIN_SHARE);
  const best = passages
    .filter(({ share }) => share >= (weak ? MIN_WEAK : MIN_SHARE))
    .sort((a, b) => b.value - a.value)
    .slice(0, MAX_PASSAGES);
  if (best.length === 0) return { abstained: 'insufficient_evidence' };
  const citations = best.map(({ note, range }, index) => citationOf(note, index + 1, range));
  const own = new Set<number>();
  let text = '';
  for (const [index, { note, range }] of best.entries()) {
    if (text !== '') text += '\n\n';
    own.add(text.length);
    text += withMark(index + 1, closeOpenBlocks(opened(note, range)));
  }
  // A `[2]` in the text of a note is no citation of the second note.
  return { text: escapeMarks(text, (at) => own.has(at)), citations, weak };
}

/** Returns the share of the query that a passage and the names of its note contain; 0 where names alone contain too little. */
function shareOf({ hit: { record }, named }: Evidence, held: CoveredTerms, worth: QueryCoverage): number {
  if (held.size > 0) return worth.share(held, named);
  const share = worth.share(worth.in([record.title, ...record.aliases].join('\n')));
  return share < MIN_SHARE ? 0 : share;
}

/** Returns a passage; when it begins inside a fence or math, the opening delimiter comes first. */
function opened({ body, blocks }: Evidence, { from, to }: Range): string {
  const passage = body.slice(from, to);
  const block = blocks.find((each) => each.from < from && from < each.to);
  if (block === undefined) return passage;
  const [opening = ''] = /^(?:\$\$|(?:`{3,}|~{3,})[ \t]*[\w-]*)/.exec(body.slice(block.from, block.to)) ?? [];
  return `${opening}\n${passage}`;
}

/** Puts the mark before a passage. Headings, lists, quotes, tables and fences must begin a line. */
function withMark(n: number, passage: string): string {
  return `[${n}]${/^(?:[#>|]|```|~~~|\$\$|[*+-][ \t]|\d+[.)][ \t])/.test(passage) ? '\n\n' : ' '}${passage}`;
}
