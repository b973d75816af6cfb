import { count, moment } from '../parts/words';
import { doorOf } from '../parts/writer-name';
import { WriterWords } from '../parts/writer';
import { valueWords } from '../preview/properties';
import type { Entry } from './entry';
import { madeWords } from './made-words';
import { SourceLink } from './source-link';
import { sourceOf } from './source-of';
import type { Note } from './use-note';

/** Most sources that are named. */
const MAX_SOURCES = 3;

/** Who wrote a note, how and when it came in, where it is from, and what it claims of itself. */
export function Facts(props: {
  readonly entry: Entry;
  readonly note: Note | null;
  /** Has the model make pages of the source; null where that cannot be. */
  readonly onReExtract: (() => void) | null;
}) {
  const { entry, note, onReExtract } = props;
  const sources = sourcesOf(entry);
  return (
    <dl class="brain-facts">
      <dt>Written by</dt>
      <dd>
        <WriterWords writtenBy={entry.written_by} />
      </dd>
      <dt>Came in</dt>
      <dd class="mod-wrap">
        {doorOf(entry.origin).words}, {moment(entry.created_at)}
      </dd>
      <dt>Source</dt>
      <dd>
        {sources.length === 0 ? (
          <span class="brain-muted">none given</span>
        ) : (
          sources.slice(0, MAX_SOURCES).map((source) => (
            <span key={source} class="brain-source">
              <SourceLink source={source} />
            </span>
          ))
        )}
        {sources.length > MAX_SOURCES && (
          <span class="brain-muted">and {count(sources.length - MAX_SOURCES)} more</span>
        )}
      </dd>
      {entry.extraction !== undefined && (
        <>
          <dt>Made</dt>
          <dd class="mod-wrap">
            {madeWords(entry)}
            {onReExtract !== null && (
              <button type="button" class="brain-plain mod-inline brain-re-extract" onClick={onReExtract}>
                Re-extract with the model
              </button>
            )}
            {entry.unverified && <span class="brain-warn">None of its quotes stands in the source.</span>}
          </dd>
        </>
      )}
      <dt>Claim</dt>
      <dd class="mod-wrap">{note === null ? '' : <Claim frontmatter={note.frontmatter} />}</dd>
    </dl>
  );
}

/** Where it is from, each once: what a link shows already need not be said again in words. */
function sourcesOf({ source, sources }: Entry): readonly string[] {
  const isShown = source !== undefined && sources.some((other) => sourceOf(other).words === source);
  return [...new Set([...(source === undefined || isShown ? [] : [source]), ...sources])];
}

function Claim({ frontmatter }: Pick<Note, 'frontmatter'>) {
  const { claim_provenance: provenance, half_life: halfLife, applies } = frontmatter;
  const words = [provenance, halfLife, applies].map(valueWords).filter((word) => word !== '');
  return words.length === 0 ? <span class="brain-muted">none stated</span> : <>{words.join(', ')}</>;
}
