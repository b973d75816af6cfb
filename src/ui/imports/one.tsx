import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobState } from '../../core/operation/jobs';
import type { ImportAnswer, IngestAnswer } from '../../core/operation/shapes';
import type { CallError } from '../../core/registry/client';
import type { Hall } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import { asCallError, useCall, useChanges } from '../kit/async';
import { ActionButton, HallChips } from '../kit/controls';
import { FailureNotice, Flag, Notice, Progress, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, Key, type KeyHelpGroup, useFirstFocus, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { ScreenLink } from '../kit/screen-link';
import { count, counted, moment, sizeWords } from '../kit/words';
import { WingField } from '../place/place';
import { importOf, outcomeOf, sleep } from './incoming';
import { Details, Folders } from './preview';

type Entry = NonNullable<ImportAnswer['entries']>[number];

/** The files of an import that are asked for, which is the most that the service lists. */
const MOST_ENTRIES = 2000;
/** The files of a folder that are drawn at first. */
const MOST_DRAWN = 100;

/** A folder at the top of an import, with its files. */
interface Group {
  readonly folder: string;
  readonly entries: readonly Entry[];
}

/** Groups the files of an import by the folder at its top; files in no folder come last. */
function groupsOf({ folder, entries = [] }: Pick<ImportAnswer, 'folder' | 'entries'>): readonly Group[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const inside = entry.path.slice(folder.length + 1);
    const top = inside.includes('/') ? (inside.split('/')[0] ?? '') : '';
    groups.set(top, [...(groups.get(top) ?? []), entry]);
  }
  return [...groups]
    .map(([top, of]) => ({ folder: top, entries: of }))
    .sort((a, b) => Number(a.folder === '') - Number(b.folder === '') || (a.folder < b.folder ? -1 : 1));
}

/** Runs one job at a time of an import, with its progress and what came of it. */
function useWork(onEnd: () => void) {
  const { client } = useUi();
  const [job, setJob] = useState<{
    readonly label: string;
    readonly done: number;
    readonly total: number;
  } | null>(null);
  const [answer, setAnswer] = useState<IngestAnswer | 'cancelled' | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const state = useRef({ isMounted: true, isBusy: false, isCancelled: false });
  useEffect(() => () => void (state.current.isMounted = false), []);
  const run = async (label: string, begin: () => Promise<IngestAnswer | JobState>): Promise<void> => {
    const { current: now } = state;
    if (now.isBusy) return;
    now.isBusy = true;
    now.isCancelled = false;
    setError(null);
    setAnswer(null);
    setJob({ label, done: 0, total: 0 });
    try {
      const outcome = await outcomeOf(client, await begin(), {
        pause: sleep,
        progress: ({ done, total }) => {
          if (now.isMounted) setJob({ label, done, total });
        },
        isCancelled: () => now.isCancelled,
      });
      if (now.isMounted) setAnswer(outcome ?? 'cancelled');
    } catch (thrown) {
      const failure = asCallError(thrown);
      if (now.isMounted) failure.code === 'cancelled' ? setAnswer('cancelled') : setError(failure);
    }
    now.isBusy = false;
    if (!now.isMounted) return;
    setJob(null);
    onEnd();
  };
  return {
    job,
    answer,
    error,
    run: (label: string, begin: () => Promise<IngestAnswer | JobState>) => void run(label, begin),
    cancel: (): void => void (state.current.isCancelled = true),
  };
}

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'This import',
    lines: [
      { label: 'Adopt all of it', keys: ['A'] },
      { label: 'Take it back, or put it back', keys: ['T'] },
      { label: 'All imports', keys: ['L'] },
    ],
  },
];

/** What can be done with an import, through layers that ask first. */
function useImportActs(name: string, reload: () => void) {
  const ui = useUi();
  const { client, host } = ui;
  const work = useWork(reload);
  const adopt = (of: ImportAnswer, group: Group | null): void => {
    const notes = (group?.entries ?? of.entries ?? []).filter(
      ({ kind, state }) => kind === 'note' && state !== 'gone',
    );
    // A list that was cut does not name them all: then the service chooses by the folder.
    const isCut = of.more !== undefined && group?.folder !== '';
    const chosen = isCut
      ? group !== null && { folder: group.folder }
      : { paths: notes.map(({ path }) => path) };
    const close: () => void = host.openLayer(
      group === null || group.folder === '' ? `Adopt from “${name}”` : `Adopt “${group.folder}”`,
      <AdoptSheet
        of={of}
        group={group}
        notes={isCut && group === null ? of.pages : notes.length}
        close={() => close()}
        onAdopt={({ hall, wing }) =>
          work.run('Adopting', () =>
            client.call('adoptImport', {
              name,
              ...chosen,
              hall,
              ...(wing !== null && { wing }),
              background: true,
            }),
          )
        }
      />,
    );
  };
  const takeBack = (of: ImportAnswer): void => {
    const close: () => void = host.openLayer(
      `Take “${name}” back?`,
      <TakeBackSheet
        of={of}
        close={() => close()}
        onTakeBack={() =>
          work.run('Taking it back', () => client.call('takeImportBack', { name, background: true }))
        }
      />,
    );
  };
  const putBack = (): void =>
    work.run('Putting it back', () => client.call('takeImportBack', { name, undo: true, background: true }));
  return { work, adopt, takeBack, putBack };
}

