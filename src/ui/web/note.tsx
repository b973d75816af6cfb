import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { findHeading } from '../../core/links/headings';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { useCall, useChanges } from '../kit/async';
import { CopyButton, Segments } from '../kit/controls';
import { Empty, FailureNotice, Flag, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, Key, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { Writer } from '../kit/writer';
import type { NoteLinks } from '../markdown/note-links';
import { NotePreview, NoteSource } from '../markdown/preview';
import { Properties } from '../markdown/properties';

/**
 * Brings the first heading that the fragment of a link names into view and gives it the focus, so that a screen reader goes on
 * from there. Does nothing when there is none.
 */
function goToHeading(page: HTMLElement, fragment: string): void {
  const elements = [...page.querySelectorAll<HTMLElement>('h2, h3, h4, h5, h6')];
  const headings = elements.map(({ tagName, textContent }) => ({
    level: Number(tagName.slice(1)),
    text: (textContent ?? '').replace(/\s+/g, ' ').trim(),
  }));
  const found = elements[findHeading(headings, fragment)];
  if (found === undefined) return;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: 'start' });
}

/** What a quote is looked for among: the smallest blocks that a note is drawn of. */
const BLOCKS = 'p, li, h2, h3, h4, h5, h6, td, th, pre, blockquote, dd, dt';
/** So much of a quote tells its place; an address should not hold all of it. In UTF-16 units. */
const MAX_QUOTE = 200;

/** The beginning of a quote, as an address carries it. */
export function shortQuote(quote: string): string {
  return quote.slice(0, MAX_QUOTE);
}

/**
 * Brings the block that a quote begins in into view and gives it the focus, so that a screen reader goes on from there. A
 * quote is Markdown and the page is what it reads as, so only letters and digits are compared. Does nothing when it is
 * not found.
 */
export function goToQuote(page: HTMLElement, quote: string): void {
  const wanted = plainText(firstBlock(withoutLinks(shortQuote(quote))));
  if (wanted === '') return;
  const found = [...page.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) =>
    plainText(block.textContent ?? '').includes(wanted),
  );
  // Of blocks within each other the innermost one comes last.
  const block = found.find((outer) => !found.some((inner) => inner !== outer && outer.contains(inner)));
  if (block === undefined) return;
  block.tabIndex = -1;
  block.classList.add('brain-quoted');
  block.focus({ preventScroll: true });
  block.scrollIntoView({ block: 'center' });
}

/** A quote may go over several blocks; its first one is where to begin reading. */
function firstBlock(quote: string): string {
  return quote.split('\n').find((line) => plainText(line) !== '') ?? '';
}

/** The words of links without their targets, which the page does not show. */
function withoutLinks(quote: string): string {
  return quote.replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|\]\([^)]*\)/g, '$1');
}

function plainText(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/**
 * Where the links of a note lead, from the list of the notes that it leads to: a link that fits exactly one of them opens
 * it. A link that fits none, or several, stays words.
 */
export function outgoingLinks(outgoing: readonly string[]): NoteLinks {
  return {
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

/** As much of a note as is read at once, in characters. What is longer says so. */
const MAX_CHARS = 400_000;

const VIEWS = [
  { value: 'preview', label: 'Preview' },
  { value: 'source', label: 'Source' },
] as const;

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'This note',
    lines: [
      { label: 'History', keys: ['H'] },
      { label: 'Preview or source', keys: ['P'] },
      { label: 'Properties', keys: ['M'] },
    ],
  },
];

/**
 * A note to be read, from the heading or the quote that a link named. The page has no editor; in the app the note opens
 * there.
 */
export function NoteScreen({ params }: { params: ScreenParams }) {
  const { path = '', heading, quote } = params;
  return path === '' ? <NoNote /> : <OneNote path={path} heading={heading} quote={quote} />;
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
    <div class="brain-screen">
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
    </div>
  );
}

function OneNote(props: {
  readonly path: string;
  readonly heading: string | undefined;
  readonly quote: string | undefined;
}) {
  const { path, heading, quote } = props;
  const { host } = useUi();
  const [view, setView] = useState<'preview' | 'source'>('preview');
  const [propertiesOpen, setPropertiesOpen] = useState(false);
  const note = useCall('note', { path, max_chars: MAX_CHARS });
  useChanges(() => note.reload());
  const { value, error, loading } = note;
  const links = useMemo(() => outgoingLinks(value?.outgoing ?? []), [value]);
  const history = (): void => host.go('history', { path });
  const page = useRef<HTMLDivElement>(null);
  // Once for every link: a note that is read again because it has changed must not move its reader.
  const isRead = value !== null;
  useEffect(() => {
    if (!isRead || page.current === null) return;
    if (quote !== undefined) goToQuote(page.current, quote);
    else if (heading !== undefined) goToHeading(page.current, heading);
  }, [path, heading, quote, isRead]);
  const frame = useKeys({
    title: 'Keys for a note',
    help: HELP,
    actions: [
      { keys: ['h'], run: history },
      { keys: ['p'], run: () => setView(view === 'preview' ? 'source' : 'preview') },
      { keys: ['m'], run: () => setPropertiesOpen(!propertiesOpen) },
    ],
  });
  return (
    <div class="brain-screen">
      <div class="brain-frame brain-web-note" {...frame}>
        <h1 class="brain-sr">{value?.title ?? 'Note'}</h1>
        <div class="brain-bar">
          <Segments label="View" value={view} options={VIEWS} onChange={setView} />
          <span class="brain-push" />
          {value?.status === 'raw' && (
            <button type="button" class="brain-action" onClick={() => host.go('queue', { path })}>
              <Icon name="inbox" />
              Review
            </button>
          )}
          <span class="brain-row brain-wide-only">
            <CopyButton text={`[[${path.replace(/\.md$/, '')}]]`} class="brain-action">
              Copy link
            </CopyButton>
          </span>
          <button type="button" class="brain-action" onClick={history}>
            <Icon name="history" />
            History
          </button>
        </div>
        <ScrollArea label="Note text">
          <div class="brain-page" ref={page}>
            {error !== null && <FailureNotice error={error} />}
            {loading && <SkeletonLines lines={8} label="Reading the note" />}
            {value !== null && (
              <>
                <div class="brain-web-note-path brain-row mod-wrap">
                  <span class="brain-cut brain-small brain-muted">{value.path}</span>
                  <Writer origin={value.origin} writtenBy={value.written_by} />
                  {value.stale && (
                    <Flag icon="hourglass" tone="amber" title="Past its half-life">
                      stale
                    </Flag>
                  )}
                  {value.changed_since_review === true && (
                    <Flag icon="history" tone="amber" title="Rewritten after it was promoted">
                      changed since review
                    </Flag>
                  )}
                </div>
                <h2 class="brain-page-title brain-bidi">{value.title}</h2>
                <Properties
                  frontmatter={value.frontmatter}
                  open={propertiesOpen}
                  onToggle={() => setPropertiesOpen(!propertiesOpen)}
                />
                {view === 'source' ? (
                  <NoteSource body={value.body} />
                ) : (
                  <NotePreview
                    body={value.body}
                    title={value.title}
                    links={links}
                    cut={value.truncated}
                    onOpen={(target) => host.openNote(target)}
                  />
                )}
              </>
            )}
          </div>
        </ScrollArea>
        <Hints
          hints={[
            { keys: ['H'], label: 'history' },
            { keys: ['P'], label: 'preview or source' },
            { keys: ['?'], label: 'all keys' },
          ]}
        />
      </div>
    </div>
  );
}
