import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { callerWith, openTestBrain } from '../../support/test-brain';

const MTU = 'wiki/homelab/facts/wireguard-mtu.md';
const FILES = {
  [MTU]:
    '---\naliases: [tunnel mtu, "MTU: the tunnel"]\n---\n# The MTU of the tunnel\n\nIt is 1420.\n\n## Why\n\nx\n',
  'wiki/homelab/facts/dns.md': '# DNS\n\nUnbound.\n',
  'wiki/household/facts/dns.md': '# Names at home\n\nPi-hole.\n',
  'knowledge/A-B testing.md': '# A/B testing: what it is\n\nx\n',
  'raw/2026-11-20-router.md': '# Router firmware\n\nx\n',
  'raw/2026-11-21-switch.md': '# Switch\n\nx\n',
  'raw/rejected/old.md': '# Old router\n\nx\n',
  'AGENTS.md': '# Guidance\n\nBe kind.\n',
};

describe('a read takes what a link takes', () => {
  it.each([
    [MTU, MTU],
    ['wiki/homelab/facts/wireguard-mtu', MTU],
    ['./wiki/homelab/facts/wireguard-mtu.md', MTU],
    ['././wiki/homelab/facts/wireguard-mtu', MTU],
    ['/wiki/homelab/facts/wireguard-mtu.md', MTU],
    ['brain/wiki/homelab/facts/wireguard-mtu', MTU],
    ['/brain/wiki/homelab/facts/wireguard-mtu.md', MTU],
    ['./brain/wiki/homelab/facts/wireguard-mtu.md', MTU],
    ['Wiki/Homelab/Facts/WireGuard-MTU.md', MTU],
    ['homelab/facts/wireguard-mtu', MTU],
    ['wireguard-mtu', MTU],
    ['wireguard-mtu.md', MTU],
    ['WireGuard MTU', MTU],
    ['The MTU of the tunnel', MTU],
    ['  the mtu of the tunnel ', MTU],
    ['Tunnel MTU', MTU],
    ['MTU: the tunnel', MTU],
    ['[[wiki/homelab/facts/wireguard-mtu]]', MTU],
    ['[[wiki/homelab/facts/wireguard-mtu.md|MTU]]', MTU],
    ['[[wiki/homelab/facts/wireguard-mtu\\|MTU]]', MTU],
    ['[[wireguard-mtu#Why]]', MTU],
    ['[[wireguard-mtu#Why|see here]]', MTU],
    ['![[./wireguard-mtu]]', MTU],
    ['[[The MTU of the tunnel]]', MTU],
    ['wireguard-mtu#Why', MTU],
    ['A/B testing: what it is', 'knowledge/A-B testing.md'],
    ['raw/2026-11-20-router', 'raw/2026-11-20-router.md'],
    ['[[raw/2026-11-20-router]]', 'raw/2026-11-20-router.md'],
    ['2026-11-20-router', 'raw/2026-11-20-router.md'],
    ['Router firmware', 'raw/2026-11-20-router.md'],
    ['AGENTS.md', 'AGENTS.md'],
    ['AGENTS', 'AGENTS.md'],
    ['[[AGENTS]]', 'AGENTS.md'],
    ['./AGENTS.md', 'AGENTS.md'],
    ['wiki/homelab/_index.md', 'wiki/homelab/_index.md'],
  ])('%j is %s', async (given, path) => {
    const { run } = await openTestBrain({ ...FILES, 'wiki/homelab/_index.md': '# homelab\n' });
    expect(await run(getNote, { path: given })).toMatchObject({ path });
    expect(await run(history, { path: given })).toMatchObject({ path, versions: [{}] });
  });

  it('gives the exact path before any other reading of it', async () => {
    const { run } = await openTestBrain({
      'knowledge/mtu.md': '# One\n',
      'wiki/net/facts/other.md': '# knowledge/mtu\n',
      'knowledge/x.md': '---\naliases: [knowledge/mtu.md]\n---\nx\n',
    });
    expect(await run(getNote, { path: 'knowledge/mtu.md' })).toMatchObject({ title: 'One' });
  });

  it.each(['dns', '[[dns]]', 'DNS.md', 'facts/dns'])('names the candidates of %j', async (path) => {
    const { refusal } = await openTestBrain(FILES);
    for (const op of [getNote, history]) {
      const error = await refusal(op, { path });
      expect(error).toMatchObject({
        code: 'ambiguous',
        details: {
          candidates: [
            { path: 'wiki/homelab/facts/dns.md', title: 'DNS' },
            { path: 'wiki/household/facts/dns.md', title: 'Names at home' },
          ],
        },
      });
      expect(error.message).toMatch(/is the name of 2 notes: wiki\/homelab.*\. Give the path/);
    }
  });

  it.each([
    ['wiki/homelab/facts/wiregaurd-mtu.md'],
    ['wiki/homelab/wireguard-mtu.md'],
    ['wireguard mtus'],
    ['The MTU of tunnels'],
    ['[[wiregard-mtu]]'],
  ])('names the nearest of a note that is not there: %j', async (path) => {
    const { refusal } = await openTestBrain(FILES);
    for (const op of [getNote, history]) {
      const error = await refusal(op, { path });
      expect(error.code).toBe('note_not_found');
      expect(error.message).toContain(`Nearest: ${MTU}, `);
      const { nearest } = Object(error.details);
      expect(nearest).toHaveLength(3);
      expect(nearest[0]).toEqual({ path: MTU, title: 'The MTU of the tunnel' });
      expect(JSON.stringify(error)).not.toContain('rejected');
    }
  });

  it('names none in an empty vault', async () => {
    const { refusal } = await openTestBrain();
    expect(await refusal(getNote, { path: 'mtu' })).toMatchObject({
      code: 'note_not_found',
      message: expect.stringMatching(/^There is no note "mtu"\. Look/),
      details: { nearest: [] },
    });
  });

  it.each([
    '../AGENTS.md',
    'wiki/../../etc/passwd',
    'raw/rejected/old.md',
    '[[raw/rejected/old]]',
    'inbox/processed/x.md',
    '.brain/version',
    'wiki/a\\b.md',
    'wiki/net:facts/b.md',
    '[[../secret]]',
  ])('refuses %s', async (path) => {
    const { refusal } = await openTestBrain(FILES);
    expect((await refusal(getNote, { path })).code).toBe('path_not_allowed');
    expect((await refusal(history, { path })).code).toBe('path_not_allowed');
  });
});

