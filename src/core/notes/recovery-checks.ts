import type { Brain } from '../brain';
import { journalPath, openRecords } from '../journal';
import { type VaultPath, zoneOf } from '../rules/paths';
import { isSha, sha256 } from '../rules/hash';
import { type Check, someOf } from './check';

/** A device may be in the middle of a change while its folder is synced here; after so long it is not. In milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;
/** The key of notes that say nothing: they have nothing in common. */
const NOTHING = sha256('');

/** What start-up finished, undid, and leaves to a person. */
export function recoveryCheck({ recovery }: Pick<Brain, 'recovery'>): Check {
  const name = 'recovery';
  const { finished, undone, attention } = recovery;
  const settled = [
    ...(finished.length === 0 ? [] : [`Finished at start: ${someOf(finished)}.`]),
    ...(undone.length === 0 ? [] : [`Undone at start: ${someOf(undone)}.`]),
  ];
  if (attention.length > 0) {
    return {
      name,
      state: 'warning',
      message: [...attention, ...settled].join(' '),
      fix: 'Look at the named notes and keep what is right; nothing was deleted.',
    };
  }
  return { name, state: 'ok', message: settled.join(' ') || 'Nothing was left half done.' };
}

/** Notes of the queue that stand in the wiki as well, as a promotion that was cut without a journal would leave them. */
export async function twinsCheck(brain: Brain): Promise<Check> {
  const name = 'twins';
  const { catalog, pace } = brain;
  if (brain.reading() !== null) return { name, state: 'ok', message: 'The notes are still being read.' };
  const twins: string[] = [];
  for (const note of catalog.notes('raw')) {
    await pace.run(() => {
      if (note.content_key === NOTHING) return;
      const twin = catalog.keyOwners(note.content_key).find((path) => isPromoted(catalog, path));
      if (twin !== undefined) twins.push(`${note.path} and ${twin}`);
    });
  }
  if (twins.length === 0)
    return { name, state: 'ok', message: 'No note stands both in the queue and in the wiki.' };
  return {
    name,
    state: 'warning',
    message: `The same note in the queue and, promoted, in the wiki: ${someOf(twins)}.`,
    fix: 'Compare the two and reject the one in the queue if it adds nothing; nothing is deleted by itself.',
  };
}

function isPromoted(catalog: Brain['catalog'], path: VaultPath): boolean {
  return zoneOf(path) === 'wiki' && typeof catalog.record(path)?.frontmatter.promoted_at === 'string';
}

/** Journals of other devices that still announce changes after an hour: those devices stopped in the middle of something. */
export async function otherDevicesCheck({ state, device, clock }: Brain): Promise<Check> {
  const name = 'other devices';
  const oldest = clock.now().getTime() - ABANDONED_MS;
  const left: string[] = [];
  for (const other of await otherDevices({ state, device })) {
    const path = journalPath(other);
    const records = openRecords((await state.read(path)) ?? '');
    if (records.some(({ id }) => !(begunAt(id) > oldest))) left.push(path);
  }
  if (left.length === 0) {
    return { name, state: 'ok', message: 'No other device left an unfinished change here.' };
  }
  return {
    name,
    state: 'warning',
    message: `Another device has unfinished changes: ${left.join(', ')}.`,
    fix: 'Start Brain Server on that device; it settles them.',
  };
}

/** When a change was announced, in milliseconds since the epoch; NaN when its id does not say. */
function begunAt(id: string): number {
  return Number(/^(\d+)-/.exec(id)?.[1]);
}

/**
 * Files of the service's own state that belong to nothing. With `probe` also the history is looked through, which may be
 * long.
 */
export async function orphansCheck(
  { state, device, pace }: Brain,
  { probe }: { readonly probe: boolean },
): Promise<Check> {
  const name = 'orphans';
  const orphans: string[] = [];
  for (const other of await otherDevices({ state, device })) {
    orphans.push(...(await state.list(`local.${other}/tmp`)));
  }
  for (const path of probe ? await state.list('history') : []) {
    await pace.run(() => {
      if (!isVersion(path)) orphans.push(path);
    });
  }
  if (orphans.length === 0) return { name, state: 'ok', message: 'No file of the service lies about.' };
  return {
    name,
    state: 'warning',
    message: `Files in .brain that belong to nothing: ${someOf(orphans)}.`,
    fix: 'Look whether you need them, then delete them. A device that works at this moment has some for an instant.',
  };
}

/** True for the path at which a version is kept: `history/<first two digits>/<hash>.md`. */
function isVersion(path: string): boolean {
  const [, folder = '', hash = ''] = /^history\/([^/]+)\/([^/]+)\.md$/.exec(path) ?? [];
  return isSha(hash) && hash.startsWith(folder) && folder.length === 2;
}

async function otherDevices({ state, device }: Pick<Brain, 'state' | 'device'>): Promise<string[]> {
  return (await state.folders('')).flatMap((folder) => {
    const other = /^local\.(.+)$/.exec(folder)?.[1];
    return other === undefined || other === device ? [] : [other];
  });
}
