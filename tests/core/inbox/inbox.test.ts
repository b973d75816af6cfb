import { BrainError } from '../../../src/core/base/errors';
import { ingestInbox, retryQuarantined } from '../../../src/core/inbox/operations';
import { perform } from '../../../src/core/operation/operation';
import type { LanguageModel } from '../../../src/core/ports/ports';
import { status } from '../../../src/core/status/status';
import { type InboxWorld, inboxWorld } from '../../support/inbox-world';
import { modelPage } from '../../support/model-page';
import { agent, callerWith } from '../../support/test-brain';

const DAY = '2026-11-20';
/** Two looks two seconds apart, with some room. */
const STILL = 2500;

const pages = (world: InboxWorld) => world.paths('raw').map((path) => path.replace(/^raw\/[\d-]+-/, ''));
const watcher = async (world: InboxWorld) => (await perform(world.brain, status, {}, agent)).watcher;
const ingestAll = (world: InboxWorld) => perform(world.brain, ingestInbox, {}, agent);
const retry = (world: InboxWorld, path: string) => perform(world.brain, retryQuarantined, { path }, agent);

const inboxMessage = async () =>
  (await perform(world.brain, status, {}, agent)).checks.find(({ name }) => name === 'inbox')?.message;

let world: InboxWorld;
afterEach(() => world.stop());

async function started(files: Record<string, string> = {}, watch: 'on' | 'off' | 'made' | 'unset' = 'on') {
  world = inboxWorld(files);
  await world.start(watch);
}

describe('a file that is put into a watched inbox', () => {
  it('becomes a page that names the watcher, and is kept among the handled originals', async () => {
    await started();
    world.drop('inbox/a.txt', 'Alpha beta.\n');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['a.md']);
    const [page = ''] = world.paths('raw');
    expect(world.vault.files.get(page)).toMatch(/\norigin: watcher\nwritten_by: watcher via passthrough\n/);
    expect(world.vault.files.get(page)).toContain(`[[inbox/processed/${DAY}/a.txt|a.txt]]`);
    expect(world.paths('inbox')).toEqual([`inbox/processed/${DAY}/a.txt`]);
    expect(world.vault.files.get(`inbox/processed/${DAY}/a.txt`)).toBe('Alpha beta.\n');
  });

  it('that is taken with warnings has them in the log', async () => {
    await started();
    world.drop('inbox/a.eml', 'x');
    world.documents.script('a.eml', async () => ({
      markdown: 'Hi',
      converted: false,
      warnings: ['No att.pdf.'],
    }));
    await world.pass(STILL);
    const warned = () => world.log.lines.filter(({ event }) => event === 'inbox.warning');
    expect(warned()).toEqual([
      { level: 'warn', event: 'inbox.warning', fields: { path: 'inbox/a.eml', message: 'No att.pdf.' } },
    ]);
    for (const path of world.paths('raw')) world.vault.outside(path, null);
    world.drop('inbox/b.eml', 'x');
    await world.pass(2 * STILL);
    expect(warned().at(-1)?.fields).toEqual({
      path: 'inbox/b.eml',
      message: expect.stringMatching(/^It was ingested before/),
    });
    expect(pages(world)).toEqual([]);
  });

  it('is not touched before its size and time have stood still for two seconds', async () => {
    await started();
    world.drop('inbox/a.txt', 'begin');
    for (let part = 0; part < 5; part += 1) {
      await world.pass(1500);
      world.drop('inbox/a.txt', `begin${'.'.repeat(part + 1)}`);
    }
    await world.pass(1500);
    expect(pages(world)).toEqual([]);
    await world.pass(STILL);
    expect(pages(world)).toEqual(['a.md']);
    expect(world.documents.asked).toEqual(['a.txt']);
  });

  it('is taken one after the other, and the status tells how far that is', async () => {
    await started();
    const seen: unknown[] = [];
    for (const name of ['a.txt', 'sub/c.txt', 'b.txt']) world.drop(`inbox/${name}`);
    world.documents.script('b.txt', async () => {
      seen.push(world.brain.inbox.state.running);
      return { markdown: 'b', converted: false, warnings: [] };
    });
    await world.pass(2 * STILL);
    expect(world.documents.asked).toEqual(['a.txt', 'b.txt', 'c.txt']);
    // All are read before the first of them is written.
    expect(seen).toEqual([{ file: 'inbox/b.txt', done: 0, total: 3 }]);
    expect((await watcher(world)).running).toBeUndefined();
  });

  it.each([
    '.hidden.txt',
    '~$letter.docx',
    'a.tmp',
    'film.part',
    'b.crdownload',
    'c.txt.icloud',
    'd.sync-conflict-20261120-103200-ABCDEFG.txt',
    'processed/2026-01-01/old.txt',
    'quarantine/2026-01-01/old.txt',
    'Processed/old.txt',
  ])('is none of its business as %s', async (name) => {
    await started();
    world.drop(`inbox/${name}`);
    await world.pass(60_000);
    expect(world.paths('inbox')).toEqual([`inbox/${name}`]);
    expect(await watcher(world)).toMatchObject({ left: [], waiting: [] });
  });

  it('is left alone while it is empty', async () => {
    await started();
    world.drop('inbox/a.txt', '');
    await world.pass(60_000);
    expect(world.paths('inbox')).toEqual(['inbox/a.txt']);
    expect(await watcher(world)).toMatchObject({ left: [{ path: 'inbox/a.txt', reason: 'empty' }] });
    world.drop('inbox/a.txt', 'now');
    await world.pass(STILL);
    expect(await watcher(world)).toMatchObject({ left: [] });
    expect(pages(world)).toEqual(['a.md']);
  });

  it('that was taken before makes no second page', async () => {
    await started();
    world.drop('inbox/a.txt', 'Alpha beta.\n');
    await world.pass(STILL);
    world.drop('inbox/again.txt', 'Alpha beta.\n');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['a.md']);
    expect(world.paths('inbox')).toEqual([
      `inbox/processed/${DAY}/a.txt`,
      `inbox/processed/${DAY}/again.txt`,
    ]);
  });
});

