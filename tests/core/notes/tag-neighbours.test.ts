import { getNote } from '../../../src/core/notes/get';
import { openTestBrain } from '../../support/test-brain';

const tagged = (title: string, tags: string, body = '') =>
  `---\ntags: [${tags}]\n---\n# ${title}\n\n${body}\n`;

const VAULT = {
  'wiki/net/facts/mtu.md': tagged('MTU', 'network, wireguard', 'Also #pppoe and #network.'),
  'wiki/net/facts/keys.md': tagged('Keys', 'WireGuard'),
  'wiki/net/facts/router.md':
    '---\ntags: [network]\ncreated_at: 2020-01-01T00:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\n---\n# Router\n',
  'wiki/net/facts/switch.md': tagged('Switch', '', 'Sixteen ports. #network'),
  'wiki/net/failures/drops.md': tagged('Drops', 'network, wireguard'),
  'wiki/kitchen/facts/bread.md': tagged('Bread', 'baking'),
  'raw/2026-11-01-idea.md': tagged('Idea', 'network, wireguard'),
  'raw/rejected/old.md': tagged('Old', 'network'),
};

describe('notes that share tags', () => {
  it('come with a note, those that share more and rarer tags first, ties by path', async () => {
    const { run } = await openTestBrain(VAULT);
    const { same_tags: neighbours } = await run(getNote, { path: 'wiki/net/facts/mtu.md' });
    expect(neighbours).toEqual([
      { path: 'wiki/net/failures/drops.md', title: 'Drops', stale: false, tags: ['network', 'wireguard'] },
      { path: 'wiki/net/facts/keys.md', title: 'Keys', stale: false, tags: ['wireguard'] },
      { path: 'wiki/net/facts/router.md', title: 'Router', stale: true, tags: ['network'] },
      { path: 'wiki/net/facts/switch.md', title: 'Switch', stale: false, tags: ['network'] },
    ]);
  });

  it('are shown of a note that waits for review, and never among others', async () => {
    const { run } = await openTestBrain(VAULT);
    const { same_tags: neighbours } = await run(getNote, { path: 'raw/2026-11-01-idea.md' });
    expect(neighbours[0]?.path).toBe('wiki/net/facts/mtu.md');
    expect(neighbours.map(({ path }) => path).filter((path) => path.startsWith('raw/'))).toEqual([]);
  });

  it('are none where no tag is shared, and at most ten', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`wiki/net/facts/n${n}.md`, tagged(`N${n}`, 'all')]),
    );
    const { run } = await openTestBrain({ ...VAULT, ...many });
    expect((await run(getNote, { path: 'wiki/kitchen/facts/bread.md' })).same_tags).toEqual([]);
    expect((await run(getNote, { path: 'wiki/net/facts/n7.md' })).same_tags).toHaveLength(10);
  });

  it('follow a change of the tags at once', async () => {
    const { run, vault } = await openTestBrain(VAULT);
    vault.outside('wiki/net/facts/keys.md', tagged('Keys', 'locks'));
    const { same_tags: neighbours } = await run(getNote, { path: 'wiki/net/facts/mtu.md' });
    expect(neighbours.map(({ title }) => title)).not.toContain('Keys');
  });
});
