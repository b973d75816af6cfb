import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { useAct, useCall, useChanges } from '../kit/async';
import { ActionButton, CopyButton, Segments } from '../kit/controls';
import { Empty, FailureNotice, Flag, SkeletonLines } from '../kit/feedback';
import { Hints, Key, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { Author } from '../kit/writer';
import { openEdit } from '../edit/edit';
import { goToFragment } from '../markdown/anchors';
import type { NoteLinks } from '../markdown/note-links';
import { NotePreview, NoteSource } from '../markdown/preview';
import { Properties } from '../markdown/properties';
import { openAdopt } from '../place/adopt';
import { type Confirm, NoteSide } from './side';

/** The selector of the blocks that a quote is searched in: the smallest that a note is rendered as. */
const BLOCKS = 'p, li, h2, h3, h4, h5, h6, td, th, pre, blockquote, dd, dt';
/** An address carries at most this much of a quote, which is enough to find it (UTF-16 units). */
const MAX_QUOTE = 200;

/** Returns the beginning of a quote that an address carries. */
export function shortQuote(quote: string): string {
  return quote.slice(0, MAX_QUOTE);
}

/**
 * Scrolls to the block in which a quote begins, and focuses it, so that a screen reader continues there. Compares letters and
 * digits only, for the quote is Markdown and the page is its rendering. Does nothing when no block matches.
 */
export function goToQuote(page: HTMLElement, quote: string): void {
  const wanted = plainText(firstBlock(withoutLinks(shortQuote(quote))));
  if (wanted === '') return;
  const found = [...page.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) =>
    plainText(block.textContent ?? '').includes(wanted),
  );
  // The innermost of nested blocks is the one that contains no other match.
  const block = found.find((outer) => !found.some((inner) => inner !== outer && outer.contains(inner)));
  if (block === undefined) return;
  block.tabIndex = -1;
  block.classList.add('brain-quoted');
  block.focus({ preventScroll: true });
  block.scrollIntoView({ block: 'center' });
}

/** Returns the first line of a quote that has letters or digits. A quote may span several blocks. */
function firstBlock(quote: string): string {
  return quote.split('\n').find((line) => plainText(line) !== '') ?? '';
}

/** Replaces links with their texts, as the page shows them. */
function withoutLinks(quote: string): string {
  return quote.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|\]\([^)]*\)/g, '$1');
}

function plainText(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/**
 * Resolves the links of a note against the paths of its outgoing links. A target resolves to the one path that ends with it;
 * when none or several do, the link is rendered as text.
 */
export function outgoingLinks(outgoing: readonly string[]): NoteLinks {
  return {
    isComplete: true,
    find(target) {
      const wanted = `/${plainPath(target.replace(/^(?:\.{0,2}\/)+/, ''))}`;
      const found = outgoing.filter((path) => `/${plainPath(path)}`.endsWith(wanted));
      const [resolved] = found;
      if (resolved === undefined || found.length > 1 || wanted === '/') return null;
      return { target, text: target, line: 1, kind: 'wikilink', unlinked: false, resolved };
    },
  };
}

function plainPath(path: string): string {
  return path.replace(/\.md$/i, '').toLowerCase();
}

/** The most characters of a note that the page reads. A longer note is marked as truncated. */
const MAX_CHARS = 400_000;

const VIEWS = [
  { value: 'preview', label: 'Preview' },
  { value: 'source', label: 'Source' },
] as const;

type View = (typeof VIEWS)[number]['value'];
type Note = Answer<'note'>;

/** The notes whose text a person replaces here; the former text stays in the history. */
const EDITED: ReadonlySet<Note['status']> = new Set(['wiki', 'knowledge', 'raw']);

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'This note',
    lines: [
      { label: 'History', keys: ['H'] },
      { label: 'Neighbours: similar and linked notes, and what waits', keys: ['N'] },
      { label: 'Preview or source', keys: ['P'] },
      { label: 'Properties', keys: ['M'] },
      { label: 'Edit, which supersedes the note', keys: ['E'] },
      { label: 'Dates and connections', keys: ['L'] },
      { label: 'Confirm that it is still true', keys: ['C'] },
      { label: 'Take the confirmation back', keys: ['U'] },
    ],
  },
];

const HINTS = [
  { keys: ['H'], label: 'history' },
  { keys: ['P'], label: 'preview or source' },
  { keys: ['E'], label: 'edit' },
  { keys: ['L'], label: 'links' },
  { keys: ['C'], label: 'still true', wide: true },
  { keys: ['?'], label: 'all keys' },
];

