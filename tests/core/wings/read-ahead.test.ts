import { vaultPath } from '../../../src/core/vocabulary/paths';
import { ReadAhead } from '../../../src/core/wings/refresh';
import { createMemoryVault } from '../../support/memory-vault';

const PATH = vaultPath('wiki/net/_index.md');

function setUp(files: Record<string, string>) {
  const vault = createMemoryVault(files);
  const reads: string[] = [];
  const counting = {
    stat: vault.stat,
    read: (path: typeof PATH) => {
      reads.push(path);
      return vault.read(path);
    },
  };
  return { vault, reads, ahead: new ReadAhead(counting, PATH) };
}

describe('ReadAhead', () => {
  it('answers what it has read already, when the file is still the same', async () => {
    const { reads, ahead } = setUp({ [PATH]: 'map' });
    ahead.begin();
    expect(await ahead.text()).toBe('map');
    expect(reads).toHaveLength(1);
  });

  it('reads when it was not begun', async () => {
    const { reads, ahead } = setUp({ [PATH]: 'map' });
    expect(await ahead.text()).toBe('map');
    expect(reads).toHaveLength(1);
  });

  it.each([
    ['was changed', { [PATH]: 'map' }, 'a person was here'],
    ['was changed and is as long as before', { [PATH]: 'map' }, 'own'],
    ['came', {}, 'new'],
    ['went', { [PATH]: 'map' }, null],
  ])('reads again when the file %s meanwhile', async (_, files, text) => {
    const { vault, ahead } = setUp(files);
    ahead.begin();
    await new Promise((resolve) => setImmediate(resolve));
    vault.outside(PATH, text);
    expect(await ahead.text()).toBe(text);
  });

  it('knows that there is no file', async () => {
    const { reads, ahead } = setUp({});
    ahead.begin();
    expect(await ahead.text()).toBeNull();
    expect(reads).toEqual([]);
  });

  it('leaves what goes wrong to the reading that counts', async () => {
    const { vault } = setUp({ [PATH]: 'map' });
    let broken = true;
    const read = (path: typeof PATH) => (broken ? Promise.reject(new Error('held')) : vault.read(path));
    const ahead = new ReadAhead({ stat: vault.stat, read }, PATH);
    ahead.begin();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(ahead.text()).rejects.toThrow('held');
    broken = false;
    expect(await ahead.text()).toBe('map');
  });
});
