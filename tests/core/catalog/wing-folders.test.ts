import { WingFolders, wingKey } from '../../../src/core/catalog/wing-folders';
import { sanitiseWing } from '../../../src/core/rules/address';
import { vaultPath } from '../../../src/core/rules/paths';

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
