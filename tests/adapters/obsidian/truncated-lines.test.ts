import { auditLine } from '../../../src/core/audit/line';
import { sha256 } from '../../../src/core/base/hash';
import { Past } from '../../../src/core/past/past';
import type { StateStore } from '../../../src/core/ports/ports';
import { ChangeLog } from '../../../src/core/storage/change-log';
import { logSession } from '../../../src/core/sessions/log';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { faultyStorage } from '../../support/faulty-storage';
import { DEVICE as device, openApp } from '../../support/obsidian-subject';
import { openTestBrain } from '../../support/test-brain';

const WIKI = vaultPath('wiki/橋/facts/橋.md');

/** A change of no note, whose line says these words. */
const edit = (reason: string) => ({
  op: 'edit-root',
  steps: [],
  data: { root: { actor: 'owner', path: vaultPath('AGENTS.md'), after: sha256(reason), reason } },
});

async function write(state: StateStore, words: string): Promise<void> {
  const log = new ChangeLog({ state, device, clock: { now: () => new Date(0) } });
  await log.add(edit(words), await log.begin({}));
}

it('loses no change but that whose line was cut when the disk was full in the middle of any character', async () => {
  // So that the half that is written ends in each part of a character.
  for (let more = 0; more < 6; more += 1) {
    const storage = faultyStorage(new MemoryStorage());
    const { state, host } = await openApp(storage);
    await write(state, 'first');
    storage.arm(1, 'error-torn');
    await expect(write(state, 'x'.repeat(more) + '橋'.repeat(200))).rejects.toThrow('error-torn');
    storage.disarm();
    await write(state, 'later');
    const told = await (await new Past(state, { run: async (work) => work() }).read()).telling('root');
    expect(told.map(({ data }) => data?.root?.reason)).toEqual(['first', 'later']);
    host.dispose();
  }
});

it('writes lines of the audit log and of sessions in characters that no cut can halve', async () => {
  const { brain, files } = await openTestBrain({});
  const { file } = await perform(brain);
  const line = files.get(file) ?? '';
  expect(JSON.parse(line)).toMatchObject({ skill: '橋', summary: '知識' });
  const audit = auditLine(
    {
      ts: '2026-11-20T10:32:00Z',
      id: 'a',
      tool: 'brain_query',
      actor: 'owner',
      auth: 'token',
      ok: true,
      args: { query: '知識' },
      paths: [WIKI],
      unlinked: 0,
      duration_ms: 1,
    },
    1,
    '',
  );
  expect(JSON.parse(audit)).toMatchObject({ args: { query: '知識' }, paths: [WIKI] });
  expect([line, audit].join('')).toMatch(/^[\n -~]+$/);
});

function perform(brain: Parameters<typeof logSession.run>[0]) {
  return logSession.run(
    brain,
    { records: [{ skill: '橋', status: 'pass', summary: '知識' }] },
    { origin: 'http', name: 'test', human: false, scopes: new Set() },
  );
}
