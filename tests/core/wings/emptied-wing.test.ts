import { writeNote } from '../../../src/core/notes/write';
import { indexWings } from '../../../src/core/wings/operations';
import { refreshOwnWings } from '../../../src/core/wings/refresh';
import { openTestBrain, type TestBrain } from '../../support/test-brain';

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