/** One import: what it made and how that is now, to be adopted or taken back. */
export function OneImport({ name }: { readonly name: string }) {
  const { host } = useUi();
  const asked = useCall('imports', { name, limit: MOST_ENTRIES }, { keep: true });
  useChanges(asked.reload);
  const { work, adopt, takeBack, putBack } = useImportActs(name, asked.reload);
  const of = asked.value?.imports[0] ?? null;
  const isFree = of !== null && work.job === null;
  const turn = (): void | false => {
    if (!isFree) return false;
    if (of.state === 'taken_back') putBack();
    else takeBack(of);
  };
  const frame = useKeys({
    title: 'Keys of an import',
    help: HELP,
    actions: [
      { keys: ['a'], run: () => (isFree && of.state === 'imported' ? adopt(of, null) : false) },
      { keys: ['t'], run: turn },
      { keys: ['l'], run: () => host.go('imports') },
    ],
  });
  return (
    <div class="brain-frame" {...frame}>
      <h1 class="brain-sr">Import {name}</h1>
      <ScrollArea label="Import">
        <div class="brain-sections brain-imports">
          <ScreenLink screen="imports" class="brain-imports-up">
            <Icon name="arrow-left" />
            All imports
          </ScreenLink>
          {asked.error !== null && <FailureNotice error={asked.error} />}
          {asked.loading && <SkeletonLines lines={6} label="Reading the import" />}
          {of !== null && (
            <>
              <Head of={of} isFree={isFree} onAdopt={() => adopt(of, null)} onTurn={turn} />
              {work.job !== null && (
                <Progress
                  {...work.job}
                  {...(work.job.total > 0 && {
                    words: `${count(work.job.done)} of ${count(work.job.total)}`,
                  })}
                  onCancel={work.cancel}
                />
              )}
              {work.error !== null && <FailureNotice error={work.error} />}
              {work.answer !== null && <CameOf answer={work.answer} />}
              <Details made={of} />
              <Contents
                of={of}
                isFree={isFree && of.state === 'imported'}
                onAdopt={(group) => adopt(of, group)}
              />
            </>
          )}
        </div>
      </ScrollArea>
      <Hints
        hints={[
          ...(of?.state === 'imported' ? [{ keys: ['A'], label: 'adopt all' }] : []),
          { keys: ['T'], label: of?.state === 'taken_back' ? 'put back' : 'take back' },
          { keys: ['L'], label: 'all imports' },
          { keys: ['?'], label: 'all keys', wide: true },
        ]}
      />
    </div>
  );
}

/** The files of an import by folder, or of one that is taken back the folders alone. */
function Contents(props: {
  readonly of: ImportAnswer;
  readonly isFree: boolean;
  readonly onAdopt: (group: Group) => void;
}) {
  const { of, isFree, onAdopt } = props;
  const { folders = [], more } = of;
  if (of.state === 'taken_back') return folders.length > 0 ? <Folders folders={folders} /> : null;
  return (
    <>
      {groupsOf(of).map((group) => (
        <FilesOf key={group.folder} group={group} isFree={isFree} onAdopt={() => onAdopt(group)} />
      ))}
      {more !== undefined && (
        <p class="brain-small brain-muted">
          {counted(more, 'more file')} {more === 1 ? 'is' : 'are'} not listed here.
        </p>
      )}
    </>
  );
}

