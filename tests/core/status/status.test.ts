import { auditPath } from '../../../src/core/audit/log';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { statusChecks } from '../../../src/core/status/checks';
import { status } from '../../../src/core/status/status';
import { MAX_NOTE_BYTES } from '../../../src/core/vocabulary/limits';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { indexWings } from '../../../src/core/wings/operations';
import { openTestBrain } from '../../support/test-brain';
import { WATCHER_OFF } from '../../support/watcher-off';

const LAYOUT = {
  'wiki/a/facts/b.md': 'x',
  'knowledge/c.md': 'x',
  'raw/2026-01-01-d.md': 'x',
  'inbox/quarantine/2026-01-01/e.pdf': 'x',
  'sessions/2026-01.jsonl': '',
  'AGENTS.md': '# Guidance\n',
};

type Opened = Awaited<ReturnType<typeof openTestBrain>>;

/** The state and the message of one check. */
async function check({ run }: Pick<Opened, 'run'>, name: string): Promise<string> {
  const { checks } = await run(status);
  const [found, ...more] = checks.filter((each) => each.name === name);
  expect([more, found !== undefined]).toEqual([[], true]);
  expect(found?.fix === undefined).toBe(found?.state === 'ok');
  return `${found?.state}: ${found?.message}`;
}

it.each([
  [{ silentMs: 100, unconfirmedMs: 0 }, 'ok', /^What they write is seen within a second; .* up to 41\.$/],
  [{ silentMs: 4_900, unconfirmedMs: 4_900 }, 'ok', /^The database last answered 4\.9 s ago; .* up to 41\.$/],
  [{ silentMs: 100, unconfirmedMs: 7_000 }, 'failed', /has acknowledged no change for 7 s/],
  [{ silentMs: 12_000, unconfirmedMs: 13_000 }, 'failed', /has not answered for 12 s/],
])('tells how a server keeps up with the others of a shared vault: %j', async (found, state, message) => {
  const { brain } = await openTestBrain({});
  const feed = { position: 41, reach: async () => 41, ...found };
  const checks = (await statusChecks({ ...brain, servers: { ...brain.servers, feed } })).filter(
    ({ name }) => name === 'other servers',
  );
  expect(checks).toMatchObject([{ state, message: expect.stringMatching(message) }]);
  expect(checks[0]?.fix === undefined).toBe(state === 'ok');
});

it('says what it holds and what waits', async () => {
  const { run } = await openTestBrain(LAYOUT);
  const { checks, ...rest } = await run(status);
  expect(rest).toEqual({
    version: '0.0.0-test',
    notes: 2,
    index: { state: 'ready', notes: 2, waiting: 0 },
    hybrid: { configured: false, state: 'off' },
    watcher: WATCHER_OFF,
    queue: { count: 1, oldest_at: '2026-01-01T00:00:00Z' },
    quarantine: [{ path: 'inbox/quarantine/2026-01-01/e.pdf' }],
  });
  expect(checks.map(({ name, state }) => [name, state])).toEqual(
    [
      'version',
      'vault layout',
      'storage',
      'recovery',
      'twins',
      'orphans',
      'other devices',
      'past',
      'room',
      'tokens',
      'audit',
      'root note',
      'maps',
      'unreadable files',
      'damaged notes',
      'names',
      'moved notes',
      'what is read',
      'inbox',
      'attachments',
      'rules',
      'language model',
      'converter',
    ].map((name) => [name, name === 'inbox' ? 'warning' : 'ok']),
  );
});

it('warns of unfinished changes of other devices, and of an open door', async () => {
  const opened = await openTestBrain({}, { auth: false });
  const left = {
    id: 'x',
    op: 'promote',
    steps: [{ kind: 'create', path: 'wiki/a/facts/b.md', text: 'x' }],
    folders: [],
  };
  await opened.state.append('local.other/journal.jsonl', `${JSON.stringify(left)}\n`, true);
  await opened.state.append('local.done/journal.jsonl', `${JSON.stringify(left)}\n{"done":"x"}\n`, true);
  expect(await check(opened, 'other devices')).toBe(
    'warning: Another device has unfinished changes: local.other/journal.jsonl.',
  );
  expect(await check(opened, 'tokens')).toMatch(/^warning: Anyone/);
});

