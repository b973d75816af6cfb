import type { Answer } from '../../core/registry/client';
import { HALF_LIVES } from '../../core/vocabulary/envelope';
import { useUi } from '../client/context';
import type { SearchResult } from '../found/facets';
import type { Found } from '../found/use-search';
import { useCall, useChanges } from '../kit/async';
import { FailureNotice, OwnersFlag, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { noteName } from '../kit/names';
import { ScreenLink } from '../kit/screen-link';
import { count, counted, day, moment } from '../kit/words';
import { doorOf, WriterWords } from '../kit/writer';
import { NotePreview } from '../markdown/preview';

/** The number of connected notes that are listed of each kind. */
const MOST_LINKS = 8;
/** The characters of the note that the panel loads: more than anyone scrolls through next to a list. */
const PREVIEW_CHARS = 8_000;
const DAY_MS = 86_400_000;

type Note = Answer<'note'>;

/** The selected result: its facts, why it was found, its connected notes, and its text. */
export function InspectPanel(props: {
  readonly result: SearchResult;
  readonly mode: Found['mode'];
  readonly onOpen: (newPane: boolean) => void;
  /** Opens the form that adopts a note of the owner. */
  readonly onAdopt: () => void;
}) {
  const { result, mode, onOpen, onAdopt } = props;
  return (
    <aside class="brain-inspect" aria-label="About this note">
      <div class="brain-info brain-scroll" tabIndex={0} role="region" aria-label="Facts and text">
        <About key={result.path} result={result} mode={mode} onAdopt={onAdopt} />
      </div>
      <div class="brain-foot">
        <button type="button" class="mod-cta" onClick={() => onOpen(false)}>
          Open <Key>↵</Key>
        </button>
        <button type="button" onClick={() => onOpen(true)}>
          New pane <Key>Ctrl ↵</Key>
        </button>
      </div>
    </aside>
  );
}

function About(props: {
  readonly result: SearchResult;
  readonly mode: Found['mode'];
  readonly onAdopt: () => void;
}) {
  const { result, mode, onAdopt } = props;
  const note = useCall('note', { path: result.path, max_chars: PREVIEW_CHARS });
  useChanges(() => note.reload());
  return (
    <>
      <section>
        <h2 class="brain-heading mod-title">{result.title}</h2>
        <span class="brain-small brain-muted mod-path">{result.path}</span>
        {result.status === 'vault' && (
          <div class="brain-row">
            <OwnersFlag />
            <span class="brain-push" />
            <button type="button" class="brain-action" onClick={onAdopt}>
              Adopt <Key>A</Key>
            </button>
          </div>
        )}
      </section>
      {note.error !== null && <FailureNotice error={note.error} />}
      {note.loading && <SkeletonLines lines={6} label="Reading the note" />}
      {note.value !== null && <Facts note={note.value} />}
      <Why result={result} mode={mode} />
      {note.value !== null && <Connected note={note.value} />}
      {note.value !== null && (
        <section class="brain-inspect-text" aria-label="Text of the note">
          <NotePreview body={note.value.body} title={note.value.title} cut={note.value.truncated} />
        </section>
      )}
    </>
  );
}

function Facts({ note }: { readonly note: Note }) {
  const { host } = useUi();
  const { promoted_at: promotedAt, promoted_by: promotedBy } = note.frontmatter;
  const claim = claimWords(note.frontmatter);
  return (
    <section>
      <dl class="brain-facts">
        <dt>Written by</dt>
        <dd>
          {note.status === 'vault' && note.written_by === undefined ? (
            'you'
          ) : (
            <WriterWords writtenBy={note.written_by} />
          )}
        </dd>
        <dt>Came in</dt>
        <dd>
          {doorOf(note.origin).words}
          {note.updated_at !== undefined && `, ${moment(note.updated_at)}`}
        </dd>
        {typeof promotedAt === 'string' && (
          <>
            <dt>Promoted</dt>
            <dd>
              {day(promotedAt)}
              {typeof promotedBy === 'string' && (
                <>
                  {' by '}
                  <WriterWords writtenBy={promotedBy} />
                </>
              )}
            </dd>
          </>
        )}
        {note.changed_since_review === true && (
          <>
            <dt>State</dt>
            <dd class="brain-warn">Changed since review</dd>
          </>
        )}
        {claim !== '' && (
          <>
            <dt>Claim</dt>
            <dd>{claim}</dd>
          </>
        )}
        {isAging(note.frontmatter) && note.updated_at !== undefined && (
          <>
            <dt>Freshness</dt>
            <dd class={note.stale ? 'brain-warn' : undefined}>
              {freshness(note.updated_at, note.stale, host.now())}
            </dd>
          </>
        )}
        <dt>History</dt>
        <dd>
          <ScreenLink screen="history" params={{ path: note.path }}>
            {counted(note.history + 1, 'version')}
          </ScreenLink>
        </dd>
        <dt>Hash</dt>
        <dd>
          <span class="brain-mono" title={note.content_hash}>
            {note.content_hash.slice(0, 8)}…
          </span>
        </dd>
      </dl>
    </section>
  );
}

function claimWords({ claim_provenance, half_life, applies }: Note['frontmatter']): string {
  return [claim_provenance, half_life, applies].filter((word) => typeof word === 'string').join(', ');
}

function isAging({ half_life: given }: Note['frontmatter']): boolean {
  return HALF_LIVES.some((life) => life === given);
}

function freshness(updatedAt: string, stale: boolean, now: Date): string {
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(updatedAt)) / DAY_MS));
  const old = days === 0 ? 'Written today' : `${counted(days, 'day')} old`;
  return stale ? `${old}, stale` : old;
}

