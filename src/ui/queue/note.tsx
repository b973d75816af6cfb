import type { ComponentChildren } from 'preact';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import type { BrainClient } from '../../core/registry/client';
import { useUi } from '../client/context';
import { compareVersions, type DiffModel } from '../diff/model';
import { DiffView } from '../diff/view';
import { type AsyncState, useAsync } from '../kit/async';
import { ActionButton, IconButton, Segments, StepButtons } from '../kit/controls';
import { FailureNotice, Notice, SkeletonLines } from '../kit/feedback';
import { Key } from '../kit/keys';
import { ScrollArea, useWidth } from '../kit/lists';
import { count, counted, day } from '../kit/words';
import { parseWriter } from '../kit/writer';
import type { NoteLinks } from '../markdown/note-links';
import { NotePreview, NoteSource } from '../markdown/preview';
import { Properties } from '../markdown/properties';
import type { Entry } from './entry';
import type { QueueScreenModel } from './model';
import { type CompareTarget, currentIndex, type Note, type View } from './state';

/** The comparison takes at most this many characters of each note, since more takes too long. */
const MAX_CHARS = 200_000;

/** The text on the other side of a comparison. */
interface Other {
  /** Identifies the text. */
  readonly id: string;
  /** The title and the path of the note, for the tooltip. */
  readonly title: string;
  /** Says whose text it is: `In the wiki`. */
  readonly heading: string;
  readonly by: string;
  readonly body: string;
  /** True when it is longer than `MAX_CHARS`. */
  readonly cut: boolean;
}

interface Compare {
  readonly other: AsyncState<Other>;
  /** Null until both texts are there. */
  readonly model: DiffModel | null;
  /** True when one of the texts is longer than `MAX_CHARS`. */
  readonly cut: boolean;
}

/** Compares the text of a pending note with another text, line by line, without properties, which always differ. */
function useCompare(target: CompareTarget | null, note: Note | null): Compare {
  const { client } = useUi();
  const key = target === null ? null : JSON.stringify(target);
  const other = useAsync(key, () => {
    if (target === null) throw new Error('Nothing is compared.');
    return target.kind === 'note' ? readSimilar(client, target.path) : readRevision(client, target.hash);
  });
  // Blank lines before and after a text are ignored.
  const left = other.value?.body.trim();
  const right = note?.body.slice(0, MAX_CHARS).trim();
  const model = useMemo(() => {
    if (left === undefined || right === undefined) return null;
    return compareVersions(
      { content: left, body: left },
      { content: right, body: right },
      { properties: false },
    );
  }, [left, right]);
  return {
    other,
    model,
    cut: other.value?.cut === true || (note !== null && (note.truncated || note.body.length > MAX_CHARS)),
  };
}

async function readSimilar(client: BrainClient, path: string): Promise<Other> {
  const note = await client.call('note', { path, max_chars: MAX_CHARS });
  return {
    id: note.path,
    title: `${note.title}\n${note.path}`,
    heading: statusWords(note.status),
    by: byWords(note.updated_at, note.written_by),
    body: note.body,
    cut: note.truncated,
  };
}

/** Reads an older version of the note itself. @throws CallError `note_not_found` when it is no longer kept */
async function readRevision(client: BrainClient, hash: string): Promise<Other> {
  const version = await client.call('history', { hash });
  if (!('content' in version)) throw new Error('The service listed versions where one was asked for.');
  return {
    id: hash,
    title: version.path,
    heading: 'Before the revision',
    by: byWords(version.updated_at, version.written_by),
    body: version.body.slice(0, MAX_CHARS),
    cut: version.body.length > MAX_CHARS,
  };
}

/** A comparison of at least this width has two columns (px). */
const SIDE_BY_SIDE = 760;

/** The number of changed lines, and the buttons that go from change to change. */
function CompareBar(props: {
  readonly compare: Compare;
  readonly change: number;
  readonly onStep: (step: number) => void;
}) {
  const { compare, change, onStep } = props;
  const { model } = compare;
  if (model === null) return null;
  return (
    <>
      <span
        class="brain-small brain-num"
        role="img"
        aria-label={`${counted(model.added, 'line')} added, ${count(model.removed)} removed`}
      >
        <span class="brain-ok">+{count(model.added)}</span>{' '}
        <span class="brain-bad">−{count(model.removed)}</span>
      </span>
      <StepButtons noun="change" at={change} total={model.changes} onStep={onStep} />
    </>
  );
}

/** The comparison of a pending note with another text. */
function CompareView(props: {
  readonly compare: Compare;
  readonly entry: Entry;
  readonly areaRef: { current: HTMLDivElement | null };
  readonly change: number;
}) {
  const { compare, entry, areaRef, change } = props;
  const { other, model, cut } = compare;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  return (
    <div class="brain-compare" ref={frame}>
      {other.error !== null && other.value === null && <FailureNotice error={other.error} />}
      {other.loading && <SkeletonLines lines={6} label="Reading the other text" />}
      {model !== null && other.value !== null && (
        <>
          <div class="brain-diff-head">
            <div title={other.value.title}>
              <b class="brain-strong">{other.value.heading}</b>
              <span class="brain-muted brain-cut">{other.value.by}</span>
            </div>
            <div>
              <b class="brain-strong">This note</b>
              <span class="brain-muted brain-cut">
                {byWords(entry.revised_at ?? entry.created_at, entry.written_by)}
              </span>
            </div>
          </div>
          {cut && <Notice icon="info">Only the beginning is compared: one of the texts is very long.</Notice>}
          {model.changes === 0 && (
            <Notice icon="info">Both texts are the same; only properties differ.</Notice>
          )}
          <DiffView
            key={other.value.id}
            model={model}
            layout={width !== null && width >= SIDE_BY_SIDE ? 'side by side' : 'inline'}
            areaRef={areaRef}
            change={change}
          />
        </>
      )}
    </div>
  );
}