describe('the logs of changes', () => {
  const FIRST = Date.parse('2026-01-10T00:00:00Z');
  const segment = (device: string, number: number): string =>
    `past/${device}.${FIRST.toString(36)}.${number}.jsonl`;
  const change = (time: string): string =>
    `${JSON.stringify({ ts: time, op: 'write', notes: [['raw/a.md', null, sha256(time)]] })}\n`;
  const world = async (files: Readonly<Record<string, string>>) => {
    const opened = await openTestBrain({});
    for (const [path, text] of Object.entries(files)) await opened.state.write(path, text);
    return check(opened, 'past');
  };

  it('are whole where each device has written one form after the other', async () => {
    const files = {
      'changes/2026-01.one.jsonl': change('2026-01-09T00:00:00Z'),
      [segment('one', 1)]: change('2026-01-11T00:00:00Z'),
      // This device was updated later than the first one.
      'changes/2026-01.two.jsonl': change('2026-01-12T00:00:00Z'),
      [segment('two', 1)]: change('2026-01-13T00:00:00Z'),
      // The line that is being written is not torn.
      [segment('two', 2)]: `${change('2026-01-14T00:00:00Z')}{"at":1`,
    };
    expect(await world(files)).toBe('ok: The logs of all devices are whole.');
  });

  it('tell of a device that still writes the old form, of copies, of what is missing, and of lines that were cut off', async () => {
    const copy = `past/one.${FIRST.toString(36)}.1 (conflict).jsonl`;
    const files = {
      [segment('one', 1)]: `{"at":1\n${change('2026-01-11T00:00:00Z')}`,
      [copy]: change('2026-01-11T00:00:00Z'),
      [segment('one', 3)]: change('2026-01-12T00:00:00Z'),
      'changes/2026-02.two.jsonl': change('2026-02-01T00:00:00Z'),
    };
    expect(await world(files)).toBe(
      [
        'warning: Logs of an earlier version are still written by two.',
        `Logs are missing between others: ${segment('one', 2)}.`,
        `A sync program has left copies of logs, which are read as well: ${copy}.`,
        `Lines were cut off, which are missing in the history, in ${segment('one', 1)}.`,
      ].join(' '),
    );
    expect(await world({ [segment('one', 1)]: '{"at":1\n{}\n' })).toBe(
      `ok: Lines were cut off, which are missing in the history, in ${segment('one', 1)}.`,
    );
  });
});

it('tells how much room is taken by what is kept, and counts again a minute later', async () => {
  const opened = await openTestBrain({ 'inbox/processed/2026-01-01/a.pdf': 'x'.repeat(3 << 20) });
  await opened.state.write('past/one.a.1.jsonl', 'x');
  expect(await check(opened, 'room')).toBe(
    'ok: What is kept takes 4 MiB. Older versions: none; logs of changes: 1, 1 MiB; texts as sent: none; originals: 1, 3 MiB.',
  );
  await opened.state.write(`history/aa/${'a'.repeat(64)}.md`, 'x');
  expect(await check(opened, 'room')).toContain('Older versions: none;');
  opened.clock.advance(60_000);
  expect(await check(opened, 'room')).toContain('Older versions: 1, 1 MiB;');
});

it('names the folders that are missing', async () => {
  const opened = await openTestBrain({ 'wiki/a/facts/b.md': 'x', 'raw/c.md': 'x' });
  expect(await check(opened, 'vault layout')).toBe('warning: Missing: knowledge, inbox, sessions.');
});

it('tells a disk that cannot be written', async () => {
  const opened = await openTestBrain(LAYOUT);
  expect(await opened.state.list('local.testtest')).not.toContain('local.testtest/probe');
  opened.state.write = () => Promise.reject(new Error('ENOSPC'));
  expect(await check(opened, 'storage')).toMatch(/^failed: The folder \.brain in the vault cannot/);
});

describe('trying whether the disk takes writes', () => {
  const world = async () => {
    const opened = await openTestBrain(LAYOUT);
    const write = jest.spyOn(opened.state, 'write');
    const later = (ms: number) => opened.clock.advance(ms);
    return { ...opened, write, later };
  };

  it('is done at most once a minute, however often it is asked', async () => {
    const { run, write, later } = await world();
    for (let times = 0; times < 5; times += 1) await run(status);
    expect(write.mock.calls.map(([path]) => path)).toEqual(['local.testtest/probe']);
    later(59_999);
    await run(status);
    expect(write).toHaveBeenCalledTimes(1);
    later(1);
    await run(status);
    expect(write).toHaveBeenCalledTimes(2);
    later(-3_600_000);
    await run(status);
    expect(write).toHaveBeenCalledTimes(3);
  });

  it('is done at once when that is asked for, and tells what is so now', async () => {
    const { run, state, write } = await world();
    await run(status, { probe: true });
    await run(status, { probe: true });
    expect(write).toHaveBeenCalledTimes(2);
    state.write = () => Promise.reject(new Error('ENOSPC'));
    const states = async (ask: object) =>
      (await run(status, ask)).checks.find(({ name }) => name === 'storage')?.state;
    expect(await states({})).toBe('ok');
    expect(await states({ probe: true })).toBe('failed');
    expect(await states({})).toBe('failed');
  });
});

