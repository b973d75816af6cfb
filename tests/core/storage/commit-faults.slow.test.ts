import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { historyPath } from '../../../src/core/storage/history';
import type { Plan, Step } from '../../../src/core/storage/plan';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import type { Fault, FaultKind } from '../../support/faulty-file-system';
import {
  DEVICE,
  type Image,
  type StorageWorld,
  withDiskWorld,
  withMemoryWorld,
} from '../../support/storage-world';

const RAW = vaultPath('raw/2026-11-20-mtu.md');
const WIKI = vaultPath('wiki/home/facts/mtu.md');
const NEW = vaultPath('wiki/new/decisions/mtu.md');
const OTHER = vaultPath('wiki/home/facts/other.md');

/** An empty folder of the person's own must come through everything. */
const FILES = { [RAW]: 'raw ß\r\n', [OTHER]: 'other', 'wiki/empty/hall/': '', 'knowledge/': '' };

const remove: Step = { kind: 'remove', path: RAW, before: sha256(FILES[RAW] ?? '') };
const edit: Step = { kind: 'edit', path: OTHER, before: sha256('other'), text: 'other, edited' };
const PLANS: Readonly<Record<string, Plan>> = {
  write: { op: 'write', steps: [{ kind: 'create', path: WIKI, text: 'written' }] },
  'write into new folders': { op: 'write', steps: [{ kind: 'create', path: NEW, text: 'written' }] },
  update: { op: 'update', steps: [edit] },
  remove: { op: 'remove', steps: [remove] },
  promote: { op: 'promote', steps: [{ kind: 'create', path: WIKI, text: 'promoted' }, remove] },
  'promote into a new wing': {
    op: 'promote',
    steps: [{ kind: 'create', path: NEW, text: 'promoted' }, remove],
  },
  'three steps': { op: 'merge', steps: [{ kind: 'create', path: NEW, text: 'promoted' }, edit, remove] },
};

/** The vault after the plan. */
function carriedOut(image: Image, plan: Plan): Image {
  const after: Record<string, string> = { ...image };
  for (const step of plan.steps) {
    if (step.kind === 'remove') delete after[step.path];
    else after[step.path] = step.text;
    const parents = step.path.split('/').slice(0, -1);
    if (step.kind === 'create')
      parents.forEach((_, index) => (after[`${parents.slice(0, index + 1).join('/')}/`] = ''));
  }
  return after;
}

/** Every text that stood in the vault still stands there or in the history. */
function expectNothingLost(everything: Image): void {
  for (const [path, text] of Object.entries(FILES)) {
    if (path.endsWith('/')) continue;
    const kept = everything[path] === text || everything[`.brain/${historyPath(sha256(text))}`] === text;
    expect({ path, kept }).toEqual({ path, kept: true });
  }
}

/** After a start: exactly before or after, nothing lost, nothing temporary, nothing unfinished; and a second start agrees. */
async function expectSettled(world: StorageWorld, plan: Plan, before: Image): Promise<void> {
  const { error, report } = await world.recover();
  expect(error).toBeNull();
  expect(report?.attention).toEqual([]);
  const image = await world.image();
  expect([before, carriedOut(before, plan)]).toContainEqual(image);
  const everything = await world.everything();
  expectNothingLost(everything);
  expect(Object.keys(everything).filter((path) => path.includes('/tmp/') && !path.endsWith('/tmp/'))).toEqual(
    [],
  );
  expect((everything[`.brain/local.${DEVICE}/journal.jsonl`] ?? '').trim()).toBe('');
  expect((await world.recover()).report).toEqual({ finished: [], undone: [], attention: [] });
  expect(await world.everything()).toEqual(everything);
}

