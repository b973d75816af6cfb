import { auditLine } from '../../../src/core/audit/line';
import { sha256 } from '../../../src/core/base/hash';
import { Past } from '../../../src/core/past/past';
import type { StateStore } from '../../../src/core/ports/ports';
import { originOf, rememberOrigin } from '../../../src/core/review/return';
import { ChangeLog } from '../../../src/core/storage/change-log';
import { logSession } from '../../../src/core/sessions/log';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { faultyStorage } from '../../support/faulty-storage';
import { DEVICE as device, openApp } from '../../support/obsidian-subject';
import { openTestBrain } from '../../support/test-brain';

const WIKI = vaultPath('wiki/橋/facts/橋.md');

type Stores = { readonly state: StateStore };

/** A change of no note, whose line says these words. */
const edit = (reason: string) => ({
  op: 'edit-root',
  steps: [],
  data: { root: { actor: 'owner', path: vaultPath('AGENTS.md'), after: sha256(reason), reason } },
});

const LATER = 'later';

/** Two files that only grow: how a record is written, and whether the records of the first and the last one are found. */
const LOGS: readonly (readonly [
  string,
  (stores: Stores, words: string) => Promise<void>,
  (stores: Stores) => Promise<readonly unknown[]>,
])[] = [
  [
    'where notes came from',
    ({ state }, words) =>
      rememberOrigin({ state, device }, vaultPath(`wiki/${words}.md`), vaultPath(`raw/${words}.md`)),
    ({ state }) =>
      Promise.all(['first', LATER].map((words) => originOf({ state }, vaultPath(`wiki/${words}.md`)))),
  ],
  [
    'changes',
    async ({ state }, words) => {
      const log = new ChangeLog({ state, device, clock: { now: () => new Date(0) } });
      await log.add(edit(words), await log.begin({}));
    },
    async ({ state }) => {
      const told = await (await new Past(state, { run: async (work) => work() }).read()).telling('root');
      const reasons = new Set(told.map(({ data }) => data?.root?.reason));
      return ['first', LATER].map((words) => (reasons.has(words) ? words : null));
    },
  ],
];

describe.each(LOGS)('the record of %s', (_, write, read) => {
  it('loses nothing but the line that was cut when the disk was full in the middle of any character', async () => {
    // So that the half that is written ends in each part of a character.
    for (let more = 0; more < 6; more += 1) {
      const storage = faultyStorage(new MemoryStorage());
      const stores = await openApp(storage);
      await write(stores, 'first');
      storage.arm(1, 'error-torn');
      await expect(write(stores, 'x'.repeat(more) + '橋'.repeat(200))).rejects.toThrow('error-torn');
      storage.disarm();
      await write(stores, LATER);
      expect(await read(stores)).not.toContain(null);
      stores.host.dispose();
    }
  });
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
