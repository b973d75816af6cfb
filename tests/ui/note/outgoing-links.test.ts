import { outgoingLinks } from '../../../src/ui/note/screen';

describe('the links of a note', () => {
  const links = outgoingLinks([
    'wiki/homelab/facts/wg-mtu.md',
    'wiki/a/facts/same.md',
    'wiki/b/facts/same.md',
  ]);

  it.each(['wg-mtu', 'WG-MTU.md', 'facts/wg-mtu', 'wiki/homelab/facts/wg-mtu.md', '../facts/wg-mtu.md'])(
    '%s is found',
    (target) => expect(links.find(target)?.resolved).toBe('wiki/homelab/facts/wg-mtu.md'),
  );

  it.each(['mtu', 'same', 'unknown', '', '/', '.md'])('%p leads nowhere', (target) =>
    expect(links.find(target)).toBeNull(),
  );
});
