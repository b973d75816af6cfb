import { useMemo, useState } from 'preact/hooks';
import { useUi } from '../context';
import { CopyButton } from '../parts/copy-button';
import { Flag } from '../parts/flag';
import { Hints } from '../parts/hints';
import { Icon } from '../parts/icon';
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

/** A note to be read. The page has no editor; in the app the note opens there. */
export function NoteScreen({ params }: { params: ScreenParams }) {
  const { host } = useUi();
  const path = params.path ?? '';
  const [view, setView] = useState<'preview' | 'source'>('preview');
  const [propertiesOpen, setPropertiesOpen] = useState(false);
  const note = useCall('note', path === '' ? null : { path, max_chars: MAX_CHARS });
  useChanges(() => note.reload());
  const { value, error, loading } = note;
  const links = useMemo(() => outgoingLinks(value?.outgoing ?? []), [value]);
  const history = (): void => host.go('history', { path });
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
          <span class="brain-wide-only">
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
          <div class="brain-page">
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
