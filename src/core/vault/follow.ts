import { sha256 } from '../base/hash';
import { refreshCatalog } from '../catalog/load';
import type { OutsideChange } from '../catalog/outside-changes';
import { noteStatus } from '../catalog/record';
import { setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/lock';
import { parseNote } from '../frontmatter/parse';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { refreshOwnWings } from '../wings/refresh';

/**
 * Nothing is done before the vault has been quiet for so long, in milliseconds: a folder that is moved comes in many pieces.
 */
const QUIET_MS = 2000;
/** After so many waits it is done all the same: someone may be typing for an hour. */
const MAX_WAITS = 15;

interface Following {
  /** Stops listening and resolves when what is being done has ended. What waits is left; the next start makes the maps anew. */
  close(): Promise<void>;
}

/**
 * Keeps up with what people and other programs do to the wiki behind the service's back: the maps of the wings that a
 * change touched are brought up to date, and a note that appears at a place other than its front matter names gets the wing
 * and hall of that place (setting `followMoves`). Hand edits get no stamps and no history. What stood there when the vault
 * was opened is left as it is.
 *
 * @param sleep resolves after so many milliseconds without keeping the process alive
 */
export function followVault(brain: Brain, sleep: (milliseconds: number) => Promise<void>): Following {
  const wings = new Set<Wing>();
  const appeared = new Set<VaultPath>();
  let asked = 0;
  let done = 0;
  let stopped = false;
  let following = false;
  let settling: Promise<void> = Promise.resolve();

  const stopHearing = brain.outside.on((change) => {
    const touched = touchedWings(brain, change);
    for (const wing of touched) wings.add(wing);
    if (change.appeared && wingOfPath(change.path) !== null) appeared.add(change.path);
    if (touched.length > 0) wake();
  });
  // Nobody may read the vault for hours; then the catalog does not learn of a change by itself.
  const stopWatching = brain.vault.changes(({ path }) => {
    if (wingOfPath(path) !== null && noteStatus(path) !== null) wake();
  });

  function wake(): void {
    asked += 1;
    if (!following) void follow();
  }

  async function follow(): Promise<void> {
    following = true;
    while (done < asked) {
      await quiet();
      if (stopped) return;
      // What happens from here on is another change.
      done = asked;
      await (settling = settle().catch((error: unknown) => {
        brain.log.error('follow.settle', { message: String(error) });
      }));
    }
    following = false;
  }

  /** Resolves when nothing has happened for a while and the vault has been read, or after a long wait. */
  async function quiet(): Promise<void> {
    let seen = -1;
    for (let waits = 0; !stopped && (!brain.isReady() || (seen !== asked && waits < MAX_WAITS)); waits += 1) {
      seen = asked;
      await sleep(QUIET_MS);
    }
  }

  async function settle(): Promise<void> {
    await refreshCatalog(brain);
    const [moved, stale] = [[...appeared], [...wings]];
    appeared.clear();
    wings.clear();
    for (const path of brain.config.followMoves ? moved : []) {
      try {
        await correctPlace(brain, path);
      } catch (error) {
        // Someone is at work on it, or its front matter cannot be edited: it is right by its path in any case.
        brain.log.warn('follow.place', { path, message: String(error) });
      }
    }
    await refreshOwnWings(brain, stale);
  }

  return {
    async close() {
      stopped = true;
      stopHearing();
      stopWatching();
      await settling;
    },
  };
}

/** The wings whose maps show the note, as it was or as it is: its own, and those that a tunnel joins to it. */
function touchedWings({ catalog }: Brain, { path, before, after }: OutsideChange): Wing[] {
  const wing = wingOfPath(path);
  if (wing === null) return [];
  const digging = catalog.linksTo(path).filter((from) => catalog.record(from)?.tunnels.includes(path));
  const joined = [...(before?.tunnels ?? []), ...(after?.tunnels ?? []), ...digging].map(wingOfPath);
  return [wing, ...joined].filter((each) => each !== null);
}

/**
 * Brings the wing and hall of a note's front matter in line with the folders it lies in. A note that names neither, and one
 * that is locked, are left alone.
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
    return { plan: { op: 'follow', steps: [step] }, result: undefined };
  });
}
