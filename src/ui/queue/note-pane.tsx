import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { FailureNotice } from '../parts/problem';
import { ScrollArea } from '../parts/scroll-area';
import { Segments } from '../parts/segments';
import { SkeletonLines } from '../parts/skeleton';
import type { AsyncState } from '../parts/use-async';
import { NotePreview } from '../preview/note-preview';
import { NoteSource } from '../preview/note-source';
import type { NoteLinks } from '../preview/note-links';
import { Properties } from '../preview/properties';
import { CompareBar, CompareView } from './compare-view';
import { useCompare } from './use-compare';
import type { Entry } from './entry';
import type { View } from './queue-state';
import type { Note } from './use-note';

interface Props {
  readonly entry: Entry;
  readonly note: AsyncState<Note>;
  readonly links: NoteLinks;
  readonly view: View;
  readonly compareWith: string | null;
  readonly propertiesOpen: boolean;
  readonly areaRef: { current: HTMLDivElement | null };
  /** The change that the reader is at; null before the first. */
  readonly change: number;
  /** Above the text: what happened to the note while it is shown. */
  readonly notices: ComponentChildren;
  readonly onView: (view: View) => void;
  readonly onToggleProperties: () => void;
  readonly onChangeStep: (step: number) => void;
}

/** The note that is being decided on: as it reads, as it is written, or beside a similar one. */
export function NotePane(props: Props) {
  const { entry, note, view, compareWith, areaRef, change, notices, onView, onChangeStep } = props;
  const { host } = useUi();
  const compare = useCompare(view === 'compare' ? compareWith : null, note.value);
  return (
    <section class="brain-preview" aria-label={view === 'compare' ? 'Compare' : 'Preview'}>
      <div class="brain-bar">
        <Segments
          label="View"
          value={view}
          options={[
            { value: 'preview', label: 'Preview' },
            { value: 'source', label: 'Source' },
            {
              value: 'compare',
              label: 'Compare',
              disabled: compareWith === null && entry.similar.length === 0,
            },
          ]}
          onChange={onView}
        />
        <span class="brain-push" />
        {view === 'compare' ? (
          <CompareBar compare={compare} change={change} onStep={onChangeStep} />
        ) : (
          <>
            {host.editNote !== undefined && (
              <button type="button" class="brain-action" onClick={() => host.editNote?.(entry.path)}>
                <Icon name="pencil" />
                Edit
                <Key>E</Key>
              </button>
            )}
            <span class="brain-wide-only">
              <button
                type="button"
                class="clickable-icon"
                aria-label="Open in new pane"
                onClick={() => host.openNote(entry.path, { newPane: true })}
              >
                <Icon name="external-link" />
              </button>
            </span>
          </>
        )}
      </div>
      {notices}
      {view === 'compare' ? (
        <CompareView compare={compare} entry={entry} areaRef={areaRef} change={change} />
      ) : (
        <ScrollArea label="Note text" areaRef={areaRef}>
          <NotePage {...props} />
        </ScrollArea>
      )}
    </section>
  );
}

function NotePage({ entry, note, links, view, propertiesOpen, onToggleProperties }: Props) {
  const { host } = useUi();
  const { value, error, loading } = note;
  const open = useCallback((path: string) => host.openNote(path, { newPane: true }), [host]);
  return (
    <div class="brain-page">
      <div class="brain-page-path">
        <span class="brain-cut">{entry.path}</span>
      </div>
      <h2 class="brain-page-title">{entry.title}</h2>
      {error !== null && value === null && <FailureNotice error={error} />}
      {loading && <SkeletonLines lines={6} label="Reading the note" />}
      {value !== null && (
        <>
          <Properties frontmatter={value.frontmatter} open={propertiesOpen} onToggle={onToggleProperties} />
          {view === 'source' ? (
            <NoteSource body={value.body} />
          ) : (
            <NotePreview
              body={value.body}
              title={entry.title}
              links={links}
              cut={value.truncated}
              onOpen={open}
            />
          )}
        </>
      )}
    </div>
  );
}
