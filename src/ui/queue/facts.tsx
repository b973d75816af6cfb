import { moment } from '../parts/words';
import { doorOf } from '../parts/writer-name';
import { WriterWords } from '../parts/writer';
import { linkTarget } from '../preview/link-target';
import { valueWords } from '../preview/properties';
import type { Entry } from './entry';
import type { Note } from './use-note';

/** Who wrote a note, how and when it came in, where it is from, and what it claims of itself. */
export function Facts({ entry, note }: { readonly entry: Entry; readonly note: Note | null }) {
  const sources = [...(entry.source === undefined ? [] : [entry.source]), ...entry.sources];
  return (
    <dl class="brain-facts">
      <dt>Written by</dt>
      <dd>
        <WriterWords writtenBy={entry.written_by} />
      </dd>
      <dt>Came in</dt>
      <dd>
        {doorOf(entry.origin).words}, {moment(entry.created_at)}
      </dd>
      <dt>Source</dt>
      <dd>
        {sources.length === 0 ? (
          <span class="brain-muted">none given</span>
        ) : (
          sources.slice(0, 3).map((source, index) => (
            <span key={source}>
              {index > 0 && ', '}
              <Source source={source} />
            </span>
          ))
        )}
      </dd>
      <dt>Claim</dt>
      <dd>{note === null ? '' : <Claim frontmatter={note.frontmatter} />}</dd>
    </dl>
  );
}

function Source({ source }: { readonly source: string }) {
  const leads = linkTarget(source);
  if (leads.kind !== 'external') return <>{source}</>;
  return (
    <a href={leads.href} title={leads.href} target="_blank" rel="noopener noreferrer nofollow">
      {source.replace(/^[a-z]+:\/\/(?:www\.)?/i, '')}
    </a>
  );
}

function Claim({ frontmatter }: Pick<Note, 'frontmatter'>) {
  const { claim_provenance: provenance, half_life: halfLife, applies } = frontmatter;
  const words = [provenance, halfLife, applies].map(valueWords).filter((word) => word !== '');
  return words.length === 0 ? <span class="brain-muted">none stated</span> : <>{words.join(', ')}</>;
}