/** The ranks of a result. A hybrid search has two rankings, and a note may be in one of them only. */
function Why({ result, mode }: { readonly result: SearchResult; readonly mode: Found['mode'] }) {
  const { terms = [], ranks } = result;
  const isHybrid = mode === 'hybrid';
  return (
    <section aria-label="Why it was found">
      <h2 class="brain-heading">Why it was found</h2>
      <table class="brain-ranks">
        <tbody>
          {terms.length > 0 && (
            <tr>
              <th scope="row">Words</th>
              <td>{terms.join(', ')}</td>
            </tr>
          )}
          <Rank name="BM25 rank" rank={ranks?.bm25} />
          {isHybrid && <Rank name="Vector rank" rank={ranks?.vector} />}
          <tr>
            <th scope="row">{isHybrid ? 'Fused score' : 'Score'}</th>
            <td>{result.score}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Rank({ name, rank }: { readonly name: string; readonly rank: number | undefined }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{rank === undefined ? 'not in this list' : count(rank)}</td>
    </tr>
  );
}

function Connected({ note }: { readonly note: Note }) {
  if (note.outgoing.length + note.backlinks.length === 0) return null;
  return (
    <section aria-label="Connected notes">
      <h2 class="brain-heading">Connected</h2>
      <Links paths={note.outgoing} icon="link" words="Links to" />
      <Links paths={note.backlinks} icon="git-fork" words="Is linked from" />
    </section>
  );
}

function Links(props: {
  readonly paths: readonly string[];
  readonly icon: 'link' | 'git-fork';
  readonly words: string;
}) {
  const { paths, icon, words } = props;
  const { host } = useUi();
  if (paths.length === 0) return null;
  const more = paths.length - MOST_LINKS;
  return (
    <ul class="brain-links" aria-label={words}>
      {paths.slice(0, MOST_LINKS).map((path) => (
        <li key={path} title={`${words} ${path}`}>
          <Icon name={icon} />
          <button
            type="button"
            class="brain-plain mod-inline"
            onClick={(event) => host.openNote(path, { newPane: event.ctrlKey || event.metaKey })}
          >
            {noteName(path)}
          </button>
        </li>
      ))}
      {more > 0 && <li class="brain-muted">and {count(more)} more</li>}
    </ul>
  );
}