function statusWords(status: 'wiki' | 'knowledge' | 'raw' | 'vault' | 'root' | 'attachment'): string {
  if (status === 'raw') return 'In the queue';
  if (status === 'attachment') return 'A file of the vault';
  if (status === 'vault') return 'Your note';
  return status === 'root' ? 'Root note' : `In ${status === 'wiki' ? 'the wiki' : 'knowledge'}`;
}

function byWords(time: string | undefined, writtenBy: string | undefined): string {
  const by = writtenBy === undefined ? '' : `by ${parseWriter(writtenBy).name}`;
  return [time === undefined ? '' : day(time), by].filter((word) => word !== '').join(', ');
}

interface Props {
  readonly entry: Entry;
  readonly note: AsyncState<Note>;
  readonly links: NoteLinks;
  /** The text that will stand; null while it is not known. */
  readonly standing: string | null;
  /** True shows the text as written instead. */
  readonly asWritten: boolean;
  readonly onAsWritten: (asWritten: boolean) => void;
  readonly view: View;
  readonly compareWith: CompareTarget | null;
  readonly propertiesOpen: boolean;
  readonly areaRef: { current: HTMLDivElement | null };
  /** The index of the change that the reader is at; -1 before the first. */
  readonly change: number;
  /** Drawn above the text: what happened to the note while it is shown. */
  readonly notices: ComponentChildren;
  readonly onEdit: () => void;
  readonly onView: (view: View) => void;
  readonly onToggleProperties: () => void;
  readonly onChangeStep: (step: number) => void;
}

/** The current note: as a preview, as source, or compared with another text. */
export function NotePane(props: Props) {
  const { entry, note, view, compareWith, areaRef, change, notices, onEdit, onView, onChangeStep } = props;
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
              disabled:
                compareWith === null &&
                entry.similar.length === 0 &&
                entry.same.length === 0 &&
                entry.previous_hash === undefined,
            },
          ]}
          onChange={onView}
        />
        <span class="brain-push" />
        {view === 'compare' ? (
          <CompareBar compare={compare} change={change} onStep={onChangeStep} />
        ) : (
          <>
            <ActionButton icon="pencil" onClick={onEdit}>
              Edit
              <Key>E</Key>
            </ActionButton>
            <span class="brain-wide-only">
              <IconButton
                icon="external-link"
                label="Open in new pane"
                onClick={() => host.openNote(entry.path, { newPane: true })}
              />
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

/** Says which of both texts is shown where they differ, and switches between them. */
function TextSwitch({ asWritten, onAsWritten }: Pick<Props, 'asWritten' | 'onAsWritten'>) {
  return (
    <div class="brain-row mod-wrap brain-text-switch">
      <Segments
        label="Text"
        value={asWritten ? 'written' : 'standing'}
        options={[
          { value: 'standing', label: 'As it will stand' },
          { value: 'written', label: 'As written' },
        ]}
        onChange={(value) => onAsWritten(value === 'written')}
      />
      <span class="brain-wide-only">
        <Key>V</Key>
      </span>
    </div>
  );
}

function NotePage(props: Props) {
  const { entry, note, links, view, standing, asWritten, propertiesOpen, onToggleProperties } = props;
  const { host } = useUi();
  const { value, error, loading } = note;
  const open = useCallback((path: string) => host.openNote(path, { newPane: true }), [host]);
  const written = value?.body ?? '';
  const differs = value !== null && standing !== null && standing.trim() !== written.trim();
  const body = differs && !asWritten ? standing : written;
  return (
    <div class="brain-page">
      <div class="brain-page-path">
        <span class="brain-cut">{entry.path}</span>
      </div>
      <h2 class="brain-page-title brain-bidi">{entry.title}</h2>
      {error !== null && value === null && <FailureNotice error={error} />}
      {loading && <SkeletonLines lines={6} label="Reading the note" />}
      {value !== null && (
        <>
          <Properties frontmatter={value.frontmatter} open={propertiesOpen} onToggle={onToggleProperties} />
          {differs && <TextSwitch asWritten={asWritten} onAsWritten={props.onAsWritten} />}
          {view === 'source' ? (
            <NoteSource body={body} />
          ) : (
            <NotePreview body={body} title={entry.title} links={links} cut={value.truncated} onOpen={open} />
          )}
        </>
      )}
    </div>
  );
}

/** "2 of 14", and the buttons to the notes before and after. A note that has left the queue has neither; its notice leads on. */
export function NoteSteps({ model }: { readonly model: QueueScreenModel }) {
  const { state, commands } = model;
  const at = currentIndex(state);
  const total = state.visible.length;
  if (at < 0) return null;
  return (
    <>
      <span class="brain-count">{`${count(at + 1)} of ${count(total)}`}</span>
      <span class="brain-push" />
      <StepButtons noun="note" at={at} total={total} onStep={(step) => commands.step(step)} />
    </>
  );
}
