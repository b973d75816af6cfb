import { sha256 } from '../base/hash';
import { refreshCatalog } from '../catalog/load';
import type { OutsideChange } from '../catalog/outside-changes';
import { noteStatus } from '../catalog/record';
import { setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { refreshOwnWings } from '../wings/refresh';
import { followHandMove, HandMoves } from './hand-moves';
import { afterQuiet, type Following } from './quiet';

/**
 * Follows the changes of people and other programs in the wiki: refreshes the maps of changed wings, and gives a note that
 * appears outside the place in its front matter the wing and hall of its folder, and lets links of the service follow a note that
 * was moved by hand, also before the start (setting `followMoves`). Hand edits get no stamps and no history. Files that existed when the vault was opened are left unchanged. Of several servers that share a vault
 * one has the duty to do all this, and it makes the maps after the changes of every server.
 * @param sleep resolves after this many milliseconds without keeping the process alive
 */
export function followVault(brain: Brain, sleep: (milliseconds: number) => Promise<void>): Following {
  const wings = new Set<Wing>();
  const appeared = new Set<VaultPath>();
  const moves = new HandMoves();
  const quiet = afterQuiet(brain, 'follow.settle', settle, sleep);
  const stopHearing = brain.outside.on((change) => {
    const touched = touchedWings(brain, change);
    for (const wing of touched) wings.add(wing);
    if (change.appeared && wingOfPath(change.path) !== null) appeared.add(change.path);
    const mayMove = moves.hear(change, brain.clock.now().getTime());
    if (touched.length > 0 || mayMove) quiet.wake();
  });
  // Nobody may call the service for hours, and without calls the catalog does not read changes.
  const stopWatching = brain.vault.changes(({ path }) => {
    if (noteStatus(path) === null) return;
    // Outside the wiki only a note that appears may be a part of a move.
    if (wingOfPath(path) !== null || brain.catalog.record(path) === undefined) quiet.wake();
  });

  // Which notes were moved while the service was off is known when the vault has been read.
  if (!brain.isReady() || brain.outside.missed.length > 0) quiet.wake();

  const { servers } = brain;
  const isAfter = servers.maps === 'after';
  let isOnDuty = !isAfter;
  const stopNoting = brain.catalog.follow((path) => {
    const wing = isAfter ? wingOfPath(path) : null;
    if (wing === null || noteStatus(path) === null) return;
    wings.add(wing);
    quiet.wake();
  });
  if (isAfter) quiet.wake();

  async function settle(): Promise<void> {
    await refreshCatalog(brain);
    const missed = [...brain.outside.missed];
    for (const change of missed) moves.hear(change, brain.clock.now().getTime());
    const wasOnDuty = isOnDuty;
    isOnDuty = false; // When asking fails, the duty counts as lost, and the run after it makes all maps.
    isOnDuty = await servers.duty('maps');
    const [moved, stale] = [[...appeared], [...wings]];
    appeared.clear();
    wings.clear();
    if (!isOnDuty) {
      brain.outside.missed.splice(0, missed.length);
      return;
    }
    for (const move of brain.config.followMoves ? moves.take(brain.clock.now().getTime()) : []) {
      try {
        await followHandMove(brain, move);
      } catch (error) {
        brain.log.warn('follow.move', { ...move, message: String(error) });
      }
    }
    // Until here no snapshot is kept, so that a start after a crash finds them again.
    brain.outside.missed.splice(0, missed.length);
    for (const path of brain.config.followMoves ? moved : []) {
      try {
        await correctPlace(brain, path);
      } catch (error) {
        // Someone is editing the note, or its front matter cannot be edited. Its path gives the right place in any case.
        brain.log.warn('follow.place', { path, message: String(error) });
      }
    }
    // Whoever had the duty before may have left maps as they were.
    const failed = await refreshOwnWings(brain, wasOnDuty ? stale : undefined);
    for (const { wing } of failed) wings.add(wing);
  }

  return {
    async close() {
      stopHearing();
      stopNoting();
      stopWatching();
      await quiet.close();
    },
  };
}

/** Returns the wings whose maps show the note, before or after the change: its own, and those joined by a tunnel. */
function touchedWings({ catalog }: Brain, { path, before, after }: OutsideChange): Wing[] {
  const wing = wingOfPath(path);
  if (wing === null) return [];
  const digging = catalog.linksTo(path).filter((from) => catalog.record(from)?.tunnels.includes(path));
  const joined = [...(before?.tunnels ?? []), ...(after?.tunnels ?? []), ...digging].map(wingOfPath);
  return [wing, ...joined].filter((each) => each !== null);
}

/**
 * Sets the wing and hall of a note's front matter to the folders of its path. A note that names neither, and a locked one, are
 * left unchanged.
 */
function correctPlace(brain: Brain, path: VaultPath): Promise<void> {
  return changeVault(brain, async (): Promise<Change<void>> => {
    const nothing = { plan: null, result: undefined };
    const text = await brain.vault.read(path);
    const note = brain.catalog.record(path);
    if (text === null || note === undefined) return nothing;
    const { wing, hall } = parseNote(text).frontmatter;
    if ((wing ?? hall ?? null) === null || isLocked(text)) return nothing;
    const set: Record<string, string> = {
      ...(note.wing !== null && wing !== note.wing && { wing: note.wing }),
      ...(note.hall !== null && hall !== note.hall && { hall: note.hall }),
    };
    if (Object.keys(set).length === 0) return nothing;
    const step = { kind: 'edit', path, before: sha256(text), text: setKeys(text, set).text } as const;
    // The person who moved the note has decided where it stands.
    return { plan: { op: 'follow', steps: [step] }, result: undefined, forOwner: true };
  });
}
