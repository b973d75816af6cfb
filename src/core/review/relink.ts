import { actsForOwner, type Caller } from '../access/tokens';
import { readText } from '../notes/targets';
import type { Brain } from '../operation/context';
import { mayWrite, seenOf } from '../operation/limits';
import { isOwnersText, ownersLeft } from '../operation/owner';
import type { Link } from '../catalog/link-keys';
import type { EditStep } from '../storage/plan';
import { replaceBody } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { retargetProperties } from '../links/properties';
import { retargetSteps } from '../gate/link-findings';
import { sha256 } from '../base/hash';
import { isCanvas, retargetCards } from '../links/canvas';
import type { LinkUse } from '../markdown/address';
import { followed, type Moves, movesAmong } from '../links/follow';
import { fold, stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import { compareText } from '../base/text';
import { inSlices } from '../base/steps';
import { wingOfPath } from '../vocabulary/address';
import { refreshWings } from '../wings/refresh';

/** The notes in which the links to a moved note follow it. */
export interface Follow {
  /** Tells whether a note of the owner is one of them. */
  owners(path: VaultPath): boolean;
  /** Tells whether a locked note is one of them. */
  locked(path: VaultPath): boolean;
}

/** The edits of links that follow a moved note. */
interface Relinks {
  /** They are optional: a note that changes meanwhile keeps its old link, and the move goes on. */
  readonly steps: EditStep[];
  /** The notes that keep their old link, because the caller may not decide about them. */
  readonly left: LeftLink[];
}

/** A note of the owner, or a locked one, that keeps its link to a moved note. */
export interface LeftLink {
  readonly path: VaultPath;
  readonly warning: string;
}

/**
 * Returns which notes of the owner, and which locked notes, a caller may let follow: of those that the limits leave, whoever acts
 * for the owner the owner's, and a person also the locked ones.
 */
export function followOf(brain: Pick<Brain, 'whole' | 'limits'>, caller: Caller): Follow {
  return {
    owners: (path) => actsForOwner(caller) && mayWrite(brain, path),
    locked: (path) => caller.human && mayWrite(brain, path),
  };
}

/** Returns the warnings of the links that were left, in notes that the caller may read. */
export function leftWarnings(brain: Pick<Brain, 'limits'>, left: readonly LeftLink[]): string[] {
  const shown = seenOf(
    brain,
    left.map(({ path }) => path),
  );
  return left.flatMap(({ path, warning }) => (shown.includes(path) ? [warning] : []));
}

/** Resolves with the notes with a link that follows moves, those among them that have moved already included. Reads no text. */
export async function followers(
  { catalog, pace }: Pick<Brain, 'catalog' | 'pace'>,
  moves: Moves,
): Promise<Set<VaultPath>> {
  const isFollowing = ({ target, relative }: Link, source: VaultPath): boolean =>
    follows({ target, kind: relative ? 'mdlink' : 'wikilink' }, source, moves);
  const sources = new Set<VaultPath>();
  for (const path of [...moves.to].flat()) {
    if (path !== null)
      await pace.run(() => catalog.linking(path, isFollowing).forEach((source) => sources.add(source)));
  }
  for (const at of moves.former?.keys() ?? []) {
    const note = catalog.record(at);
    const isLed = (link: BareLink): boolean => follows(link, at, moves);
    if (note && (await pace.run(() => [...note.links, ...note.propertyLinks].some(isLed)))) sources.add(at);
  }
  return sources;
}

/** A link as the catalog has it. */
type BareLink = Pick<LinkUse, 'kind' | 'target'>;

/** Returns true for a link of the note at `at` that does not stay as it is when notes move. */
function follows(link: BareLink, at: VaultPath, moves: Moves): boolean {
  return followed({ ...link, fragment: null, text: null }, at, moves) !== null;
}

/**
 * Returns the edits by which links in notes that stay where they are open after moves what they opened before: links to a note that moves,
 * and links to others with its former or its new name. Cards of canvases that show a moved note follow too. Notes about which `follow`
 * does not decide keep theirs.
 */
export async function relinkSteps(
  brain: Pick<Brain, 'catalog' | 'pace'> & { readonly vault: Pick<Brain['vault'], 'read'> },
  to: Moves['to'],
  follow: Follow,
  moves = movesAmong(brain.catalog, to),
): Promise<Relinks> {
  const steps: EditStep[] = [];
  const left: LeftLink[] = [];
  const direct = new Set([...to.keys()].flatMap((path) => brain.catalog.backlinks(path)));
  for (const path of [...(await followers(brain, moves)), ...canvasesOf(brain, to)].sort(compareText)) {
    if (to.has(path)) continue;
    // A note that is no text keeps its old link and must not prevent the move.
    const text = await readText(brain, path);
    if (text === null) continue;
    const edited = await ledText(brain, text, path, moves);
    if (edited === text) continue;
    const kept = linkLeft(path, text, follow, direct.has(path) ? LINK : OTHER_LINK);
    if (kept !== null) {
      left.push(kept);
      continue;
    }
    steps.push({
      kind: 'edit',
      path,
      before: sha256(text),
      text: edited,
      optional: true,
    });
  }
  return { steps, left };
}

/** Returns the canvases of the vault, of which any may show a note; none for notes of the queue, which no person puts on a card. */
function canvasesOf({ catalog }: Pick<Brain, 'catalog'>, to: Moves['to']): VaultPath[] {
  const isShown = [...to.keys()].some((path) => zoneOf(path) !== 'raw' && zoneOf(path) !== 'rejected');
  return isShown ? catalog.canvases() : [];
}

/** Returns the text of a note or canvas, whose links open after moves what they opened before. */
export async function ledText(
  brain: Pick<Brain, 'pace'>,
  text: string,
  path: VaultPath,
  moves: Moves,
): Promise<string> {
  if (isCanvas(path)) return brain.pace.run(() => retargetCards(text, moves.to));
  return movedLinks(brain, text, path, moves);
}

/** Returns the text of the note at `at`, whose links open after moves what they opened before. */
async function movedLinks(
  { pace }: Pick<Brain, 'pace'>,
  text: string,
  at: VaultPath,
  moves: Moves,
): Promise<string> {
  const { body } = parseNote(text);
  const led = await inSlices(retargetSteps(body, at, moves), pace);
  return pace.run(() =>
    retargetProperties(led === body ? text : replaceBody(text, led), (link) => followed(link, at, moves)),
  );
}

const LINK = 'its link to the moved note';
const OTHER_LINK = 'its link, which opens another note from now on,';

/** Returns why a link in the note with this text does not follow; null when it does. @param link the link in words */
export function linkLeft(path: VaultPath, text: string, follow: Follow, link = LINK): LeftLink | null {
  if (isOwnersText(path, text) && !follow.owners(path)) return { path, warning: ownersLeft(path, link) };
  return isLocked(text) && !follow.locked(path)
    ? { path, warning: `${path} is locked by its owner; ${link} was left as it is.` }
    : null;
}

/** Refreshes the maps of the wings of notes; `warnings` tells only of those of notes that the caller may read. */
export async function refreshMaps(
  brain: Pick<Brain, 'whole' | 'limits'>,
  paths: readonly VaultPath[],
  warnings: string[],
): Promise<void> {
  const shown = seenOf(brain, paths);
  await refreshWings(brain, shown.map(wingOfPath), warnings);
  const hidden = paths.filter((path) => !shown.includes(path));
  await refreshWings(brain, hidden.map(wingOfPath), []);
}

/** Returns the text of a moved note, whose links open at its new place what they opened before, itself included. */
export async function withOwnLinks(
  { catalog, pace }: Pick<Brain, 'catalog' | 'pace'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): Promise<string> {
  return movedLinks({ pace }, text, from, movesAmong(catalog, new Map([[from, to]])));
}

/** Matches what may stand for other letters in a link, and a definition whose address is in the next line. */
const ESCAPE = /[%&\\]|\]:[ \t]*\r?\n/;

