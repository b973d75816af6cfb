import { Analyser } from '../../core/fulltext/terms';
import { Flag } from '../kit/feedback';
import { day } from '../kit/words';
import { Writer } from '../kit/writer';
import type { SearchResult } from './facets';

/** A part of an excerpt, and whether it is a word that was searched for. */
interface ExcerptPart {
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

/** Where a note stands, in short: `homelab / facts`; for a note of the queue where it would go. */
export function placeOf({ wing, hall, path }: Pick<SearchResult, 'wing' | 'hall' | 'path'>): string {
  if (wing !== undefined) return hall === undefined ? wing : `${wing} / ${hall}`;
  return path.split('/').slice(0, -1).join(' / ');
}

/** A text with the words that were searched for marked. Text only: whatever an excerpt says, it is shown as it is. */
function Excerpt({ text, terms }: { readonly text: string; readonly terms: readonly string[] }) {
  return (
    <p class="brain-entry-excerpt">
      {markWords(text, terms).map((part, index) =>
        part.found ? <mark key={index}>{part.text}</mark> : part.text,
      )}
    </p>
  );
}

/** Facts about a found note that ask for attention. */
function ResultFlags({ result }: { readonly result: SearchResult }) {
  return (
    <>
      {result.stale && (
        <Flag icon="hourglass" tone="amber" title="Past its half-life: check it before you rely on it">
          Stale
        </Flag>
      )}
      {result.status === 'raw' && <Flag icon="inbox">Not reviewed</Flag>}
      {result.changed_since_review === true && (
        <Flag icon="history" tone="amber" title="Rewritten after it was promoted">
          Changed since review
        </Flag>
      )}
    </>
  );
}

interface Props {
  readonly id: string;
  readonly result: SearchResult;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onOpen: (newPane: boolean) => void;
}

/** One result of the view: title, place, excerpt, who wrote it and when. */
export function ResultRow({ id, result, selected, onSelect, onOpen }: Props) {
  return (
    <li
      id={id}
      class={selected ? 'brain-entry brain-result is-current' : 'brain-entry brain-result'}
      role="option"
      aria-selected={selected}
      onClick={(event) => (event.ctrlKey || event.metaKey ? onOpen(true) : onSelect())}
      onDblClick={() => onOpen(false)}
    >
      <div class="brain-row">
        <h2 class="brain-cut">{result.title}</h2>
        <span class="brain-push" />
        <span class="brain-address">{placeOf(result)}</span>
      </div>
      <Excerpt text={result.excerpt} terms={result.terms ?? []} />
      <div class="brain-entry-meta brain-result-meta">
        <Writer origin={result.origin} writtenBy={result.written_by} />
        {result.updated_at !== undefined && <span>{day(result.updated_at)}</span>}
        <ResultFlags result={result} />
      </div>
    </li>
  );
}

/** One result of the quick search: title, place and who wrote it. A click opens it. */
export function QuickResultRow({ id, result, selected, onSelect, onOpen }: Props) {
  return (
    <li
      id={id}
      class={selected ? 'brain-entry brain-result is-current' : 'brain-entry brain-result'}
      role="option"
      aria-selected={selected}
      onMouseMove={onSelect}
      onClick={(event) => onOpen(event.ctrlKey || event.metaKey)}
    >
      <div class="brain-row">
        <b class="brain-strong brain-cut">{result.title}</b>
        <span class="brain-push" />
        <span class="brain-address">{placeOf(result)}</span>
      </div>
      <div class="brain-entry-meta brain-result-meta">
        <Writer origin={result.origin} writtenBy={result.written_by} />
        <ResultFlags result={result} />
      </div>
    </li>
  );
}