/** Commits with the fault at the first call, the second, … until no call is left to fail, and checks each time. */
async function atEveryCall(
  world: StorageWorld,
  plan: Plan,
  fault: Omit<Fault, 'call'>,
  check: (error: unknown, call: number) => Promise<void>,
): Promise<void> {
  for (let call = 1; ; call += 1) {
    const { hit, error } = await world.commit(plan, { ...fault, call });
    if (!hit) {
      expect(error).toBeNull();
      expect(call).toBeGreaterThan(1);
      return;
    }
    await check(error, call);
    await world.reset();
  }
}

const ERRORS: Omit<Fault, 'call'>[] = [
  { kind: 'error-before', code: 'EIO' },
  { kind: 'error-before', code: 'ENOSPC' },
  { kind: 'error-after', code: 'EIO' },
  { kind: 'lie', only: 'write' },
  { kind: 'short', only: 'write' },
];

const CRASHES: FaultKind[] = ['crash-before', 'crash-after'];

/** All of it in memory; on the disk, which is slow, as much as shows that the memory behaves like it. */
const WORLDS = [
  {
    world: 'memory',
    withWorld: withMemoryWorld,
    plans: Object.entries(PLANS),
    crashes: CRASHES,
    errors: ERRORS,
  },
  {
    world: 'the disk',
    withWorld: withDiskWorld,
    plans: Object.entries(PLANS).filter(([name]) => name === 'promote into a new wing'),
    crashes: CRASHES.slice(0, 1),
    errors: ERRORS.filter(({ kind }) => kind === 'error-after'),
  },
];

describe.each(WORLDS)('in $world', ({ withWorld, plans, crashes, errors }) => {
  describe.each(plans)('%s', (_, plan) => {
    it.each(crashes)('is settled after a %s of any call', (kind) =>
      withWorld(FILES, async (world) => {
        const before = await world.image();
        await atEveryCall(world, plan, { kind }, async () => {
          expectNothingLost(await world.everything());
          await expectSettled(world, plan, before);
        });
        expect(await world.image()).toEqual(carriedOut(before, plan));
      }),
    );

    it.each(errors)('rejects with the vault as it was, or stands, after $kind of any call', (fault) =>
      withWorld(FILES, async (world) => {
        const before = await world.image();
        const after = carriedOut(before, plan);
        await atEveryCall(world, plan, fault, async (error, call) => {
          expect({ call, image: await world.image() }).toEqual({
            call,
            image: error === null ? after : before,
          });
          if (fault.kind === 'short') expect(error).toBeNull();
          await expectSettled(world, plan, before);
          expect(await world.image()).toEqual(error === null ? after : before);
        });
      }),
    );

    it('is carried out or left alone after a disk that is full from any write on', () =>
      withWorld(FILES, async (world) => {
        const before = await world.image();
        const full = { kind: 'error-before', code: 'ENOSPC', only: 'write', times: 1000 } as const;
        await atEveryCall(world, plan, full, async (error) => {
          expectNothingLost(await world.everything());
          if (error === null) expect(await world.image()).toEqual(carriedOut(before, plan));
          await expectSettled(world, plan, before);
        });
      }));
  });
});

describe.each(Object.entries(PLANS))('%s, when the power goes', (_, plan) => {
  it('has happened once it was acknowledged', () =>
    withMemoryWorld(FILES, async (world) => {
      const before = await world.image();
      const { error } = await world.commit(plan);
      expect(error).toBeNull();
      world.losePower();
      const { report } = await world.recover();
      expect(report?.attention).toEqual([]);
      expect(await world.image()).toEqual(carriedOut(before, plan));
      expectNothingLost(await world.everything());
    }));

  it('has happened or not, whatever the disk had written by then', () =>
    withMemoryWorld(FILES, async (world) => {
      const before = await world.image();
      for (const keep of [() => false, () => true]) {
        await atEveryCall(world, plan, { kind: 'crash-after' }, async () => {
          world.losePower(keep);
          await expectSettled(world, plan, before);
        });
      }
    }));
});

