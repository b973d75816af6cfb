import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { type UiContext, useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { asCallError, useCall, useChanges } from '../kit/async';
import { Empty, FailureNotice, failureWords, SkeletonLines } from '../kit/feedback';
import { Hints, Key, type KeyHelpGroup, useKeys } from '../kit/keys';
import { useUniqueId } from '../kit/lists';
import { age, counted, moment } from '../kit/words';
import { NotePreview } from '../markdown/preview';
import { SupersedeForm } from './supersede';

type Stale = Answer<'notes'>['notes'][number];
type Note = Answer<'note'>;

const HINTS = [
  { keys: ['J', 'K'], label: 'claim' },
  { keys: ['A'], label: 'still holds' },
  { keys: ['S'], label: 'supersede' },
  { keys: ['H'], label: 'to hypotheses' },
  { keys: ['Z'], label: 'undo' },
  { keys: ['?'], label: 'all keys', wide: true },
];

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Claims',
    lines: [
      { label: 'Next, previous', keys: ['J', 'K'] },
      { label: 'Open the note', keys: ['O'] },
    ],
  },
  {
    title: 'Decide',
    lines: [
      { label: 'It still holds', keys: ['A'] },
      { label: 'Supersede: write what holds now', keys: ['S'] },
      { label: 'Move to hypotheses', keys: ['H'] },
      { label: 'Undo the last act', keys: ['Z'] },
    ],
  },
];

const MOST = 500;
/** The most characters of a claim that are read, which is the most that the service reads at once. */
const MAX_CHARS = 1_000_000;

/** An act that was done, and what takes it back. */
interface Done {
  readonly words: string;
  /** What is said once it is taken back, unless that is that the act is. */
  readonly undone?: string;
  readonly undo: () => Promise<unknown>;
}

/** Does one act at a time, tells what was done or why it was not, and takes acts back, the last first. */
function useActs(reload: () => void) {
  const [done, setDone] = useState<readonly Done[]>([]);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const working = useRef(false);
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    if (working.current) return;
    working.current = true;
    setProblem(null);
    try {
      await act();
    } catch (error) {
      setProblem(failureWords(asCallError(error)));
    }
    working.current = false;
    reload();
  };
  const tell = (next: Done): void => {
    setDone((old) => [...old, next]);
    setSaid(next.words);
  };
  return {
    last: done.at(-1),
    said,
    problem,
    tell,
    refuse: setProblem,
    run: (act: () => Promise<Done>) => void attempt(async () => tell(await act())),
    undo(): void | false {
      const last = done.at(-1);
      if (last === undefined) return false;
      void attempt(async () => {
        await last.undo();
        setDone((old) => old.filter((each) => each !== last));
        setSaid(last.undone ?? `Taken back: ${last.words}`);
      });
    },
  };
}

/** The stale claims, the one that is chosen, and its note once it is there. */
function useClaims(initial: string) {
  const listed = useCall('notes', { stale: true, limit: MOST }, { keep: true });
  const notes = listed.value?.notes ?? [];
  const [chosen, setChosen] = useState({ path: initial, at: 0 });
  const found = notes.findIndex(({ path }) => path === chosen.path);
  const at = found >= 0 ? found : Math.max(0, Math.min(chosen.at, notes.length - 1));
  const current = notes[at];
  const note = useCall('note', current === undefined ? null : { path: current.path, max_chars: MAX_CHARS });
  useChanges(listed.reload);
  // A claim that is in the list again is read again: its text may be another one. One that has left it may be gone.
  const before = useRef({ list: listed.value, path: current?.path });
  useEffect(() => {
    const { list, path } = before.current;
    if (list !== listed.value && path === current?.path) note.reload();
    before.current = { list: listed.value, path: current?.path };
  }, [listed.value, current?.path]);
  return {
    listed,
    notes,
    at,
    current,
    shown: note.value !== null && note.value.path === current?.path ? note.value : null,
    select: (index: number): void => {
      const to = Math.max(0, Math.min(index, notes.length - 1));
      setChosen({ path: notes[to]?.path ?? '', at: to });
    },
    /** Stays at this place of the list when the claim leaves it. */
    stay: (): void => setChosen({ path: '', at }),
  };
}

