/** Longest excerpt in code points, `…` included. */
const MAX_EXCERPT = 240;
/** How far a cut may move to meet the end of a word; scripts without spaces are cut between characters. */
const WORD_REACH = 24;

/** The beginning of a note's prose, or its description when it has no prose. */
export function leadExcerpt(plain: string, description?: unknown): string {
  if (plain !== '') return cutExcerpt(plain, 0);
  return typeof description === 'string' ? cutExcerpt(description.replace(/\s+/g, ' ').trim(), 0) : '';
}

/**
 * At most `max` code points of a text on one line, from the word at offset `start` on, with `…` where something was cut.
 * @param start offset in UTF-16 units
 */
export function cutExcerpt(plain: string, start: number, max = MAX_EXCERPT): string {
  const from = wordStart(plain, start);
  const head = from > 0 ? '…' : '';
  // Twice as many units as points, and one more: enough to see whether anything is left.
  const points = Array.from(plain.slice(from, from + 2 * max + 1));
  const room = max - head.length;
  if (points.length <= room && from + points.join('').length === plain.length) return head + points.join('');
  const cut = points.slice(0, Math.max(0, room - 1)).join('');
  return `${head}${atWordEnd(cut, plain[from + cut.length] ?? ' ')}…`;
}

/** The beginning of the word that holds an offset; never in the middle of a character. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const near = Math.min(at, text.length);
  const floor = Math.max(0, near - WORD_REACH);
  for (let start = near; start >= floor; start -= 1) {
    if (start === 0) return 0;
    if (/\s/.test(text[start - 1] ?? '')) return start;
  }
  const unit = text.charCodeAt(near);
  return unit >= 0xdc00 && unit <= 0xdfff ? near - 1 : near;
}

function atWordEnd(text: string, next: string): string {
  if (/\s/.test(next)) return text.trimEnd();
  const space = text.lastIndexOf(' ');
  return space > 0 && text.length - space <= WORD_REACH ? text.slice(0, space).trimEnd() : text;
}
