import { PROCESSED } from '../documents/paths';
import type { Brain } from '../operation/context';
import { type Check, someOf } from '../vocabulary/check';
import { inMebibytes } from '../vocabulary/limits';

/** Checks the logs of what happened to the notes: who writes them in an old form, and what of them is missing. */
export async function pastCheck({ past }: Pick<Brain, 'past'>): Promise<Check> {
  const name = 'past';
  const { oldDevices, copies, missing, torn } = (await past.read()).faults();
  const told = [
    oldDevices.length > 0 && `Logs of an earlier version are still written by ${someOf(oldDevices)}.`,
    missing.length > 0 && `Logs are missing between others: ${someOf(missing)}.`,
    copies.length > 0 && `A sync program has left copies of logs, which are read as well: ${someOf(copies)}.`,
    torn.length > 0 && `Lines were cut off, which are missing in the history, in ${someOf(torn)}.`,
  ].filter((part) => part !== false);
  const fixes = [
    oldDevices.length > 0 && 'Update Brain Server on those devices.',
    missing.length > 0 && 'Wait for the sync, or bring the logs back from a backup.',
    copies.length > 0 &&
      'Keep the copies. They come about when two machines have the name of one device, as after a disk was copied: give one of them another name.',
  ].filter((part) => part !== false);
  if (told.length === 0) return { name, state: 'ok', message: 'The logs of all devices are whole.' };
  const message = told.join(' ');
  // A line that was cut off stays so, and nobody can do anything about it.
  return fixes.length === 0
    ? { name, state: 'ok', message }
    : { name, state: 'warning', message, fix: fixes.join(' ') };
}

/** How long the sizes are told without another look (ms), and how often as long as the look took. */
const HOLDS_MS = 60_000;
const LOOKS_SHARE = 100;

/** Tells how much room is taken by what the service keeps. Its files are many, so they are looked at seldom. */
export async function roomCheck(
  brain: Pick<Brain, 'state' | 'vault' | 'servers' | 'device' | 'pace' | 'clock' | 'checks'>,
  { probe }: { readonly probe: boolean },
): Promise<Check> {
  const { clock, checks } = brain;
  const now = clock.now().getTime();
  let last = checks.room;
  if (probe || last === null || now < last.at || now >= last.until) {
    const message = await roomOf(brain);
    const after = clock.now().getTime();
    last = { at: now, until: after + Math.max(HOLDS_MS, LOOKS_SHARE * (after - now)), message };
    checks.room = last;
  }
  return { name: 'room', state: 'ok', message: last.message };
}

async function roomOf({
  state,
  vault,
  servers,
  device,
  pace,
}: Pick<Brain, 'state' | 'vault' | 'servers' | 'device' | 'pace'>): Promise<string> {
  const places: readonly (readonly [string, ...AsyncIterable<{ readonly size: number }>[]])[] = [
    ['Older versions', state.stats('history')],
    ['logs of changes', state.stats('past'), state.stats('changes')],
    ['texts as sent', state.stats(`local.${servers.localOf(device)}/door`)],
    ['originals', vault.list(PROCESSED)],
  ];
  const told: string[] = [];
  let all = 0;
  for (const [name, ...listings] of places) {
    let [files, bytes] = [0, 0];
    for (const listing of listings) {
      for await (const { size } of listing) {
        await pace.run(() => {
          files += 1;
          bytes += size;
        });
      }
    }
    all += bytes;
    told.push(`${name}: ${files === 0 ? 'none' : `${files}, ${inMebibytes(bytes)}`}`);
  }
  return `What is kept takes ${inMebibytes(all)}. ${told.join('; ')}.`;
}
