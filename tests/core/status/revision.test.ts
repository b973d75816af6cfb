import { writeNote } from '../../../src/core/notes/write';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { revision } from '../../../src/core/status/revision';
import { openTestBrain } from '../../support/test-brain';

const NOTE = 'wiki/net/facts/mtu.md';

async function open() {
  const opened = await openTestBrain({
    [NOTE]: '# MTU\n',
    'raw/dns.md': '# DNS\n',
    'wiki/net/map.png': 'png',
  });
  return { ...opened, ask: async () => (await opened.run(revision)).revision };
}

it('stays the same while nothing changes, however much is read and refused', async () => {
  const { ask, run, refusal } = await open();
  const before = await ask();
  await run(listPending);
  await run(promoteNote, { path: 'raw/dns.md', wing: 'net', hall: 'facts', dry_run: true });
  await refusal(promoteNote, { path: 'raw/none.md', wing: 'net', hall: 'facts' });
  expect(await ask()).toBe(before);
});

it('is another one after every change, and never one that was there before', async () => {
  const { ask, run, vault } = await open();
  const seen = [await ask()];
  const steps: (() => unknown)[] = [
    () => run(writeNote, { wing: 'net', hall: 'facts', slug: 'arp', content: '# ARP\n' }),
    () => run(promoteNote, { path: 'raw/dns.md', wing: 'net', hall: 'facts' }),
    () => vault.outside(NOTE, '# Packet size\n'),
    () => vault.outside(NOTE, '# MTU\n'),
    () => vault.outside(NOTE, null),
    () => vault.outside(NOTE, '# MTU\n'),
    () => vault.outside('raw/new.md', '# New\n'),
    () => vault.outside('wiki/net/map.png', null),
  ];
  for (const step of steps) {
    await step();
    seen.push(await ask());
  }
  expect(new Set(seen).size).toBe(steps.length + 1);
});

it('tells one run from the next', async () => {
  const [first, second] = [await openTestBrain(), await openTestBrain({}, {}, '2026-11-20T10:32:01Z')];
  expect(await first.run(revision)).not.toEqual(await second.run(revision));
});
