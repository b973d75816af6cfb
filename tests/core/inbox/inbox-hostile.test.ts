import { BrainError } from '../../../src/core/base/errors';
import { retryQuarantined } from '../../../src/core/inbox/operations';
import { perform } from '../../../src/core/operation/operation';
import { status } from '../../../src/core/status/status';
import { type InboxWorld, inboxWorld } from '../../support/inbox-world';
import { agent } from '../../support/test-brain';

const DAY = '2026-11-20';
const STILL = 2500;
const SCAN = `inbox/quarantine/${DAY}/scan.pdf`;
const broken = new BrainError('no_text', 'It holds no text.');

let world: InboxWorld;
afterEach(() => world.stop());

const noteFor = (file: string) =>
  JSON.stringify({ file, code: 'no_text', message: 'None.', at: '2026-11-20T10:00:00Z', attempts: 1 });
const retry = (path: string) => perform(world.brain, retryQuarantined, { path }, agent);
const watcher = async () => (await perform(world.brain, status, {}, agent)).watcher;

describe('a note in quarantine that names a place where no file of the inbox stands', () => {
  const places = [
    '../../outside.pdf',
    '/etc/passwd',
    'inbox/../wiki/net/facts/mtu.md',
    '.obsidian/app.json',
    'inbox/.hidden/scan.pdf',
    'wiki/net/facts/mtu.md',
    'inbox/processed/2026-11-20/scan.pdf',
    'inbox//scan.pdf',
    'C:\\scan.pdf',
    '',
  ];

  it.each(places)('does not keep the inbox from being watched: %j', async (place) => {
    world = inboxWorld({
      [SCAN]: 'x',
      [`${SCAN}.error.json`]: noteFor(place),
      'wiki/net/facts/mtu.md': '# MTU',
    });
    await world.start('on');
    expect(await watcher()).toMatchObject({ state: 'on' });
    world.drop('inbox/a.txt');
    await world.pass(STILL);
    expect(world.paths('inbox/processed')).toContain(`inbox/processed/${DAY}/a.txt`);
    expect(world.paths('inbox/quarantine')).toEqual([SCAN, `${SCAN}.error.json`]);
    expect(world.vault.files.get('wiki/net/facts/mtu.md')).toBe('# MTU');
  });

  it.each(places)('does not decide where the file is put back: %j', async (place) => {
    world = inboxWorld({ [SCAN]: 'x', [`${SCAN}.error.json`]: noteFor(place) });
    await world.start('off');
    expect(await retry(SCAN)).toEqual({ path: SCAN, restored_path: 'inbox/scan.pdf' });
  });
});

it('a file whose name only some disks can hold goes back to where it stood', async () => {
  world = inboxWorld({ [SCAN]: 'x', [`${SCAN}.error.json`]: noteFor('inbox/papers/a: b.pdf') });
  await world.start('off');
  expect(await retry(SCAN)).toMatchObject({ restored_path: 'inbox/papers/a: b.pdf' });
});

it('a file in quarantine whose name only some disks can hold can be tried again', async () => {
  const odd = `inbox/quarantine/${DAY}/at 3:4.txt`;
  world = inboxWorld({ [odd]: 'x', [`${odd}.error.json`]: noteFor('inbox/at 3:4.txt') });
  await world.start('off');
  await expect(retry(`inbox/quarantine/${DAY}/at 3:5.txt`)).rejects.toMatchObject({
    code: 'path_not_allowed',
  });
  expect(await retry(odd)).toEqual({ path: odd, restored_path: 'inbox/at 3:4.txt' });
});

describe('a file whose name ends like that of a note in quarantine', () => {
  it('is listed when it failed, and can be tried again', async () => {
    world = inboxWorld();
    world.documents.script('build.error.json', broken);
    await world.start('on');
    world.drop('inbox/build.error.json', '{"file": "a.c"}');
    await world.pass(STILL);
    const { quarantine } = await perform(world.brain, status, {}, agent);
    expect(quarantine).toEqual([
      expect.objectContaining({ file: 'inbox/build.error.json', code: 'no_text' }),
    ]);
    await world.stop();
    await world.start('on');
    expect(world.paths('inbox')).toHaveLength(2);
    world.documents.script('build.error.json', 'Read by now.');
    const [{ path } = { path: '' }] = quarantine;
    expect(await retry(path)).toMatchObject({ restored_path: 'inbox/build.error.json' });
    await world.pass(STILL);
    expect(world.paths('inbox')).toEqual([`inbox/processed/${DAY}/build.error.json`]);
  });

  it('is not taken away when somebody put it there', async () => {
    const mine = `inbox/quarantine/${DAY}/mine.error.json`;
    world = inboxWorld({ [mine]: '{"file": "main.c", "line": 3}' });
    await world.start('on');
    expect(world.vault.files.get(mine)).toBe('{"file": "main.c", "line": 3}');
  });
});