function Head(props: {
  readonly of: ImportAnswer;
  readonly isFree: boolean;
  readonly onAdopt: () => void;
  readonly onTurn: () => void;
}) {
  const { of, isFree, onAdopt, onTurn } = props;
  const isBack = of.state === 'taken_back';
  return (
    <section aria-label="About this import">
      <div class="brain-row mod-wrap">
        <h2 class="brain-heading mod-title">{of.name}</h2>
        <StateFlag of={of} />
      </div>
      <dl class="brain-facts">
        <dt>Imported</dt>
        <dd>
          {moment(of.at)} by {of.by.replace(/^human:/, '')}
        </dd>
        <dt>What came</dt>
        <dd class="mod-wrap brain-bidi">{of.sources.join(', ')}</dd>
        <dt>What it made</dt>
        <dd class="mod-wrap">
          {counted(of.pages, 'note')}
          {of.files > 0 && ` and ${counted(of.files, 'other file')}`}, {sizeWords(of.bytes)}, in{' '}
          <code class="brain-mono">{of.folder}/</code>
        </dd>
        {of.told.length > 0 && (
          <>
            <dt>Recognised</dt>
            <dd class="mod-wrap">{of.told.join(' ')}</dd>
          </>
        )}
      </dl>
      <div class="brain-row mod-wrap">
        {of.state === 'imported' && of.pages > 0 && (
          <button type="button" disabled={!isFree} onClick={onAdopt}>
            Adopt all…
            <Key>A</Key>
          </button>
        )}
        <button type="button" disabled={!isFree} onClick={onTurn}>
          <Icon name={isBack ? 'rotate-ccw' : 'undo-2'} />
          {isBack ? 'Put back' : 'Take back…'}
          <Key>T</Key>
        </button>
      </div>
    </section>
  );
}

/** How an import stands, and who reads it. */
export function StateFlag({ of }: { readonly of: Pick<ImportAnswer, 'state' | 'only_me'> }) {
  return (
    <span class="brain-row mod-close brain-imports-flags">
      {of.only_me && (
        <Flag icon="lock" title="No token but yours reads it">
          Only you
        </Flag>
      )}
      {of.state === 'imported' && <Flag icon="check">In the vault</Flag>}
      {of.state === 'writing' && (
        <Flag icon="loader-circle" tone="amber">
          Being written
        </Flag>
      )}
      {of.state === 'leaving' && (
        <Flag icon="loader-circle" tone="amber">
          Being taken back
        </Flag>
      )}
      {of.state === 'taken_back' && <Flag icon="undo-2">Taken back</Flag>}
    </span>
  );
}

/** What came of an adoption, of taking back, or of putting back. */
function CameOf({ answer }: { readonly answer: IngestAnswer | 'cancelled' }) {
  const { host } = useUi();
  if (answer === 'cancelled')
    return <Notice tone="amber">Cancelled. What was done before stands, and doing it again goes on.</Notice>;
  if ('adopted' in answer) {
    const { adopted, failed, counts } = answer;
    const [first] = adopted;
    return (
      <Notice icon="circle-check" tone={counts.failed > 0 ? 'amber' : 'neutral'}>
        <p>
          Adopted {counted(counts.adopted, 'note')} into the wiki.{' '}
          {first !== undefined && (
            <button type="button" class="brain-notelink" onClick={() => host.openNote(first.path)}>
              {first.path}
            </button>
          )}
        </p>
        {counts.failed > 0 && <p>{counted(counts.failed, 'note')} stayed where they are:</p>}
        {failed.slice(0, 20).map(({ path, message }) => (
          <p key={path}>
            {path}: {message}
          </p>
        ))}
      </Notice>
    );
  }
  const made = importOf(answer);
  if (made === null) return null;
  const { undone = [] } = made;
  return (
    <Notice icon="circle-check" tone={undone.length > 0 ? 'amber' : 'neutral'}>
      <p>
        {made.state === 'taken_back'
          ? 'Taken back. You can put it back for 30 days.'
          : 'Put back: its files are in the vault again.'}
      </p>
      {undone.length > 0 && <p>{counted(undone.length, 'file')} stayed as they are:</p>}
      {undone.map(({ path, why }) => (
        <p key={path}>
          {path}: {why}
        </p>
      ))}
    </Notice>
  );
}

const STATES = {
  there: 'as it came',
  changed: 'changed since',
  gone: 'adopted, moved or deleted',
} as const;