/** Returns what a person decides about a claim that is shown. */
function claimActs(
  { client, host }: UiContext,
  acts: ReturnType<typeof useActs>,
  claims: ReturnType<typeof useClaims>,
) {
  return {
    confirm: ({ path, content_hash: hash, title }: Note): void =>
      acts.run(async () => {
        const answer = await client.call('confirm', { path, expected_hash: hash });
        claims.stay();
        const undo = { path, undo: hash, expected_hash: answer.content_hash };
        return { words: `“${title}” still holds`, undo: () => client.call('confirm', undo) };
      }),
    demote: ({ path, content_hash: hash, title, hall }: Note): void =>
      acts.run(async () => {
        const moved = await client.call('move', { path, hall: 'hypotheses', expected_hash: hash });
        claims.stay();
        const undo = { path: moved.path, hall: hall ?? 'facts', expected_hash: moved.content_hash };
        return { words: `“${title}” is a hypothesis now`, undo: () => client.call('move', undo) };
      }),
    supersede: (note: Note): void => {
      if (note.truncated) {
        acts.refuse('This note is too long to be superseded here. Edit its file.');
        return;
      }
      const onDone = (answer: Answer<'update'>): void => {
        const { path, title, body } = note;
        const undo = { path, content: body, reason: 'Taken back', expected_hash: answer.content_hash };
        acts.tell({
          words: `“${title}” is superseded`,
          undone: `Put the text of “${title}” back. The claim counts as looked at today.`,
          undo: () => client.call('update', undo),
        });
        claims.listed.reload();
      };
      const close = host.openLayer(
        'Supersede a claim',
        <SupersedeForm note={note} close={() => close()} onDone={onDone} />,
      );
    },
  };
}

type ClaimActs = ReturnType<typeof claimActs>;

/**
 * The claims past their half-life, the longest unverified first. For each a person says that it still holds, writes what holds now,
 * or moves it to the hypotheses; each act can be taken back. Acts wait until the note is shown.
 */
export function StaleScreen({ params }: { params: ScreenParams }) {
  const ui = useUi();
  const claims = useClaims(params.path ?? '');
  const { listed, notes, at, current, shown, select } = claims;
  const acts = useActs(listed.reload);
  const { confirm, demote, supersede } = claimActs(ui, acts, claims);
  const list = useRef<HTMLUListElement>(null);
  const listId = useUniqueId();
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  /** Returns the run of a key that acts on the note that is shown; a key that is held down acts once. */
  const onShown =
    (act: (asked: Note) => void) =>
    (event: KeyboardEvent): void => {
      if (!event.repeat && shown !== null) act(shown);
    };
  const keys = useKeys({
    title: 'Keys of stale claims',
    help: HELP,
    actions: [
      { keys: ['j', 'ArrowDown'], run: () => select(at + 1) },
      { keys: ['k', 'ArrowUp'], run: () => select(at - 1) },
      { keys: ['a'], run: onShown(confirm) },
      { keys: ['s'], run: onShown(supersede) },
      { keys: ['h'], run: onShown(demote) },
      { keys: ['z', 'u'], run: (event) => (event.repeat ? undefined : acts.undo()) },
      { keys: ['o'], run: onShown(({ path }) => ui.host.openNote(path)) },
    ],
  });
  return (
    <div class="brain-frame brain-stale" {...keys}>
      <h1 class="brain-sr">Stale claims</h1>
      <StaleList
        id={listId}
        listRef={list}
        notes={notes}
        total={listed.value?.total ?? 0}
        at={at}
        onSelect={select}
      />
      <section class="brain-stale-note" aria-label="Claim">
        {listed.error !== null && <FailureNotice error={listed.error} />}
        {acts.problem !== null && (
          <p class="brain-stale-problem brain-problem" role="alert">
            {acts.problem}
          </p>
        )}
        {listed.value !== null && notes.length === 0 && (
          <Empty icon="circle-check" title="No claim is stale">
            <p>Claims with a half-life come here when nobody has confirmed them in time.</p>
          </Empty>
        )}
        {current !== undefined && shown === null && <SkeletonLines lines={8} label="Reading the note" />}
        {shown !== null && <Claim note={shown} acts={{ confirm, demote, supersede }} />}
      </section>
      <div class="brain-stale-said" role="status">
        <span>{acts.said}</span>
        {acts.last !== undefined && (
          <button type="button" class="brain-plain" onClick={() => acts.undo()}>
            Undo <Key>Z</Key>
          </button>
        )}
      </div>
      <Hints hints={HINTS} />
    </div>
  );
}

