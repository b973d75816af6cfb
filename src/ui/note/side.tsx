import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import { ActionButton } from '../kit/controls';
import { Flag } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { noteName } from '../kit/names';
import { ScreenLink } from '../kit/screen-link';
import { counted, moment } from '../kit/words';
import { WriterWords } from '../kit/writer';
import { NoteGraph } from './graph';

type Note = Answer<'note'>;

/** What a person can do about the age of a note. */
export interface Confirm {
  /** Confirms that the note still holds; null where that makes no sense. */
  readonly run: (() => void) | null;
  readonly working: boolean;
  /** The outcome of the last act, in words; empty for none. */
  readonly status: string;
  /** Takes the last confirmation back; null when there is none. */
  readonly undo: (() => void) | null;
}

/** The links of one kind that are listed at first. */
const MOST_LINKS = 100;

/** What is known of a note beside its text: its dates, how fresh it is, and the notes it is connected with. */
export function NoteSide(props: { readonly note: Note; readonly confirm: Confirm }) {
  const { note, confirm } = props;
  const { host } = useUi();
  const notes = note.outgoing.filter((path) => path.endsWith('.md'));
  const open = (path: string): void => host.openNote(path);
  return (
    <>
      <section aria-label="Dates">
        <h2 class="brain-heading">About this note</h2>
        <Dates note={note} />
        {confirm.run !== null && (
          <div class="brain-row mod-wrap">
            {note.stale && (
              <Flag icon="hourglass" tone="amber" title="Past its half-life">
                stale
              </Flag>
            )}
            <ActionButton icon="circle-check" aria-disabled={confirm.working} onClick={confirm.run}>
              {confirm.working ? 'Confirming' : 'Still true'} <Key>C</Key>
            </ActionButton>
          </div>
        )}
        <p class="brain-small" role="status">
          {confirm.status}{' '}
          {confirm.undo !== null && (
            <button type="button" class="brain-plain" onClick={confirm.undo}>
              Undo <Key>U</Key>
            </button>
          )}
        </p>
      </section>
      <section aria-label="Connections">
        <h2 class="brain-heading">Connections</h2>
        {notes.length + note.backlinks.length === 0 && (
          <p class="brain-small brain-muted">No note links here, and this one links to none.</p>
        )}
        <NoteGraph title={note.title} outgoing={notes} backlinks={note.backlinks} onOpen={open} />
        <Links paths={note.backlinks} icon="git-fork" words="Linked from" onOpen={open} />
        <Links paths={notes} icon="link" words="Links to" onOpen={open} />
      </section>
    </>
  );
}

function Dates({ note }: { readonly note: Note }) {
  const { frontmatter } = note;
  const dates: readonly (readonly [name: string, at: unknown, by?: unknown])[] = [
    ['Created', frontmatter.created_at],
    ['Updated', frontmatter.updated_at],
    ['Promoted', frontmatter.promoted_at, frontmatter.promoted_by],
    ['Verified', frontmatter.verified_at, frontmatter.verified_by],
  ];
  const claim = [frontmatter.claim_provenance, frontmatter.half_life, frontmatter.applies]
    .filter((word) => typeof word === 'string')
    .join(', ');
  return (
    <dl class="brain-facts">
      {dates.map(([name, at, by]) =>
        typeof at !== 'string' ? null : (
          <>
            <dt>{name}</dt>
            <dd>
              {moment(at)}
              {typeof by === 'string' && (
                <>
                  {' by '}
                  <WriterWords writtenBy={by} />
                </>
              )}
            </dd>
          </>
        ),
      )}
      {claim !== '' && (
        <>
          <dt>Claim</dt>
          <dd>{claim}</dd>
        </>
      )}
      <dt>History</dt>
      <dd>
        <ScreenLink screen="history" params={{ path: note.path }}>
          {counted(note.history + 1, 'version')}
        </ScreenLink>
      </dd>
    </dl>
  );
}

function Links(props: {
  readonly paths: readonly string[];
  readonly icon: 'link' | 'git-fork';
  readonly words: string;
  readonly onOpen: (path: string) => void;
}) {
  const { paths, icon, words, onOpen } = props;
  if (paths.length === 0) return null;
  const more = paths.length - MOST_LINKS;
  return (
    <>
      <h3 class="brain-heading">
        {words} {counted(paths.length, 'note')}
      </h3>
      <ul class="brain-note-links" aria-label={words}>
        {paths.slice(0, MOST_LINKS).map((path) => (
          <li key={path} title={path}>
            <Icon name={icon} />
            <button type="button" class="brain-plain mod-inline" onClick={() => onOpen(path)}>
              {noteName(path)}
            </button>
          </li>
        ))}
        {more > 0 && <li class="brain-muted">and {counted(more, 'more note')}</li>}
      </ul>
    </>
  );
}
