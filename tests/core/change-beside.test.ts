import * as fc from 'fast-check';
import { changeBeside, changeVault } from '../../src/core/change-vault';
import { BrainError } from '../../src/core/errors';
import { sha256 } from '../../src/core/rules/hash';
import { vaultPath } from '../../src/core/rules/paths';
import { MAX_IN_FLIGHT, WriteQueue } from '../../src/core/write-queue';
import { memoryPorts } from '../support/commit-ports';

const pathOf = (name: string) => vaultPath(`wiki/home/facts/${name}.md`);
const [A, B, C] = [pathOf('a'), pathOf('b'), pathOf('c')];
const STANDING = { 'wiki/home/facts/standing.md': '' };

type Ports = ReturnType<typeof memoryPorts>;

/** Makes the creating and editing of files wait until `let go`; `begun` are the paths at which it has begun. */
function slowDisk(ports: Ports) {
  const begun: string[] = [];
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const { create, edit } = ports.vault;
  Object.assign(ports.vault, {
    create: async (...given: Parameters<typeof create>) => {
      begun.push(given[0]);
      await gate;
      return create(...given);
    },
    edit: async (...given: Parameters<typeof edit>) => {
      begun.push(given[0]);
      await gate;
      return edit(...given);
    },
  });
  return { begun, letGo: () => letGo() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function create(ports: Ports, path = A, ended: () => void = () => undefined) {
  return changeBeside(ports, async () => ({
    plan: { op: 'write', steps: [{ kind: 'create', path, text: 'new' } as const] },
    result: path,
    finish: async () => ended(),
  }));
}

/** Adds a letter to a note, as whoever reads it first and then replaces it would. */
function append(ports: Ports, letter: string, path = A) {
  return changeBeside(ports, async () => {
    const before = (await ports.vault.read(path)) ?? '';
    const text = before + letter;
    const step =
      before === ''
        ? ({ kind: 'create', path, text } as const)
        : ({ kind: 'edit', path, before: sha256(before), text } as const);
    return { plan: { op: 'update', steps: [step] }, result: text };
  });
}

describe('changes beside each other', () => {
  it('of different files are brought to the disk at the same time', async () => {
    const ports = memoryPorts(STANDING);
    const { begun, letGo } = slowDisk(ports);
    const done = Promise.all([create(ports, A), create(ports, B), create(ports, C)]);
    await settled();
    expect(begun).toEqual([A, B, C]);
    letGo();
    expect(await done).toEqual([A, B, C]);
  });

  it('are so many at once at most', async () => {
    const ports = memoryPorts(STANDING);
    const { begun, letGo } = slowDisk(ports);
    const names = Array.from({ length: MAX_IN_FLIGHT + 3 }, (_, n) => pathOf(`n${n}`));
    const done = Promise.all(names.map((path) => create(ports, path)));
    await settled();
    expect(begun).toHaveLength(MAX_IN_FLIGHT);
    letGo();
    expect(await done).toEqual(names);
  });

  it('of one file follow one another, also when its name is spelt otherwise', async () => {
    const ports = memoryPorts(STANDING);
    const { begun, letGo } = slowDisk(ports);
    const first = create(ports, A);
    const second = changeBeside(ports, async () => {
      const taken = ports.vault.files.has(A);
      const path = taken ? B : pathOf('A');
      return { plan: { op: 'write', steps: [{ kind: 'create', path, text: '' } as const] }, result: path };
    });
    await settled();
    expect(begun).toEqual([A]);
    letGo();
    expect(await Promise.all([first, second])).toEqual([A, B]);
  });

  it('wait for one that needs the vault for itself, and it waits for them', async () => {
    const ports = memoryPorts(STANDING);
    const { begun, letGo } = slowDisk(ports);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    const first = create(ports, A, note('first ends'));
    const alone = changeVault(ports, async () => {
      order.push('alone plans');
      return { plan: null, result: null, finish: async () => void order.push('alone ends') };
    });
    const last = create(ports, B, note('last ends'));
    await settled();
    expect([begun, order]).toEqual([[A], []]);
    letGo();
    await Promise.all([first, alone, last]);
    expect(order).toEqual(['first ends', 'alone plans', 'alone ends', 'last ends']);
  });

  it('are told that nothing is to be done, or refused, only for what has ended', async () => {
    const ports = memoryPorts(STANDING);
    const { letGo } = slowDisk(ports);
    const create1 = create(ports, A);
    let builds = 0;
    const refused = changeBeside(ports, async () => {
      builds += 1;
      if (!ports.vault.files.has(A)) throw new BrainError('note_not_found', 'There is none.');
      return { plan: null, result: 'there' };
    });
    await settled();
    letGo();
    expect(await Promise.all([create1, refused])).toEqual([A, 'there']);
    expect(builds).toBe(2);
  });

  it('plan anew, alone, when somebody else has saved the note', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    let builds = 0;
    const changed = await changeBeside(ports, async () => {
      const before = (await ports.vault.read(A)) ?? '';
      if ((builds += 1) === 1) ports.vault.outside(A, 'by hand');
      const step = { kind: 'edit', path: A, before: sha256(before), text: `${before}!` } as const;
      return { plan: { op: 'update', steps: [step] }, result: step.text };
    });
    expect([changed, builds, ports.vault.files.get(A)]).toEqual(['by hand!', 2, 'by hand!']);
  });

  it('that would make a folder are announced in the journal, alone', async () => {
    const ports = memoryPorts();
    const { begun, letGo } = slowDisk(ports);
    const done = Promise.all([create(ports, A), create(ports, B)]);
    await settled();
    expect(begun).toEqual([A]);
    const journal = [...ports.state.files.keys()].find((path) => path.endsWith('journal.jsonl'));
    expect(journal).toBeDefined();
    letGo();
    expect(await done).toEqual([A, B]);
  });

  it('lose no letter, whoever writes which note', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 30 }),
        async (acts) => {
          const ports = memoryPorts(STANDING);
          const results = await Promise.all(
            acts.map(([name, isAlone], n) =>
              isAlone
                ? changeVault(ports, async () => ({ plan: null, result: '' }))
                : append(ports, String.fromCharCode(97 + n), pathOf(name)),
            ),
          );
          for (const name of ['a', 'b', 'c']) {
            const letters = acts.flatMap(([at, isAlone], n) =>
              at === name && !isAlone ? [String.fromCharCode(97 + n)] : [],
            );
            expect(ports.vault.files.get(pathOf(name)) ?? '').toBe(letters.join(''));
          }
          expect(results).toHaveLength(acts.length);
        },
      ),
    ));
});

it('closing waits for what is in flight, and then nothing is taken', async () => {
  const queue = new WriteQueue();
  let land: () => void = () => undefined;
  const flown = queue.share(async () => ({
    keys: [],
    run: () => new Promise<string>((resolve) => (land = () => resolve('landed'))),
  }));
  let isClosed = false;
  const closed = queue.close().then(() => (isClosed = true));
  await settled();
  expect(isClosed).toBe(false);
  expect(() => void queue.run(async () => undefined)).toThrow(BrainError);
  land();
  expect(await flown).toBe('landed');
  await closed;
});