describe('a file of a kind that cannot be read', () => {
  it('stays where it is and is listed; with a converter it is taken', async () => {
    await started();
    world.drop('inbox/film.mp4');
    world.drop('inbox/letter.docx');
    await world.pass(60_000);
    expect(world.paths('inbox')).toEqual(['inbox/film.mp4', 'inbox/letter.docx']);
    expect((await watcher(world)).left).toEqual([
      { path: 'inbox/film.mp4', reason: 'unknown_type' },
      { path: 'inbox/letter.docx', reason: 'no_converter' },
    ]);
    world.documents.converter = true;
    await world.pass(35_000);
    expect(pages(world)).toEqual(['letter.md']);
    expect(await watcher(world)).toMatchObject({ left: [{ path: 'inbox/film.mp4' }], left_count: 1 });
    expect(await inboxMessage()).toContain('or take them away: inbox/film.mp4.');
    world.drop('inbox/song.mp3');
    await world.pass(STILL);
    expect(await inboxMessage()).toContain('or take them away: inbox/film.mp4, inbox/song.mp3.');
  });

  it('is told beside every other file that waits for a person', async () => {
    await started({ 'inbox/old.txt': 'Old.\n', 'inbox/quarantine/2026-01-01/scan.pdf': 'x' });
    for (const name of ['film.mp4', 'empty.txt', 'scan.png'])
      world.drop(`inbox/${name}`, name === 'empty.txt' ? '' : 'x');
    await world.pass(60_000);
    expect((await watcher(world)).left).toHaveLength(3);
    const message = await inboxMessage();
    for (const each of [
      'quarantine/2026-01-01/scan.pdf',
      'film.mp4',
      'empty.txt',
      'scan.png',
      'One file in inbox stood',
    ])
      expect(message).toContain(each);
  });

  it('is forgotten when it is taken away', async () => {
    await started();
    world.drop('inbox/film.mp4');
    await world.pass(STILL);
    world.vault.outside('inbox/film.mp4', null);
    expect((await watcher(world)).left).toEqual([]);
  });
});