it('offers what a program can do about a check', async () => {
  const opened = await openTestBrain({ 'wiki/a/facts/b.md': 'x' });
  const { checks } = await opened.run(status);
  const offered = checks.flatMap(({ name, action }) => (action === undefined ? [] : [[name, action]]));
  expect(offered).toEqual([
    ['vault layout', 'make-folders'],
    ['audit', 'open-connect'],
    ['attachments', 'read-attachments'],
  ]);
});

it('misses the map of a wing that agents write to, until it is rebuilt', async () => {
  const opened = await openTestBrain({
    ...LAYOUT,
    'wiki/mine/facts/b.md': 'x',
    'wiki/ours/facts/b.md': '---\nwritten_by: agent\n---\nx',
  });
  opened.files.delete('wiki/ours/_index.md');
  opened.brain.catalog.drop(vaultPath('wiki/ours/_index.md'));
  expect((await opened.run(status)).checks).toContainEqual(
    expect.objectContaining({ name: 'maps', action: 'rebuild-index' }),
  );
  expect(await check(opened, 'maps')).toBe('warning: Wings without their map, _index.md: ours.');
  await opened.run(indexWings, {});
  expect(await check(opened, 'maps')).toMatch(/^ok: /);
});

it('tells a broken end of the audit log', async () => {
  const opened = await openTestBrain(LAYOUT);
  await opened.state.append(auditPath('2026-11', 'testtest'), 'no line of ours\n', true);
  expect(await check(opened, 'audit')).toMatch(/^failed: audit\/2026-11\.testtest\.jsonl, line 1: /);
});

it('tells a missing root note, and one that is too long', async () => {
  const { 'AGENTS.md': _, ...rest } = LAYOUT;
  expect(await check(await openTestBrain(rest), 'root note')).toMatch(/^warning: There is no AGENTS\.md/);
  const long = await openTestBrain({ ...rest, 'CLAUDE.md': 'x'.repeat(64 * 1024 + 1) });
  expect(await check(long, 'root note')).toMatch(/^warning: CLAUDE\.md has 65537 bytes/);
});

it('names notes that cannot be read', async () => {
  const opened = await openTestBrain(LAYOUT);
  opened.vault.read = () => Promise.reject(new BrainError('unsupported_type', 'not UTF-8'));
  opened.vault.touch('wiki/a/facts/b.md');
  expect(await check(opened, 'unreadable files')).toBe(
    'warning: One note cannot be read and so not be found: wiki/a/facts/b.md.',
  );
});

it('names notes that are larger than notes are read, with their sizes, and what to do', async () => {
  const opened = await openTestBrain({ ...LAYOUT, 'wiki/a/facts/c.md': 'x' });
  const { stat } = opened.vault;
  const sizes = new Map([
    ['wiki/a/facts/b.md', 200 * MAX_NOTE_BYTES],
    ['wiki/a/facts/c.md', MAX_NOTE_BYTES + 1],
  ]);
  opened.vault.stat = async (path) => {
    const found = await stat.call(opened.vault, path);
    return found && { ...found, size: sizes.get(path) ?? found.size };
  };
  for (const path of sizes.keys()) opened.vault.touch(path);
  expect(await check(opened, 'unreadable files')).toBe(
    'warning: 2 notes are larger than 50 MiB, and so not read: wiki/a/facts/b.md (10000 MiB), wiki/a/facts/c.md (51 MiB).',
  );
  opened.vault.outsideBytes('knowledge/c.md', new Uint8Array([0xff]));
  expect(await check(opened, 'unreadable files')).toMatch(
    /^warning: One note cannot be read and so not be found: knowledge\/c\.md\. 2 notes are larger/,
  );
  const { checks } = await opened.run(status);
  expect(checks.find(({ name }) => name === 'unreadable files')?.fix).toMatch(/UTF-8.*Split/);
});

it('names notes of which only a part is read as Markdown', async () => {
  const opened = await openTestBrain({ ...LAYOUT, 'Own/rules.md': `${'***\n'.repeat(30_001)}[[b]]\n` });
  expect(await check(opened, 'unreadable files')).toBe(
    'warning: One note has more blocks, lines or marks than are read, so links, headings and block ids behind those are not known: Own/rules.md.',
  );
});

