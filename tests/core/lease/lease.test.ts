import fc from 'fast-check';
import { type Claims, type Lease, type OwnClaims, takeLease } from '../../../src/core/lease/lease';
import { IS_NIGHT } from '../../support/by-night';

/** A call that a process waits for: the world makes it when it is chosen, not before it is due. */
interface Call {
  readonly due: number;
  readonly make: () => void;
}

/** A part of a claim; the other processes see it from a time on. */
interface Part {
  readonly text: string;
  readonly by: Process;
  readonly shownAt: number;
}

/** Picks one of so many. */
type Choose = (count: number) => number;

/** A process that wants the lease of its device. Those of one machine know of each other whether they run. */
class Process {
  calls: Call[] = [];
  state: 'seeking' | 'refused' | 'holding' | 'released' = 'seeking';
  isPaused = false;
  isDead = false;
  isTold = false;
  lease: Lease | null = null;
  claim = '';
  /** The longest time for which a call of it was due and not made, since it made its claim. */
  late = 0;

  constructor(
    readonly name: string,
    readonly machine: number,
    readonly device: number,
  ) {}
}

/**
 * A vault with a folder for each device, one of which a process claims for all, in a time that passes only when the test says so.
 * Each call of a process is a step of its own.
 */
class World {
  now = 0;
  readonly processes: Process[] = [];
  readonly #folders = [new Map<number, Part[]>(), new Map<number, Part[]>()] as const;

  /** @param lag the time (ms) after which others see what was added to a claim */
  constructor(private readonly lag: number) {}

  /** Starts a process that seeks the lease. */
  start(machine: number, device: number): Process {
    const own = new Process(`p${this.processes.length}`, machine, device);
    this.processes.push(own);
    const call = <T>(work: () => T, delay = 0) =>
      new Promise<T>((resolve) => own.calls.push({ due: this.now + delay, make: () => resolve(work()) }));
    const claimsIn = (folder: Map<number, Part[]>): Claims => ({
      list: () => call(() => [...folder.keys()]),
      read: (number) => call(() => this.#seen(folder.get(number), own)),
      append: (number, text) =>
        call(() => void folder.get(number)?.push({ text, by: own, shownAt: this.now + this.lag })),
      judge: ({ text }) => call(() => this.#judge(text, own)),
      remove: (number) => call(() => void folder.delete(number)),
    });
    const [folder, other] = [this.#folders[device === 0 ? 0 : 1], this.#folders[device === 0 ? 1 : 0]];
    let claims = 0;
    const files: OwnClaims = {
      ...claimsIn(folder),
      create: async (number) => {
        const text = `${own.name} ${(claims += 1)}\n`;
        [own.claim, own.late] = [text, 0];
        const part = { text, by: own, shownAt: 0 };
        // Where there are no hard links, a claim is empty for a moment; a mark that is added then is overwritten.
        const hasLinks = machine === 0;
        const isMade = await call(
          () => !folder.has(number) && folder.set(number, hasLinks ? [part] : []) !== undefined,
        );
        if (isMade && !hasLinks) await call(() => folder.has(number) && folder.set(number, [part]));
        return isMade ? text : null;
      },
      withdraw: ({ number, text }) =>
        call(() => void (folder.get(number)?.[0]?.text === text && folder.delete(number))),
    };
    // A process may stand still before it looks at the claim of another device and removes it, and not between.
    const remove = async (number: number) => void other.delete(number);
    const others = () => call(() => [{ ...claimsIn(other), remove }]);
    const sleep = (ms: number) => call(() => undefined, ms);
    void takeLease<Claims>(files, { sleep, others, onLost: () => (own.isTold = true) }).then((taken) => {
      own.state = 'lease' in taken ? 'holding' : 'refused';
      own.lease = 'lease' in taken ? taken.lease : null;
    });
    return own;
  }

  /** Those whose next look would tell that they hold the lease. */
  holders(): Process[] {
    return this.processes.filter(
      (each) => each.state === 'holding' && !each.isDead && !this.isReplaced(each),
    );
  }

  isReplaced({ lease, claim, device }: Process): boolean {
    return lease !== null && this.#folders[device === 0 ? 0 : 1].get(lease.number)?.[0]?.text !== claim;
  }

  /** Makes one due call; resolves false when there is none. */
  async step(choose: Choose): Promise<boolean> {
    const due = this.#running().flatMap((process) =>
      process.calls.filter((call) => call.due <= this.now).map((call) => ({ process, call })),
    );
    const chosen = due[choose(due.length)];
    if (chosen === undefined) return false;
    const { process, call } = chosen;
    process.calls = process.calls.filter((other) => other !== call);
    call.make();
    // What the process does without a call belongs to the step.
    await new Promise((resolve) => setImmediate(resolve));
    this.#check();
    return true;
  }

  /** Lets all run that may, each call when it is due, for a time. */
  async run(ms: number, choose: Choose): Promise<void> {
    for (const end = this.now + ms; ;) {
      if (await this.step(choose)) continue;
      const next = Math.min(end, ...this.#running().flatMap(({ calls }) => calls.map(({ due }) => due)));
      this.pass(next - this.now);
      if (next === end) return;
    }
  }

  /** Has a process look whether it holds the lease. */
  async look({ lease }: Process): Promise<boolean | undefined> {
    const told = lease?.holds();
    await this.run(0, () => 0);
    return told;
  }

  /** Has a process let go. It may stand still before and after, and not while it does. */
  async release(process: Process): Promise<void> {
    const others = process.calls;
    process.calls = [];
    process.state = 'released';
    void process.lease?.release();
    for (let call = process.calls.pop(); call !== undefined; call = process.calls.pop()) {
      call.make();
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.calls = others;
  }

  /** Lets time pass; a call that was due meanwhile is late. */
  pass(ms: number): void {
    this.now += ms;
    for (const each of this.processes)
      for (const { due } of each.calls) each.late = Math.max(each.late, this.now - due);
  }

  #running(): Process[] {
    return this.processes.filter(({ isDead, isPaused }) => !isDead && !isPaused);
  }

  #seen(parts: readonly Part[] | undefined, by: Process): string | null {
    const isSeen = (part: Part): boolean => part.by === by || part.shownAt <= this.now;
    return parts === undefined
      ? null
      : parts
          .filter(isSeen)
          .map(({ text }) => text)
          .join('');
  }

  #judge(text: string, by: Process): 'running' | 'ended' | 'unknown' {
    const maker = this.processes.find(({ claim }) => claim !== '' && text.startsWith(claim));
    if (maker === undefined) return 'ended';
    if (maker.machine !== by.machine || (maker.isPaused && !maker.isDead)) return 'unknown';
    return maker.isDead ? 'ended' : 'running';
  }

  #check(): void {
    if (this.holders().length > 1) throw new Error('Two hold the lease.');
    for (const each of this.processes) {
      // It has five seconds to see a question; question and answer take their time to be seen.
      const isOnTime = each.late < 24_000 - 2 * this.lag;
      if (each.state === 'holding' && !each.isDead && isOnTime && this.isReplaced(each))
        throw new Error(`${each.name} was replaced, and was late by ${each.late} ms only.`);
    }
  }
}

