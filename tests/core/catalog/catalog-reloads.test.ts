import fc from 'fast-check';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { answers, PATHS, TEXTS } from '../../support/catalog-answers';
import { catalogWorld, type Opened, SNAPSHOT } from '../../support/catalog-world';

/** `BRAIN_LONG_TESTS=10000 npx jest catalog-reloads` takes one sequence of so many steps. */
const LONG = Number(process.env.BRAIN_LONG_TESTS ?? 0);
const SIZES = LONG > 0 ? { minLength: LONG, maxLength: LONG } : { maxLength: 30 };

const step = fc.record({
  kind: fc.constantFrom(
    'write',
    'write',
    'theirs',
    'theirs',
    'remove',
    'rename',
    'refresh',
    'reopen',
    'kill',
    'damage',
  ),
  path: fc.constantFrom(...PATHS),
  other: fc.constantFrom(...PATHS),
  text: fc.constantFrom(...TEXTS),
  /** Passes before the step; some changes fall into one tick of the clock. */
  wait: fc.constantFrom(0, 0, 1, 1500, 60_000),
  /** True when the service runs while the step is done to the files. */
  running: fc.boolean(),
  at: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type World = ReturnType<typeof catalogWorld>;

function damage({ state }: World, at: number): void {
  const bytes = state.blobs.get(SNAPSHOT)?.slice();
  if (bytes === undefined) return;
  const place = at % bytes.length;
  bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
  state.blobs.set(SNAPSHOT, at % 3 === 0 ? bytes.slice(0, place) : bytes);
}

/** What the step does to the files and, when the service runs, to the catalog. */
async function change(
  { vault }: World,
  { kind, path, other, text }: Step,
  opened: Opened | null,
): Promise<void> {
  if (kind === 'theirs') vault.outside(path, text);
  if (kind === 'remove') vault.outside(path, null);
  if (kind === 'rename' && vault.files.has(path) && other !== path) {
    vault.outside(other, vault.files.get(path) ?? '');
    vault.outside(path, null);
  }
  if (kind !== 'write' || opened === null) return;
  const at = vaultPath(path);
  if (!(await vault.create(at, text))) await vault.edit(at, () => text);
  const stat = await vault.stat(at);
  if (stat !== null) opened.catalog.put(at, text, stat);
}

async function expectAsFromScratch(world: World, opened: Opened): Promise<void> {
  await opened.refresh();
  const fresh = catalogWorld();
  // The same files with their times, and no snapshot.
  Object.assign(fresh.vault, { list: world.vault.list, stat: world.vault.stat, read: world.vault.read });
  const { catalog } = await fresh.open();
  expect(JSON.stringify(answers(opened.catalog))).toBe(JSON.stringify(answers(catalog)));
}

it(
  'answers exactly as a catalog built from scratch after any changes, reloads and damage',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, SIZES), async (steps) => {
        const world = catalogWorld({ [PATHS[0] ?? '']: TEXTS[2] ?? '' });
        let opened = await world.open();
        for (const each of steps) {
          world.clock.advance(each.wait);
          if (each.kind === 'refresh') await opened.refresh();
          const stops = ['reopen', 'kill', 'damage'].includes(each.kind);
          if (!stops && each.running) {
            await change(world, each, opened);
            continue;
          }
          if (each.kind === 'kill') opened.kill();
          else await opened.close();
          if (each.kind === 'damage') damage(world, each.at);
          await change(world, each, null);
          opened = await world.open();
          if (stops) await expectAsFromScratch(world, opened);
        }
        await expectAsFromScratch(world, opened);
        await opened.close();
        await expectAsFromScratch(world, await world.open());
      }),
      { numRuns: LONG > 0 ? 1 : 150 },
    );
  },
  LONG > 0 ? 3_600_000 : 120_000,
);
