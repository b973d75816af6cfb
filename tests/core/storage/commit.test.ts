import { sha256 } from '../../../src/core/base/hash';
import { Pace } from '../../../src/core/base/steps';
import { Catalog } from '../../../src/core/catalog/catalog';
import { refreshCatalog } from '../../../src/core/catalog/load';
import { OutsideChanges } from '../../../src/core/catalog/outside-changes';
import { applyStep, commit, type Plan, type Step, StepFailed } from '../../../src/core/storage/commit';
import { historyPath, readHistory } from '../../../src/core/storage/history';
import { journalPath, openRecords } from '../../../src/core/storage/journal';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { eventsOf, memoryPorts } from '../../support/commit-ports';
import type { MemoryVault } from '../../support/memory-vault';
import { searchNotes } from '../../support/search-notes';

const RAW = vaultPath('raw/2026-11-20-mtu.md');
const WIKI = vaultPath('wiki/home/facts/mtu.md');
const OTHER = vaultPath('wiki/home/facts/other.md');

const create: Step = { kind: 'create', path: WIKI, text: 'promoted' };
const remove: Step = { kind: 'remove', path: RAW, before: sha256('raw') };
const edit: Step = { kind: 'edit', path: OTHER, before: sha256('other'), text: 'other, edited' };
const relink: Step = { ...edit, optional: true };
const files = { [RAW]: 'raw', [OTHER]: 'other' };
const promote: Plan = { op: 'promote', steps: [create, remove, relink] };

function journalOf(ports: ReturnType<typeof memoryPorts>): string {
  return ports.state.files.get(journalPath('test')) ?? '';
}