it('asks the disk for no file of which is known that it cannot be read', async () => {
  const opened = await openTestBrain({ ...LAYOUT, 'wiki/a/facts/c.md': 'x' });
  const { stat, read } = opened.vault;
  opened.vault.stat = async (path) => {
    const found = await stat.call(opened.vault, path);
    return found && path.endsWith('b.md') ? { ...found, size: 2 * MAX_NOTE_BYTES } : found;
  };
  opened.vault.read = (path) =>
    path.endsWith('c.md')
      ? Promise.reject(new BrainError('unsupported_type', 'not UTF-8'))
      : read.call(opened.vault, path);
  for (const path of ['wiki/a/facts/b.md', 'wiki/a/facts/c.md']) opened.vault.touch(path);
  const found = await check(opened, 'unreadable files');
  const asked = jest.spyOn(opened.vault, 'stat');
  expect(await check(opened, 'unreadable files')).toBe(found);
  expect(found).toMatch(
    /: wiki\/a\/facts\/c\.md\. One note is larger .*: wiki\/a\/facts\/b\.md \(100 MiB\)\.$/,
  );
  expect(asked.mock.calls.filter(([path]) => path.startsWith('wiki/a/facts/'))).toEqual([]);
});

it('names notes that a crash may have emptied or torn, and leaves them', async () => {
  const files = {
    ...LAYOUT,
    'wiki/a/facts/b.md': '',
    'wiki/a/facts/c.md': '---\ntitle: [\n---\nc\n',
    'raw/rejected/d.md': '',
  };
  const opened = await openTestBrain(files);
  expect(await check(opened, 'damaged notes')).toBe(
    'warning: Notes that are empty, or whose front matter cannot be read: wiki/a/facts/b.md, wiki/a/facts/c.md.',
  );
  expect(opened.files.get('wiki/a/facts/b.md')).toBe('');
});

it('names files that differ by case alone', async () => {
  const opened = await openTestBrain({ ...LAYOUT, 'wiki/a/facts/B.md': 'x', 'wiki/A/facts/b.md': 'x' });
  expect(await check(opened, 'names')).toBe(
    'warning: Names that Windows and macOS take for one: wiki/A/facts/b.md and wiki/a/facts/B.md, wiki/A/facts/b.md and wiki/a/facts/b.md.',
  );
});

it.each([true, false])('lets the host know whether to look anew (%j)', async (probe) => {
  const opened = await openTestBrain(LAYOUT);
  const hostChecks = jest.fn(async () => []);
  const caller = { origin: 'http', name: 'a', human: false, scopes: new Set<never>() } as const;
  await status.run({ ...opened.brain, hostChecks }, { probe }, caller);
  expect(hostChecks.mock.calls).toEqual([[{ probe }]]);
});

it('adds what the host has looked at, and says when a look failed', async () => {
  const opened = await openTestBrain(LAYOUT);
  const port = { name: 'port', state: 'ok', message: 'Listening.' } as const;
  const withHost = (hostChecks: () => Promise<readonly (typeof port)[]>) =>
    status.run(
      { ...opened.brain, hostChecks },
      {},
      { origin: 'http', name: 'a', human: false, scopes: new Set() },
    );
  expect((await withHost(async () => [port])).checks.at(-1)).toEqual(port);
  const failed = await withHost(() => Promise.reject(new Error('/home/me/secret')));
  expect(failed.checks.at(-1)).toMatchObject({ name: 'host', state: 'failed' });
  expect(JSON.stringify(failed)).not.toContain('secret');
});

describe('what is read', () => {
  const FILES = { 'Diary.md': 'x', 'Work/plan.md': 'y', 'Private/z.md': 'z', 'pic.png': 'p' };
  const said = async (settings: Parameters<typeof openTestBrain>[1]) => {
    const { run } = await openTestBrain(FILES, settings);
    const { checks } = await run(status, {});
    return checks.find(({ name }) => name === 'what is read');
  };

  it('is the vault, without what the owner leaves out', async () => {
    expect(await said({ exclude: ['Private'] })).toMatchObject({
      state: 'ok',
      message: 'Every note of the vault is read, except Private. Yours are never changed. Notes of yours: 2.',
    });
  });

  it('says how many notes are outside when only the service’s folders are read', async () => {
    expect(await said({ exclude: ['Private'], readScope: 'brain' })).toMatchObject({
      state: 'ok',
      message:
        'Only the folders of the service are read, and no other note of the vault. 2 notes are outside what is read.',
    });
  });
});
