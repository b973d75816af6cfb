import * as fc from 'fast-check';
import { listRules, setRule } from '../../../src/core/rules/operations';
import { status } from '../../../src/core/status/status';
import { followRules } from '../../../src/core/vault/follow-rules';
import { manualSleep } from '../../support/manual-sleep';
import { person } from '../../support/test-brain';
import { about, RULE, rulesWorld } from './rules-world';

const DAY_MS = 86_400_000;
const TOPICS = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elder', 'Fir', 'Gorse', 'Hazel'];

async function worldOf(count: number, rule: Record<string, unknown> = RULE) {
  const world = await rulesWorld();
  for (const topic of TOPICS.slice(0, count)) await world.propose(topic.toLowerCase(), about(topic));
  await world.switchOn(rule);
  return {
    ...world,
    promoted: () =>
      TOPICS.filter((topic) => world.files.has(`wiki/net/facts/${topic.toLowerCase()}.md`)).join(' '),
    rule: async () => (await world.run(listRules)).rules[0],
    /** Lets the disk fail as often as told when a note is promoted. */
    failing(times: number): void {
      let left = times;
      world.vault.intercept = (call, path) => {
        if (call !== 'create' || !path.startsWith('wiki/net/facts/') || left === 0) return;
        left -= 1;
        throw new Error('EIO /secret/place');
      };
    },
  };
}

describe('a run', () => {
  it('promotes at most so many a day, the oldest first, and goes on after midnight', async () => {
    const { act, promoted, clock, rule } = await worldOf(5, { ...RULE, per_day: 2 });
    await act();
    await act();
    expect(promoted()).toBe('Alder Birch');
    clock.advance(DAY_MS / 2);
    await act();
    expect(promoted()).toBe('Alder Birch');
    clock.advance(DAY_MS / 2);
    expect(await rule()).toMatchObject({ promoted: 2, promoted_today: 0 });
    await act();
    expect(promoted()).toBe('Alder Birch Cedar Damson');
    expect(await rule()).toMatchObject({ promoted: 4, promoted_today: 2 });
  });

  it('acts only on the device where the rule was switched on', async () => {
    const { act, promoted, state, rule, dryRun, run } = await worldOf(1);
    const text = (await state.read('rules.json')) ?? '';
    await state.write('rules.json', text.replaceAll('testtest', 'another1'));
    await act();
    expect(promoted()).toBe('');
    expect(await rule()).toMatchObject({ here: false, device: 'another1', on: true });
    const { tried } = await dryRun({ name: 'ci' });
    await run(setRule, { name: 'ci', on: true, tried }, person);
    await act();
    expect(promoted()).toBe('Alder');
  });

  it('ends when another device switches the rule off meanwhile', async () => {
    const { act, promoted, state, vault } = await worldOf(3);
    vault.intercept = (call, path) => {
      if (call !== 'create' || !path.startsWith('wiki/net/facts/')) return;
      state.files.set(
        'rules.json',
        (state.files.get('rules.json') ?? '').replace('"on": true', '"on": false'),
      );
    };
    await act();
    expect(promoted()).toBe('Alder');
  });

  it('switches a rule off after three failures in a row', async () => {
    const { act, promoted, failing, rule, files, run, switchOn } = await worldOf(5);
    failing(3);
    const before = new Map(files);
    await act();
    expect(files).toEqual(before);
    expect(await rule()).toMatchObject({
      on: false,
      failures: 3,
      stopped: expect.stringMatching(/^It failed 3 times in a row\. raw\/.*cedar\.md could not be promoted/),
    });
    expect((await rule())?.stopped).not.toContain('/secret');
    const { checks = [] } = await run(status);
    expect(checks.find(({ name }) => name === 'rules')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('"ci"'),
    });
    await act();
    expect(promoted()).toBe('');
    const { rule: again } = await switchOn();
    expect(again).toMatchObject({ on: true, failures: 0 });
    expect(again).not.toHaveProperty('stopped');
    await act();
    expect(promoted()).toBe('Alder Birch Cedar Damson Elder');
  });

  it('counts failures over a restart, and a success starts anew', async () => {
    const { act, promoted, failing, rule } = await worldOf(1);
    failing(3);
    await act();
    await act();
    expect(await rule()).toMatchObject({ on: true, failures: 2 });
    await act();
    expect(await rule()).toMatchObject({ on: false, failures: 3 });

    const other = await worldOf(4);
    other.failing(2);
    await other.act();
    expect(other.promoted()).toBe('Cedar Damson');
    expect(await other.rule()).toMatchObject({ on: true, failures: 0 });
    expect(promoted()).toBe('');
  });
});

