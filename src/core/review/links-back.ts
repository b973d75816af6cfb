import { type Sha, sha256 } from '../base/hash';
import type { Brain } from '../operation/context';
import type { PastReader } from '../past/past';
import { isLinkOnly, madeBy, type PastText } from '../past/trail';
import type { PastChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import type { EditStep } from '../storage/plan';
import type { VaultPath } from '../vocabulary/paths';
import { type Follow, type LeftLink, linkLeft, relinkSteps } from './relink';

/** An edit of the links of a note; `version` is the hash of its text when that is a former one, byte for byte. */
export interface LinkStep extends EditStep {
  readonly version?: Sha;
}

/** The edits of links that follow notes back. */
interface LinksBack {
  /** At most one for each note. They are optional: a note that changes meanwhile keeps its link. */
  readonly steps: readonly LinkStep[];
  /** The notes that keep a link to the former path, because the caller may not decide about them. */
  readonly left: readonly LeftLink[];
}

/** A note that moves because decisions are taken back. */
export interface MoveBack {
  readonly from: VaultPath;
  readonly to: VaultPath;
  /** Whether the links in all notes of the owner follow, or in those about which the caller decides. */
  readonly isForAll: boolean;
  /** The decisions. */
  readonly changes: readonly PastChange[];
}

/** Decisions that are taken back. */
export interface TakenBack {
  /** The notes that move by it. */
  readonly moves: readonly MoveBack[];
  /** Decisions that moved no note. */
  readonly others: readonly PastChange[];
  /** Notes that are changed by it themselves, beside those that move: their links are not looked at. */
  readonly own: readonly VaultPath[];
}

/**
 * Returns the edits that lead links back: a note gets the text that it had before its links followed, byte for byte, when nobody has
 * changed it since; in any other note, links to a note that moves follow it.
 * @param follow tells about which notes of the owner, and which locked notes, the caller decides
 */
export async function linksBack(
  brain: Pick<Brain, 'state' | 'catalog' | 'vault' | 'pace' | 'past'>,
  { moves, others, own: also }: TakenBack,
  follow: Follow,
): Promise<LinksBack> {
  const edits = new Map<VaultPath, LinkStep>();
  const passed = new Map<VaultPath, ReadonlySet<string>>();
  const left = new Map<VaultPath, LeftLink>();
  const { catalog, pace } = brain;
  const changes = [...new Set([...moves.flatMap((move) => move.changes), ...others])];
  const own = new Set([...moves.flatMap(({ from, to }) => [from, to]), ...also]);
  const isForAll = moves.length > 0 && moves.every((move) => move.isForAll);
  const everyones: Follow = { ...follow, owners: () => true };
  const linked = new Set(changes.flatMap(({ notes }) => notes.slice(1).map(({ path }) => path)));
  for (const path of linked) {
    const text = own.has(path) || !catalog.record(path) ? null : await brain.vault.read(path);
    const former = text === null ? null : await textBeforeLinks(brain, { path, text }, changes);
    if (text === null || former === null) continue;
    const kept = linkLeft(path, text, isForAll ? everyones : follow);
    const version = sha256(former.text);
    if (kept !== null) left.set(path, kept);
    else {
      edits.set(path, {
        kind: 'edit',
        path,
        before: sha256(text),
        text: former.text,
        optional: true,
        version,
      });
      passed.set(path, former.passed);
    }
  }
  // A note may link to several of them: each edit begins with the text of the one before.
  const vault = {
    read: async (path: VaultPath) => edits.get(path)?.text ?? (await brain.vault.read(path)),
  };
  for (const { from, to, isForAll: all, changes: taken } of moves) {
    const relinks = await relinkSteps(
      { catalog, pace, vault },
      new Map([[from, to]]),
      all ? everyones : follow,
    );
    for (const step of relinks.steps) {
      // The text before the move has the links that it had.
      const isAsBefore = taken.some((change) => passed.get(step.path)?.has(keyOf(change)));
      if (own.has(step.path) || isAsBefore) continue;
      edits.set(step.path, { ...step, before: edits.get(step.path)?.before ?? step.before });
    }
    for (const each of relinks.left) if (!own.has(each.path)) left.set(each.path, each);
  }
  return { steps: [...edits.values()], left: [...left.values()] };
}

/**
 * Returns the text of a note before its links followed the decisions that are taken back, and which of these it passed; null when that
 * is not the last change of the note.
 */
export async function textBeforeLinks(
  { state, past }: Pick<Brain, 'state' | 'past'>,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  changes: readonly PastChange[],
): Promise<{ readonly text: string; readonly passed: ReadonlySet<string> } | null> {
  const reader: PastReader = await past.read();
  const undone = new Set(changes.map(keyOf));
  const passed = new Set<string>();
  let former: Sha | null = null;
  for (let at: PastText = { path, hash: sha256(text), before: null }; ;) {
    const made = await madeBy(reader, at);
    if (made?.own.path !== path || made.own.before === null) break;
    if (!isLinkOnly(made) || !undone.has(keyOf(made.change))) break;
    passed.add(keyOf(made.change));
    former = made.own.before;
    at = { path, hash: former, before: made.change };
  }
  const old = former === null ? null : await readHistory(state, former);
  return old === null ? null : { text: old, passed };
}

/** Returns a key by which a change is known that was read more than once. */
function keyOf({ place }: PastChange): string {
  return place.join('\n');
}