/** Returns false for a text in which no link has the name of a file: it is in no line behind a bracket. */
function mayLink(body: string, name: string): boolean {
  if (ESCAPE.test(body)) return true;
  const wanted = fold(name);
  return body.split('\n').some((line) => {
    const bracket = line.search(/[[\]]/);
    return bracket >= 0 && fold(line).includes(wanted) && fold(line.slice(bracket)).includes(wanted);
  });
}

/** Returns the body of a moved note that has passed the gate, so that links to other files are whole paths; those to itself follow it. */
export async function ownLinksIn(
  { catalog, pace }: Pick<Brain, 'catalog' | 'pace'>,
  body: string,
  from: VaultPath,
  to: VaultPath,
): Promise<string> {
  // A link to it has its name. Most notes have none, and a long one is not read again while others wait.
  if (!mayLink(body, stemOf(from))) return body;
  const moves = { ...movesAmong(catalog, new Map([[from, to]])), only: from };
  return inSlices(retargetSteps(body, from, moves), pace);
}

/** Returns the text of a moved note, the links in whose properties open what they opened before. */
export function ownProperties(
  { catalog }: Pick<Brain, 'catalog'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): string {
  const moves = movesAmong(catalog, new Map([[from, to]]));
  return retargetProperties(text, (link) => followed(link, from, moves));
}
