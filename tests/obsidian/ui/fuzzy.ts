import type { SearchResult, SearchResultContainer } from 'obsidian';

/** Finds texts that hold the letters of the query in their order; runs of letters and early places score higher. */
export function prepareFuzzySearch(query: string): (text: string) => SearchResult | null {
  const letters = [...query.toLowerCase().replace(/\s+/g, '')];
  return (text) => {
    const lower = text.toLowerCase();
    const matches: [number, number][] = [];
    let from = 0;
    for (const letter of letters) {
      const at = lower.indexOf(letter, from);
      if (at < 0) return null;
      const run = matches.at(-1);
      if (run !== undefined && run[1] === at) run[1] = at + letter.length;
      else matches.push([at, at + letter.length]);
      from = at + letter.length;
    }
    return { score: -(matches.length - 1) - (matches[0]?.[0] ?? 0) / 100, matches };
  };
}

export function sortSearchResults(results: SearchResultContainer[]): void {
  results.sort((a, b) => b.match.score - a.match.score);
}

/** Writes a text with what matched marked. */
export function renderMatches(
  el: HTMLElement | DocumentFragment,
  text: string,
  matches: readonly [number, number][] | null,
  offset = 0,
): void {
  let done = 0;
  for (const [from, to] of matches ?? []) {
    el.appendText(text.slice(done, Math.max(done, from + offset)));
    el.createSpan({ cls: 'suggestion-highlight', text: text.slice(from + offset, to + offset) });
    done = to + offset;
  }

  el.appendText(text.slice(done));
}
