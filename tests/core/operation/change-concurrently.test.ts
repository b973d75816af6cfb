import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { changeConcurrently, changeVault } from '../../../src/core/operation/change';
import { MAX_IN_FLIGHT, WriterLock } from '../../../src/core/storage/writer';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { memoryPorts } from '../../support/commit-ports';

const pathOf = (name: string) => vaultPath(`raw/home-${name}.md`);
const [A, B, C] = [pathOf('a'), pathOf('b'), pathOf('c')];
const STANDING = { 'raw/home-standing.md': '' };

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
  return changeConcurrently(ports, async () => ({
    plan: { op: 'write', steps: [{ kind: 'create', path, text: 'new' } as const] },
    result: path,
    finish: async () => ended(),
  }));
}

/** Adds a letter to a note, as whoever reads it first and then replaces it would. */
async function appended(ports: Ports, letter: string, path: VaultPath) {
  const before = (await ports.vault.read(path)) ?? '';
  const text = before + letter;
  return before === ''
    ? ({ kind: 'create', path, text } as const)
    : ({ kind: 'edit', path, before: sha256(before), text } as const);
}

function append(ports: Ports, letter: string, path = A) {
  return changeConcurrently(ports, async () => {
    const step = await appended(ports, letter, path);
    return { plan: { op: 'update', steps: [step] }, result: step.text };
  });
}

function appendToAll(ports: Ports, letter: string, paths: readonly VaultPath[]) {
  return changeVault(ports, async () => ({
    plan: {
      op: 'ingest',
      steps: await Promise.all(paths.map((path) => appended(ports, letter, path))),
    },
    result: letter,
    isIndependent: true,
  }));
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
    const second = changeConcurrently(ports, async () => {
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
    const refused = changeConcurrently(ports, async () => {
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
    const changed = await changeConcurrently(ports, async () => {
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

  it('go on beside a batch, but for its own files and folders', async () => {
    const ports = memoryPorts(STANDING);
    const { begun, letGo } = slowDisk(ports);
    const inNew = vaultPath('raw/new/a.md');
    const batch = changeVault(ports, async () => ({
      plan: {
        op: 'ingest',
        steps: [A, inNew].map((path) => ({ kind: 'create', path, text: 'batch' }) as const),
      },
      result: 'batch',
      isIndependent: true,
    }));
    const other = create(ports, B);
    const same = append(ports, 'x', A);
    await settled();
    expect(begun).toEqual([A, B]);
    letGo();
    expect(await Promise.all([batch, other, same])).toEqual(['batch', B, 'batchx']);
  });

  it('do not begin in a folder that a batch makes, before it stands', async () => {
    const ports = memoryPorts();
    const [inside, beside] = ['a', 'b'].map((name) => vaultPath(`raw/new/${name}.md`));
    if (inside === undefined || beside === undefined) throw new Error('No paths.');
    const { create: make } = ports.vault;
    const seen: string[] = [];
    let late: Promise<unknown> = Promise.resolve();
    Object.assign(ports.vault, {
      create: async (...given: Parameters<typeof make>) => {
        seen.push(given[0]);
        if (given[0] !== C) return make(...given);
        late = create(ports, beside);
        await settled();
        throw new Error('The disk is full.');
      },
    });
    const batch = changeVault(ports, async () => ({
      plan: {
        op: 'ingest',
        steps: [inside, C].map((path) => ({ kind: 'create', path, text: 'batch' }) as const),
      },
      result: 'batch',
      isIndependent: true,
    }));
    await expect(batch).rejects.toThrow('The disk is full.');
    expect(seen).toEqual([inside, C]);
    await late;
    expect([...ports.vault.files.keys()]).toEqual([beside]);
  });

  it('of a batch are planned anew, alone, when somebody has saved one of its notes', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    let builds = 0;
    const result = await changeVault(ports, async () => {
      const before = (await ports.vault.read(A)) ?? '';
      if ((builds += 1) === 1) ports.vault.outside(A, 'by hand');
      const edit = { kind: 'edit', path: A, before: sha256(before), text: `${before}!` } as const;
      const made = { kind: 'create', path: B, text: 'made' } as const;
      return { plan: { op: 'ingest', steps: [made, edit] }, result: edit.text, isIndependent: true };
    });
    expect([result, builds]).toEqual(['by hand!', 2]);
    expect([ports.vault.files.get(A), ports.vault.files.get(B)]).toEqual(['by hand!', 'made']);
  });

  it('lose no letter, whoever writes which note, or all of them as a batch', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c', 'all', 'none'), { maxLength: 30 }),
        async (acts) => {
          const ports = memoryPorts(STANDING);
          const names = ['a', 'b', 'c'];
          const results = await Promise.all(
            acts.map((act, n) => {
              const letter = String.fromCharCode(97 + n);
              if (act === 'none') return changeVault(ports, async () => ({ plan: null, result: '' }));
              return act === 'all'
                ? appendToAll(ports, letter, names.map(pathOf))
                : append(ports, letter, pathOf(act));
            }),
          );
          for (const name of names) {
            const letters = acts.flatMap((act, n) =>
              act === name || act === 'all' ? [String.fromCharCode(97 + n)] : [],
            );
            const text = ports.vault.files.get(pathOf(name)) ?? '';
            expect([...text].sort()).toEqual(letters.sort());
          }
          expect(results).toHaveLength(acts.length);
        },
      ),
    ));
});

it('closing waits for what is in flight, and then nothing is taken', async () => {
  const queue = new WriterLock();
  let land: () => void = () => undefined;
  const flown = queue.overlap(async () => ({
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

it('long work is done before the turn, for one change at a time, while others have their turns', async () => {
  const ports = memoryPorts(STANDING);
  const order: string[] = [];
  const waits: (() => void)[] = [];
  const long = (path: VaultPath) => {
    let isDone = false;
    return changeConcurrently(
      ports,
      async () => {
        if (!isDone) {
          order.push(`${path} begins`);
          await new Promise<void>((done) => waits.push(done));
          isDone = true;
        }
        return { plan: { op: 'write', steps: [{ kind: 'create', path, text: '' } as const] }, result: path };
      },
      { buildsBeforeLock: true },
    );
  };
  const both = Promise.all([long(A), long(B)]);
  await settled();
  expect(order).toEqual([`${A} begins`]);
  expect(await create(ports, C)).toBe(C);
  waits[0]?.();
  await settled();
  expect(order).toEqual([`${A} begins`, `${B} begins`]);
  waits[1]?.();
  expect(await both).toEqual([A, B]);
});
