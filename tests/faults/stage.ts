import { syncRecent } from '../../src/adapters/files/sync-recent';
import { silentLog } from '../support/silent-log';
import type { MemoryFileSystem } from '../support/memory-file-system';
import { type Act, FILES } from './acts';
import {
  type Expected,
  expectAfter,
  expectEachEither,
  expectEither,
  expectNothingLost,
  expectTidy,
  momentOf,
  withoutMaps,
} from './expected';
import type { FaultCase } from './faults';
import { restarted, ROOT, type Running, type Start, vaultWith } from './world';

const breathe = async (): Promise<void> => undefined;

/** A vault in which an act is about to be done, settled. */
export interface Stage {
  readonly start: Start;
  readonly disk: MemoryFileSystem;
  readonly expected: Expected;
  /** Names of the calls to the file system that the act makes without a fault. */
  readonly calls: readonly string[];
  /** True on a host that cannot cut a line back that it has written by half; whoever checks the log is told of it. */
  readonly tears: boolean;
}

export async function stageOf(start: Start, act: Act, tears = false): Promise<Stage> {
  const disk = await vaultWith(FILES);
  await restarted(start, disk);
  if (act.prepare !== undefined) {
    const running = await start(disk);
    await act.prepare(running);
    await running.stop();
  }
  await restarted(start, disk);
  disk.losePower(() => true);
  const before = momentOf(disk);
  const done = disk.clone();
  const running = await start(done);
  running.fs.arm();
  await act.run(running);
  const calls = running.fs.calls.map((call) => call.split(' ', 1)[0] ?? '');
  await running.stop();
  await restarted(start, done);
  const after = momentOf(done);
  expect(after).not.toEqual(before);
  return { start, disk, expected: { act, before, after }, calls, tears };
}

/** What came of the act with the fault at the k-th call; null when it makes fewer. */
export async function attempt({ start, disk, expected }: Stage, { fault }: FaultCase, call: number) {
  const world = disk.clone();
  const running = await start(world);
  running.fs.arm({ ...fault, call });
  const error = await failure(() => expected.act.run(running));
  const { hit } = running.fs;
  running.fs.arm();
  if (!hit) {
    expect(error).toBeNull();
    await running.stop();
    return null;
  }
  return { world, running, error };
}

export async function failure(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    return error ?? new Error('thrown');
  }
}

/** After a refusal the vault is as it was; the same once more succeeds, on the service as it stands. */
export async function expectRefused(
  world: MemoryFileSystem,
  running: Running,
  expected: Expected,
): Promise<void> {
  const { vault } = momentOf(world);
  if (expected.act.resumes === true) expectEachEither(vault, expected);
  else expect(withoutMaps(vault)).toEqual(withoutMaps(expected.before.vault));
  expectNothingLost(world, expected);
  await running.heard();
  await expected.act.run(running);
}

/** After a start: before or after, tidy; a second start agrees; and where it has not happened it can be done. */
export async function expectSettled(
  world: MemoryFileSystem,
  { start, expected, tears }: Pick<Stage, 'start' | 'expected' | 'tears'>,
  { acknowledged, crashed }: { acknowledged: boolean; crashed: boolean },
): Promise<void> {
  expect((await restarted(start, world)).attention).toEqual([]);
  expectNothingLost(world, expected);
  if (crashed) await expectDurable(world, { start, expected });
  const happened = expectEither(world, expected);
  await expectTidy(world, crashed || tears);
  const settled = momentOf(world);
  expect(await restarted(start, world)).toMatchObject({ finished: [], undone: [], attention: [] });
  expect(momentOf(world).vault).toEqual(settled.vault);
  if (acknowledged) return expectAfter(world, expected);
  if (happened) return;
  // A run that was cut leaves its lock behind, on which the next start brings to the disk what was changed lately.
  if (expected.act.resumes === true) await syncRecent(ROOT, { fs: world, now: 0, log: silentLog(), breathe });
  const running = await start(world);
  await expected.act.run(running);
  const cut = world.clone();
  await running.stop();
  await restarted(start, world);
  expectAfter(world, expected);
  if (expected.act.derived === true) return;
  // Whatever the one that was cut had left unsynced, what is acknowledged now is durable.
  cut.losePower();
  await restarted(start, cut);
  expectAfter(cut, expected);
}

/** What a start has settled stays settled: a power cut that follows tears nothing apart again. */
async function expectDurable(
  world: MemoryFileSystem,
  { start, expected }: Pick<Stage, 'start' | 'expected'>,
): Promise<void> {
  const cut = world.clone();
  cut.losePower();
  expect((await restarted(start, cut)).attention).toEqual([]);
  expectNothingLost(cut, expected);
  expectEither(cut, expected);
}