/** Picks by a seed, the same for the same one. */
function chooser(seed: number): Choose {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

const nth = fc.nat({ max: 3 });
const seed = fc.nat();
const device = fc.nat({ max: 1 });
const ms = fc.constantFrom(100, 5_000, 29_000, 36_000);
const events = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('steps' as const),
        count: fc.integer({ min: 1, max: 25 }),
        seed,
      }),
    },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('run' as const), ms, seed }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('stand still' as const), ms }) },
    {
      weight: 4,
      arbitrary: fc.record({ what: fc.constant('start' as const), machine: fc.nat({ max: 2 }), device }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        what: fc.constantFrom('pause', 'nap', 'nap', 'resume', 'kill', 'release'),
        nth,
        ms,
        seed,
      }),
    },
  ),
  { minLength: 4, maxLength: 24 },
);
type Event = typeof events extends fc.Arbitrary<(infer T)[]> ? T : never;

async function happen(world: World, event: Event): Promise<void> {
  if (event.what === 'stand still') return world.pass(event.ms);
  if (event.what === 'run') return world.run(event.ms, chooser(event.seed));
  if (event.what === 'steps') {
    const choose = chooser(event.seed);
    for (let step = 0; step < event.count; step += 1) await world.step(choose);
    return;
  }
  const alive = world.processes.filter(({ isDead, state }) => !isDead && state !== 'refused');
  if (event.what === 'start') {
    if (alive.length < 4) world.start(event.machine, event.device);
    return;
  }
  const chosen = alive[event.nth % Math.max(1, alive.length)];
  if (chosen === undefined) return;
  if (event.what === 'kill') chosen.isDead = true;
  if (event.what === 'pause' || event.what === 'nap') chosen.isPaused = true;
  if (event.what === 'nap') await world.run(event.ms, chooser(event.seed));
  if (event.what === 'resume' || event.what === 'nap') chosen.isPaused = false;
  if (event.what === 'release' && chosen.state === 'holding') await world.release(chosen);
}

it('is never held by two, nor taken from one who answers, and is free soon after a death', async () => {
  const seen = { takenOver: 0, refused: 0, replaced: 0 };
  const property = fc.asyncProperty(
    events,
    seed,
    fc.constantFrom(0, 4_000),
    device,
    async (all, last, lag, next) => {
      const world = new World(lag);
      world.start(1, 0);
      world.start(0, 0);
      for (const event of all) await happen(world, event);

      // All who live go on undisturbed, and each gets its answer.
      for (const each of world.processes) each.isPaused = false;
      const choose = chooser(last);
      await world.run(130_000, choose);
      for (const each of world.processes) {
        if (each.isDead) continue;
        expect(each.state).not.toBe('seeking');
        if (each.state !== 'holding') continue;
        expect(each.isTold).toBe(world.isReplaced(each));
        expect(await world.look(each)).toBe(!world.isReplaced(each));
        seen.replaced += Number(each.isTold);
      }

      // Of those who come now one gets the lease when nobody has it, however the last one went; else none.
      const [holder] = world.holders();
      const fresh = [world.start(0, next), world.start(1, next)];
      await world.run(31_000, choose);
      expect(world.holders()).toHaveLength(1);
      expect(holder === undefined ? fresh : [holder]).toContain(world.holders()[0]);
      seen.refused += fresh.filter(({ state }) => state === 'refused').length;
      seen.takenOver += Number(world.holders()[0]?.lease?.tookOver);
    },
  );
  await fc.assert(property, { numRuns: IS_NIGHT ? 20_000 : 200 });
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
