import { refreshCatalog } from '../../src/core/catalog/load';
import { sha256 } from '../../src/core/base/hash';
import type { Host } from '../obsidian/index';
import type { MemoryFileSystem } from '../support/memory-file-system';
import { appHost, closeApps } from './app-host';
import { expectAfter } from './expected';
import { SAMPLES, STAGED } from './matrix';
import { stageOf } from './stage';
import { restarted, type Running, vaultOf } from './world';

/** What becomes of the k-th event that the app tells of its files. */
const LOSSES = ['never told', 'told twice', 'told when all is over'] as const;
type Loss = (typeof LOSSES)[number];

const counts = { cases: 0, events: 0 };

/** An app that tells all events but one, counted from 1; `told` says how many there were. */
function tellingApp(loss: Loss, call: number) {
  let count = 0;
  let isArmed = false;
  const late: (() => void)[] = [];
  const start = appHost({
    opened: ({ app: { vault } }: Host) => {
      const tell = vault.trigger.bind(vault);
      vault.trigger = (name, ...data) => {
        if (isArmed) count += 1;
        if (!isArmed || count !== call) return tell(name, ...data);
        if (loss === 'told twice') tell(name, ...data);
        if (loss === 'told twice') tell(name, ...data);
        if (loss === 'told when all is over') late.push(() => tell(name, ...data));
      };
    },
  });
  return {
    start,
    arm: () => void (isArmed = true),
    rest: () => late.forEach((each) => each()),
    told: () => count,
  };
}

/** The service knows exactly the notes that stand, as they are. */
async function expectInStep({ brain }: Running, disk: MemoryFileSystem): Promise<void> {
  await refreshCatalog(brain);
  const known = brain.catalog.notes().map(({ path, content_hash }) => [path, content_hash]);
  const stand = Object.entries(vaultOf(disk)).filter(
    ([path]) => /^(wiki|knowledge|raw|Projects)\/.*\.md$/.test(path) && !path.endsWith('/_index.md'),
  );
  expect(known.sort()).toEqual(stand.map(([path, text]) => [path, sha256(text)]).sort());
}

describe.each(STAGED)('$name, in an app that is lax about telling', ({ act, index }) => {
  it.each(LOSSES)('does all of it and knows what stands when any event is %s', async (loss) => {
    const stage = await stageOf(appHost(), act);
    const total = await (async () => {
      const app = tellingApp(loss, Infinity);
      const running = await app.start(stage.disk.clone());
      app.arm();
      await act.run(running);
      await running.stop();
      return app.told();
    })();
    counts.events += total;
    const step = Math.max(1, Math.ceil(total / SAMPLES));
    for (let call = 1 + (index % step); call <= total; call += step) {
      counts.cases += 1;
      const world = stage.disk.clone();
      const app = tellingApp(loss, call);
      const running = await app.start(world);
      app.arm();
      await act.run(running);
      await expectInStep(running, world);
      app.rest();
      await running.heard();
      await expectInStep(running, world);
      await running.stop();
      await restarted(stage.start, world);
      expectAfter(world, stage.expected);
    }
  });
});

afterAll(() => {
  closeApps();
  process.stdout.write(
    `events of the app: ${STAGED.length} operations × ${LOSSES.length} losses, ${counts.events} events, ${counts.cases} cases\n`,
  );
});
