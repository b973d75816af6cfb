import { sha256 } from '../../../src/core/base/hash';
import { changeVault } from '../../../src/core/operation/change';
import type { Step } from '../../../src/core/storage/commit';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { eventsOf, memoryPorts } from '../../support/commit-ports';

const A = vaultPath('raw/home-a.md');

function editOf(before: string, text: string): { op: string; steps: Step[] } {
  return { op: 'update', steps: [{ kind: 'edit', path: A, before: sha256(before), text }] };
}

describe('changeVault', () => {
  it('lets one change at a time read, plan and write', async () => {
    const ports = memoryPorts({ [A]: '' });
    const add = (letter: string) =>
      changeVault(ports, async () => {
        const before = (await ports.vault.read(A)) ?? '';
        return { plan: editOf(before, before + letter), result: before + letter };
      });
    expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual(['a', 'ab', 'abc']);
    expect(ports.vault.files.get(A)).toBe('abc');
  });

  it('runs prepare, the plan and finish in this order, and tells finish what was skipped', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    const order: string[] = [];
    ports.vault.intercept = (call) => order.push(call);
    const optional: Step = {
      kind: 'edit',
      path: vaultPath('raw/gone.md'),
      before: sha256(''),
      text: '',
      optional: true,
    };
    await changeVault(ports, async () => ({
      plan: { op: 'x', steps: [...editOf('a', 'b').steps, optional] },
      result: null,
      prepare: async () => void order.push('prepare'),
      failed: async () => void order.push('failed'),
      finish: async (skipped) => void order.push(`finish ${skipped.join()}`),
    }));
    expect(order).toEqual(['prepare', 'edit', 'finish raw/gone.md']);
  });

  it('only finishes when there is nothing to change', async () => {
    const ports = memoryPorts();
    const order: string[] = [];
    const change = {
      plan: null,
      result: 'same',
      prepare: async () => void order.push('prepare'),
      finish: async () => void order.push('finish'),
    };
    expect(await changeVault(ports, async () => change)).toBe('same');
    expect(order).toEqual(['finish']);
  });

  it('leaves out a note of the owner that was saved since it was planned, and refuses one that was not', async () => {
    const map = vaultPath('wiki/net/facts/links.md');
    const ports = memoryPorts({ [A]: 'a', [map]: 'Mine [[home-a]].' });
    const change = (before: string) =>
      changeVault(ports, async () => ({
        plan: {
          op: 'x',
          steps: [
            ...editOf('a', 'b').steps,
            { kind: 'edit', path: map, before: sha256(before), text: 'Changed.', optional: true },
          ],
        },
        result: null,
      }));
    await expect(change('Mine [[home-a]].')).rejects.toMatchObject({ code: 'not_ours' });
    expect(ports.vault.files.get(A)).toBe('a');
    await change('Of an agent.');
    expect([A, map].map((path) => ports.vault.files.get(path))).toEqual(['b', 'Mine [[home-a]].']);
  });

  it('reads and plans anew when the note changed in between', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    let builds = 0;
    await changeVault(ports, async () => {
      const before = (await ports.vault.read(A)) ?? '';
      builds += 1;
      if (builds <= 3) ports.vault.outside(A, `by hand ${builds}`);
      return { plan: editOf(before, `${before}, edited`), result: null };
    });
    expect(builds).toBe(4);
    expect(ports.vault.files.get(A)).toBe('by hand 3, edited');
  });

  it('gives up with the hash that stands there when the note keeps changing', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    const change = changeVault(ports, async () => {
      const before = (await ports.vault.read(A)) ?? '';
      ports.vault.outside(A, `${before}!`);
      return { plan: editOf(before, 'lost'), result: null };
    });
    const details = { path: A, content_hash: sha256('a!!!!') };
    await expect(change).rejects.toMatchObject({ code: 'hash_mismatch', details });
    expect(ports.vault.files.get(A)).toBe('a!!!!');
  });

  it.each([
    ['taken', {}, 'destination_exists'],
    ['taken', { taken: 'note_exists' }, 'note_exists'],
    ['absent', {}, 'source_missing'],
    ['absent', { absent: 'note_not_found' }, 'note_not_found'],
  ] as const)('says that a path is %s in the words of the operation (%j)', async (reason, words, code) => {
    const ports = memoryPorts(reason === 'taken' ? { [A]: 'a' } : {});
    const steps: Step[] =
      reason === 'taken' ? [{ kind: 'create', path: A, text: '' }] : editOf('a', 'b').steps;
    let failed = 0;
    const change = changeVault(ports, async () => ({
      plan: { op: 'x', steps },
      result: null,
      ...words,
      prepare: async () => undefined,
      failed: async () => void (failed += 1),
    }));
    await expect(change).rejects.toMatchObject({ code, details: { path: A } });
    expect(failed).toBe(1);
  });

  it('changes nothing when prepare refuses', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    const change = changeVault(ports, async () => ({
      plan: editOf('a', 'b'),
      result: null,
      prepare: async () => Promise.reject(new Error('no record, no change')),
    }));
    await expect(change).rejects.toThrow('no record, no change');
    expect(ports.vault.files.get(A)).toBe('a');
  });

  it('stands when finish fails', async () => {
    const ports = memoryPorts({ [A]: 'a' });
    const finish = () => Promise.reject(new Error('index'));
    expect(await changeVault(ports, async () => ({ plan: editOf('a', 'b'), result: 1, finish }))).toBe(1);
    expect(ports.vault.files.get(A)).toBe('b');
    expect(eventsOf(ports.log)).toEqual(['error change.finish']);
  });

  it('tells the first failure when clearing up fails as well', async () => {
    const ports = memoryPorts();
    const change = changeVault(ports, async () => ({
      plan: editOf('a', 'b'),
      result: null,
      failed: () => Promise.reject(new Error('second')),
    }));
    await expect(change).rejects.toMatchObject({ code: 'source_missing' });
    expect(eventsOf(ports.log)).toEqual(['error change.failed']);
  });
});
