import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import { CopyButton } from '../parts/copy-button';
import { Empty } from '../parts/empty';
import { Flag } from '../parts/flag';
import { Hints } from '../parts/hints';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import type { KeyHelpGroup } from '../parts/keys';
import { FailureNotice } from '../parts/problem';
import { ScrollArea } from '../parts/scroll-area';
import { Segments } from '../parts/segments';
import { SkeletonLines } from '../parts/skeleton';
import { useCall } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import { useKeys } from '../parts/use-keys';
import { Writer } from '../parts/writer';
import { NotePreview } from '../preview/note-preview';
import { NoteSource } from '../preview/note-source';
import { Properties } from '../preview/properties';
import type { ScreenParams } from '../screens';
import { goToHeading } from './go-to-heading';
import { goToQuote } from './go-to-quote';
import { outgoingLinks } from './outgoing-links';

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
      <div class="brain-web-note mod-none" {...frame}>
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
      <div class="brain-web-note" {...frame}>
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
                <h2 class="brain-web-note-title">{value.title}</h2>
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
