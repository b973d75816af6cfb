import type { Caller } from '../../../src/core/access/tokens';
import type { Operation } from '../../../src/core/operation/operation';
import { moveNote } from '../../../src/core/review/move';
import { promoteNote } from '../../../src/core/review/promote';
import { replaceNote } from '../../../src/core/review/replace';
import { unpromoteNote } from '../../../src/core/review/return';
import { openTestBrain, person } from '../../support/test-brain';

const FAN = 'wiki/homelab/facts/fan.md';
const RAW = 'raw/pump.md';
const LINKS = 'See [[wiki/homelab/facts/fan]] and [[raw/pump]].\n';
const LOCKED = `---\nlocked: true\n---\n${LINKS}`;
const DECIDED = { [FAN]: '---\npromoted_at: 2026-11-01T00:00:00Z\n---\n# Fan\n', [RAW]: '# Pump\n' };
/** What Ada may read, and notes beyond that. */
const WITHIN = { 'wiki/homelab/facts/open.md': LINKS, 'wiki/homelab/facts/held.md': LOCKED };
const BEYOND = { 'wiki/secret/facts/open.md': `---\norigin: mcp\nwritten_by: laptop\n---\n${LINKS}` };
const OWNERS = { 'wiki/secret/facts/held.md': LOCKED, 'Journal/day.md': LINKS };
const FILES = { ...DECIDED, ...WITHIN, ...BEYOND, ...OWNERS };

const READER: Caller = { ...person, limits: { read: ['wiki/homelab', 'raw'] } };
const WRITER: Caller = { ...person, limits: { writeWings: ['homelab'] } };

describe.each<[name: string, op: Operation, ask: object]>([
  ['move', moveNote, { path: FAN, slug: 'blower' }],
  ['promote', promoteNote, { path: RAW, wing: 'homelab', hall: 'facts' }],
  ['replace', replaceNote, { path: RAW, replaces: FAN, reason: 'It hums' }],
  ['unpromote', unpromoteNote, { path: FAN }],
])('%s by a person with limits', (_, op, ask) => {
  it.each([true, false])('tells of no note beyond them (dry run: %s)', async (dry_run) => {
    const all = await openTestBrain(FILES);
    const few = await openTestBrain({ ...DECIDED, ...WITHIN });
    const request = { ...ask, dry_run };
    expect(await all.run(op, request, READER)).toEqual(await few.run(op, request, READER));
  });

  it.each([READER, WRITER])(
    'changes no locked note beyond them and none of the owner (%j)',
    async (caller) => {
      const { run, files } = await openTestBrain(FILES);
      await run(op, ask, caller);
      for (const [path, text] of Object.entries(OWNERS))
        expect([path, files.get(path)]).toEqual([path, text]);
      // The service lets links of other notes follow for everybody, and of locked ones for a person who may change them.
      for (const [path, text] of Object.entries({ ...WITHIN, ...BEYOND }))
        expect([path, files.get(path)]).not.toEqual([path, text]);
    },
  );

  it('tells of no map and no edit beyond them that failed', async () => {
    const { run, vault } = await openTestBrain(FILES);
    const put = vault.putDerived.bind(vault);
    vault.putDerived = (path, ...rest) =>
      path.startsWith('wiki/secret/') ? Promise.reject(new Error('Full.')) : put(path, ...rest);
    expect(JSON.stringify(await run(op, ask, READER))).not.toContain('secret');
  });
});

it('links of the owner within the limits of a person follow', async () => {
  const { run, files } = await openTestBrain(FILES);
  const caller = { ...person, limits: { read: ['wiki/homelab', 'Journal'] } };
  expect(await run(moveNote, { path: FAN, slug: 'blower' }, caller)).toMatchObject({ relinked: 3 });
  expect(files.get('Journal/day.md')).toContain('[[wiki/homelab/facts/blower|wiki/homelab/facts/fan]]');
});