describe('commit', () => {
  it('carries out the steps and tells the catalog', async () => {
    const ports = memoryPorts(files);
    expect(await commit(ports, promote)).toEqual([]);
    expect(Object.fromEntries(ports.vault.files)).toEqual({ [WIKI]: 'promoted', [OTHER]: 'other, edited' });
    expect(ports.told).toEqual([`put ${WIKI} (8)`, `drop ${RAW}`, `put ${OTHER} (13)`]);
  });

  it.each([
    ['an edit', edit],
    ['a removal', { kind: 'remove', path: OTHER, before: sha256('other') } as const],
  ])('leaves a text that somebody has just saved, and says so: %s', async (_, step) => {
    const { vault } = memoryPorts({ [OTHER]: 'saved by a person' });
    await expect(applyStep(vault, step)).rejects.toEqual(new StepFailed(step, 'changed'));
    expect(Object.fromEntries(vault.files)).toEqual({ [OTHER]: 'saved by a person' });
    vault.files.delete(OTHER);
    await expect(applyStep(vault, step)).rejects.toEqual(new StepFailed(step, 'absent'));
    expect(vault.files.size).toBe(0);
  });

  it('keeps every text that it takes away in the history', async () => {
    const ports = memoryPorts(files);
    await commit(ports, promote);
    expect(await readHistory(ports.state, sha256('raw'))).toBe('raw');
    expect(await readHistory(ports.state, sha256('other'))).toBe('other');
    expect(ports.state.files.has(historyPath(sha256('promoted')))).toBe(false);
  });

  it('mends a damaged text in the history', async () => {
    const ports = memoryPorts(files);
    ports.state.files.set(historyPath(sha256('other')), 'oth');
    await commit(ports, { op: 'update', steps: [edit] });
    expect(await readHistory(ports.state, sha256('other'))).toBe('other');
  });

  it('writes who decided into the journal', async () => {
    const ports = memoryPorts(files);
    const decision = { by: 'human:me', title: 'MTU', reason: 'so' };
    const recorded: unknown[] = [];
    ports.vault.intercept = (call) => {
      if (call === 'create') recorded.push(openRecords(journalOf(ports))[0]?.decision);
    };
    await commit(ports, { ...promote, decision });
    expect(recorded).toEqual([decision]);
  });

  it('writes a plan of several steps into the journal first, with all that is needed to finish it', async () => {
    const ports = memoryPorts(files);
    ports.vault.intercept = (call) => {
      if (call !== 'create') return;
      expect(openRecords(journalOf(ports))).toEqual([
        expect.objectContaining({ op: 'promote', undo: null, folders: [] }),
      ]);
      expect(openRecords(journalOf(ports))[0]?.steps).toEqual(promote.steps);
    };
    await commit(ports, promote);
    expect(openRecords(journalOf(ports))).toEqual([]);
    expect.assertions(3);
  });

  it.each<[string, Step]>([
    ['create', { ...create, path: vaultPath('wiki/home/facts/new.md') }],
    ['edit', edit],
    ['remove', remove],
  ])('needs no journal for one %s', async (_, step) => {
    const ports = memoryPorts(files);
    await commit(ports, { op: 'x', steps: [step] });
    expect(journalOf(ports)).toBe('');
  });

  it.each<[string, Step, number]>([
    ['create', { ...create, path: vaultPath('wiki/home/facts/new.md') }, 1],
    ['edit', edit, 1],
    ['remove', remove, 0],
  ])('writes one %s into the journal when a crash could tear it', async (_, step, announced) => {
    const ports = memoryPorts(files);
    let open = -1;
    ports.vault.intercept = () => (open = openRecords(journalOf(ports)).length);
    await commit({ ...ports, vault: { ...ports.vault, atomicWrites: false } }, { op: 'x', steps: [step] });
    expect(open).toBe(announced);
    expect(openRecords(journalOf(ports))).toEqual([]);
  });

  it('writes one create into the journal when it has to make folders', async () => {
    const ports = memoryPorts();
    ports.vault.intercept = () => {
      expect(openRecords(journalOf(ports))[0]?.folders).toEqual(['wiki', 'wiki/home', 'wiki/home/facts']);
    };
    await commit(ports, { op: 'write', steps: [create] });
    expect(openRecords(journalOf(ports))).toEqual([]);
    expect.assertions(2);
  });

  it.each<[string, Record<string, string>, Step, string]>([
    ['something stands where a note is to be made', { ...files, [WIKI]: 'taken' }, create, 'taken'],
    ['the note to edit has changed', { ...files, [OTHER]: 'changed' }, edit, 'changed'],
    ['the note to edit is gone', { [RAW]: 'raw' }, edit, 'absent'],
    ['the note to remove has changed', { ...files, [RAW]: 'changed' }, remove, 'changed'],
    ['the note to remove is gone', { [OTHER]: 'other' }, remove, 'absent'],
  ])('refuses, touching nothing, when %s', async (_, standing, step, reason) => {
    const ports = memoryPorts(standing);
    ports.vault.intercept = (call) => {
      throw new Error(`touched by ${call}`);
    };
    const plan = { op: 'x', steps: [create, edit, remove] };
    await expect(commit(ports, plan)).rejects.toMatchObject({ name: 'StepFailed', step, reason });
    expect(Object.fromEntries(ports.vault.files)).toEqual(standing);
  });

  it.each([
    ['create', create],
    ['remove', remove],
    ['edit', edit],
  ] as const)('takes everything back when a %s breaks, folders too', async (call, broken) => {
    const ports = memoryPorts({ [RAW]: 'raw', [OTHER]: 'other' });
    const made = { kind: 'create', path: vaultPath('wiki/new/facts/x.md'), text: 'x' } as const;
    const folders = [...ports.vault.folders];
    ports.vault.intercept = (each, path) => {
      if (each === call && path === broken.path) throw new Error('EIO');
    };
    const steps = [made, ...[create, edit, remove].filter((step) => step !== broken), broken];
    await expect(commit(ports, { op: 'x', steps })).rejects.toThrow('EIO');
    expect(Object.fromEntries(ports.vault.files)).toEqual(files);
    expect([...ports.vault.folders]).toEqual(folders);
    expect(openRecords(journalOf(ports))).toEqual([]);
    expect(ports.told.filter((line) => !line.startsWith('dirty'))).toEqual([]);
  });

  it('removes nothing when what it made does not read back', async () => {
    const ports = memoryPorts(files);
    const { create: honest } = ports.vault;
    ports.vault.create = (path, text) => honest(path, text.slice(0, 4));
    await expect(commit(ports, promote)).rejects.toMatchObject({ reason: 'changed' });
    expect(Object.fromEntries(ports.vault.files)).toEqual(files);
  });

  it('leaves what someone else wrote meanwhile alone when it takes a plan back', async () => {
    const ports = memoryPorts(files);
    ports.vault.intercept = (call) => {
      if (call !== 'remove') return;
      ports.vault.outside(WIKI, 'edited by hand');
      throw new Error('EBUSY');
    };
    await expect(commit(ports, promote)).rejects.toThrow('EBUSY');
    expect(Object.fromEntries(ports.vault.files)).toEqual({ ...files, [WIKI]: 'edited by hand' });
    expect(eventsOf(ports.log)).toContain('warn commit.undo_left');
  });

  it.each([
    ['has changed before', { ...files, [OTHER]: 'changed' }, undefined],
    ['is gone before', { [RAW]: 'raw' }, undefined],
    ['cannot be written', files, 'EIO'],
  ])('skips an optional edit when the note %s, and the rest stands', async (_, standing, problem) => {
    const ports = memoryPorts(standing);
    ports.vault.intercept = (call) => {
      if (call === 'edit' && problem !== undefined) throw new Error(problem);
    };
    expect(await commit(ports, promote)).toEqual([OTHER]);
    expect(ports.vault.files.get(WIKI)).toBe('promoted');
    expect(ports.vault.files.has(RAW)).toBe(false);
    expect(openRecords(journalOf(ports))).toEqual([]);
  });

  it.each([
    ['cannot be written', 'other', () => undefined],
    ['is someone else’s by then', 'theirs', (vault: MemoryVault) => vault.outside(OTHER, 'theirs')],
  ])('has the catalog say what is in the file of an optional edit that %s', async (_, text, meanwhile) => {
    const { vault, ...ports } = memoryPorts(files);
    const catalog = new Catalog();
    vault.intercept = (call) => {
      if (call !== 'edit') return;
      vault.intercept = () => undefined;
      meanwhile(vault);
      throw new Error('EIO');
    };
    await commit({ ...ports, vault, catalog }, promote);
    const pace = new Pace(async () => undefined, ports.clock);
    await refreshCatalog({ ...ports, vault, catalog, pace, outside: new OutsideChanges() });
    expect(vault.files.get(OTHER)).toBe(text);
    expect(catalog.record(OTHER)).toMatchObject({ excerpt: text, content_hash: sha256(text) });
    const found = (query: string) =>
      searchNotes(catalog, query, { limit: 5 }).map(({ record }) => record.path);
    expect([found('edited'), found(text)]).toEqual([[], [OTHER]]);
    expect(found('promoted')).toEqual([WIKI]);
  });

  it('begins nothing when the journal cannot be written', async () => {
    const ports = memoryPorts(files);
    ports.state.append = async () => {
      throw new Error('ENOSPC');
    };
    await expect(commit(ports, promote)).rejects.toThrow('ENOSPC');
    expect(Object.fromEntries(ports.vault.files)).toEqual(files);
  });

  it('begins nothing and leaves no plan open when the history cannot be written', async () => {
    const ports = memoryPorts(files);
    const create = ports.state.create.bind(ports.state);
    ports.state.create = async (path, text) => {
      if (path === historyPath(sha256('raw'))) throw new Error('ENOSPC');
      return create(path, text);
    };
    await expect(commit(ports, promote)).rejects.toThrow('ENOSPC');
    expect(Object.fromEntries(ports.vault.files)).toEqual(files);
    expect(openRecords(journalOf(ports))).toEqual([]);
  });

  it('stands when only the end cannot be journaled', async () => {
    const ports = memoryPorts(files);
    const { append } = ports.state;
    ports.state.append = async (path, text, sync) => {
      if (text.includes('"done"')) throw new Error('ENOSPC');
      await append(path, text, sync);
    };
    expect(await commit(ports, promote)).toEqual([]);
    expect(eventsOf(ports.log)).toEqual(['error commit.journal']);
    ports.state.append = append;
    await commit(ports, { op: 'later', steps: [{ ...create, path: vaultPath('a/b.md') }] });
    expect(openRecords(journalOf(ports))).toEqual([]);
  });

  it('leaves a plan that could not be taken back to the next start', async () => {
    const ports = memoryPorts(files);
    ports.vault.intercept = (call) => {
      if (call === 'remove') throw new Error('EIO');
    };
    await expect(commit(ports, promote)).rejects.toThrow('EIO');
    expect(openRecords(journalOf(ports))).toEqual([expect.objectContaining({ op: 'promote', undo: 2 })]);
    expect(eventsOf(ports.log)).toContain('error commit.undo');
  });
});
