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
import { restarted, type Running, start, vaultWith } from './world';

/** A vault in which an act is about to be done, settled. */
export interface Stage {
  readonly disk: MemoryFileSystem;
  readonly expected: Expected;
  /** Names of the calls to the file system that the act makes without a fault. */
  readonly calls: readonly string[];
}

export async function stageOf(act: Act): Promise<Stage> {
  const disk = await vaultWith(FILES);
  await restarted(disk);
  if (act.prepare !== undefined) {
    const running = await start(disk);
    await act.prepare(running);
    await running.stop();
  }
  await restarted(disk);
  disk.losePower(() => true);
  const before = momentOf(disk);
  const done = disk.clone();
  const running = await start(done);
  running.fs.arm();
  await act.run(running);
  const calls = running.fs.calls.map((call) => call.split(' ', 1)[0] ?? '');
  await running.stop();
  await restarted(done);
  const after = momentOf(done);
  expect(after).not.toEqual(before);
  return { disk, expected: { act, before, after }, calls };
}

/** What came of the act with the fault at the k-th call; null when it makes fewer. */
export async function attempt({ disk, expected }: Stage, { fault }: FaultCase, call: number) {
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
  await expected.act.run(running);
}

/** After a start: before or after, tidy; a second start agrees; and where it has not happened it can be done. */
export async function expectSettled(
  world: MemoryFileSystem,
  expected: Expected,
  { acknowledged, crashed }: { acknowledged: boolean; crashed: boolean },
): Promise<void> {
  expect((await restarted(world)).attention).toEqual([]);
  expectNothingLost(world, expected);
  const happened = expectEither(world, expected);
  await expectTidy(world, crashed);
  const settled = momentOf(world);
  expect(await restarted(world)).toMatchObject({ finished: [], undone: [], attention: [] });
  expect(momentOf(world).vault).toEqual(settled.vault);
  if (acknowledged) return expectAfter(world, expected);
  if (happened) return;
  const running = await start(world);
  await expected.act.run(running);
  await running.stop();
  await restarted(world);
  expectAfter(world, expected);
}
