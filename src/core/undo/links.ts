import { type Sha, sha256 } from '../base/hash';
import { isLocked } from '../frontmatter/note-lock';
import type { Brain } from '../operation/context';
import { type Namesakes, relinkSteps } from '../review/relink';
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
  /** The locked notes that keep a link to the former path. */
  readonly locked: readonly VaultPath[];
}

/**
 * Returns the edits that lead links back: a note gets the text that it had before its links followed, byte for byte, when nobody has
 * changed it since; in any other note, links to a note that moves follow it.
 * @param withLocked true to edit locked notes and notes of the owner as well, as when a person undoes
 */
export async function linksBack(
  brain: Pick<Brain, 'state' | 'catalog' | 'vault' | 'pace'>,
  items: readonly UndoItem[],
  {
    withLocked,
    namesakes,
    history,
  }: { readonly withLocked: boolean; readonly namesakes: Namesakes; readonly history: NoteHistory },
): Promise<LinksBack> {
  const own = new Set(items.flatMap(({ steps }) => steps.map(({ path }) => path)));
  const edits = new Map<VaultPath, LinkStep>();
  const locked = new Set<VaultPath>();
  const { catalog, pace, state } = brain;
  const undone = new Set(items.flatMap((item) => item.undone ?? []));
  const followed = new Set([...undone].flatMap(({ notes }) => notes.slice(1).map(({ path }) => path)));
  for (const path of followed) {
    const text = own.has(path) || !catalog.record(path) ? null : await brain.vault.read(path);
    const former = text === null ? null : await textBeforeLinks(state, history, { path, text }, undone);
    if (text === null || former === null) continue;
    if (isLocked(text) && !withLocked) locked.add(path);
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
    const follow = {
      owners: () => linksFollow === 'all' || withLocked,
      locked: () => withLocked,
      namesakes,
    };
    const relinks = await relinkSteps({ catalog, pace, vault }, path, to, follow);
    for (const step of relinks.steps) {
      if (own.has(step.path)) continue;
      edits.set(step.path, { ...step, before: edits.get(step.path)?.before ?? step.before });
    }
    for (const each of relinks.locked) if (!own.has(each)) locked.add(each);
  }
  return { steps: [...edits.values()], locked: [...locked] };
}