/** The files of a folder, each as it is now. */
function FilesOf(props: { readonly group: Group; readonly isFree: boolean; readonly onAdopt: () => void }) {
  const { group, isFree, onAdopt } = props;
  const { host } = useUi();
  const { folder, entries } = group;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? entries : entries.slice(0, MOST_DRAWN);
  const isAdoptable = entries.some(({ kind, state }) => kind === 'note' && state !== 'gone');
  const title = folder === '' ? 'In no folder' : folder;
  return (
    <section aria-label={title}>
      <div class="brain-row">
        <h3 class="brain-heading brain-cut">{title}</h3>
        <span class="brain-count">{counted(entries.length, 'file')}</span>
        <span class="brain-push" />
        {isAdoptable && (
          <ActionButton icon="gem" disabled={!isFree} onClick={onAdopt}>
            Adopt…<span class="brain-sr"> {title}</span>
          </ActionButton>
        )}
      </div>
      <ul class="brain-card brain-divided brain-imports-files">
        {shown.map((entry) => (
          <li key={entry.path}>
            <Icon name={entry.kind === 'note' ? 'file-text' : 'file'} />
            {entry.kind === 'note' && entry.state !== 'gone' ? (
              <button
                type="button"
                class="brain-notelink brain-cut"
                title={entry.path}
                onClick={() => host.openNote(entry.path)}
              >
                {nameIn(entry, folder)}
              </button>
            ) : (
              <span class="brain-cut" title={entry.path}>
                {nameIn(entry, folder)}
              </span>
            )}
            {entry.state === 'changed' ? (
              <Flag icon="pencil" tone="amber">
                {STATES.changed}
              </Flag>
            ) : (
              <span class="brain-small brain-muted">{STATES[entry.state]}</span>
            )}
          </li>
        ))}
        {shown.length < entries.length && (
          <li>
            <button type="button" class="brain-plain" onClick={() => setAll(true)}>
              Show {counted(entries.length - shown.length, 'more file')}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Returns the place of a file below the folder of its group, without the extension of notes. */
function nameIn({ path, kind }: Entry, folder: string): string {
  // The path begins with `imports/` and the name of the import.
  const inside = path
    .split('/')
    .slice(folder === '' ? 2 : 3)
    .join('/');
  return kind === 'note' ? inside.replace(/\.md$/, '') : inside;
}

/** Asks for the hall and the wing of what is adopted. */
function AdoptSheet(props: {
  readonly of: ImportAnswer;
  readonly group: Group | null;
  readonly notes: number;
  readonly close: () => void;
  readonly onAdopt: (place: { readonly hall: Hall; readonly wing: string | null }) => void;
}) {
  const { of, group, notes, close, onAdopt } = props;
  const wings = useCall('wings', {}).value?.wings ?? [];
  const folders = of.folders ?? [];
  const suggested = group === null ? '' : (folders.find(({ folder }) => folder === group.folder)?.wing ?? '');
  const [wing, setWing] = useState(suggested);
  const [hall, setHall] = useState<Hall>('sources');
  const submit = useFirstFocus<HTMLButtonElement>();
  return (
    <form
      class="brain-ask"
      aria-label="Adopt"
      onSubmit={(event) => {
        event.preventDefault();
        close();
        onAdopt({ hall, wing: group === null ? null : wing });
      }}
    >
      <p class="brain-prose brain-muted">
        {counted(notes, 'note')} {notes === 1 ? 'moves' : 'move'} into the wiki as reviewed{' '}
        {notes === 1 ? 'one' : 'ones'}, and links to {notes === 1 ? 'it' : 'them'} follow. From then on agents
        may change {notes === 1 ? 'it' : 'them'}, with every version kept.
      </p>
      {group === null ? (
        <Folders folders={folders} />
      ) : (
        <WingField value={wing} wings={wings} onInput={setWing} />
      )}
      <div class="brain-field">
        <span class="brain-label">Hall</span>
        <HallChips value={hall} onChange={setHall} />
      </div>
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" ref={submit} disabled={group !== null && wing.trim() === ''}>
          Adopt
        </button>
      </div>
    </form>
  );
}

/** Asks before an import leaves the vault, and says what stays. */
function TakeBackSheet(props: {
  readonly of: ImportAnswer;
  readonly close: () => void;
  readonly onTakeBack: () => void;
}) {
  const { of, close, onTakeBack } = props;
  const entries = of.entries ?? [];
  const having = (state: Entry['state']): number => entries.filter((entry) => entry.state === state).length;
  const [there, changed, gone] = [having('there'), having('changed'), having('gone')];
  const cancel = useFirstFocus<HTMLButtonElement>();
  return (
    <div class="brain-ask">
      <p class="brain-prose">
        {of.more === undefined
          ? `${counted(there, 'file')} ${there === 1 ? 'leaves' : 'leave'} the vault.`
          : 'Every file that is as it came leaves the vault.'}{' '}
        You can put {there === 1 ? 'it' : 'them'} back for 30 days.
      </p>
      {changed > 0 && (
        <p class="brain-prose">
          {counted(changed, 'file')} that you have changed {changed === 1 ? 'stays' : 'stay'} where{' '}
          {changed === 1 ? 'it is' : 'they are'}.
        </p>
      )}
      {gone > 0 && (
        <p class="brain-prose brain-muted">
          {counted(gone, 'file')} that you have adopted, moved or deleted {gone === 1 ? 'is' : 'are'} not
          touched.
        </p>
      )}
      <div class="brain-row brain-ask-foot">
        <button type="button" ref={cancel} onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="mod-warning"
          onClick={() => {
            close();
            onTakeBack();
          }}
        >
          Take back
        </button>
      </div>
    </div>
  );
}
