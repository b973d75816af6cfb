import type { Brain } from '../operation/context';
import { type Link, linksOf } from '../catalog/link-keys';
import type { Step } from '../storage/commit';
import { BrainError } from '../base/errors';
import { replaceBody } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { retargetProperties } from '../links/properties';
import { isMoved, type Move, retargetSteps } from '../gate/link-findings';
import { sha256 } from '../base/hash';
import { isNameOf, resolveLink } from '../links/resolve';
import { fileName, stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import { compareText } from '../base/text';
import { inSlices } from '../base/steps';

/**
 * The edits that turn links to `from` into links to `to`, in the wiki and in the queue. They may be skipped: a note that
 * changes in between keeps its old link, and the move itself stands.
 */
export async function relinkSteps(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  from: VaultPath,
  to: VaultPath,
): Promise<Step[]> {
  const steps: Step[] = [];
  // Under a name that it keeps it is found as before.
  const { sources, named } = await linksInto(brain, from, stemOf(from) !== stemOf(to));
  for (const path of sources) {
    const text = await readOrSkip(brain, path);
    if (text === null) continue;
    const { body } = parseNote(text);
    const move: Move = {
      from,
      to,
      at: path,
      stands: (other) => brain.catalog.has(other) !== null,
      named: (link) => named(link, path),
    };
    const relinked = await inSlices(retargetSteps(body, move), brain.pace);
    const edited = await brain.pace.run(() =>
      retargetProperties(relinked === body ? text : replaceBody(text, relinked), (link) =>
        isMoved(link, move) ? { to } : null,
      ),
    );
    if (edited === text) continue;
    steps.push({
      kind: 'edit',
      path,
      before: sha256(text),
      text: edited,
      optional: true,
    });
  }
  return steps;
}

/** A note that moves, with the links to itself in its properties following it. */
export function withOwnLinks(
  { catalog }: Pick<Brain, 'catalog'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): string {
  const move: Move = {
    from,
    to,
    at: from,
    stands: (other) => catalog.has(other) !== null,
    named: () => false,
  };
  return retargetProperties(text, (link) => (isMoved(link, move) ? { to } : null));
}

/** The notes, but for rejected ones, with a link that leads to the note at `path` by its path or by its name alone; by path. */
export async function linkedFrom(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  path: VaultPath,
): Promise<VaultPath[]> {
  return (await linksInto(brain, path, true)).sources;
}

/** Which notes link to the note at `path`, and whether a link means it by its name alone; none does unless `byName`. */
async function linksInto(brain: Pick<Brain, 'catalog' | 'vault'>, path: VaultPath, byName: boolean) {
  const { catalog } = brain;
  const naming = byName ? catalog.naming(path) : [];
  const isOnly = naming.length > 0 && !(await sharesName(brain, path));
  const named = ({ target, relative }: Link, at: VaultPath): boolean => {
    const source = catalog.record(at);
    if (!isOnly || source === undefined || !isNameOf(target, path)) return false;
    // Links do not lead into the queue here, but in Obsidian they do where they lead nowhere else.
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

/**
 * True when the name of the note may mean another file, wherever in the vault: then nobody but Obsidian can tell what a link by
 * this name alone leads to. Rejected notes do not count.
 */
async function sharesName({ vault }: Pick<Brain, 'vault'>, path: VaultPath): Promise<boolean> {
  const names = [fileName(path), stemOf(path)].map((name) => name.toLowerCase());
  try {
    for await (const other of vault.list('')) {
      if (other.path === path || zoneOf(other.path) === 'rejected') continue;
      if (names.includes(fileName(other.path).toLowerCase())) return true;
    }
    return false;
  } catch {
    return true; // A part of the vault that cannot be looked at is no reason to refuse the move.
  }
}

/** A neighbour that has become unreadable keeps its old link; that is no reason to refuse the move. */
async function readOrSkip(brain: Pick<Brain, 'vault'>, path: VaultPath): Promise<string | null> {
  try {
    return await brain.vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}
