import { comparePlaces, type PastChange } from '../storage/change-log';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import type { PastReader } from './past';
import { textBefore } from './trail';

/** The operations after which a note still has the name that it had in the queue. */
const KEEPS_ORIGIN = ['promote', 'reject', 'withdraw', 'move'];

/**
 * Resolves with the path that the note at `path` had in the queue before its last promotion or rejection, perhaps to another place from
 * which it was moved; null when the past does not have it.
 */
export async function originOf(past: PastReader, path: VaultPath): Promise<VaultPath | null> {
  const ways = new Map<VaultPath, PastChange[]>();
  const places: VaultPath[] = [];
  let before: PastChange | null = null;
  for (let at: VaultPath | undefined = path; at !== undefined;) {
    const place: VaultPath = at;
    places.unshift(place);
    const way = ways.get(place) ?? (await past.naming(place)).filter((each) => movesIn(each).has(place));
    ways.set(place, way);
    // Those that come later are passed over when the note was here before.
    while (before !== null && way.length > 0 && comparePlaces(way.at(-1) ?? before, before) >= 0) way.pop();
    const change: PastChange | undefined = way.pop();
    const from = change && movesIn(change).get(place);
    const origin = change === undefined || from === undefined || change.op === 'move' ? null : queued(from);
    if (origin !== null) return origin;
    before = change ?? null;
    at = from;
  }
  for (const place of new Set(places)) {
    const known = (await past.telling('origin', place)).at(-1)?.data?.origin;
    if (known !== undefined) return known.from;
  }
  return null;
}

/** Resolves with the paths that all notes had in the queue, by the paths to which they came from there. */
export async function allOrigins(past: PastReader): Promise<Map<VaultPath, VaultPath>> {
  const origins = new Map<VaultPath, VaultPath>();
  for (const { data } of await past.telling('origin'))
    if (data?.origin !== undefined) origins.set(data.origin.path, data.origin.from);
  for (const change of await past.of(KEEPS_ORIGIN)) {
    for (const [path, from] of movesIn(change)) {
      const origin = change.op === 'move' ? origins.get(from) : queued(from);
      if (origin != null) origins.set(path, origin);
    }
  }
  return origins;
}

/** Returns where the notes were that the change moved, by where they came. */
function movesIn(change: PastChange): Map<VaultPath, VaultPath> {
  if (!KEEPS_ORIGIN.includes(change.op)) return new Map();
  return new Map(
    change.notes.flatMap((own): [VaultPath, VaultPath][] => {
      const from = own.before === null ? textBefore({ change, own })?.path : undefined;
      return from === undefined ? [] : [[own.path, from]];
    }),
  );
}

function queued(path: VaultPath): VaultPath | null {
  return zoneOf(path) === 'raw' ? path : null;
}
