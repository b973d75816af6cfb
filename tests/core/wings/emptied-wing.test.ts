import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import type { Wing } from '../../../src/core/vocabulary/address';
import { indexWings } from '../../../src/core/wings/operations';
import { refreshOwnWings, refreshWings } from '../../../src/core/wings/refresh';
import { agent, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const MAP = 'wiki/net/_index.md';

/** A vault in which a person has removed the only note of the wing `net`. */
async function emptiedWing(more: Record<string, string> = {}): Promise<TestBrain> {
  const world = await openTestBrain(more);
  await world.run(writeNote, { content: '# MTU', wing: 'net', hall: 'facts', slug: 'mtu' });
  world.vault.outside('wiki/net/facts/mtu.md', null);
  return world;
}

describe('the map of a wing whose last note is gone', () => {
  it.each([
    ['all maps are asked for', {}],
    ['that one is asked for', { wing: 'Net' }],
  ])('says so when %s', async (_, input) => {
    const world = await emptiedWing();
    const wings = [{ wing: 'net', path: MAP, notes: 0, changed: true }];
    expect(await world.run(indexWings, input)).toEqual({ count: 1, wings });
    expect(world.files.get(MAP)).toContain('<!-- brain:index:start -->\n_No notes yet._\n');
  });

  it('says so from the next start on', async () => {
    const world = await emptiedWing();
    await world.run(indexWings, { dry_run: true });
    await refreshOwnWings(world.brain);
    expect(world.files.get(MAP)).toContain('_No notes yet._');
  });

  it('is a person’s where it has no region: neither it nor a folder without a map becomes a wing', async () => {
    const mine = {
      'wiki/mine/_index.md': '# Mine\n',
      'wiki/blank/_index.md': '',
      'wiki/loose/note.md': '# Loose\n',
    };
    const world = await emptiedWing(mine);
    expect(await world.run(indexWings, {})).toMatchObject({ count: 1, wings: [{ wing: 'net' }] });
    expect(await world.refusal(indexWings, { wing: 'mine' })).toMatchObject({ code: 'invalid_wing' });
    expect(Object.fromEntries(world.files)).toMatchObject(mine);
  });
});

const promoted = async (by = agent) => {
  const world = await openTestBrain({ 'raw/mtu.md': '# MTU\n\nUse 1420.\n' });
  await world.run(promoteNote, { path: 'raw/mtu.md', wing: 'net', hall: 'facts' }, by);
  return world;
};

describe('the map of a wing whose only note a person wrote and promoted', () => {
  it('is made at the next start when a crash left it out', async () => {
    const world = await promoted(person);
    const map = world.files.get(MAP);
    world.vault.outside(MAP, null);
    await refreshOwnWings(world.brain);
    expect(world.files.get(MAP)).toBe(map);
  });
});

describe('a wing that a person deletes', () => {
  const ofWing = ({ files }: TestBrain) => [...files.keys()].filter((path) => path.startsWith('wiki/net/'));
  const remove = (world: TestBrain, told: boolean) => {
    for (const path of ofWing(world))
      if (told) world.vault.outside(path, null);
      else world.vault.files.delete(path);
  };

  it.each([
    ['has been told', true],
    ['has not been told yet', false],
  ])('does not come back with the maps of a change, when the catalog %s of it', async (_, told) => {
    const world = await promoted();
    remove(world, told);
    const warnings: string[] = [];
    await refreshWings(world.brain, ['net' as Wing], warnings);
    await world.run(writeNote, { content: '# DNS', wing: 'lab', hall: 'facts', slug: 'dns' });
    await refreshWings(world.brain, ['net' as Wing], warnings);
    expect([ofWing(world), warnings]).toEqual([[], []]);
  });

  it('does not come back when it goes while its map is being refreshed', async () => {
    const world = await promoted();
    world.vault.outside('wiki/net/facts/mtu.md', null);
    await world.run(indexWings, { dry_run: true });
    const { read } = world.vault;
    world.vault.read = async (path) => {
      const text = await read(path);
      remove(world, false);
      return text;
    };
    await refreshOwnWings(world.brain);
    expect(ofWing(world)).toEqual([]);
  });

  it('has its map again as soon as it has a note again', async () => {
    const world = await promoted();
    remove(world, true);
    await world.run(writeNote, { content: '# MTU', wing: 'net', hall: 'facts', slug: 'mtu' });
    expect(world.files.get(MAP)).toContain('[[wiki/net/facts/mtu|MTU]]');
  });
});
