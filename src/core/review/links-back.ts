import { type Sha, sha256 } from '../base/hash';
import type { Brain } from '../operation/context';
import type { PastReader } from '../past/past';
import { isLinkOnly, madeBy, type PastText } from '../past/trail';
import type { PastChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import type { EditStep } from '../storage/plan';
import type { VaultPath } from '../vocabulary/paths';
import { replaceBody } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { formerLinkSteps } from '../gate/link-findings';
import { haveSameCards, isCanvas } from '../links/canvas';
import { type Followed, ledTo, movesAmong } from '../links/follow';
import { propertyLinks, retargetProperties } from '../links/properties';
import { type FileNames, opens } from '../links/resolve';
import { isRelative, type LinkUse } from '../markdown/address';
import { apart, inSlices } from '../base/steps';
import { FACTS } from '../markdown/facts';
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
 * Returns the edits that lead links back: a note in which nobody has changed more than links gets each link as it was written before it
 * followed, where that opens the note again; in any other note, links to a note that moves follow it.
 * @param follow tells about which notes of the owner, and which locked notes, the caller decides
 */
export async function linksBack(
  brain: Pick<Brain, 'state' | 'catalog' | 'vault' | 'pace' | 'past'>,
  { moves, others, own: also }: TakenBack,
  follow: Follow,
): Promise<LinksBack> {
  const { catalog, vault } = brain;
  const edits = new Map<VaultPath, LinkStep>();
  const left = new Map<VaultPath, LeftLink>();
  const places = new Set(moves.flatMap((move) => [move.from, move.to]));
  const own = new Set([...places, ...also]);
  const isForAll = moves.length > 0 && moves.every((move) => move.isForAll);
  const deciding: Follow = isForAll ? { ...follow, owners: () => true } : follow;
  const set = (path: VaultPath, before: string, text: string, version?: Sha): void => {
    const kept = linkLeft(path, before, deciding);
    if (kept !== null) left.set(path, kept);
    else if (text !== before)
      edits.set(path, {
        ...{ kind: 'edit', path, before: sha256(before), text, optional: true },
        ...(version !== undefined && { version }),
      });
  };
  const changes = [...new Set([...moves.flatMap((move) => move.changes), ...others])];
  const to = new Map(moves.map((move) => [move.from, move.to]));
  const { after } = movesAmong(catalog, to);
  // Links to these are as they were when their notes return, which are not among the moves.
  const returning = new Set(also.filter((path) => !places.has(path)));
  const relinks = await relinkSteps(brain, to, deciding);
  const led = new Map(relinks.steps.map((step) => [step.path, step.text]));
  for (const each of relinks.left) if (!own.has(each.path)) left.set(each.path, each);
  for (const path of new Set([...led.keys(), ...linkedBy(changes)])) {
    const isDone = own.has(path) || left.has(path);
    const isKnown = isCanvas(path) || catalog.record(path) !== undefined;
    const text = isDone || !isKnown ? null : await vault.read(path);
    if (text === null) continue;
    const now = led.get(path) ?? text;
    const exact = await textBeforeLinks(brain, { path, text }, changes);
    if (
      exact !== null &&
      (moves.length === 0 || (await opensAll(brain, exact, now, path, after, returning)))
    ) {
      set(path, text, exact, sha256(exact));
      continue;
    }
    const former = isCanvas(path) ? null : await textBeforeLinks(brain, { path, text });
    const again = former === null ? null : await withFormerLinks(brain, former, now, path, after);
    set(path, text, again ?? now, again !== null && again === former ? sha256(again) : undefined);
  }
  return { steps: [...edits.values()], left: [...left.values()] };
}

/** Returns true when a former text of a note opens every file that the present one opens. Other notes may have the former names by now. */
async function opensAll(
  brain: Pick<Brain, 'pace'>,
  former: string,
  now: string,
  at: VaultPath,
  files: FileNames,
  returning: ReadonlySet<VaultPath>,
): Promise<boolean> {
  if (isCanvas(at)) return haveSameCards(former, now);
  const opened = new Set(await openedIn(brain, former, at, files));
  const present = await openedIn(brain, now, at, files);
  return present.every((path) => opened.has(path) || returning.has(path));
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
    (link) => opens(link.target, at, files, isRelative(link)) ?? [],
  );
}

/** Returns the notes beside the first one that changes are about. */
function linkedBy(changes: readonly PastChange[]): Set<VaultPath> {
  return new Set(changes.flatMap(({ notes }) => notes.slice(1).map(({ path }) => path)));
}

/**
 * Returns a former text of the note at `at` in which each link opens what its counterpart in the present text opens: as it was written
 * where it still does, else as it is written now. Null when the two have not the same links.
 */
export async function withFormerLinks(
  { pace }: Pick<Brain, 'pace'>,
  former: string,
  now: string,
  at: VaultPath,
  files: FileNames,
): Promise<string | null> {
  const [was, is] = [parseNote(former), parseNote(now)];
  const body = await inSlices(formerLinkSteps(was.body, is.body, at, files), pace);
  if (body === null) return null;
  const led = new Map<string, Followed>();
  for (const [key, value] of Object.entries(was.frontmatter)) {
    const others = propertyLinks({ [key]: is.frontmatter[key] });
    const links = propertyLinks({ [key]: value });
    if (links.length !== others.length) continue;
    for (const [index, link] of links.entries()) {
      const other = others[index] ?? link;
      const goal = opens(other.target, at, files, isRelative(other));
      const made = goal === null ? null : ledTo(link, goal, at, files);
      if (made !== null) led.set(linkKey(link), made);
    }
  }
  const text = body === was.body ? former : replaceBody(former, body);
  return retargetProperties(text, (link) => led.get(linkKey(link)) ?? null);
}

function linkKey(link: LinkUse): string {
  return `${link.kind} ${link.target} ${link.text ?? ''}`;
}

/**
 * Returns the text of a note before its links followed decisions, or anything when none are given; null when its last change was another.
 */
export async function textBeforeLinks(
  { state, past }: Pick<Brain, 'state' | 'past'>,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  changes?: readonly PastChange[],
): Promise<string | null> {
  const reader: PastReader = await past.read();
  const undone = changes && new Set(changes.map(keyOf));
  let former: Sha | null = null;
  for (let at: PastText = { path, hash: sha256(text), before: null }; ;) {
    const made = await madeBy(reader, at);
    if (made?.own.path !== path || made.own.before === null) break;
    if (!isLinkOnly(made) || undone?.has(keyOf(made.change)) === false) break;
    former = made.own.before;
    at = { path, hash: former, before: made.change };
  }
  return former === null ? null : readHistory(state, former);
}

/** Returns a key by which a change is known that was read more than once. */
function keyOf({ place }: PastChange): string {
  return place.join('\n');
}
