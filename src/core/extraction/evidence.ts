import type { PageStart } from '../documents/ports';
import type { Quotable } from '../model/quotes';

/**
 * Where the first of the quotes that stand in a text stands, as an offset in UTF-16 units; null when none of them does. What
 * a model says of its own certainty counts for nothing; this can be looked up.
 */
export function firstQuote(text: Quotable, quotes: readonly string[]): number | null {
  const places = quotes.flatMap((quote) => text.find(quote)?.from ?? []);
  return places.length === 0 ? null : Math.min(...places);
}

/** The page of a paged document on which an offset lies; undefined when it has none. */
export function pageAt(pages: readonly PageStart[] | undefined, offset: number): number | undefined {
  let page: number | undefined;
  for (const start of pages ?? []) {
    if (start.from > offset) break;
    page = start.page;
  }
  return page;
}
