import type { PageStart } from '../documents/ports';
import type { Quotable } from '../model/quotes';

/**
 * Returns the offset of the first quote that a text contains, in UTF-16 units; null when it contains none. A model's own
 * certainty proves nothing; a quote can be looked up.
 */
export function firstQuote(text: Quotable, quotes: readonly string[]): number | null {
  const places = quotes.flatMap((quote) => text.find(quote)?.from ?? []);
  return places.length === 0 ? null : Math.min(...places);
}

/** Returns the page of a paged document at an offset; undefined when the document has no pages. */
export function pageAt(pages: readonly PageStart[] | undefined, offset: number): number | undefined {
  let page: number | undefined;
  for (const start of pages ?? []) {
    if (start.from > offset) break;
    page = start.page;
  }
  return page;
}
