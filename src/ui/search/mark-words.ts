import { Analyser } from '../../core/search/analyse';

/** A part of an excerpt, and whether it is a word that was searched for. */
export interface ExcerptPart {
  readonly text: string;
  readonly found: boolean;
}

/** One for all screens: it remembers the words that it has analysed. */
const analyser = new Analyser();

/**
 * Cuts an excerpt at the words that the search found, by the search's own analysis: `terms` are what the service says it
 * found, already stemmed. The parts together are the excerpt, letter for letter.
 */
export function markWords(excerpt: string, terms: readonly string[]): ExcerptPart[] {
  const wanted = new Set(terms);
  const parts: ExcerptPart[] = [];
  let marked: { from: number; to: number } | null = null;
  let done = 0;
  const close = (): void => {
    if (marked === null) return;
    if (marked.from > done) parts.push({ text: excerpt.slice(done, marked.from), found: false });
    parts.push({ text: excerpt.slice(marked.from, marked.to), found: true });
    done = marked.to;
    marked = null;
  };
  analyser.eachTerm(excerpt, (term, from, to) => {
    if (!wanted.has(term) || to <= done) return;
    // Terms of one word share its bounds, and those of scripts without spaces overlap.
    if (marked !== null && from < marked.to) {
      marked = { from: marked.from, to: Math.max(marked.to, to) };
      return;
    }
    close();
    marked = { from: Math.max(from, done), to };
  });
  close();
  if (done < excerpt.length) parts.push({ text: excerpt.slice(done), found: false });
  return parts;
}
