import { randomFrom } from '../../bench/support';
import { SEED } from '../fuzz/fuzz';
import { IS_NIGHT } from '../support/by-night';
import type { MemoryFileSystem } from '../support/memory-file-system';
import { ACTS } from './acts';
import { expectNothingLost } from './expected';
import { CRASHES, FAILURES, type FaultCase, LASTING } from './faults';
import { attempt, expectRefused, expectSettled, type Stage, stageOf } from './stage';
import type { Running, Start } from './world';

/**
 * Calls looked at of each fault and act, others for each of both: two or three, unless `BRAIN_FAULT_SAMPLES` says how many.
 * `BRAIN_LONG_TESTS=1` takes all, which takes hours. With another `BRAIN_FUZZ_SEED` the matrix looks at others.
 */
export const SAMPLES = IS_NIGHT ? Infinity : Number(process.env.BRAIN_FAULT_SAMPLES ?? 2);
const SHIFT = Math.abs(Math.trunc(SEED));
/** Starts are cut at their first calls, then at later ones, each on what the one before has left. */
const CUT_STEP = SAMPLES === Infinity ? 5 : 31;

const CRASH: FaultCase = { name: 'a crash before', fault: { kind: 'crash-before' } };

const EVERY: readonly FaultCase[] = [...FAILURES, ...LASTING, ...CRASHES];

/** The acts with their places in the list, by which each looks at other calls. */
export const STAGED = Object.entries(ACTS).map(([name, act], index) => ({ name, act, index }));

/** What must hold after an act that met a single failure: refused with everything as it was, or done and durable. */
export async function expectUnharmed(
  stage: Stage,
  world: MemoryFileSystem,
  running: Running,
  error: unknown,
): Promise<void> {
  const { expected } = stage;
  if (error !== null) await expectRefused(world, running, expected);
  // What was acknowledged must be durable, whatever has failed since.
  const cut = world.clone();
  await running.stop();
  cut.losePower();
  await expectSettled(cut, stage, { acknowledged: expected.act.derived !== true, crashed: false });
  await expectSettled(world, stage, { acknowledged: true, crashed: false });
}

/** The same after a failure that stays: nothing is lost meanwhile, and the next start finishes or undoes the act. */
export async function expectBounded(
  stage: Stage,
  world: MemoryFileSystem,
  running: Running,
  error: unknown,
): Promise<void> {
  expectNothingLost(world, stage.expected);
  await running.abandon();
  await expectSettled(world, stage, { acknowledged: error === null, crashed: true });
}

/**
 * Every operation that changes something, with every kind of fault, at every call to the file system, on one host. Says at the
 * end how many cases it had.
 */
export function describeMatrix(host: string, start: Start, { tears = false } = {}): void {
  const counts = { cases: 0, calls: 0, cuts: 0 };
  if (SAMPLES > 2) jest.setTimeout(3_600_000);

  /** Does the act with the fault at the calls that this run looks at. */
  async function atCalls(
    stage: Stage,
    fault: FaultCase,
    which: number,
    check: (world: MemoryFileSystem, running: Running, error: unknown, call: number) => Promise<void>,
  ): Promise<void> {
    const { only } = fault.fault;
    const total = stage.calls.filter((name) => only === undefined || [only].flat().includes(name)).length;
    const step = Math.max(1, Math.ceil(total / SAMPLES));
    for (let call = 1 + ((which + 5 * EVERY.indexOf(fault) + SHIFT) % step); ; call += step) {
      const outcome = await attempt(stage, fault, call);
      if (outcome === null) return;
      counts.cases += 1;
      const { world, running, error } = outcome;
      try {
        await check(world, running, error, call);
      } catch (problem) {
        throw new Error(`${fault.name} at call ${call}, ${running.fs.struck}`, { cause: problem });
      }
    }
  }

  /** Starts the service and lets it die at the k-th call; resolves false when the start makes fewer. */
  async function isCut(
    world: MemoryFileSystem,
    { fault, power }: FaultCase,
    call: number,
    random: () => number,
  ): Promise<boolean> {
    let armed: Running['fs'] | undefined;
    try {
      const running = await start(world, (fs) => {
        armed = fs;
        fs.arm({ ...fault, call });
      });
      // What the start does not need, as keeping the maps, may fail unheard.
      const { hit } = running.fs;
      await running.abandon();
      if (!hit) return false;
    } catch (error) {
      if (armed?.struck === '') throw error;
    }
    if (power !== undefined) world.losePower(() => power(random));
    return true;
  }

  describe.each(STAGED)(`$name, ${host}`, ({ act, index }) => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await stageOf(start, act, tears);
      counts.calls += stage.calls.length;
    });

    it.each(FAILURES)('is refused with everything as it was, or stands, after $name at any call', (fault) =>
      atCalls(stage, fault, index, (world, running, error) => expectUnharmed(stage, world, running, error)),
    );

    it.each(LASTING)('is whole or not there once there is no more $name', (fault) =>
      atCalls(stage, fault, index + 3, (world, running, error) =>
        expectBounded(stage, world, running, error),
      ),
    );

    it.each(CRASHES)('is whole or not there after the start that follows $name any call', (fault) =>
      atCalls(stage, fault, index + 5, async (world, running, _error, call) => {
        await running.abandon();
        const random = randomFrom(call * 1000 + index);
        if (fault.power !== undefined) world.losePower(() => fault.power?.(random) ?? true);
        expectNothingLost(world, stage.expected);
        // What a process has acknowledged after its death nobody has heard.
        await expectSettled(world, stage, { acknowledged: false, crashed: true });
      }),
    );

    it.each(CRASHES)(
      'is so too when that start meets $name any call of it, and the next one again',
      (fault) =>
        atCalls(stage, CRASH, index + 7, async (world, running, _error, call) => {
          await running.abandon();
          const random = randomFrom(call * 1000 + index);
          for (let cut = 1 + (call % CUT_STEP); await isCut(world, fault, cut, random); cut += CUT_STEP) {
            counts.cuts += 1;
            expectNothingLost(world, stage.expected);
          }
          await expectSettled(world, stage, { acknowledged: false, crashed: true });
        }),
    );
  });

  afterAll(() => {
    process.stdout.write(
      `fault matrix, ${host}: ${STAGED.length} operations × ${EVERY.length} faults, ${counts.calls} calls, ${counts.cases} cases, ${counts.cuts} starts cut\n`,
    );
  });
}
