import { type Sha, sha256 } from '../base/hash';
import { apart, inSlices } from '../base/steps';
import { parseNote } from '../frontmatter/parse';
import { movesAmong } from '../links/follow';
import { propertyLinks } from '../links/properties';
import { type FileNames, opens } from '../links/resolve';
import { FACTS } from '../markdown/facts';
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
 * changed it since and its links then open what they open now; in any other note, links to a note that moves follow it.
 * @param follow tells about which notes of the owner, and which locked notes, the caller decides
 */
export async function linksBack(
  brain: Pick<Brain, 'state' | 'catalog' | 'vault' | 'pace' | 'past'>,
  { moves, others, own: also }: TakenBack,
  follow: Follow,
): Promise<LinksBack> {
  const edits = new Map<VaultPath, LinkStep>();
  const left = new Map<VaultPath, LeftLink>();
  const changes = [...new Set([...moves.flatMap((move) => move.changes), ...others])];
  const own = new Set([...moves.flatMap(({ from, to }) => [from, to]), ...also]);
  const isForAll = moves.length > 0 && moves.every((move) => move.isForAll);
  const whose: Follow = isForAll ? { ...follow, owners: () => true } : follow;
  const to = new Map(moves.map((move) => [move.from, move.to]));
  const { after } = movesAmong(brain.catalog, to);
  const relinks = await relinkSteps(brain, to, whose);
  for (const step of relinks.steps) if (!own.has(step.path)) edits.set(step.path, step);
  for (const each of relinks.left) if (!own.has(each.path)) left.set(each.path, each);
  const linked = new Set(changes.flatMap(({ notes }) => notes.slice(1).map(({ path }) => path)));
  for (const path of linked) {
    const text = own.has(path) || !brain.catalog.record(path) ? null : await brain.vault.read(path);
    const former = text === null ? null : await textBeforeLinks(brain, { path, text }, changes);
    if (text === null || former === null) continue;
    const kept = linkLeft(path, text, whose);
    if (kept !== null) {
      left.set(path, kept);
      continue;
    }
    // Other notes may have the former names by now.
    const opened = await openedIn(brain, former, path, after);
    const led = await openedIn(brain, edits.get(path)?.text ?? text, path, after);
    if (moves.length > 0 && !led.every((each) => opened.includes(each))) continue;
    const version = sha256(former);
    edits.set(path, { kind: 'edit', path, before: sha256(text), text: former, optional: true, version });
  }
  return { steps: [...edits.values()], left: [...left.values()] };
}

/** Returns the files that the links of a note open. */
async function openedIn(
  { pace }: Pick<Brain, 'pace'>,
  text: string,
  at: VaultPath,
  files: FileNames,
): Promise<VaultPath[]> {
  const { body, frontmatter } = parseNote(text);
  const { links } = await inSlices(apart(FACTS, body), pace);
  return [...links, ...propertyLinks(frontmatter)].flatMap(
    ({ kind, target }) => opens(target, at, files, kind === 'mdlink' || kind === 'image') ?? [],
  );
}

/**
 * Returns the text of a note before its links followed the decisions that are taken back; null when that is not the last change of the
 * note.
 */
export async function textBeforeLinks(
  { state, past }: Pick<Brain, 'state' | 'past'>,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  changes: readonly PastChange[],
): Promise<string | null> {
  const reader: PastReader = await past.read();
  const undone = new Set(changes.map(keyOf));
  let former: Sha | null = null;
  for (let at: PastText = { path, hash: sha256(text), before: null }; ;) {
    const made = await madeBy(reader, at);
    if (made?.own.path !== path || made.own.before === null) break;
    if (!isLinkOnly(made) || !undone.has(keyOf(made.change))) break;
    former = made.own.before;
    at = { path, hash: former, before: made.change };
  }
  return former === null ? null : readHistory(state, former);
}

/** Returns a key by which a change is known that was read more than once. */
function keyOf({ place }: PastChange): string {
  return place.join('\n');
}