/** A claim with what a person decides about it. */
function Claim({ note, acts }: { readonly note: Note; readonly acts: ClaimActs }) {
  const { host } = useUi();
  const isHypothesis = note.hall === 'hypotheses' || note.hall === undefined;
  return (
    <>
      <div class="brain-bar brain-stale-bar">
        <button type="button" class="mod-cta brain-action" onClick={() => acts.confirm(note)}>
          Still holds <Key>A</Key>
        </button>
        <button type="button" class="brain-action" onClick={() => acts.supersede(note)}>
          Supersede <Key>S</Key>
        </button>
        <button type="button" class="brain-action" disabled={isHypothesis} onClick={() => acts.demote(note)}>
          To hypotheses <Key>H</Key>
        </button>
      </div>
      <ClaimFacts note={note} />
      <div class="brain-stale-text brain-scroll" tabIndex={0} role="region" aria-label="Text">
        <NotePreview body={note.body} cut={note.truncated} onOpen={(path) => host.openNote(path)} />
      </div>
    </>
  );
}

/** What the front matter says of a claim: half-life, provenance, the last write, and the last confirmation. */
function ClaimFacts({ note }: { readonly note: Note }) {
  const { half_life: halfLife, verified_at: verified, claim_provenance: provenance } = note.frontmatter;
  const facts = [
    typeof halfLife === 'string' ? `Half-life: ${halfLife}` : '',
    typeof provenance === 'string' ? provenance : '',
    note.updated_at === undefined ? '' : `Written ${moment(note.updated_at)}`,
    typeof verified === 'string' ? `Confirmed ${moment(verified)}` : 'Never confirmed',
  ].filter((fact) => fact !== '');
  return (
    <p class="brain-stale-facts brain-small brain-muted">
      <span title={note.path}>{note.path}</span>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

function StaleList(props: {
  readonly id: string;
  readonly listRef: { current: HTMLUListElement | null };
  readonly notes: readonly Stale[];
  readonly total: number;
  readonly at: number;
  readonly onSelect: (index: number) => void;
}) {
  const { id, listRef, notes, total, at, onSelect } = props;
  const { host } = useUi();
  return (
    <section class="brain-list" aria-label="Stale claims">
      <div class="brain-bar">
        <h2>{counted(total, 'stale claim')}</h2>
      </div>
      <ul
        id={id}
        ref={listRef}
        class="brain-stale-items brain-scroll"
        role="listbox"
        aria-label="Claims, the longest unverified first"
        tabIndex={0}
        {...(notes.length > 0 && { 'aria-activedescendant': `${id}-${at}` })}
      >
        {notes.map((note, index) => (
          <li
            key={note.path}
            id={`${id}-${index}`}
            class={index === at ? 'brain-entry is-current' : 'brain-entry'}
            role="option"
            aria-selected={index === at}
            onClick={() => onSelect(index)}
          >
            <b class="brain-strong brain-cut">{note.title}</b>
            <div class="brain-entry-meta brain-small brain-muted">
              <span class="brain-cut">
                {note.wing ?? 'knowledge'}
                {note.hall === undefined ? '' : ` / ${note.hall}`}
              </span>
              <span class="brain-push" title={moment(note.changed_at)}>
                {age(note.changed_at, host.now())}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