/**
 * The screen of a note, for a host without an editor that has it. It scrolls to the heading or quote that a link names. Notes of
 * the vault that is open in Obsidian the app itself opens.
 */
export function NoteScreen(props: {
  readonly params: ScreenParams;
  /** Called with the title of the note for the tab, empty until it is read. */
  readonly onTitle?: (title: string) => void;
}) {
  const { params, onTitle } = props;
  const { path = '', heading, quote } = params;
  return path === '' ? <NoNote /> : <OneNote {...{ path, heading, quote, onTitle }} />;
}

function NoNote() {
  const { host } = useUi();
  const search = (): void => host.go('search');
  const frame = useKeys({
    title: 'Keys for a note',
    help: [{ title: 'Note', lines: [{ label: 'Search', keys: ['/'] }] }],
    actions: [{ keys: ['/'], run: search }],
  });
  return (
    <div class="brain-frame" {...frame}>
      <h1 class="brain-sr">Note</h1>
      <Empty icon="file-text" title="No note is named">
        <p>This address lacks the path of a note. A result of the search opens here.</p>
        <button type="button" class="mod-cta" onClick={search}>
          Search <Key>/</Key>
        </button>
      </Empty>
      <Hints
        hints={[
          { keys: ['/'], label: 'search' },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

/** Confirms the note as the person sees it, and takes that back. Only a note of the wiki or of the knowledge is confirmed. */
function useConfirm(
  note: Note | null,
  reload: () => void,
): Confirm & Pick<ReturnType<typeof useAct>, 'error'> {
  const { client } = useUi();
  const [last, setLast] = useState<Answer<'confirm'> | null>(null);
  const [status, setStatus] = useState('');
  const path = note?.path ?? '';
  const hash = note?.content_hash ?? '';
  useEffect(() => {
    setLast(null);
    setStatus('');
  }, [path]);
  const confirm = useAct(async () => {
    setLast(await client.call('confirm', { path, expected_hash: hash }));
    setStatus('Confirmed. Its age counts from now on.');
  }, reload);
  const undo = useAct(async () => {
    if (last === null) return;
    await client.call('confirm', { path, undo: last.previous_hash, expected_hash: last.content_hash });
    setLast(null);
    setStatus('The confirmation is taken back.');
  }, reload);
  const isReviewed = note?.status === 'wiki' || note?.status === 'knowledge';
  return {
    run: isReviewed ? confirm.run : null,
    working: confirm.working,
    status,
    undo: last === null ? null : undo.run,
    error: confirm.error ?? undo.error,
  };
}

function OneNote(props: {
  readonly path: string;
  readonly heading: string | undefined;
  readonly quote: string | undefined;
  readonly onTitle: ((title: string) => void) | undefined;
}) {
  const { path, heading, quote, onTitle } = props;
  const ui = useUi();
  const { host } = ui;
  const [view, setView] = useState<View>('preview');
  const [propertiesOpen, setPropertiesOpen] = useState(false);
  const note = useCall('note', { path, max_chars: MAX_CHARS });
  useChanges(() => note.reload());
  const { value } = note;
  const confirm = useConfirm(value, note.reload);
  const history = (): void => host.go('history', { path });
  const neighbours = (): void => host.go('neighbours', { path });
  const edit = value !== null && EDITED.has(value.status) ? () => openEdit(ui, path, note.reload) : null;
  const page = useRef<HTMLDivElement>(null);
  const side = useRef<HTMLElement>(null);
  useEffect(() => onTitle?.(value?.title ?? ''), [value?.title]);
  // Runs once for each link: a reload of a changed note must not scroll.
  const isRead = value !== null;
  useEffect(() => {
    if (!isRead || page.current === null) return;
    if (quote !== undefined) goToQuote(page.current, quote);
    else if (heading !== undefined) goToFragment(page.current, heading);
  }, [path, heading, quote, isRead]);
  const toggleProperties = (): void => setPropertiesOpen(!propertiesOpen);
  const frame = useKeys({
    title: 'Keys for a note',
    help: HELP,
    actions: [
      { keys: ['h'], run: history },
      { keys: ['n'], run: neighbours },
      { keys: ['p'], run: () => setView(view === 'preview' ? 'source' : 'preview') },
      { keys: ['m'], run: toggleProperties },
      { keys: ['e'], run: () => edit?.() },
      { keys: ['c'], run: (event) => (event.repeat ? false : confirm.run?.()) },
      { keys: ['u'], run: () => confirm.undo?.() },
      { keys: ['l'], run: () => side.current?.focus() },
    ],
  });
  return (
    <div class="brain-frame brain-note-screen" {...frame}>
      <h1 class="brain-sr">{value?.title ?? 'Note'}</h1>
      <NoteBar
        path={path}
        status={value?.status}
        view={view}
        onView={setView}
        onHistory={history}
        onNeighbours={neighbours}
        onEdit={edit}
      />
      <ScrollArea label="Note text">
        <div class={value === null ? undefined : 'brain-note-parts'}>
          <div class="brain-page" ref={page}>
            {note.error !== null && <FailureNotice error={note.error} />}
            {confirm.error !== null && <FailureNotice error={confirm.error} />}
            {note.loading && <SkeletonLines lines={8} label="Reading the note" />}
            {value !== null && (
              <NoteText
                note={value}
                view={view}
                propertiesOpen={propertiesOpen}
                onToggleProperties={toggleProperties}
              />
            )}
          </div>
          {value !== null && (
            <aside class="brain-note-side" aria-label="About this note" tabIndex={-1} ref={side}>
              <NoteSide note={value} confirm={confirm} />
            </aside>
          )}
        </div>
      </ScrollArea>
      <Hints hints={HINTS} />
    </div>
  );
}

/** The text of the note below its path and title, as a preview or as its source. */
function NoteText(props: {
  readonly note: Note;
  readonly view: View;
  readonly propertiesOpen: boolean;
  readonly onToggleProperties: () => void;
}) {
  const { note, view, propertiesOpen, onToggleProperties } = props;
  const { host } = useUi();
  const links = useMemo(() => outgoingLinks(note.outgoing), [note]);
  const open = useCallback(
    (target: string, fragment: string) => host.openNote(target, fragment === '' ? {} : { heading: fragment }),
    [host],
  );
  return (
    <>
      <NoteMeta note={note} />
      <h2 class="brain-page-title brain-bidi">{note.title}</h2>
      <Properties frontmatter={note.frontmatter} open={propertiesOpen} onToggle={onToggleProperties} />
      {view === 'source' ? (
        <NoteSource body={note.body} />
      ) : (
        <NotePreview body={note.body} title={note.title} links={links} cut={note.truncated} onOpen={open} />
      )}
    </>
  );
}

/** The choice of the view, and what can be done with the note. */
function NoteBar(props: {
  readonly path: string;
  /** Undefined until the note is read. */
  readonly status: Note['status'] | undefined;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onHistory: () => void;
  readonly onNeighbours: () => void;
  /** Null for a note that is not edited here. */
  readonly onEdit: (() => void) | null;
}) {
  const { path, status, view, onView, onHistory, onNeighbours, onEdit } = props;
  const ui = useUi();
  const { host } = ui;
  return (
    <div class="brain-bar">
      <Segments label="View" value={view} options={VIEWS} onChange={onView} />
      <span class="brain-push" />
      {status === 'vault' && (
        <ActionButton icon="circle-check" onClick={() => openAdopt(ui, path)}>
          Adopt
        </ActionButton>
      )}
      {status === 'raw' && (
        <ActionButton icon="inbox" onClick={() => host.go('queue', { path })}>
          Review
        </ActionButton>
      )}
      <span class="brain-row brain-wide-only">
        <CopyButton text={`[[${path.replace(/\.md$/, '')}]]`} class="brain-action">
          Copy link
        </CopyButton>
      </span>
      {onEdit !== null && (
        <ActionButton icon="pencil" onClick={onEdit}>
          Edit
        </ActionButton>
      )}
      {status !== 'attachment' && (
        <>
          <span class="brain-row brain-wide-only">
            <ActionButton icon="git-fork" onClick={onNeighbours}>
              Neighbours
            </ActionButton>
          </span>
          <ActionButton icon="history" onClick={onHistory}>
            History
          </ActionButton>
        </>
      )}
    </div>
  );
}

/** The path, the writer and the flags of a note. */
function NoteMeta({ note }: { readonly note: Note }) {
  return (
    <div class="brain-note-path brain-row mod-wrap">
      <span class="brain-cut brain-small brain-muted">{note.path}</span>
      <Author isOwners={note.status === 'vault'} origin={note.origin} writtenBy={note.written_by} />
      {note.stale && (
        <Flag icon="hourglass" tone="amber" title="Past its half-life">
          stale
        </Flag>
      )}
      {note.changed_since_review === true && (
        <Flag icon="history" tone="amber" title="Rewritten after it was promoted">
          changed since review
        </Flag>
      )}
    </div>
  );
}
