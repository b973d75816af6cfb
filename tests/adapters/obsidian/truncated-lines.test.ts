import { auditLine } from '../../../src/core/audit/line';
import { sha256 } from '../../../src/core/base/hash';
import { recordRootEdit, rootVersions } from '../../../src/core/notes/root';
import type { StateStore } from '../../../src/core/ports/ports';
import { originOf, rememberOrigin } from '../../../src/core/review/return';
import { logSession } from '../../../src/core/sessions/log';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { faultyStorage } from '../../support/faulty-storage';
import { DEVICE as device, openApp } from '../../support/obsidian-subject';
import { openTestBrain } from '../../support/test-brain';

const WIKI = vaultPath('wiki/橋/facts/橋.md');

type Stores = { readonly state: StateStore };

const edit = (reason: string) => ({
  v: 1 as const,
  ts: '2026-11-20T10:32:00Z',
  id: 'a',
  actor: 'owner',
  path: 'AGENTS.md',
  after_hash: sha256(reason),
  before_bytes: 0,
  after_bytes: 1,
  reason,
});

const ROOT = vaultPath('AGENTS.md');
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
    'edits of the root note',
    ({ state }, words) => recordRootEdit({ state, device }, edit(words)),
    ({ state }) =>
      Promise.all(
        ['first', LATER].map(async (words) => {
          for await (const { reason } of rootVersions({ state }, ROOT, words)) return reason ?? null;
          return null;
        }),
      ),
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
