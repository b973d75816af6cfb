import type { Brain } from '../brain';
import { historyPath, readHistory } from '../history-store';
import { FIRST_GUIDANCE } from '../notes/first-guidance';
import { recordedRootEdits, type RootEdit } from '../notes/root-edits';
import { rootNotePath } from '../notes/root-note';
import { isSha, sha256, type Sha, utf8Length } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { isWriter } from '../rules/provenance';
import { timestamp } from '../rules/time';
import type { Deeds, LeftAlone } from './deeds';

/** What is done about the root note: it gets the text that stood there before the writer's edits. */
export interface RootVerdict {
  readonly path: VaultPath;
  readonly text: string;
  readonly before: Sha;
  readonly to: string;
  /** Who the text is of; undefined when nobody is recorded, null when there was none before. */
  readonly who: string | undefined | null;
}

/** The same for the root note, whose edits are recorded apart as it bears no stamps. */
export async function judgeRoot(
  brain: Pick<Brain, 'state' | 'vault' | 'config'>,
  deeds: Deeds,
): Promise<RootVerdict | (LeftAlone & { readonly path: VaultPath }) | null> {
  const path = await rootNotePath(brain);
  const edits = (await recordedRootEdits(brain)).filter((edit) => edit.path === path);
  const isOurs = ({ actor, ts }: RootEdit): boolean => isWriter(actor, deeds.by) && ts >= deeds.since;
  if (!edits.some(isOurs)) return null;
  const text = await brain.vault.read(path);
  if (text === null) return null;
  const before = sha256(text);
  let at = lastLeadingTo(edits, before, edits.length);
  const now = edits[at];
  if (now === undefined) return { path, left: 'edited_since' };
  if (now.undo === true) return null;
  if (!isOurs(now)) return { path, left: 'changed_since', who: now.actor };

  for (let edit: RootEdit | undefined = now; edit !== undefined;) {
    const { before_hash: hash } = edit;
    if (hash === undefined) return { path, text, before, to: FIRST_GUIDANCE, who: null };
    at = lastLeadingTo(edits, hash, at);
    edit = edits[at];
    if (edit !== undefined && isOurs(edit)) continue;
    const to = isSha(hash) ? await readHistory(brain.state, hash) : null;
    if (to === null) return { path, left: 'unreadable' };
    return { path, text, before, to, who: edit?.actor };
  }
  return null;
}

/** The record of an edit of the root note by an undo, or by taking one back. */
export function rootRecord(
  { clock }: Pick<Brain, 'clock'>,
  { path, text, before, to }: Pick<RootVerdict, 'path' | 'text' | 'before' | 'to'>,
  { actor, reason, undo }: { readonly actor: string; readonly reason: string; readonly undo: boolean },
): RootEdit {
  const now = clock.now();
  const after = sha256(to);
  return {
    v: 1,
    ts: timestamp(now),
    id: sha256(`${before}${after}${now.getTime()}`).slice(0, 16),
    actor,
    path,
    before_hash: before,
    history_path: `.brain/${historyPath(before)}`,
    after_hash: after,
    before_bytes: utf8Length(text),
    after_bytes: utf8Length(to),
    reason,
    ...(undo && { undo: true }),
  };
}

/** The place of the last edit before the one at `end` that led to a text with this hash, or -1. */
function lastLeadingTo(edits: readonly RootEdit[], hash: string, end: number): number {
  const hashes = edits.slice(0, end).map((edit) => edit.after_hash);
  return hashes.lastIndexOf(hash);
}