describe('any plan, any fault', () => {
  const kinds: FaultKind[] = ['crash-before', 'crash-after', 'error-before', 'error-after', 'short', 'lie'];
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constant('x'.repeat(2000)));
  const create = fc.record({
    kind: fc.constant('create' as const),
    path: fc.constantFrom(WIKI, NEW, vaultPath('knowledge/a.md'), vaultPath('wiki/empty/hall/a.md')),
    text,
  });
  const change = fc.oneof(
    fc.constant(remove),
    text.map((each): Step => ({ kind: 'edit', path: OTHER, before: sha256('other'), text: each })),
  );
  const steps = fc.tuple(
    fc.uniqueArray(create, { maxLength: 2, selector: (step) => step.path }),
    fc.uniqueArray(change, { maxLength: 2, selector: (step) => step.path }),
  );
  const anyPlan = steps.map((parts): Plan => ({ op: 'any', steps: parts.flat() }));
  const anyFault = fc.record({ call: fc.integer({ min: 1, max: 90 }), kind: fc.constantFrom(...kinds) });
  const crash = fc.record({
    call: fc.integer({ min: 1, max: 60 }),
    kind: fc.constantFrom(...CRASHES),
  });
  /** A disk that fails, and then a crash while that is taken back. */
  const failThenCrash = fc.record({
    call: fc.integer({ min: 1, max: 90 }),
    kind: fc.constantFrom<FaultKind>('error-before', 'error-after', 'lie'),
    then: fc.record({ calls: fc.integer({ min: 1, max: 25 }), kind: fc.constantFrom(...CRASHES) }),
  });

  it('leaves the vault exactly before or after, also when the recovery is cut, twice', () =>
    withMemoryWorld(FILES, async (world) => {
      const before = await world.image();
      await fc.assert(
        fc.asyncProperty(anyPlan, anyFault, fc.array(crash, { maxLength: 2 }), async (plan, fault, cuts) => {
          await world.reset();
          const { error } = await world.commit(plan, fault);
          if (error === null) expect(await world.image()).toEqual(carriedOut(before, plan));
          else if (!fault.kind.startsWith('crash')) expect(await world.image()).toEqual(before);
          for (const cut of cuts) {
            await world.recover(cut);
            expectNothingLost(await world.everything());
          }
          await expectSettled(world, plan, before);
          if (error === null) expect(await world.image()).toEqual(carriedOut(before, plan));
        }),
        { numRuns: 1000 },
      );
    }));

  it('leaves the vault exactly before or after when taking it back is cut as well', () =>
    withMemoryWorld(FILES, async (world) => {
      const before = await world.image();
      let [drawn, cuts] = [0, 0];
      await fc.assert(
        fc.asyncProperty(anyPlan, failThenCrash, async (plan, fault) => {
          drawn += 1;
          await world.reset();
          const { hit } = await world.commit(plan, fault);
          if (hit) cuts += 1;
          expectNothingLost(await world.everything());
          await expectSettled(world, plan, before);
        }),
        { numRuns: 1000 },
      );
      expect(cuts).toBeGreaterThan(drawn / 5);
    }));

  it('leaves the vault exactly before or after when power goes again and again, and keeps what it acknowledged', () =>
    withMemoryWorld(FILES, async (world) => {
      const before = await world.image();
      const power = fc.record({ at: crash, kept: fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }) });
      await fc.assert(
        fc.asyncProperty(
          anyPlan,
          fc.array(power, { minLength: 1, maxLength: 3 }),
          async (plan, [first, ...later]) => {
            await world.reset();
            const { error } = await world.commit(plan, first?.at);
            for (const cut of [first, ...later]) {
              let asked = 0;
              world.losePower(() => cut?.kept[(asked += 1) % cut.kept.length] === true);
              expectNothingLost(await world.everything());
              await world.recover(cut?.at);
            }
            await expectSettled(world, plan, before);
            if (error === null) expect(await world.image()).toEqual(carriedOut(before, plan));
          },
        ),
        { numRuns: 1000 },
      );
    }));
});
