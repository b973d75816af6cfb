import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { changesSince } from '../change-log';
import { BrainError } from '../errors';
import type { AddedSources } from '../notes/added-sources';
import type { Step } from '../plan';
import { isLocked } from '../rules/lock';
import { allOrigins } from '../review/origins';
import { markedText } from '../review/queue-source';
import { freePath } from '../catalog/free-path';
import { addressOf } from '../rules/address';
import { setKeys } from '../rules/frontmatter/compose';
import { oneBlock } from '../rules/frontmatter/open-content';
import { isSha, sha256, type Sha } from '../rules/hash';
import { stemOf, vaultPath, type VaultPath } from '../rules/paths';
import { numbered } from '../rules/slug';
import { compareText } from '../rules/text';
import { localDate, noteTime, timestamp } from '../rules/time';
import {
  type Action,
  type Deeds,
  isPromotedBy,
  isRejectedBy,
  isWrittenBy,
  judgeNote,
  type LeftAlone,
  type UndoneDeeds,
  type Verdict,
} from './deeds';
import { NotePasts, type PastText } from './note-past';
import { judgeRoot, type RootVerdict } from './root-deed';
import { sourceDeeds, withoutSources } from './source-deeds';
import { putBackTexts, undoneDeeds, undoRecords } from './undo-record';
import { WHY, whyLeft } from './undo-words';

/** What an undo would do about one note. */
export interface UndoItem {
  readonly action: Action | 'root';
  readonly path: VaultPath;
  readonly title: string;
  readonly why: string;
  /** Where the note goes, when it moves. */
  readonly to?: VaultPath;
  /** Hash of the version that it goes back to, when it does. */
  readonly version?: Sha;
  readonly before: Sha;
  readonly steps: readonly Step[];
  readonly root?: RootVerdict;
}

/** A note in which the writer had a hand and that is left as it is. */
export interface UndoLeft {
  readonly path: VaultPath;
  readonly title: string;
  readonly reason: LeftAlone['left'];
  readonly why: string;
}

export interface FoundUndo {
  /** By path. */
  readonly items: readonly UndoItem[];
  readonly left: readonly UndoLeft[];
}

/** Marks of a promotion and of a rejection; a note that goes back to the queue loses them. */
const PROMOTE_KEYS = ['promoted_at', 'promoted_by', 'tunnels'];
const REJECT_KEYS = ['rejected_at', 'rejected_by', 'reject_reason'];

/** Looks through the vault for what a writer has done since a time, and plans how it is taken back. Changes nothing. */
export async function findUndo(brain: Brain, deeds: Deeds, reason: string): Promise<FoundUndo> {
  const changes = await changesSince(brain.state, deeds.since);
  const records = await undoRecords(brain);
  const pasts = new NotePasts(brain.state, changes, putBackTexts(records));
  const undone = undoneDeeds(records);
  const origins = await allOrigins(brain);
  const reserved = new Set<VaultPath>();
  const sources = await sourceDeeds(brain.state, deeds, changes);
  const items: UndoItem[] = [];
  const left: UndoLeft[] = [];
  for (const note of brain.catalog.notes()) {
    const { path, title } = note;
    const additions = sources.get(path) ?? [];
    const isAsked = await brain.pace.run(() => isSuspect(deeds, pasts, note));
    if (!isAsked && additions.length === 0) continue;
    const found = isAsked ? await judge(brain, deeds, { pasts, undone }, note) : null;
    if (found === null || 'left' in found) {
      const freed = await freedOfSources(brain, deeds, additions, note);
      if (freed !== null && 'action' in freed) {
        items.push(freed);
        if (found !== null) left.push({ path, title, reason: found.left, why: whyLeft(found) });
        continue;
      }
      if (found === null) {
        if (freed !== null) left.push({ path, title, reason: freed.left, why: whyLeft(freed) });
        continue;
      }
    }
    if (!('text' in found)) {
      left.push({ path, title, reason: found.left, why: whyLeft(found) });
      continue;
    }
    const planned = await plan(brain, note, found, { reason, origins, reserved, additions, deeds });
    if ('left' in planned) left.push({ path, title, reason: planned.left, why: whyLeft(planned) });
    else items.push(planned);
  }
  const root = await judgeRoot(brain, deeds);
  if (root !== null) addRoot(root, items, left);
  const byPath = (a: { path: string }, b: { path: string }): number => compareText(a.path, b.path);
  return { items: items.sort(byPath), left: left.sort(byPath) };
}

/**
 * False for a note that need not be read, which is most of them: it bears no stamp of the writer from the time in question,
 * and no text of it was replaced in that time that could bear one.
 */
function isSuspect(deeds: Deeds, pasts: NotePasts, { path, frontmatter }: NoteRecord): boolean {
  if (isWrittenBy(deeds, frontmatter) || isPromotedBy(deeds, frontmatter)) return true;
  if (isRejectedBy(deeds, frontmatter) || pasts.isReplaced(path)) return true;
  const updated = noteTime(frontmatter.updated_at);
  return updated !== null && timestamp(updated) >= deeds.since && isSha(frontmatter.supersedes);
}

type Judged = { readonly text: string; readonly verdict: Verdict };

