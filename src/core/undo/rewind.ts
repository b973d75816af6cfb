import { type Sha, sha256 } from '../base/hash';
import { noteTime, timestamp } from '../base/time';
import { parseNote } from '../frontmatter/parse';
import { isLinkOnly } from '../past/trail';
import type { Values } from '../frontmatter/yaml';
import type { StateStore } from '../ports/ports';
import { readHistory } from '../storage/history';
import { isWriter } from '../vocabulary/envelope';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import {
  type Entry,
  isUndone,
  isWrittenBy,
  type NoteHistory,
  type PastUndoScope,
  type UndoScope,
} from './past';

/** A note at a path. */
interface Placed {
  readonly path: VaultPath;
  readonly text: string;
}

/** A note as it was before the last acts of a writer, byte for byte. */
export interface Rewound {
  readonly to: Placed;
  /** True when the writer made the note in the wiki, so that its text goes to the queue and not to a former place. */
  readonly isOwn: boolean;
  /** The acts that are taken back, newest first: decisions and texts. */
  readonly acts: readonly Entry[];
  /** The queued notes that gave the note their text, as they were. */
  readonly queued: readonly Placed[];
}

/** The acts on a note that no later act of another follows, as far as the change log has them. */
interface Walk {
  /** The note now and before each of the acts: one element more than there are acts. */
  readonly states: readonly Placed[];
  readonly acts: readonly Entry[];
  /** True when the writer made the note before the first of the acts. */
  readonly isMade: boolean;
}

/** The stamp that names who decided, for a change log of earlier versions. */
const STAMPS: Readonly<Record<string, string>> = {
  promote: 'promoted_by',
  adopt: 'promoted_by',
  replace: 'promoted_by',
  reject: 'rejected_by',
  withdraw: 'rejected_by',
  confirm: 'verified_by',
};

/** Returns true for the replacement of the text of the note by that of a queued one. */
function isReplacement(act: Entry): boolean {
  return act.op === 'replace' && !isAlong(act);
}

/** Returns true for a change of links in a note that followed a decision about another one. */
export function isAlong({ change, note: own }: Entry): boolean {
  return isLinkOnly({ change, own });
}

function isBy(scope: UndoScope, { op, ts, change: { decision } }: Entry, frontmatter: Values): boolean {
  const stamp = STAMPS[op];
  if (decision === undefined && stamp === undefined) return isWrittenBy(scope, frontmatter);
  const who = decision?.by ?? frontmatter[stamp ?? ''];
  const time = noteTime(ts);
  return isWriter(who, scope.by) && time !== null && timestamp(time) >= scope.since;
}

/**
 * Follows a note back over the acts of the writer. Returns null when the last act is not the writer's, when all of them only wrote text,
 * or when the change log and the history do not have all of them: then the stamps decide.
 */
export async function rewind(
  state: Pick<StateStore, 'read'>,
  scope: UndoScope,
  history: NoteHistory,
  note: Placed,
  undone: readonly PastUndoScope[],
): Promise<Rewound | null> {
  const walk = await walkBack(state, scope, history, note);
  if (walk === null) return null;
  const steps = walk.isMade ? stepsToOwn(walk) : walk.acts.length;
  const to = walk.states[steps];
  const acts = walk.acts.slice(0, steps);
  if (to === undefined || acts.every(isAlong) || !acts.some(isDecision)) return null;
  if (to.path === note.path && to.text === note.text) return null;
  const isOwn = walk.isMade && zoneOf(to.path) !== 'raw';
  if (!isOwn && zoneOf(to.path) !== 'raw' && isTainted(scope, history, to, undone)) return null;
  const queued: Placed[] = [];
  for (const { change } of acts.filter(isReplacement)) {
    const left = change.notes[1];
    const text = left?.before == null ? null : await readHistory(state, left.before);
    if (left === undefined || text === null) return null;
    queued.push({ path: left.path, text });
  }
  return { to, isOwn, acts, queued };
}

function isDecision({ op, change: { decision } }: Entry): boolean {
  return decision !== undefined || STAMPS[op] !== undefined;
}

async function walkBack(
  state: Pick<StateStore, 'read'>,
  scope: UndoScope,
  history: NoteHistory,
  note: Placed,
): Promise<Walk | null> {
  const states = [note];
  const acts: Entry[] = [];
  let at = note;
  for (;;) {
    const entry = history.madeBy(at.path, sha256(at.text), acts.at(-1)?.at);
    if (entry === null || !isBy(scope, entry, parseNote(at.text).frontmatter)) break;
    const before: Sha | null | undefined = entry.note.before ?? entry.from?.before;
    if (before == null) return { states, acts, isMade: true };
    const text = await readHistory(state, before);
    if (text === null) return null;
    acts.push(entry);
    at = { path: entry.from?.path ?? at.path, text };
    states.push(at);
  }
  return { states, acts, isMade: false };
}

/**
 * Returns the number of acts to take back of a note that the writer made: those since it left the queue, or else those up to the first
 * replacement of its text. What the writer wrote stays, for a review.
 */
function stepsToOwn({ states, acts }: Walk): number {
  const inQueue = states.findIndex(({ path }, index) => index > 0 && zoneOf(path) === 'raw');
  return inQueue > 0 ? inQueue : acts.map(isReplacement).lastIndexOf(true) + 1;
}

/** Returns true for a text of the writer, or of one whose acts were undone, which an undo must not bring back. */
function isTainted(
  scope: UndoScope,
  history: NoteHistory,
  { text }: Placed,
  undone: readonly PastUndoScope[],
): boolean {
  const { frontmatter } = parseNote(text);
  if (!history.isLogged(sha256(text))) return false;
  return isWrittenBy(scope, frontmatter) || isUndone({ edited: false, frontmatter }, scope, undone);
}