describe('switching on', () => {
  it('takes none of the files that stand there, not after a restart either, until somebody says so', async () => {
    await started({ 'inbox/old.txt': 'Old.\n', 'inbox/older.md': '# Older\n' });
    await world.pass(60_000);
    const waiting = ['inbox/old.txt', 'inbox/older.md'];
    expect(await watcher(world)).toMatchObject({ state: 'on', waiting, waiting_count: 2 });
    await world.stop();
    await world.start('on');
    await world.pass(60_000);
    expect(await watcher(world)).toMatchObject({ waiting });
    expect(pages(world)).toEqual([]);
    expect(await ingestAll(world)).toEqual({ queued: 2 });
    await world.pass(STILL);
    expect(pages(world)).toEqual(['old.md', 'older.md']);
    expect(await watcher(world)).toMatchObject({ waiting: [], waiting_count: 0 });
    expect(await ingestAll(world)).toEqual({ queued: 0 });
  });

  it.each([
    ['on', 1, 'One file in inbox stood there before and waits for your word.'],
    ['on', 2, '2 files in inbox stood there before and wait for your word.'],
    ['unset', 1, 'One file in inbox waits for your word.'],
    ['unset', 2, '2 files in inbox wait for your word.'],
  ] as const)('(%s) says that %i of them waits for it', async (watch, count, message) => {
    const files = Object.entries({ 'inbox/a.txt': 'A.\n', 'inbox/b.txt': 'B.\n' }).slice(0, count);
    await started(Object.fromEntries(files), watch);
    expect(await inboxMessage()).toBe(message);
  });

  it('takes what came while the service was away', async () => {
    await started({ 'inbox/old.txt': 'Old.\n' });
    await world.stop();
    world.drop('inbox/new.txt', 'New.\n');
    await world.start('on');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['new.md']);
    expect(await watcher(world)).toMatchObject({ waiting: ['inbox/old.txt'] });
  });

  it('does not lose what somebody said when it is stopped before it is done', async () => {
    await started({ 'inbox/old.txt': 'Old.\n' });
    await ingestAll(world);
    await world.stop();
    expect(pages(world)).toEqual([]);
    await world.start('on');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['old.md']);
  });

  it('leaves alone a file that waits however it is edited, and takes another that is put in its place', async () => {
    await started({ 'inbox/todo.md': '# To do\n' });
    world.drop('inbox/todo.md', '# To do\n\nMore.\n');
    await world.pass(60_000);
    expect(world.paths('inbox')).toEqual(['inbox/todo.md']);
    world.vault.outside('inbox/todo.md', null);
    await world.pass(500);
    world.drop('inbox/todo.md', '# To do\n\nSaved anew by an editor.\n');
    await world.pass(60_000);
    expect(world.paths('inbox')).toEqual(['inbox/todo.md']);
    world.vault.outside('inbox/todo.md', null);
    await world.pass(60_000);
    world.drop('inbox/todo.md', '# Another\n');
    await world.pass(STILL);
    expect(world.paths('inbox')).toEqual([`inbox/processed/${DAY}/todo.md.txt`]);
  });

  it('again after it was off makes everything wait that stands there then', async () => {
    await started();
    await world.stop();
    await world.start('off');
    world.drop('inbox/a.txt', 'A.\n');
    await world.pass(60_000);
    expect(await watcher(world)).toMatchObject({
      state: 'off',
      reason: 'not_switched_on',
      waiting: ['inbox/a.txt'],
    });
    await world.stop();
    await world.start('on');
    await world.pass(60_000);
    expect([pages(world), (await watcher(world)).waiting]).toEqual([[], ['inbox/a.txt']]);
  });

  it('is not needed for one order of a person', async () => {
    await started({ 'inbox/a.txt': 'A.\n' }, 'off');
    expect(await ingestAll(world)).toEqual({ queued: 1 });
    world.drop('inbox/b.txt', 'B.\n');
    await world.pass(60_000);
    expect([pages(world), (await watcher(world)).waiting]).toEqual([['a.md'], ['inbox/b.txt']]);
  });

  it('goes without saying where the service made the inbox, also at later starts, until somebody says no', async () => {
    await started({}, 'made');
    for (const [n, watch] of (['unset', 'off', 'unset'] as const).entries()) {
      await world.stop();
      await world.start(watch);
      expect((await watcher(world)).state).toBe(watch === 'off' ? 'off' : 'on');
      world.drop(`inbox/${n}.txt`, `${n} is the number of this text.\n`);
      await world.pass(STILL);
    }
    // What came while it was off waits.
    expect(pages(world)).toEqual(['0.md', '2.md']);
    expect((await watcher(world)).waiting).toEqual(['inbox/1.txt']);
  });

  it('does not happen by itself where the inbox stood before', async () => {
    await started({ 'inbox/a.txt': 'A.\n' }, 'unset');
    expect(await watcher(world)).toMatchObject({ state: 'off', reason: 'not_switched_on' });
    await world.stop();
    await world.start('off', {}, { elsewhere: true });
    expect(await watcher(world)).toMatchObject({ state: 'off', reason: 'other_device' });
  });

  it('makes everything wait when another folder is named', async () => {
    await started({ 'inbox/a.txt': 'A.\n', 'drop/b.txt': 'B.\n' });
    await world.stop();
    await world.start('on', { watchDir: 'drop' });
    await world.pass(60_000);
    expect(await watcher(world)).toMatchObject({ folder: 'drop', waiting: ['drop/b.txt'] });
    world.drop('drop/c.txt', 'C.\n');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['c.md']);
    expect(world.paths('inbox/processed')).toEqual([`inbox/processed/${DAY}/c.txt`]);
  });

  it('begins anew where its memory was damaged', async () => {
    await started();
    await world.stop();
    world.drop('inbox/a.txt');
    world.state.files.set('local.testtest/inbox.json', '{"v":1,');
    await world.start('on');
    await world.pass(STILL);
    expect((await watcher(world)).waiting).toEqual(['inbox/a.txt']);
  });

  it.each([
    'wiki',
    'knowledge',
    'sessions',
    '.brain',
    'raw/rejected',
    'inbox/processed',
    'Wiki',
    '..',
    '/',
    '',
  ])('never happens for the folder %p', async (watchDir) => {
    world = inboxWorld({ 'wiki/net/facts/a.md': '# A\n' });
    await world.start('on', { watchDir });
    await world.pass(60_000);
    const { checks, watcher: found } = await perform(world.brain, status, {}, agent);
    expect(found).toMatchObject({ state: 'off', reason: 'folder_not_allowed' });
    const told = checks.find(({ name }) => name === 'inbox');
    expect(told).toMatchObject({ state: 'failed', message: expect.stringContaining('cannot be watched') });
    expect(world.log.lines.filter(({ event }) => event === 'inbox.not_watched')).toEqual([
      { level: 'warn', event: 'inbox.not_watched', fields: { folder: watchDir, message: told?.message } },
    ]);
  });

  it('of the review queue takes files that are no notes, and nothing that was rejected', async () => {
    world = inboxWorld();
    await world.start('on', { watchDir: 'raw' });
    world.drop('raw/2026-11-01-note.md', '# A note\n');
    world.drop('raw/rejected/bad.txt', 'Bad.\n');
    world.drop('raw/paper.txt', 'Paper.\n');
    await world.pass(STILL);
    expect(world.paths('raw')).toEqual([
      'raw/2026-11-01-note.md',
      `raw/${DAY}-paper.md`,
      'raw/rejected/bad.txt',
    ]);
  });
});

