import { sha256 } from '../../../src/core/base/hash';
import { settleConfig } from '../../../src/core/config/config';
import { status } from '../../../src/core/status/status';
import { Journal } from '../../../src/core/storage/journal';
import type { Plan } from '../../../src/core/storage/plan';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState, type MemoryState } from '../../support/memory-state';
import { createMemoryVault } from '../../support/memory-vault';
import { silentLog } from '../../support/silent-log';
import { openTestBrain, type TestBrain } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const WIKI = vaultPath('wiki/home/facts/mtu.md');
const RAW = vaultPath('raw/2026-11-19-mtu.md');
const PROMOTED = '---\npromoted_at: 2026-11-01T00:00:00Z\n---\n# MTU\n\nWireGuard wants 1420.\n';

async function check(opened: Pick<TestBrain, 'run'>, name: string, probe = false): Promise<string> {
  const { checks } = await opened.run(status, { probe });
  const found = checks.find((each) => each.name === name);
  return `${found?.state}: ${found?.message}`;
}

/** A start on a vault in which an earlier run has begun these plans. */
async function startAfter(files: Record<string, string>, plans: readonly Plan[]) {
  const clock = fixedClock();
  const state = createMemoryState();
  const log = silentLog();
  const journal = new Journal({ state, clock, device: 'test' });
  for (const plan of plans) await journal.begin(plan, []);
  const vault = createMemoryVault(files, clock);
  const { brain, loaded } = await openBrain(
    { vault, state, clock, log, documents: fakeDocuments(), servers: alone },
    settleConfig({}, {}),
    {
      ...{ device: 'test', version: '0.0.0-test' },
      sleep: () => new Promise(() => undefined),
      breathe: async () => undefined,
    },
  );
  await loaded;
  const answer = await status.run(
    brain,
    { probe: false },
    { origin: 'http', name: 'x', human: false, scopes: new Set() },
  );
  const found = answer.checks.find(({ name }) => name === 'recovery');
  return {
    log: log.lines.map(({ event, fields }) => ({ event, ...fields })),
    check: `${found?.state}: ${found?.message}`,
  };
}

describe('what start-up has done with interrupted changes', () => {
  const remove = { kind: 'remove', path: RAW, before: sha256('raw') } as const;
  const promote: Plan = { op: 'promote', steps: [{ kind: 'create', path: WIKI, text: 'promoted' }, remove] };
  const write: Plan = {
    op: 'write',
    steps: [{ kind: 'create', path: vaultPath('knowledge/a.md'), text: 'a' }],
  };

  it('is told by name, finished and undone, in the status and in the log', async () => {
    const { check: said, log } = await startAfter({ [WIKI]: 'promoted', [RAW]: 'raw' }, [promote, write]);
    expect(said).toBe(`ok: Finished at start: promote ${WIKI}. Undone at start: write knowledge/a.md.`);
    expect(log).toContainEqual({ event: 'recovery.finished', change: `promote ${WIKI}` });
    expect(log).toContainEqual({ event: 'recovery.undone', change: 'write knowledge/a.md' });
  });

  it('comes after what needs a person', async () => {
    const { check: said } = await startAfter({ [WIKI]: 'by hand', [RAW]: 'raw' }, [promote, write]);
    expect(said).toMatch(
      /^warning: "promote" was interrupted and wiki.* Undone at start: write knowledge\/a\.md\.$/,
    );
  });
});

describe('twins', () => {
  it('are a note of the queue that a promoted one repeats, and are left as they are', async () => {
    const files = { [WIKI]: PROMOTED, [RAW]: '# MTU\n\nWireGuard wants 1420.\n' };
    const opened = await openTestBrain(files);
    expect(await check(opened, 'twins')).toBe(
      `warning: The same note in the queue and, promoted, in the wiki: ${RAW} and ${WIKI}.`,
    );
    expect(Object.fromEntries(opened.files)).toMatchObject(files);
  });

  it.each([
    ['another text', { [WIKI]: PROMOTED, [RAW]: '# MTU\n\nIt wants 1380.\n' }],
    ['a note that was never in the queue', { [WIKI]: '# MTU\n\nSame.\n', [RAW]: '# MTU\n\nSame.\n' }],
    ['two notes that say nothing', { [WIKI]: '---\npromoted_at: 2026-11-01T00:00:00Z\n---\n', [RAW]: '' }],
    ['a rejected one', { [WIKI]: PROMOTED, 'raw/rejected/mtu.md': '# MTU\n\nWireGuard wants 1420.\n' }],
  ])('are not %s', async (_, files) => {
    expect(await check(await openTestBrain(files), 'twins')).toMatch(/^ok/);
  });
});

describe('orphans', () => {
  const files = (state: MemoryState) => [...state.files.keys()].sort();

  it('are temporary files of other devices, and files of the history that hold no version', async () => {
    const opened = await openTestBrain();
    const version = `history/${sha256('x').slice(0, 2)}/${sha256('x')}.md`;
    const orphans = ['local.other/tmp/1', 'history/zz/note.md', `history/00/${sha256('x')}.md`];
    for (const path of [...orphans, version, 'local.testtest/tmp/own']) opened.state.files.set(path, 'x');
    const before = files(opened.state);
    expect(await check(opened, 'orphans')).toBe(
      'warning: Files in .brain that belong to nothing: local.other/tmp/1.',
    );
    const [temporary, ...ofHistory] = orphans;
    expect(await check(opened, 'orphans', true)).toBe(
      `warning: Files in .brain that belong to nothing: ${[temporary, ...ofHistory.sort()].join(', ')}.`,
    );
    expect(files(opened.state)).toEqual(before);
  });
});

describe('the journal of another device', () => {
  it('is reported when what it announces is older than an hour', async () => {
    const opened = await openTestBrain();
    const plan: Plan = { op: 'write', steps: [{ kind: 'create', path: WIKI, text: 'x' }] };
    const elsewhere = createMemoryState();
    await new Journal({ state: elsewhere, clock: opened.clock, device: 'other' }).begin(plan, []);
    for (const [path, text] of elsewhere.files) opened.state.files.set(path, text);
    expect(await check(opened, 'other devices')).toMatch(/^ok/);
    opened.clock.advance(60 * 60 * 1000);
    expect(await check(opened, 'other devices')).toBe(
      'warning: Another device has unfinished changes: local.other/journal.jsonl.',
    );
    expect(opened.files.has(WIKI)).toBe(false);
  });
});
