import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { Past } from '../../../src/core/past/past';
import { ChangeLog, refuseNewer } from '../../../src/core/storage/change-log';
import type { Plan } from '../../../src/core/storage/plan';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { type FixedClock, fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';

const pace = { run: async <T>(work: () => T): Promise<T> => work() };
const START = Date.parse('2026-11-30T10:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Files = Record<string, string>;

/** A device with its copy of the state, its clock, and its program, which may start again. */
class Machine {
  readonly clock: FixedClock;
  state = createMemoryState({});
  #log: ChangeLog;
  #past: Past;

  constructor(
    readonly device: string,
    ahead = 0,
  ) {
    this.clock = fixedClock(new Date(START + ahead).toISOString());
    [this.#log, this.#past] = this.#programs();
  }

  start(files: Files = Object.fromEntries(this.state.files)): void {
    this.state = createMemoryState(files);
    [this.#log, this.#past] = this.#programs();
  }

  async change(name: string): Promise<void> {
    const plan: Plan = {
      op: 'write',
      steps: [{ kind: 'create', path: vaultPath(`raw/${name}.md`), text: name }],
    };
    await this.#log.add(plan, await this.#log.begin({}));
  }

  /** The notes that were written, in the order that the past gives them. */
  async names(): Promise<string[]> {
    const changes = await (await this.#past.read()).of(['write']);
    return changes.map(({ notes }) => notes[0]?.path.slice('raw/'.length, -'.md'.length) ?? '');
  }

  #programs(): [ChangeLog, Past] {
    const log = new ChangeLog({ state: this.state, clock: this.clock, device: this.device });
    return [log, new Past(this.state, pace, log)];
  }

  get files(): Files {
    return Object.fromEntries(this.state.files);
  }
}

/** Brings the files of two machines together as a sync program does: of a file that both changed, one gets another name. */
function sync(one: Machine, other: Machine): void {
  const all: Files = { ...one.files };
  for (const [path, text] of other.state.files) {
    const here = all[path];
    if (here === undefined || text.startsWith(here)) all[path] = text;
    else if (!here.startsWith(text))
      all[path.replace(/\.jsonl$/, ` (conflict of ${Object.keys(all).length}).jsonl`)] = text;
  }
  for (const machine of [one, other]) {
    machine.state.files.clear();
    for (const [path, text] of Object.entries(all)) machine.state.files.set(path, text);
  }
}

it('orders what one device does after another as it was done, though its clock is an hour behind', async () => {
  const [ahead, behind] = [new Machine('ahead', HOUR), new Machine('behind')];
  await ahead.change('first');
  sync(ahead, behind);
  expect(await behind.names()).toEqual(['first']);
  await behind.change('second');
  sync(ahead, behind);
  expect(await ahead.names()).toEqual(['first', 'second']);
  await ahead.change('third');
  expect(await ahead.names()).toEqual(['first', 'second', 'third']);
});

it('does not follow a clock that is a year ahead', async () => {
  const [wrong, right] = [new Machine('wrong', 365 * 24 * HOUR), new Machine('right')];
  await wrong.change('far');
  sync(wrong, right);
  await right.names();
  await right.change('near');
  expect(await right.names()).toEqual(['near', 'far']);
});

it('keeps the order of its own changes when its clock is set back, also over a start', async () => {
  const machine = new Machine('one');
  await machine.change('a');
  machine.clock.advance(-HOUR);
  await machine.change('b');
  machine.start();
  await machine.change('c');
  expect(await machine.names()).toEqual(['a', 'b', 'c']);
});

it('changes nothing once another device writes in a form that it does not know, and reads on', async () => {
  const [here, there] = [new Machine('here'), new Machine('there')];
  for (const [machine, name] of [
    [here, 'a'],
    [there, 'b'],
  ] as const)
    await machine.change(name);
  sync(here, there);
  const newer = 'past/there.zz.1.jsonl';
  here.state.files.set(newer, '\n{"v":2,"min_reader":1}\n');
  await here.names();
  await here.change('c');
  for (const path of [newer, newer.replace('.jsonl', ' (conflict).jsonl')]) {
    here.state.files.set(path, '\n{"v":2,"min_reader":2}\n');
    here.start();
    await expect(refuseNewer(here.state)).rejects.toMatchObject({ code: 'not_implemented' });
    expect((await here.names()).sort()).toEqual(['a', 'b', 'c']);
    const before = here.files;
    await expect(here.change('d')).rejects.toMatchObject({ code: 'not_implemented' });
    expect(here.files).toEqual(before);
    here.state.files.delete(path);
  }
  await expect(refuseNewer(here.state)).resolves.toBeUndefined();
});

it('goes on in its last segment, begins another when that is full, and writes the head of each once', async () => {
  const machine = new Machine('one');
  await machine.change('a');
  machine.start();
  await machine.change('b');
  const [path = '', ...others] = machine.state.files.keys();
  expect(others).toEqual([]);
  expect(path).toMatch(/^past\/one\.[0-9a-z]+\.1\.jsonl$/);
  machine.state.files.set(path, `${' '.repeat(9 << 20)}\n` + (machine.state.files.get(path) ?? ''));
  machine.start();
  for (const name of ['c', 'd', 'e']) await machine.change(name);
  const second = path.replace('.1.jsonl', '.2.jsonl');
  expect([...machine.state.files.keys()]).toEqual([path, second]);
  for (const text of machine.state.files.values()) expect(text.split('"min_reader":1').length).toBe(2);
  expect(await machine.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('reads lines of earlier versions beside its own, and is later than them', async () => {
  const ts = new Date(START + MINUTE).toISOString().replace('.000', '');
  const old = { ts, op: 'write', notes: [['raw/old.md', null, sha256('old')]] };
  const machine = new Machine('one');
  machine.start({ 'changes/2026-11.one.jsonl': `\n${JSON.stringify(old)}\n` });
  await machine.change('new');
  expect(await machine.names()).toEqual(['old', 'new']);
});

it('loses and doubles no change of a cloned machine, of a restored backup, or in copies that a sync program makes', async () => {
  type Step = 'change' | 'other changes' | 'sync' | 'restart' | 'clone' | 'restore' | 'backup';
  const steps = fc.array(
    fc.constantFrom<Step>(
      'change',
      'change',
      'other changes',
      'sync',
      'restart',
      'clone',
      'restore',
      'backup',
    ),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const [here, there] = [new Machine('same'), new Machine('same')];
      let backup: Files = {};
      let count = 0;
      const made = new Set<string>();
      for (const step of all) {
        here.clock.advance(MINUTE);
        there.clock.advance(MINUTE);
        if (step === 'change' || step === 'other changes') {
          const name = `n${(count += 1)}`;
          await (step === 'change' ? here : there).change(name);
          made.add(name);
        } else if (step === 'sync') sync(here, there);
        else if (step === 'restart') here.start();
        else if (step === 'backup') backup = here.files;
        else if (step === 'restore') {
          // What the other machine has is not lost by it.
          sync(here, there);
          here.start(backup);
        } else if (step === 'clone') {
          sync(here, there);
          there.start(here.files);
        }
      }
      sync(here, there);
      here.start();
      const names = await here.names();
      expect(names.sort()).toEqual([...made].sort());
    }),
  );
});

it('has the lines of those changes alone whose appends did not fail, however many came together', async () => {
  const state = createMemoryState({});
  const append = state.append.bind(state);
  let calls = 0;
  state.append = async (path, text, sync) => {
    calls += 1;
    if (calls > 2) throw new Error('ENOSPC');
    await append(path, text, sync);
  };
  const log = new ChangeLog({ state, clock: fixedClock('2026-11-30T10:00:00Z'), device: 'one' });
  const added = await Promise.allSettled(
    Array.from({ length: 900 }, async (_, at) => {
      const plan: Plan = {
        op: 'write',
        steps: [{ kind: 'create', path: vaultPath(`raw/${at}.md`), text: `${at}` }],
      };
      await log.add(plan, await log.begin({}));
    }),
  );
  const text = [...state.files.values()].join('');
  const isThere = (at: number): boolean => text.includes(`"raw/${at}.md"`);
  expect(added.map(({ status }) => status === 'fulfilled')).toEqual(added.map((_, at) => isThere(at)));
  expect(isThere(0)).toBe(true);
  expect(isThere(899)).toBe(false);
});
