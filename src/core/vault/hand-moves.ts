import { sha256 } from '../base/hash';
import type { OutsideChange } from '../catalog/outside-changes';
import { noteStatus } from '../catalog/record';
import { isLocked } from '../frontmatter/note-lock';
import { isCanvas } from '../links/canvas';
import { movedAlready, type Moves } from '../links/follow';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { isOwnersText } from '../operation/owner';
import { textBeforeLinks } from '../review/links-back';
import { type Follow, ledText, relinkSteps } from '../review/relink';
import type { EditStep } from '../storage/plan';
import type { VaultPath } from '../vocabulary/paths';

/** The longest time between the end of a file and its beginning elsewhere that makes a move of both (ms). */
const MOVE_MS = 60_000;
/** The notes that are remembered at most: a vault that is copied or emptied moves nothing. */
const MAX_HELD = 10_000;
/** The notes with a link to another note than before that the past gets for a move at most. */
const MAX_ASTRAY = 1_000;

/** The place of a note before and after a move by hand. */
export interface HandMove {
  readonly from: VaultPath;
  readonly to: VaultPath;
}

interface Seen {
  readonly hash: string;
  readonly at: number;
}

/**
 * Tells the moves by hand among the changes of others: a note that is gone and one that has appeared with the same text within a
 * minute, when there is exactly one of each and the text is not empty. What happened while the service was off has no time: the catalog
 * tells of it at the start, as if it had just happened, and only where no other note has the text or had it.
 */
export class HandMoves {
  readonly #gone = new Map<VaultPath, Seen>();
  readonly #new = new Map<VaultPath, Seen>();

  /** Takes a change of others; returns true when it may be a part of a move. */
  hear({ path, appeared, before, after }: OutsideChange, at: number): boolean {
    this.#gone.delete(path);
    this.#new.delete(path);
    const status = noteStatus(path);
    if (status === null || status === 'raw' || status === 'rejected') return false;
    const record = after ?? before;
    if (record === undefined || record.size === 0 || (after !== undefined && !appeared)) return false;
    const held = after === undefined ? this.#gone : this.#new;
    if (held.size >= MAX_HELD) return false;
    held.set(path, { hash: record.content_hash, at });
    return true;
  }

  /** Returns the moves that are complete, once each, and forgets what is too old for one. */
  take(now: number): HandMove[] {
    for (const held of [this.#gone, this.#new])
      for (const [path, { at }] of held) if (now - at > MOVE_MS) held.delete(path);
    const [gone, made] = [onlyOnes(this.#gone), onlyOnes(this.#new)];
    const moves: HandMove[] = [];
    for (const [hash, from] of gone) {
      const to = made.get(hash);
      if (from === null || to === undefined || to === null) continue;
      this.#gone.delete(from);
      this.#new.delete(to);
      moves.push({ from, to });
    }
    return moves;
  }
}

/** Returns the path of each hash; null for that of several notes. */
function onlyOnes(held: ReadonlyMap<VaultPath, Seen>): Map<string, VaultPath | null> {
  const ones = new Map<string, VaultPath | null>();
  for (const [path, { hash }] of held) ones.set(hash, ones.has(hash) ? null : path);
  return ones;
}

/**
 * Records a move by hand, and lets the links that only the service wrote follow it: those in its own notes, and those in notes of the
 * owner that it has put there itself when a note moved. Links that another program has changed already stay as they are. Where the
 * links cannot follow now, the doctor names them.
 */
export async function followHandMove(brain: Brain, move: HandMove): Promise<void> {
  const moves = await changeVault(brain, () => recorded(brain, move));
  if (moves === null) return;
  brain.checks.moved = null;
  const relinks = async (): Promise<Change<void>> => {
    const { steps: all } = await relinkSteps(brain, moves.to, EVERYWHERE, moves);
    const steps: EditStep[] = [];
    for (const step of all) if (await isServiceLink(brain, step, moves)) steps.push(step);
    return { plan: steps.length === 0 ? null : { op: 'follow', steps }, result: undefined, forOwner: true };
  };
  await changeVault(brain, relinks).catch((error: unknown) =>
    brain.log.warn('follow.move', { ...move, message: String(error) }),
  );
}

/** The links in all notes of the owner count; what is locked stays as it is. */
const EVERYWHERE: Follow = { owners: () => true, locked: () => false };

/** Returns the change that records a move, and the move; null for one that is none by now. */
async function recorded(brain: Brain, { from, to }: HandMove): Promise<Change<Moves | null>> {
  const { catalog } = brain;
  const note = catalog.record(to);
  if (catalog.taken(from) !== null || note === undefined || (await isOurs(brain, { from, to })))
    return { plan: null, result: null };
  const moves = movedAlready(catalog, new Map([[from, to]]));
  const { steps } = await relinkSteps(brain, moves.to, { ...EVERYWHERE, locked: () => true }, moves);
  const astray: VaultPath[] = [];
  // A locked note stays as it is, and its links are among those that are left.
  for (const step of steps) {
    if (astray.length === MAX_ASTRAY || (await isServiceLink(brain, step, moves))) continue;
    if (await isAstray(brain, step, moves)) astray.push(step.path);
  }
  const moved = { path: to, from, ...(astray.length > 0 && { astray }) };
  const saw = [{ path: to, hash: note.content_hash }];
  return { plan: { op: 'follow', steps: [], saw, data: { moved } }, result: moves };
}

/** Returns true for a move that the service has made, as on another device whose files were synced. */
async function isOurs(brain: Brain, { from, to }: HandMove): Promise<boolean> {
  const last = (await (await brain.past.read()).naming(to)).at(-1);
  return last?.notes.some((note) => note.path === to && note.from === from) === true;
}

/** Returns true when a link that a step changes opens another file now, not none. */
async function isAstray(brain: Brain, { path, text: led }: EditStep, moves: Moves): Promise<boolean> {
  const text = isCanvas(path) ? null : await brain.vault.read(path);
  return text !== null && (await ledText(brain, text, path, { ...moves, opening: new Map() })) !== led;
}

/**
 * Returns true when the service wrote the links that a step changes, and the note is not locked: before its changes of links the note
 * had none of them.
 */
async function isServiceLink(brain: Brain, { path, before }: EditStep, moves: Moves): Promise<boolean> {
  const text = await brain.vault.read(path);
  if (text === null || sha256(text) !== before || isLocked(text)) return false;
  if (!isOwnersText(path, text)) return true;
  const former = await textBeforeLinks(brain, { path, text });
  return former !== null && (await ledText(brain, former, path, moves)) === former;
}