const down = new BrainError('converter_error', 'The converter at 127.0.0.1 cannot be reached.', {
  tool: 'convert_to_markdown',
});
const broken = new BrainError('no_text', 'scan.pdf holds no text.');
const errorNote = (path: string) =>
  JSON.parse(world.vault.files.get(`${path}.error.json`) ?? 'null') as unknown;

describe('a file that fails', () => {
  const SCAN = `inbox/quarantine/${DAY}/scan.pdf`;

  it('goes into quarantine at once with the reason beside it', async () => {
    await started();
    world.documents.script('scan.pdf', broken);
    world.drop('inbox/scan.pdf', 'no text');
    await world.pass(STILL);
    expect(world.paths('inbox')).toEqual([SCAN, `${SCAN}.error.json`]);
    expect(errorNote(SCAN)).toEqual({
      file: 'inbox/scan.pdf',
      code: 'no_text',
      message: 'scan.pdf holds no text.',
      at: '2026-11-20T10:32:02Z',
      attempts: 1,
      source_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { quarantine, checks } = await perform(world.brain, status, {}, agent);
    expect(quarantine).toEqual([expect.objectContaining({ path: SCAN, code: 'no_text', attempts: 1 })]);
    expect(world.quarantined).toEqual([{ path: SCAN, from: 'inbox/scan.pdf', code: 'no_text' }]);
    expect(checks.find(({ name }) => name === 'inbox')).toMatchObject({ state: 'warning' });
  });

  it('is tried again after 10, 60 and 300 seconds when the reason may pass, while others are taken', async () => {
    await started();
    world.documents.script('scan.pdf', down);
    world.drop('inbox/scan.pdf', 'x');
    await world.pass(STILL);
    expect((await watcher(world)).retrying).toEqual([
      {
        path: 'inbox/scan.pdf',
        attempts: 1,
        next_at: '2026-11-20T10:32:12Z',
        code: 'converter_error',
        message: down.message,
      },
    ]);
    world.drop('inbox/other.txt');
    await world.pass(2 * STILL);
    expect(pages(world)).toEqual(['other.md']);
    const tries = () => world.documents.asked.filter((name) => name === 'scan.pdf').length;
    await world.pass(10_000);
    expect(tries()).toBe(2);
    await world.pass(50_000);
    expect(tries()).toBe(2);
    await world.pass(15_000);
    expect(tries()).toBe(3);
    await world.pass(285_000);
    expect([tries(), world.paths('inbox/quarantine')]).toEqual([3, []]);
    await world.pass(10_000);
    expect(tries()).toBe(4);
    expect(errorNote(SCAN)).toMatchObject({ code: 'converter_error', attempts: 4 });
  });

  it.each([
    [undefined, true],
    [503, true],
    [429, true],
    [200, false],
    [401, false],
  ])('at a converter that answers %p: worth another try: %p', async (answered, again) => {
    await started();
    const error = new BrainError('converter_error', 'It failed.', {
      ...(answered !== undefined && { status: answered }),
    });
    world.documents.script('scan.pdf', error);
    world.drop('inbox/scan.pdf', 'x');
    await world.pass(STILL);
    expect((await watcher(world)).retrying.length === 1).toBe(again);
  });

  it('and then succeeds is one page', async () => {
    await started();
    world.documents.script('scan.pdf', down);
    world.drop('inbox/scan.pdf', 'x');
    await world.pass(STILL);
    world.documents.script('scan.pdf', 'The text.');
    await world.pass(11_000);
    expect(pages(world)).toEqual(['scan.md']);
    expect(await watcher(world)).toMatchObject({ retrying: [] });
  });

  it('because the service does is tried again, and its note says nothing of the inside', async () => {
    await started();
    world.documents.script('scan.pdf', () => Promise.reject(new Error('/home/me/secret')));
    world.drop('inbox/scan.pdf', 'x');
    await world.pass(STILL + 380_000);
    expect(errorNote(SCAN)).toMatchObject({ code: 'internal', attempts: 4 });
    expect(world.vault.files.get(`${SCAN}.error.json`)).not.toContain('secret');
    expect(JSON.stringify(world.log.lines)).toContain('/home/me/secret');
  });

  it('because the model has no time for it stays and is tried again until it has, however long that is', async () => {
    let isBusy = true;
    const model: LanguageModel = {
      name: 'm',
      async complete() {
        if (isBusy) throw new BrainError('busy', 'Too many questions wait.', { retry_after: 60 });
        return { text: JSON.stringify({ pages: [modelPage({ title: 'Alpha' })] }), truncated: false };
      },
    };
    world = inboxWorld({}, model);
    await world.start('on');
    world.drop('inbox/a.txt', 'Alpha beta.\n');
    await world.pass(STILL);
    expect((await watcher(world)).retrying).toEqual([
      {
        path: 'inbox/a.txt',
        attempts: 1,
        next_at: '2026-11-20T10:32:12Z',
        code: 'busy',
        message: 'Too many questions wait.',
      },
    ]);
    await world.pass(2_000_000);
    expect(world.paths('inbox')).toEqual(['inbox/a.txt']);
    const [waiting] = (await watcher(world)).retrying;
    expect(waiting).toMatchObject({ code: 'busy', attempts: 9 });
    isBusy = false;
    await world.pass(300_000);
    expect(pages(world)).toEqual(['alpha.md']);
    expect(await watcher(world)).toMatchObject({ retrying: [] });
    expect(world.quarantined).toEqual([]);
  });

  it('and is larger than any file that is read is not read', async () => {
    await started();
    world.vault.outsideBytes('inbox/big.pdf', new Uint8Array(50 * 1024 * 1024 + 1));
    await world.pass(STILL);
    expect(world.documents.asked).toEqual([]);
    expect(errorNote(`inbox/quarantine/${DAY}/big.pdf`)).toMatchObject({
      code: 'too_large',
      source_hash: null,
    });
  });

  it('gets a number when its name is taken there', async () => {
    await started();
    for (const text of ['one', 'two']) {
      world.documents.script('scan.pdf', broken);
      world.drop('inbox/scan.pdf', text);
      await world.pass(STILL);
    }
    expect(world.paths('inbox')).toEqual(
      [
        SCAN.replace('.pdf', '-2.pdf'),
        SCAN.replace('.pdf', '-2.pdf.error.json'),
        SCAN,
        `${SCAN}.error.json`,
      ].sort(),
    );
  });

  it('and cannot be moved stays, and is listed', async () => {
    await started();
    world.documents.script('scan.pdf', broken);
    world.vault.intercept = (call) => {
      if (call === 'move') throw new Error('The disk is read only.');
    };
    world.drop('inbox/scan.pdf', 'x');
    await world.pass(60_000);
    expect(world.paths('inbox')).toContain('inbox/scan.pdf');
    expect((await watcher(world)).left).toEqual([{ path: 'inbox/scan.pdf', reason: 'failed' }]);
    expect(world.documents.asked).toEqual(['scan.pdf']);
  });

  it('is tried again on demand, from the inbox', async () => {
    await started();
    world.documents.script('scan.pdf', broken);
    world.drop('inbox/sub/scan.pdf', 'x');
    await world.pass(STILL);
    world.documents.script('scan.pdf', 'The text.');
    expect(await retry(world, SCAN)).toEqual({ path: SCAN, restored_path: 'inbox/sub/scan.pdf' });
    expect(world.paths('inbox')).toEqual(['inbox/sub/scan.pdf']);
    await world.pass(STILL);
    expect(pages(world)).toEqual(['scan.md']);
    expect((await perform(world.brain, status, {}, agent)).quarantine).toEqual([]);
  });

  it('is put back without a note beside it too, and beside another of its name', async () => {
    await started({ [SCAN]: 'x', 'inbox/scan.pdf': 'another' }, 'off');
    expect(await retry(world, SCAN)).toMatchObject({ restored_path: 'inbox/scan-2.pdf' });
  });

  it('is refused when it is none', async () => {
    await started({ 'inbox/a.txt': 'a', [`${SCAN}.error.json`]: '{}' }, 'off');
    for (const path of ['inbox/a.txt', SCAN, `${SCAN}.error.json`, 'wiki/a.md']) {
      await expect(retry(world, path)).rejects.toMatchObject({ code: 'source_missing' });
    }
    await expect(retry(world, '../a')).rejects.toMatchObject({ code: 'path_not_allowed' });
    expect(world.paths('inbox')).toEqual(['inbox/a.txt', `${SCAN}.error.json`]);
  });

  it('is for who administers the vault alone', async () => {
    await started({ [SCAN]: 'x', 'inbox/a.txt': 'a' }, 'off');
    const laptop = callerWith(['read', 'write', 'review']);
    const calls = [
      () => perform(world.brain, ingestInbox, {}, laptop),
      () => perform(world.brain, retryQuarantined, { path: SCAN }, laptop),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'forbidden_scope' });
  });
});

describe('the end of the service', () => {
  it('waits for the file that is being taken, and takes no other', async () => {
    await started();
    let read: () => void = () => undefined;
    world.documents.script(
      'a.txt',
      () =>
        new Promise((resolve) => {
          read = () => resolve({ markdown: 'A.', converted: false, warnings: [] });
        }),
    );
    world.drop('inbox/a.txt');
    world.drop('inbox/b.txt');
    await world.pass(STILL);
    expect(world.brain.inbox.state.running).toMatchObject({ file: 'inbox/a.txt' });
    const stopped = world.stop();
    read();
    await stopped;
    expect(world.documents.asked).toEqual(['a.txt']);
    expect(world.paths('inbox')).toEqual(['inbox/a.txt', 'inbox/b.txt']);
    await world.start('on');
    world.documents.script('a.txt', 'A.');
    await world.pass(STILL);
    expect(pages(world)).toEqual(['a.md', 'b.md']);
  });
});

describe('what a cut left in quarantine', () => {
  const A = `inbox/quarantine/${DAY}/a.pdf`;
  const note = JSON.stringify({
    file: 'inbox/a.pdf',
    code: 'no_text',
    message: 'None.',
    at: '',
    attempts: 1,
  });

  it('as a note without its file goes, and the file is taken', async () => {
    await started();
    await world.stop();
    world.drop('inbox/a.pdf', 'A.');
    world.drop(`${A}.error.json`, note);
    await world.start('on');
    await world.pass(STILL);
    expect(world.paths('inbox')).toEqual([`inbox/processed/${DAY}/a.pdf`]);
  });

  it('as somebody else’s note without a file stays', async () => {
    await started({ [`${A}.error.json`]: '{"mine":true}' });
    expect(world.paths('inbox')).toEqual([`${A}.error.json`]);
  });
});
