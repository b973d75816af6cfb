import { Analyser } from '../../core/fulltext/terms';
import type { UiHost } from '../client/host';
import { Flag } from '../kit/feedback';
import { day } from '../kit/words';
import { Author } from '../kit/writer';
import type { SearchResult } from './facets';

/** A part of an excerpt; `found` is true for a word that matches the query. */
interface ExcerptPart {
  readonly text: string;
  readonly found: boolean;
}

/** All screens share one analyser, since it caches the words that it has analysed. */
const analyser = new Analyser();

/**
 * Splits an excerpt into matching words and the text between them. `terms` are the matching terms that the service names,
 * already stemmed. The concatenated parts equal the excerpt.
 */
export function markWords(excerpt: string, terms: readonly string[]): ExcerptPart[] {
  const matching = new Set(terms);
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
    if (!matching.has(term) || to <= done) return;
    // Terms of one word share its offsets, and terms of scripts without spaces overlap.
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

/** Returns the wing and hall of a note, `homelab / facts`, or else its folder. A note of the queue has those it suggests. */
export function placeOf({ wing, hall, path }: Pick<SearchResult, 'wing' | 'hall' | 'path'>): string {
  if (wing !== undefined) return hall === undefined ? wing : `${wing} / ${hall}`;
  return path.split('/').slice(0, -1).join(' / ');
}

/** An excerpt with its matching words marked, drawn as plain text: Markdown and HTML in it are not interpreted. */
function Excerpt({ text, terms }: { readonly text: string; readonly terms: readonly string[] }) {
  return (
    <p class="brain-entry-excerpt">
      {markWords(text, terms).map((part, index) =>
        part.found ? <mark key={index}>{part.text}</mark> : part.text,
      )}
    </p>
  );
}

/** The facts about a found note that ask for attention. */
function ResultFlags({ result }: { readonly result: SearchResult }) {
  const { bm25, vector } = result.ranks ?? {};
  return (
    <>
      {vector !== undefined && bm25 === undefined && (
        <Flag icon="message-square" title="Has none of the words; found because its meaning is near">
          By meaning
        </Flag>
      )}
      {result.stale && (
        <Flag icon="hourglass" tone="amber" title="Past its half-life: check it before you rely on it">
          Stale
        </Flag>
      )}
      {result.status === 'raw' && <Flag icon="inbox">Not reviewed</Flag>}
      {result.status === 'attachment' && (
        <Flag icon="file-text" title="A file of the vault, not a note">
          {fileWords(result)}
        </Flag>
      )}
      {result.changed_since_review === true && (
        <Flag icon="history" tone="amber" title="Rewritten after it was promoted">
          Changed since review
        </Flag>
      )}
    </>
  );
}

/** Returns the kind of an attachment, and the page where the words stand: `PDF, page 3`. */
function fileWords({ path, page }: Pick<SearchResult, 'path' | 'page'>): string {
  const kind = /\.canvas$/i.test(path) ? 'Canvas' : 'PDF';
  return page === undefined ? kind : `${kind}, page ${page}`;
}

/** Opens a result: a note, or an attachment on its page, in its own viewer where the host has one. */
export function openResult(
  host: Pick<UiHost, 'openNote' | 'openFile'>,
  { path, status, page }: Pick<SearchResult, 'path' | 'status' | 'page'>,
  newPane: boolean,
): void {
  if (status === 'attachment' && host.openFile !== undefined) host.openFile(path, page);
  else host.openNote(page === undefined ? path : `${path}#page=${page}`, { newPane });
}

/** The writer of a found note; an attachment has none. */
function ResultAuthor({ result }: { readonly result: SearchResult }) {
  if (result.status === 'attachment') return null;
  return <Author isOwners={result.status === 'vault'} origin={result.origin} writtenBy={result.written_by} />;
}

interface Props {
  readonly id: string;
  readonly result: SearchResult;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onOpen: (newPane: boolean) => void;
}

/** A result of the search screen: title, place, excerpt, writer and date. */
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
        <ResultAuthor result={result} />
        {result.updated_at !== undefined && <span>{day(result.updated_at)}</span>}
        <ResultFlags result={result} />
      </div>
    </li>
  );
}

/** A result of the quick search: title, place, excerpt and writer. A click opens it. */
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
      <Excerpt text={result.excerpt} terms={result.terms ?? []} />
      <div class="brain-entry-meta brain-result-meta">
        <ResultAuthor result={result} />
        <ResultFlags result={result} />
      </div>
    </li>
  );
}