async function judge(
  brain: Brain,
  deeds: Deeds,
  { pasts, undone }: { readonly pasts: NotePasts; readonly undone: readonly UndoneDeeds[] },
  { path, status, frontmatter }: NoteRecord,
): Promise<Judged | LeftAlone | null> {
  if (status === 'raw') return isWrittenBy(deeds, frontmatter) ? { left: 'in_queue' } : null;
  const isRejected = status === 'rejected';
  if (isRejected && (!isRejectedBy(deeds, frontmatter) || isWrittenBy(deeds, frontmatter))) return null;
  const text = await readText(brain, path);
  if (text === null) return null;
  if (isRejected) {
    const to: PastText = { path, text, hash: sha256(text), frontmatter, edited: false };
    return { text, verdict: { action: 'restore', to } };
  }
  const verdict = await judgeNote(deeds, pasts, { path, text }, undone);
  return verdict === null || 'left' in verdict ? verdict : { text, verdict };
}

/** Null when there is no note any more, or nothing that can be read. */
async function readText({ vault }: Pick<Brain, 'vault'>, path: VaultPath): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}

interface Planning {
  readonly reason: string;
  readonly origins: ReadonlyMap<VaultPath, VaultPath>;
  /** Names in the queue that notes before this one take. */
  readonly reserved: Set<VaultPath>;
  /** What has been added to the sources of the note. */
  readonly additions: readonly AddedSources[];
  readonly deeds: Deeds;
}

/** What is done about a note that the writer has only added sources to; null when none of them stands there. */
async function freedOfSources(
  brain: Brain,
  deeds: Deeds,
  additions: readonly AddedSources[],
  { path, title, status }: NoteRecord,
): Promise<UndoItem | LeftAlone | null> {
  if (additions.length === 0 || status === 'rejected') return null;
  const text = await readText(brain, path);
  if (text === null) return null;
  try {
    const freed = await withoutSources(brain.state, text, additions, deeds);
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
  { path, title, created_at }: NoteRecord,
  { text, verdict }: Judged,
  { reason, origins, reserved, additions, deeds }: Planning,
): Promise<UndoItem | LeftAlone> {
  const { action } = verdict;
  const isOther = action === 'revert' || action === 'unpromote' || verdict.to.hash !== sha256(text);
  // What it goes back to may hold sources that the writer has added.
  const to =
    isOther && additions.length > 0 ? await freedText(brain, verdict.to, additions, deeds) : verdict.to;
  const before = sha256(text);
  const common = { action, path, title, before };
  if (action === 'revert') {
    const reverted = revertedText(to, path, {
      updated_at: timestamp(brain.clock.now()),
      supersedes: before,
      supersede_reason: reason,
    });
    if (reverted === null) return { left: 'unreadable' };
    const steps = [{ kind: 'edit', path, before, text: reverted } as const];
    return { ...common, why: WHY.revert(to), version: to.hash, steps };
  }
  const queued =
    action === 'restore'
      ? markedText(text, {}, REJECT_KEYS)
      : markedText(to.text, placeKeys(path), PROMOTE_KEYS);
  const day = localDate(noteTime(created_at) ?? brain.clock.now());
  const origin = origins.get(path);
  const stem =
    origin !== undefined ? stemOf(origin) : action === 'restore' ? stemOf(path) : `${day}-${stemOf(path)}`;
  const target = await freeName(brain, stem, reserved);
  const steps = [
    { kind: 'create', path: target, text: oneBlock(queued) } as const,
    { kind: 'remove', path, before } as const,
  ];
  const isFormer = action === 'queue' && to.hash !== before;
  const why = isFormer ? WHY.queueFormer(to) : action === 'queue' ? WHY.queue() : WHY[action]();
  return { ...common, why, to: target, ...(isFormer && { version: to.hash }), steps };
}

async function freedText(
  brain: Brain,
  to: PastText,
  additions: readonly AddedSources[],
  deeds: Deeds,
): Promise<PastText> {
  try {
    const freed = await withoutSources(brain.state, to.text, additions, deeds);
    return freed === null ? to : { ...to, text: freed.text };
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return to;
    throw error;
  }
}

/** An older text as the newest version of the note: at its present address, naming what it takes the place of. */
function revertedText(to: PastText, path: VaultPath, set: Readonly<Record<string, string>>): string | null {
  try {
    return oneBlock(setKeys(to.text, { ...placeKeys(path), ...set }).text);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}

/** What a note says of its place: where it stands in the wiki, wing and hall. */
function placeKeys(path: VaultPath): Record<string, string> {
  const address = addressOf(path);
  return address === null ? {} : { wing: address.wing, hall: address.hall };
}

async function freeName(brain: Brain, stem: string, reserved: Set<VaultPath>): Promise<VaultPath> {
  for (let from = 1; ;) {
    let tried = from;
    const path = await freePath(brain, (n) => vaultPath(`raw/${numbered(stem, (tried = from + n - 1))}.md`));
    if (!reserved.has(path)) {
      reserved.add(path);
      return path;
    }
    from = tried + 1;
  }
}

function addRoot(
  root: NonNullable<Awaited<ReturnType<typeof judgeRoot>>>,
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
