import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import { localDate, noteTime, timestamp } from '../base/time';
import type { NoteRecord } from '../catalog/record';
import { escapeSecondBlock, setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { FIRST_GUIDANCE } from '../notes/guidance';
import { recordedRootEdits, type RootEdit, rootNotePath } from '../notes/root';
import { readText } from '../notes/targets';
import type { Brain } from '../operation/context';
import { freePath } from '../operation/limits';
import { originOf } from '../past/origins';
import type { PastReader } from '../past/past';
import type { StateStore } from '../ports/ports';
import { withOwnLinks } from '../review/relink';
import { markedText, PROMOTE_KEYS, REJECT_KEYS } from '../review/review-note';
import { textBeforeLinks } from '../review/links-back';
import { adoptedNote, decidedOf, type GivenBack, isOnlyReplaced } from '../review/return';
import { type AddedSources, recordedAdditions } from '../sources/additions';
import { listOf } from '../sources/source-references';
import type { PastChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import type { Step } from '../storage/plan';
import { addressOf, numbered } from '../vocabulary/address';
import { fileName, stemOf, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { isPersonStamp, isWriter } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import {
  type Action,
  type UndoScope,
  isPromotedBy,
  isRejectedBy,
  isWrittenBy,
  judgeNote,
  type LeftAlone,
  NoteHistory,
  type PastVersion,
  type PastUndoScope,
  type NoteUndo,
} from './past';
import { type PastUndo, pastUndos, putBackTexts, undoneDeeds } from './record';
import { isAlong, rewind, type Rewound } from './rewind';

/** The plan for the root note: it gets back the text before the writer's edits. */
interface RootUndo {
  readonly path: VaultPath;
  readonly before: Sha;
  readonly to: string;
  /** The author of that text; undefined when none is recorded, null when there was no text. */
  readonly who: string | undefined | null;
}

/** Decides about the root note, whose edits have a log of their own because it has no stamps. */
async function planRoot(
  brain: Pick<Brain, 'state' | 'past' | 'vault' | 'config'>,
  scope: UndoScope,
): Promise<RootUndo | (LeftAlone & { readonly path: VaultPath }) | null> {
  const path = await rootNotePath(brain);
  const edits = (await recordedRootEdits(brain)).filter((edit) => edit.path === path);
  const isOurs = ({ actor, ts }: RootEdit): boolean => isWriter(actor, scope.by) && ts >= scope.since;
  if (!edits.some(isOurs)) return null;
  const text = await brain.vault.read(path);
  if (text === null) return null;
  const before = sha256(text);
  let at = lastLeadingTo(edits, before, edits.length);
  const now = edits[at];
  if (now === undefined) return { path, left: 'edited_since' };
  if (now.undo === true) return null;
  if (!isOurs(now)) return { path, left: 'changed_since', who: now.actor };

  for (let edit: RootEdit | undefined = now; edit !== undefined;) {
    const { before: hash } = edit;
    if (hash === undefined) return { path, before, to: FIRST_GUIDANCE, who: null };
    at = lastLeadingTo(edits, hash, at);
    edit = edits[at];
    if (edit !== undefined && isOurs(edit)) continue;
    const to = await readHistory(brain.state, hash);
    if (to === null) return { path, left: 'unreadable' };
    return { path, before, to, who: edit?.actor };
  }
  return null;
}

/** Returns the index of the last edit before `end` whose result has this hash, or -1. */
function lastLeadingTo(edits: readonly RootEdit[], hash: Sha, end: number): number {
  const hashes = edits.slice(0, end).map((edit) => edit.after);
  return hashes.lastIndexOf(hash);
}

/** The recorded additions to the sources of one note, oldest first. */
type Additions = readonly AddedSources[];

/** Returns the additions to sources by the current path of the note, for notes to which the writer added some in that time. */
async function sourceAdditions(
  past: PastReader,
  scope: UndoScope,
  changes: readonly PastChange[],
): Promise<Map<VaultPath, Additions>> {
  const additions = await recordedAdditions(past);
  if (!additions.some((record) => isInScope(record, scope))) return new Map();
  const moved = new Map<VaultPath, { readonly to: VaultPath; readonly ts: string }[]>();
  for (const { ts, notes } of changes) {
    for (const [index, note] of notes.entries()) {
      const from = notes[index + 1];
      // A move is planned as a creation followed by the removal of the old note.
      if (note.before !== null || from === undefined || from.after !== null) continue;
      moved.set(from.path, [...(moved.get(from.path) ?? []), { to: note.path, ts }]);
    }
  }
  const now = (record: AddedSources): VaultPath => {
    let { path, ts }: { path: VaultPath; ts: string } = record;
    // The bound covers a note that moves back and forth within one second.
    for (let steps = 0; steps < changes.length; steps += 1) {
      const next = moved.get(path)?.find((move) => move.ts >= ts);
      if (next === undefined || (next.ts === ts && steps > 100)) break;
      ({ to: path, ts } = next);
    }
    return path;
  };
  const found = new Map<VaultPath, AddedSources[]>();
  const suspects = new Set<VaultPath>();
  for (const record of additions) {
    const path = now(record);
    found.set(path, [...(found.get(path) ?? []), record]);
    if (isInScope(record, scope)) suspects.add(path);
  }
  return new Map([...found].filter(([path]) => suspects.has(path)));
}

function isInScope({ written_by, ts }: AddedSources, { by, since }: UndoScope): boolean {
  return isWriter(written_by, by) && ts >= since;
}

/** The text of a note without the sources that the writer added. */
interface WithoutSources {
  readonly text: string;
  /** The version with exactly this text; absent when something else has changed since. */
  readonly version?: Sha;
}

/**
 * Removes the sources that the writer added: returns the former text when nothing else has changed since, otherwise removes
 * only the elements of `sources` that nobody else has added later. Returns null when the text has none of them.
 * @throws BrainError `invalid_frontmatter` when the front matter cannot be edited safely
 */
async function withoutSources(
  state: StateStore,
  text: string,
  additions: Additions,
  scope: UndoScope,
): Promise<WithoutSources | null> {
  const existing = listOf(parseNote(text).frontmatter.sources);
  // An element belongs to the last writer that added it.
  const added = new Map(additions.flatMap((record) => record.sources.map((each) => [each, record] as const)));
  const ours = existing.filter((each) => {
    const record = added.get(each);
    return record !== undefined && isInScope(record, scope);
  });
  if (ours.length === 0) return null;
  const left = new Set(ours);
  let hash = sha256(text);
  for (const record of [...additions].reverse()) {
    if (record.after !== hash || !isInScope(record, scope)) break;
    hash = record.before;
    for (const each of record.sources) left.delete(each);
    if (left.size > 0) continue;
    const before = await readHistory(state, hash);
    if (before !== null) return { text: before, version: hash };
    break;
  }
  const kept = existing.filter((each) => !ours.includes(each));
  const edited = kept.length > 0 ? setKeys(text, { sources: kept }) : setKeys(text, {}, ['sources']);
  return { text: edited.text };
}

/** The reasons for an item, as sentences for the person who decides. */
const WHY = {
  revert: (to: PastVersion): string => `goes back to the version ${author(to)}`,
  queue: (): string => 'has no version of anyone else, so it goes to the review queue',
  queueFormer: (to: PastVersion): string =>
    `was also promoted by this writer, so the version ${author(to)} goes to the review queue`,
  unpromote: (): string => 'was promoted by this writer, so it goes back to the review queue',
  giveBack: (isWhole: boolean): string =>
    isWhole
      ? 'was adopted by this writer, so its owner gets it back byte for byte'
      : 'was adopted by this writer and changed since, so its owner gets it back with what it says now',
  rewound: ({ to, acts, queued }: Rewound): string => {
    const done = [...acts].reverse().flatMap((act) => (isAlong(act) ? [] : (DONE[act.op] ?? [])));
    const zone = zoneOf(to.path);
    const back =
      zone === 'raw'
        ? 'so it goes back to the review queue'
        : zone === 'other'
          ? 'so its owner gets it back byte for byte'
          : 'so it is again as it was before';
    const also =
      queued.length === 0
        ? ''
        : queued.length === 1
          ? ', and the note that gave it its text comes back to the queue'
          : ', and the notes that gave it their text come back to the queue';
    return `was ${[...new Set(done)].join(', then ')} by this writer, ${back}${also}`;
  },
  restore: (): string => 'was rejected by this writer, so it goes back to the review queue',
  root: (who: string | undefined): string =>
    who === undefined ? 'goes back to what stood there before' : `goes back to the text of ${who}`,
  sources: (whole: boolean): string =>
    whole
      ? 'loses the sources that this writer has added, and is as it was before'
      : 'loses the sources that this writer has added; what else has changed since stays',
  guidance: (): string => 'had no text before, so it gets the first guidance of a new vault',
} as const;

/** The acts of a writer on a note, in words. */
const DONE: Readonly<Record<string, string>> = {
  promote: 'promoted',
  adopt: 'adopted',
  reject: 'rejected',
  withdraw: 'withdrawn',
  replace: 'replaced',
  confirm: 'confirmed',
  move: 'moved',
  update: 'changed',
  unpromote: 'given back',
  overwrite: 'changed',
};

function author({ edited, frontmatter }: PastVersion): string {
  if (edited) return 'that was edited by hand';
  const { written_by: who } = frontmatter;
  return typeof who === 'string' && who !== '' ? `of ${who}` : 'that nobody signed';
}

/** Returns the reason why a note is left unchanged. */
function whyLeft({ left, who }: LeftAlone): string {
  switch (left) {
    case 'changed_since':
      return `was changed since by ${who ?? 'someone else'}: look at its history`;
    case 'edited_since':
      return 'was changed since by hand or by another program: look at its history';
    case 'locked':
      return 'is locked by its owner';
    case 'not_ours':
      return 'is a note of the owner: only the owner takes back what was done to it';
    case 'in_queue':
      return 'waits in the review queue already';
    case 'taken':
      return 'was moved by this writer, and another note has its former place now';
    case 'unreadable':
      return 'cannot be edited safely: its properties have a mistake';
  }
}

/** The change of one note that an undo would make. */
export interface UndoItem {
  readonly action: Action | 'root';
  readonly path: VaultPath;
  readonly title: string;
  readonly why: string;
  /** The new path of the note, when it moves. */
  readonly to?: VaultPath;
  /** The hash of the version that is restored, if any. */
  readonly version?: Sha;
  readonly before: Sha;
  readonly steps: readonly Step[];
  readonly root?: RootUndo;
  /** Where the links to the note follow it, when they do: `all` includes those of the owner's notes. */
  readonly linksFollow?: 'all' | 'callers';
  /** The changes whose links lead back, byte for byte where nobody has changed their notes since. */
  readonly undone?: readonly PastChange[];
}

/** A note that the writer changed and that is left unchanged. */
interface UndoLeft {
  readonly path: VaultPath;
  readonly title: string;
  readonly reason: LeftAlone['left'];
  readonly why: string;
}

interface FoundUndo {
  /** Sorted by path. */
  readonly items: readonly UndoItem[];
  readonly left: readonly UndoLeft[];
}

/** Finds the changes of a writer since a time, and plans how to undo them. Changes nothing. */
export async function findUndo(
  brain: Brain,
  scope: UndoScope,
  { reason, caller }: { readonly reason: string; readonly caller: Caller },
): Promise<FoundUndo> {
  const past = await brain.past.read();
  const records = await pastUndos(brain);
  const changes = await past.around(await inSlices(namesOf(brain, records), brain.pace), scope.since);
  const history = await inSlices(NoteHistory.steps(brain.state, changes, putBackTexts(records)), brain.pace);
  const undone = undoneDeeds(records);
  const reserved = new Set<VaultPath>();
  const sources = await sourceAdditions(past, scope, changes);
  const items: UndoItem[] = [];
  const left: UndoLeft[] = [];
  const add = (note: NoteRecord, planned: UndoItem | LeftAlone): void => {
    const found = 'left' in planned || isUndoable(caller, note, planned) ? planned : NOT_OURS;
    const { path, title } = note;
    if ('left' in found) left.push({ path, title, reason: found.left, why: whyLeft(found) });
    else items.push(found);
  };
  for (const note of brain.catalog.notes()) {
    const { path, status } = note;
    // A note that a person moved out of the service's folders is the person's, whatever its stamps say.
    if (status === 'vault' && !history.isGivenBack(path)) continue;
    const additions = sources.get(path) ?? [];
    const isCandidate = await brain.pace.run(() => mayBeChanged(scope, history, note));
    if (!isCandidate && additions.length === 0) continue;
    const found = isCandidate ? await judge(brain, scope, { history, undone }, note) : null;
    if (found !== null && 'text' in found) {
      const planning = { reason, past, reserved, additions, scope };
      const planned =
        'undo' in found ? plan(brain, note, found, planning) : planRewound(brain, note, found, planning);
      add(note, await planned);
      continue;
    }
    const freed = await planSources(brain, scope, additions, note);
    if (freed !== null && (found === null || 'action' in freed)) add(note, freed);
    if (found !== null) add(note, found);
  }
  const undoneChanges = new Set(items.flatMap((item) => item.undone ?? []));
  for (const change of takenBackBefore(history, records)) undoneChanges.add(change);
  for (const [index, item] of items.entries()) {
    if (item.undone !== undefined)
      items[index] = { ...item, steps: await withLinksBack(brain, item.steps, [...undoneChanges]) };
  }
  const root = await planRoot(brain, scope);
  if (root !== null) addRoot(root, items, left);
  const byPath = (a: { path: string }, b: { path: string }): number => compareText(a.path, b.path);
  return { items: items.sort(byPath), left: left.sort(byPath) };
}

/** Returns the paths and texts from which an undo follows the past back: those of the notes as they are, and of earlier undos. */
function* namesOf({ catalog }: Pick<Brain, 'catalog'>, records: readonly PastUndo[]): Steps<string[]> {
  const names: string[] = [];
  for (const { path, content_hash: hash, frontmatter } of catalog.notes()) {
    names.push(path, hash);
    if (isSha(frontmatter.supersedes)) names.push(frontmatter.supersedes);
    if (names.length % ITEMS_PER_STEP === 0) yield;
  }
  for (const { notes } of records)
    for (const { path, to, before } of notes) names.push(path, before, ...(to === undefined ? [] : [to]));
  return names;
}

const NOT_OURS: LeftAlone = { left: 'not_ours' };

/** Returns true when the caller may undo this: a note of the owner, and the way back to the owner, are for who acts for the owner. */
function isUndoable(caller: Caller, note: NoteRecord, { to }: UndoItem): boolean {
  if (actsForOwner(caller)) return true;
  const isQueued = note.status === 'raw' || note.status === 'rejected';
  return (isQueued || !isOwners(note)) && (to === undefined || zoneOf(to) !== 'other');
}

/**
 * Returns false for a note that need not be read, as most: it has no stamp of the writer from that time, and no text was
 * replaced in that time that could have one.
 */
function mayBeChanged(scope: UndoScope, history: NoteHistory, { path, frontmatter }: NoteRecord): boolean {
  if (isWrittenBy(scope, frontmatter) || isPromotedBy(scope, frontmatter)) return true;
  if (isRejectedBy(scope, frontmatter) || history.isChanged(path)) return true;
  const updated = noteTime(frontmatter.updated_at);
  return updated !== null && timestamp(updated) >= scope.since && isSha(frontmatter.supersedes);
}

type PlannedUndo = { readonly text: string; readonly undo: NoteUndo };
type RewoundUndo = { readonly text: string; readonly rewound: Rewound };

async function judge(
  brain: Brain,
  scope: UndoScope,
  { history, undone }: { readonly history: NoteHistory; readonly undone: readonly PastUndoScope[] },
  { path, status, frontmatter }: NoteRecord,
): Promise<PlannedUndo | RewoundUndo | LeftAlone | null> {
  if (status === 'raw') return isWrittenBy(scope, frontmatter) ? { left: 'in_queue' } : null;
  const isRejected = status === 'rejected';
  if (isRejected && (!isRejectedBy(scope, frontmatter) || isWrittenBy(scope, frontmatter))) return null;
  const text = await readText(brain, path);
  if (text === null) return null;
  const rewound = await rewind(brain.state, scope, history, { path, text }, undone);
  if (rewound === null && status === 'vault') return null;
  if (rewound !== null) {
    // A lock in the writer's own text was set by the writer and not by the owner.
    const isLockedByOwner = isLocked(text) && (isPersonStamp(scope.by) || isLocked(rewound.to.text));
    return isLockedByOwner && !isRejected ? { left: 'locked' } : { text, rewound };
  }
  if (isRejected) {
    const to: PastVersion = { path, text, hash: sha256(text), frontmatter, edited: false };
    return { text, undo: { action: 'restore', to } };
  }
  const undo = await judgeNote(scope, history, { path, text }, undone);
  return undo === null || 'left' in undo ? undo : { text, undo };
}

interface Planning {
  readonly past: PastReader;
  readonly reason: string;
  /** Paths in the queue that earlier notes of this undo take. */
  readonly reserved: Set<VaultPath>;
  /** The recorded additions to the sources of the note. */
  readonly additions: readonly AddedSources[];
  readonly scope: UndoScope;
}

/** Plans the undo of a note to which the writer only added sources; null when it has none of them. */
async function planSources(
  brain: Brain,
  scope: UndoScope,
  additions: readonly AddedSources[],
  { path, title, status }: NoteRecord,
): Promise<UndoItem | LeftAlone | null> {
  if (additions.length === 0 || status === 'rejected') return null;
  const text = await readText(brain, path);
  if (text === null) return null;
  try {
    const freed = await withoutSources(brain.state, text, additions, scope);
    if (freed === null) return null;
    if (isLocked(text)) return { left: 'locked' };
    const before = sha256(text);
    return {
      action: 'sources',
      path,
      title,
      before,
      why: WHY.sources(freed.version !== undefined),
      ...(freed.version !== undefined && { version: freed.version }),
      steps: [{ kind: 'edit', path, before, text: freed.text }],
    };
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_frontmatter') throw error;
    return { left: 'unreadable' };
  }
}

async function plan(
  brain: Brain,
  note: NoteRecord,
  { text, undo }: PlannedUndo,
  { reason, past, reserved, additions, scope }: Planning,
): Promise<UndoItem | LeftAlone> {
  const { path, title } = note;
  const { action } = undo;
  const before = sha256(text);
  const isOther = action === 'revert' || action === 'unpromote' || undo.to.hash !== before;
  // The restored version may have sources that the writer added.
  const to = isOther
    ? { ...undo.to, text: await textWithoutSources(brain, undo.to.text, additions, scope) }
    : undo.to;
  const common = { action, path, title, before };
  if (action === 'revert') {
    const reverted = revertedText(to, path, {
      updated_at: timestamp(brain.clock.now()),
      supersedes: before,
      supersede_reason: reason,
    });
    if (reverted === null) return { left: 'unreadable' };
    return { ...common, why: WHY.revert(to), version: to.hash, steps: stepsTo(path, reverted, common) };
  }
  const adopted =
    action === 'unpromote' || action === 'queue'
      ? await adoptedOf(brain, path, action === 'queue' ? undo.to.text : text)
      : null;
  if (adopted !== null) {
    const target = await freeName(brain, adopted.to, reserved);
    const owners = adopted.isWhole ? adopted.text : await withOwnLinks(brain, adopted.text, path, target);
    const steps = stepsTo(target, owners, common);
    return { ...common, why: WHY.giveBack(adopted.isWhole), to: target, steps, linksFollow: 'all' };
  }
  if (action === 'unpromote' && (await isOnlyReplaced(brain, await decidedOf(brain, path, text))))
    return { left: 'changed_since' };
  const queued =
    action === 'restore'
      ? markedText(text, {}, REJECT_KEYS)
      : markedText(to.text, placeKeys(path), PROMOTE_KEYS);
  const origin = (await originOf(past, path)) ?? (action === 'restore' ? path : null);
  const wanted = origin === null ? newInQueue(brain, note) : vaultPath(`raw/${stemOf(origin)}.md`);
  const target = await freeName(brain, wanted, reserved);
  const steps = stepsTo(target, await withOwnLinks(brain, escapeSecondBlock(queued), path, target), common);
  const isFormer = action === 'queue' && to.hash !== before;
  const why = isFormer ? WHY.queueFormer(to) : WHY[action]();
  return { ...common, why, to: target, ...(isFormer && { version: to.hash }), steps };
}

async function adoptedOf(brain: Brain, path: VaultPath, text: string): Promise<GivenBack | null> {
  return adoptedNote(brain, await decidedOf(brain, path, text), { path, text }, false);
}

/** Returns the path at which a note comes into the queue that was never there. */
function newInQueue({ clock }: Pick<Brain, 'clock'>, { path, created_at }: NoteRecord): VaultPath {
  return vaultPath(`raw/${localDate(noteTime(created_at) ?? clock.now())}-${stemOf(path)}.md`);
}

/** Returns the steps by which a note gets a text, and its path when that is another one. */
function stepsTo(
  target: VaultPath,
  text: string,
  { path, before }: Pick<UndoItem, 'path' | 'before'>,
): Step[] {
  if (target === path) return [{ kind: 'edit', path, before, text }];
  return [
    { kind: 'create', path: target, text },
    { kind: 'remove', path, before },
  ];
}

/** Plans the return of a note to what and where it was before the writer's acts, and of the queued notes that these used up. */
async function planRewound(
  brain: Brain,
  note: NoteRecord,
  { text, rewound }: RewoundUndo,
  { reserved, additions, scope }: Pick<Planning, 'reserved' | 'additions' | 'scope'>,
): Promise<UndoItem | LeftAlone> {
  const { path, title, status } = note;
  const { to, isOwn, acts, queued } = rewound;
  const before = sha256(text);
  const zone = zoneOf(to.path);
  const own = isOwn
    ? escapeSecondBlock(markedText(to.text, placeKeys(path), PROMOTE_KEYS))
    : await textWithoutSources(brain, to.text, additions, scope);
  const wanted = isOwn ? newInQueue(brain, note) : to.path;
  if (zone === 'wiki' && !isOwn && wanted !== path && !(await isFree(brain, wanted, reserved)))
    return { left: 'taken' };
  const isMoved = wanted !== path;
  const target = isMoved ? await freeName(brain, wanted, reserved) : path;
  const undone = acts.filter((act) => !isAlong(act)).map(({ change }) => change);
  const steps = stepsTo(target, own, { path, before });
  for (const { path: from, text: was } of queued) {
    // An undo that was taken back leaves the queued note where it is.
    if ((await readText(brain, from)) === was) continue;
    steps.push({ kind: 'create', path: await freeName(brain, from, reserved), text: was, like: target });
  }
  const isBack = target === wanted && !isOwn;
  return {
    action: rewoundAction(status, rewound, isMoved),
    path,
    title,
    before,
    why: WHY.rewound(rewound),
    version: sha256(own),
    ...(isMoved && { to: target }),
    ...(isMoved && zone !== 'raw' && !isOwn && { linksFollow: zone === 'other' ? 'all' : 'callers' }),
    undone: isBack ? undone : [],
    steps,
  };
}

function rewoundAction(status: NoteRecord['status'], { to, isOwn }: Rewound, isMoved: boolean): Action {
  if (status === 'rejected') return 'restore';
  if (isOwn) return 'queue';
  const zone = zoneOf(to.path);
  return zone === 'wiki' || zone === 'knowledge' || !isMoved ? 'revert' : 'unpromote';
}

/** Returns the changes from which earlier undos brought notes back byte for byte, as far as the change log has them. */
function takenBackBefore(history: NoteHistory, records: readonly PastUndo[]): PastChange[] {
  const notes = records.flatMap((record) => (record.taken_back === undefined ? record.notes : []));
  return notes.flatMap(({ path, before, version = before }) => {
    const changes: PastChange[] = [];
    for (let entry = history.madeBy(path, before); entry !== null;) {
      if (!isAlong(entry)) changes.push(entry.change);
      const former = entry.note.before ?? entry.from?.before;
      if (former === version) return changes;
      if (former == null) break;
      entry = history.madeBy(entry.from?.path ?? entry.note.path, former, entry.at);
    }
    return [];
  });
}

/** Returns the steps with the links in the queued notes that come back as they were before the decisions that are taken back. */
async function withLinksBack(
  brain: Brain,
  [first, ...others]: readonly Step[],
  undone: readonly PastChange[],
): Promise<Step[]> {
  const steps = first === undefined ? [] : [first];
  for (const step of others) {
    const former = step.kind === 'create' ? await textBeforeLinks(brain, step, undone) : null;
    steps.push(step.kind === 'create' && former !== null ? { ...step, text: former } : step);
  }
  return steps;
}

/** Returns true when no note is at the path and none of this undo goes there. */
async function isFree(brain: Brain, path: VaultPath, reserved: ReadonlySet<VaultPath>): Promise<boolean> {
  return !reserved.has(path) && brain.catalog.taken(path) === null && (await brain.vault.stat(path)) === null;
}

async function textWithoutSources(
  brain: Brain,
  text: string,
  additions: Additions,
  scope: UndoScope,
): Promise<string> {
  if (additions.length === 0) return text;
  try {
    return (await withoutSources(brain.state, text, additions, scope))?.text ?? text;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return text;
    throw error;
  }
}

/** Returns an older text as the new version of a note, with its current address and the hash that it supersedes. */
function revertedText(
  to: PastVersion,
  path: VaultPath,
  set: Readonly<Record<string, string>>,
): string | null {
  try {
    return escapeSecondBlock(setKeys(to.text, { ...placeKeys(path), ...set }).text);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}

/** Returns the keys that follow from the path of a note in the wiki: wing and hall. */
function placeKeys(path: VaultPath): Record<string, string> {
  const address = addressOf(path);
  return address === null ? {} : { wing: address.wing, hall: address.hall };
}

/** Returns the path, or the first one with a number after it that is free. */
async function freeName(brain: Brain, wanted: VaultPath, reserved: Set<VaultPath>): Promise<VaultPath> {
  const folder = wanted.slice(0, -fileName(wanted).length);
  const stem = stemOf(wanted);
  for (let from = 1; ;) {
    let tried = from;
    const path = await freePath(brain, (n) =>
      vaultPath(`${folder}${numbered(stem, (tried = from + n - 1))}.md`),
    );
    if (!reserved.has(path)) {
      reserved.add(path);
      return path;
    }
    from = tried + 1;
  }
}

function addRoot(
  root: NonNullable<Awaited<ReturnType<typeof planRoot>>>,
  items: UndoItem[],
  left: UndoLeft[],
): void {
  const { path } = root;
  const title = stemOf(path);
  if ('left' in root) {
    left.push({ path, title, reason: root.left, why: whyLeft(root) });
    return;
  }
  const { before, to, who } = root;
  items.push({
    action: 'root',
    path,
    title,
    why: who === null ? WHY.guidance() : WHY.root(who),
    version: sha256(to),
    before,
    steps: [{ kind: 'edit', path, before, text: to }],
    root,
  });
}
