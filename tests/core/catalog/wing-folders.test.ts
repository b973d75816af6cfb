import fc from 'fast-check';
import { wingAmong, WingFolders, wingKey } from '../../../src/core/catalog/wings';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { vaultPath } from '../../../src/core/vocabulary/paths';

function folders(...paths: string[]): WingFolders {
  const wings = new WingFolders();
  for (const path of paths) wings.add(vaultPath(path));
  return wings;
}

describe('WingFolders', () => {
  it('counts folders with a hall folder as wings, sorted', () => {
    const wings = folders(
      'wiki/net/facts/mtu.md',
      'wiki/Home Lab/decisions/nas.md',
      'wiki/attachments/picture.png',
      'wiki/half/_index.md',
      'wiki/loose.md',
      'wiki/odd/facts',
      'knowledge/net/facts/old.md',
    );
    expect(wings.wings()).toEqual(['Home Lab', 'net']);
  });

  it.each([
    ['the folder that is the same wing', 'home-lab', 'Home Lab'],
    ['an equal folder before a similar one', 'net', 'net'],
    ['a folder without halls', 'half', 'Half'],
    ['the name itself when there is no folder', 'new', 'new'],
  ])('spells a wing as %s', (_, name, expected) => {
    const wings = folders(
      'wiki/Home Lab/facts/a.md',
      'wiki/Net/facts/b.md',
      'wiki/net/facts/c.md',
      'wiki/Half/x.md',
    );
    expect(wings.spelling(sanitiseWing(name))).toBe(expected);
  });

  it('chooses among names as among folders that it knows', () => {
    const name = fc.constantFrom('Net', 'net', 'NET', 'Net_', 'Home Lab', 'home_lab', '.net', '_net');
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.constantFrom('net', 'home-lab'), (names, wanted) => {
        const wing = sanitiseWing(wanted);
        const known = folders(...names.map((each) => `wiki/${each}/facts/a.md`)).known(wing);
        expect(wingAmong(names, wing)).toBe(known);
      }),
    );
  });

  it('forgets a folder with its last file', () => {
    const wings = folders('wiki/Net/facts/a.md', 'wiki/Net/_index.md');
    wings.delete(vaultPath('wiki/Net/facts/a.md'));
    expect(wings.wings()).toEqual([]);
    expect(wings.spelling(sanitiseWing('net'))).toBe('Net');
    wings.delete(vaultPath('wiki/Net/_index.md'));
    expect(wings.spelling(sanitiseWing('net'))).toBe('net');
  });

  it('lets a folder be whose name no wing can have', () => {
    const wings = folders('wiki/_archive/facts/a.md');
    expect(wings.wings()).toEqual(['_archive']);
    expect(wingKey('_archive')).toBeNull();
  });
});
