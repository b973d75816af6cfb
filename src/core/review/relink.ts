import { actsForOwner, type Caller } from '../access/tokens';
import { readText } from '../notes/targets';
import type { Brain } from '../operation/context';
import { mayWrite, seenOf } from '../operation/limits';
import { isOwnersText, ownersLeft } from '../operation/owner';
import { type Link, linksOf } from '../catalog/link-keys';
import type { EditStep } from '../storage/plan';
import { replaceBody } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { retargetProperties } from '../links/properties';
import { isMoved, type Move, retargetSteps } from '../gate/link-findings';
import { sha256 } from '../base/hash';
import { isNameOf, resolveLink } from '../links/resolve';
import { fileName, fold, stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
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
 * Tells for a path whether another file of the vault has its name too: then only Obsidian can tell what a link by this name means.
 * Rejected notes do not count. The disk is walked once for each path, so a change asks before it takes the writer's lock and
 * again with it; an object lives as long as one change.
 */
export class Namesakes {
  readonly #asked = new Map<VaultPath, Promise<boolean>>();

  constructor(private readonly whole: Pick<Brain, 'catalog' | 'vault'>) {}

  /** Returns true when `isShared` would walk the disk for a note: another note links to it by its name. */
  mayWalk(path: VaultPath): boolean {
    return this.whole.catalog.naming(path).length > 0;
  }

  /** Resolves with true also when a part of the vault is unreadable, which must not prevent the move. Never rejects. */
  isShared(path: VaultPath): Promise<boolean> {
    const asked = this.#asked.get(path) ?? sharesName(this.whole, path);
    this.#asked.set(path, asked);
    return asked;
  }
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

/**
 * Returns the edits that turn links to `from` into links to `to`, or into their words without `to`, except in the notes about
 * which `follow` does not decide.
 */
export async function relinkSteps(
  brain: Pick<Brain, 'catalog' | 'pace'> & { readonly vault: Pick<Brain['vault'], 'read'> },
  from: VaultPath,
  to: VaultPath | null,
  { namesakes, ...follow }: Follow & { readonly namesakes: Namesakes },
): Promise<Relinks> {
  const steps: EditStep[] = [];
  const left: LeftLink[] = [];
  // Links by name still work when the name stays the same.
  const isNamed = to !== null && stemOf(from) === stemOf(to);
  const { sources, named } = await linksInto(brain, from, isNamed ? null : namesakes);
  for (const path of sources) {
    // A note that is no text keeps its old link and must not prevent the move.
    const text = await readText(brain, path);
    if (text === null) continue;
    const { body } = parseNote(text);
    const move: Move = {
      from,
      to,
      at: path,
      exists: (other) => brain.catalog.has(other) !== null,
      named: (link) => named(link, path),
    };
    const relinked = await inSlices(retargetSteps(body, move), brain.pace);
    const edited = await brain.pace.run(() =>
      retargetProperties(relinked === body ? text : replaceBody(text, relinked), (link) => {
        if (!isMoved(link, move)) return null;
        return to === null ? { plain: link.text ?? link.target } : { to };
      }),
    );
    if (edited === text) continue;
    const kept = linkLeft(path, text, follow);
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

const LINK = 'its link to the moved note';

/** Returns why a link in the note with this text does not follow; null when it does. */
export function linkLeft(path: VaultPath, text: string, follow: Follow): LeftLink | null {
  if (isOwnersText(path, text) && !follow.owners(path)) return { path, warning: ownersLeft(path, LINK) };
  return isLocked(text) && !follow.locked(path)
    ? { path, warning: `${path} is locked by its owner; ${LINK} was left as it is.` }
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

/** Returns the text of a moved note, whose links to itself follow it. */
export async function withOwnLinks(
  brain: Pick<Brain, 'catalog' | 'pace'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): Promise<string> {
  const { body } = parseNote(text);
  const led = await ownLinksIn(brain, body, from, to);
  return ownProperties(brain, led === body ? text : replaceBody(text, led), from, to);
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

/** Returns the body of a moved note, whose links to itself follow it. */
export async function ownLinksIn(
  { catalog, pace }: Pick<Brain, 'catalog' | 'pace'>,
  body: string,
  from: VaultPath,
  to: VaultPath,
): Promise<string> {
  // A link to it has its name. Most notes have none, and a long one is not read again while others wait.
  if (!mayLink(body, stemOf(from))) return body;
  return inSlices(retargetSteps(body, ownMove(catalog, from, to)), pace);
}

/** Returns the text of a moved note, in whose properties the links to itself follow it. */
export function ownProperties(
  { catalog }: Pick<Brain, 'catalog'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): string {
  const move = ownMove(catalog, from, to);
  return retargetProperties(text, (link) => (isMoved(link, move) ? { to } : null));
}

function ownMove(catalog: Brain['catalog'], from: VaultPath, to: VaultPath): Move {
  const isRenamed = stemOf(from) !== stemOf(to);
  return {
    from,
    to,
    at: from,
    exists: (other) => catalog.has(other) !== null,
    named: ({ target }) => isRenamed && isNameOf(target, from),
  };
}

/**
 * Returns the notes, except rejected ones, with a link to the note at `path` by its path or only by its name; sorted by path.
 */
export async function linkedFrom(
  brain: Pick<Brain, 'catalog'>,
  path: VaultPath,
  namesakes: Namesakes,
): Promise<VaultPath[]> {
  return (await linksInto(brain, path, namesakes)).sources;
}

/**
 * Returns the notes that link to the note at `path`, and a test whether a link means it only by its name, which is always false
 * without `namesakes`.
 */
async function linksInto({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath, namesakes: Namesakes | null) {
  const naming = namesakes === null ? [] : catalog.naming(path);
  const isOnly = naming.length > 0 && (await namesakes?.isShared(path)) === false;
  const named = ({ target, relative }: Link, at: VaultPath): boolean => {
    const source = catalog.record(at);
    if (!isOnly || source === undefined || !isNameOf(target, path)) return false;
    // Links never resolve to the queue here, but in Obsidian they do when there is no other target.
    const meant = resolveLink(target, source, catalog, relative);
    return meant.status === 'missing' || (meant.status === 'resolved' && meant.path === path);
  };
  const namers = naming.filter((at) => {
    const source = catalog.record(at);
    return source !== undefined && linksOf(source).some((link) => named(link, at));
  });
  const sources = [...new Set([...catalog.linksTo(path), ...namers])].sort(compareText);
  return { sources, named };
}

async function sharesName({ vault }: Pick<Brain, 'vault'>, path: VaultPath): Promise<boolean> {
  const names = [fileName(path), stemOf(path)].map((name) => name.toLowerCase());
  try {
    for await (const other of vault.list('')) {
      if (other.path === path || zoneOf(other.path) === 'rejected') continue;
      if (names.includes(fileName(other.path).toLowerCase())) return true;
    }
    return false;
  } catch {
    return true; // An unreadable part of the vault must not prevent the move.
  }
}
