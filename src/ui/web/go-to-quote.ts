/** What a quote is looked for among: the smallest blocks that a note is drawn of. */
const BLOCKS = 'p, li, h2, h3, h4, h5, h6, td, th, pre, blockquote, dd, dt';
/** So much of a quote tells its place; an address should not hold all of it. In UTF-16 units. */
const MAX_QUOTE = 200;

/** The beginning of a quote, as an address carries it. */
export function shortQuote(quote: string): string {
  return quote.slice(0, MAX_QUOTE);
}

/**
 * Brings the block that a quote begins in into view and gives it the focus, so that a screen reader goes on from there. A
 * quote is Markdown and the page is what it reads as, so only letters and digits are compared. Does nothing when it is
 * not found.
 */
export function goToQuote(page: HTMLElement, quote: string): void {
  const wanted = plain(firstBlock(withoutLinks(shortQuote(quote))));
  if (wanted === '') return;
  const found = [...page.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) =>
    plain(block.textContent ?? '').includes(wanted),
  );
  // Of blocks within each other the innermost one comes last.
  const block = found.find((outer) => !found.some((inner) => inner !== outer && outer.contains(inner)));
  if (block === undefined) return;
  block.tabIndex = -1;
  block.classList.add('brain-quoted');
  block.focus({ preventScroll: true });
  block.scrollIntoView({ block: 'center' });
}

/** A quote may go over several blocks; its first one is where to begin reading. */
function firstBlock(quote: string): string {
  return quote.split('\n').find((line) => plain(line) !== '') ?? '';
}

/** The words of links without their targets, which the page does not show. */
function withoutLinks(quote: string): string {
  return quote.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|\]\([^)]*\)/g, '$1');
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