describe('a change takes what a read takes', () => {
  const change = { content: 'It is 1412.', reason: 'measured' };

  it.each([
    './wiki/homelab/facts/wireguard-mtu',
    '/brain/wiki/homelab/facts/wireguard-mtu.md',
    '[[wiki/homelab/facts/wireguard-mtu|MTU]]',
    '[[wireguard-mtu#Why]]',
    '[[Tunnel MTU]]',
    'The MTU of the tunnel',
    'wireguard-mtu',
    'wireguard-mtu.md',
  ])('as %s', async (path) => {
    const { run, files } = await openTestBrain(FILES);
    expect(await run(updateNote, { path, ...change })).toMatchObject({ path: MTU });
    expect(files.get(MTU)).toMatch(/It is 1412\.\n?$/);
  });

  it('and refuses a link that several notes match', async () => {
    const { refusal } = await openTestBrain(FILES);
    expect(await refusal(updateNote, { path: '[[dns]]', ...change })).toMatchObject({
      code: 'ambiguous',
      details: { candidates: [{}, {}] },
    });
    const blind = await refusal(updateNote, { path: '[[dns]]', ...change }, callerWith(['write']));
    expect(blind.code).toBe('path_not_allowed');
    expect(JSON.stringify(blind)).not.toContain('facts');
  });

  it('and names the nearest notes of a path that leads to none', async () => {
    const { refusal } = await openTestBrain(FILES);
    const missing = { path: 'wiki/homelab/facts/wiregard-mtu.md', ...change };
    expect(await refusal(updateNote, missing)).toMatchObject({
      code: 'note_not_found',
      details: { nearest: [{ path: MTU }, {}, {}] },
    });
    expect(JSON.stringify(await refusal(updateNote, missing, callerWith(['write'])))).not.toContain(MTU);
  });

  it.each([
    'raw/2026-11-20-router',
    './raw/2026-11-20-router.md',
    '[[2026-11-20-router]]',
    '[[Router firmware]]',
  ])('in the queue as %s', async (path) => {
    const { run, files } = await openTestBrain(FILES);
    expect((await run(listPending, { path })).pending).toMatchObject([{ title: 'Router firmware' }]);
    const address = { wing: 'net', hall: 'facts', dry_run: true };
    expect(await run(promoteNote, { path, ...address })).toMatchObject({ from: 'raw/2026-11-20-router.md' });
    await run(rejectNote, { path });
    expect([...files.keys()]).toContain('raw/rejected/2026-11-20-router.md');
  });
});