async function followed(count: number) {
  const world = await worldOf(count);
  const time = manualSleep(world.clock);
  const following = followRules(world.brain, time.sleep);
  return { ...world, time, following };
}

describe('followRules', () => {
  it('acts at start, after the queue has changed and been quiet, and no more after it was closed', async () => {
    const { time, following, promoted, propose } = await followed(1);
    await time.pass(1000);
    expect(promoted()).toBe('');
    await time.pass(1000);
    expect(promoted()).toBe('Alder');
    await time.pass(4000);
    await propose('birch', about('Birch'));
    await time.pass(1000);
    expect(promoted()).toBe('Alder');
    await time.pass(4000);
    expect(promoted()).toBe('Alder Birch');
    await following.close();
    await propose('cedar', about('Cedar'));
    await time.pass(700_000);
    expect(promoted()).toBe('Alder Birch');
  });

  it('looks again when nothing tells of a new day', async () => {
    const { time, following, promoted, run, dryRun } = await followed(3);
    const { tried } = await dryRun({ ...RULE, per_day: 1 });
    await run(setRule, { ...RULE, per_day: 1, on: true, tried }, person);
    await time.pass(10_000);
    expect(promoted()).toBe('Alder');
    await time.pass(DAY_MS);
    expect(promoted()).toBe('Alder Birch');
    await following.close();
  });

  it('promotes nothing after the answer that a rule is off', async () => {
    const { time, following, promoted, run, vault } = await followed(8);
    let off: Promise<unknown> | undefined;
    vault.intercept = (call, path) => {
      if (call === 'create' && path.includes('cedar')) off ??= run(setRule, { name: 'ci' }, person);
    };
    await time.pass(5000);
    await off;
    const known = promoted();
    expect(known).toBe('Alder Birch Cedar');
    await time.pass(20_000);
    expect(promoted()).toBe(known);
    await following.close();
  });
});

describe('a queue of notes with any risks', () => {
  type World = Awaited<ReturnType<typeof rulesWorld>>;
  const MAKE: Readonly<Record<string, (world: World, topic: string) => Promise<unknown>>> = {
    ready: (world, topic) => world.propose(topic.toLowerCase(), about(topic)),
    active: (world, topic) => world.queued(topic.toLowerCase(), `${about(topic)}\n<script>1</script>\n`),
    link: (world, topic) => world.queued(topic.toLowerCase(), `${about(topic)}\n[[gone ${topic}]]\n`),
    unverified: (world, topic) =>
      world.queued(topic.toLowerCase(), about(topic), 'written_by: ci-bot\nevidence: unverified'),
    twin: async (world, topic) => {
      await world.queued(topic.toLowerCase(), about(topic));
      await world.queued(`${topic.toLowerCase()}-2`, `${about(topic)}Again.\n`);
    },
    edited: async (world, topic) => {
      const path = await world.propose(topic.toLowerCase(), about(topic));
      world.vault.outside(path, `${world.files.get(path) ?? ''}By hand.\n`);
    },
    other: (world, topic) => world.queued(topic.toLowerCase(), about(topic), 'written_by: laptop'),
    elsewhere: (world, topic) => world.propose(topic.toLowerCase(), about(topic), { hall: 'decisions' }),
    unplaced: (world, topic) =>
      world.propose(topic.toLowerCase(), about(topic), { wing: undefined, hall: undefined, slug: undefined }),
  };

  it('gives up those that are ready, and every other note stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(MAKE)), { maxLength: TOPICS.length }),
        async (kinds) => {
          const world = await rulesWorld();
          const ready: string[] = [];
          for (const [at, kind] of kinds.entries()) {
            const topic = TOPICS[at] ?? '';
            await MAKE[kind]?.(world, topic);
            if (kind === 'ready') ready.push(topic.toLowerCase());
          }
          await world.switchOn();
          const before = new Map(world.files);
          await world.act();
          const moved = (path: string): string | undefined =>
            ready.find((slug) => path === `wiki/net/facts/${slug}.md`);
          expect([...world.files.keys()].map(moved).filter(Boolean).sort()).toEqual(ready.sort());
          for (const [path, text] of before) {
            const isReady = ready.some((slug) => path === `raw/2026-11-20-${slug}.md`);
            if (!path.endsWith('_index.md')) expect(world.files.get(path)).toBe(isReady ? undefined : text);
          }
          await world.close();
        },
      ),
      { numRuns: 30 },
    );
  });
});
