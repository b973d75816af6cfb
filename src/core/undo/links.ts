import { type Sha, sha256 } from '../base/hash';
import type { Brain } from '../operation/context';
import { type Follow, type LeftLink, linkLeft, type Namesakes, relinkSteps } from '../review/relink';
import type { EditStep } from '../storage/plan';
import type { VaultPath } from '../vocabulary/paths';
import type { UndoItem } from './find';
import type { NoteHistory } from './past';
import { textBeforeLinks } from './rewind';

/** An edit of the links of a note; `version` is the hash of its text when that is a former one, byte for byte. */
export interface LinkStep extends EditStep {
  readonly version?: Sha;
}

/** The edits of links that follow notes back. */
interface LinksBack {
  /** At most one for each note, none for a note that the undo changes itself. They are optional. */
  readonly steps: readonly LinkStep[];
  /** The notes that keep a link to the former path, because the caller may not decide about them. */
  readonly left: readonly LeftLink[];
}

/**
 * Returns the edits that lead links back: a note gets the text that it had before its links followed, byte for byte, when nobody has
 * changed it since; in any other note, links to a note that moves follow it.
 * @param follow tells about which notes of the owner, and which locked notes, the caller decides
 */
export async function linksBack(
  brain: Pick<Brain, 'state' | 'catalog' | 'vault' | 'pace'>,
  items: readonly UndoItem[],
  {
    follow,
    namesakes,
    history,
  }: { readonly follow: Follow; readonly namesakes: Namesakes; readonly history: NoteHistory },
): Promise<LinksBack> {
  const own = new Set(items.flatMap(({ steps }) => steps.map(({ path }) => path)));
  const edits = new Map<VaultPath, LinkStep>();
  const left = new Map<VaultPath, LeftLink>();
  const { catalog, pace, state } = brain;
  const undone = new Set(items.flatMap((item) => item.undone ?? []));
  const followed = new Set([...undone].flatMap(({ notes }) => notes.slice(1).map(({ path }) => path)));
  for (const path of followed) {
    const text = own.has(path) || !catalog.record(path) ? null : await brain.vault.read(path);
    const former = text === null ? null : await textBeforeLinks(state, history, { path, text }, undone);
    if (text === null || former === null) continue;
    const kept = linkLeft(path, text, follow);
    if (kept !== null) left.set(path, kept);
    else {
      const version = sha256(former);
      edits.set(path, { kind: 'edit', path, before: sha256(text), text: former, optional: true, version });
    }
  }
  // A note may link to several of them: each edit begins with the text of the one before.
  const vault = {
    read: async (path: VaultPath) => edits.get(path)?.text ?? (await brain.vault.read(path)),
  };
  for (const { path, to, linksFollow } of items) {
    if (to === undefined || linksFollow === undefined) continue;
    const followed = { ...follow, ...(linksFollow === 'all' && { owners: () => true }), namesakes };
    const relinks = await relinkSteps({ catalog, pace, vault }, path, to, followed);
    for (const step of relinks.steps) {
      if (own.has(step.path)) continue;
      edits.set(step.path, { ...step, before: edits.get(step.path)?.before ?? step.before });
    }
    for (const each of relinks.left) if (!own.has(each.path)) left.set(each.path, each);
  }
  return { steps: [...edits.values()], left: [...left.values()] };
}
