import { comparePlaces, type PastChange } from '../storage/change-log';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import type { Past, PastReader } from './past';
import { textBefore } from './trail';

/** The operations after which a note still has the name that it had in the queue. */
const KEEPS_ORIGIN = ['promote', 'reject', 'move'];

interface Brain {
  readonly past: Pick<Past, 'read'>;
}

/**
 * Resolves with the path that the note at `path` had in the queue before its last promotion or rejection, perhaps to another place from
 * which it was moved; null when the past does not have it.
 */
export async function originOf({ past }: Brain, path: VaultPath): Promise<VaultPath | null> {
  return originBefore(await past.read(), path, null);
}

async function originBefore(
  past: PastReader,
  path: VaultPath,
  before: PastChange | null,
): Promise<VaultPath | null> {
  for (const change of (await past.naming(path)).reverse()) {
    if (before !== null && comparePlaces(change, before) >= 0) continue;
    const from = movesIn(change).get(path);
    if (from === undefined) continue;
    const origin = change.op === 'move' ? await originBefore(past, from, change) : queued(from);
    if (origin !== null) return origin;
  }
  return (await past.telling('origin', path)).at(-1)?.data?.origin?.from ?? null;
}

/** Resolves with the paths that all notes had in the queue, by the paths to which they came from there. */
export async function allOrigins({ past }: Brain): Promise<Map<VaultPath, VaultPath>> {
  const reader = await past.read();
  const origins = new Map<VaultPath, VaultPath>();
  for (const { data } of await reader.telling('origin'))
    if (data?.origin !== undefined) origins.set(data.origin.path, data.origin.from);
  for (const change of await reader.of(KEEPS_ORIGIN)) {
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
