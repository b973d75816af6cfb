import { becomesOf } from '../../src/core/vocabulary/first-start';
import { closeWorlds, DATA, openWorld, snapshotOf } from './plugin-world';

afterEach(closeWorlds);

/** Five hundred files of somebody who has used these folder names for something else. */
const FIVE_HUNDRED = Object.fromEntries(
  Array.from({ length: 500 }, (_, n) => [
    n % 2 === 0 ? `inbox/scan ${n}.md` : `wiki/topic ${n % 7}/page-${n}.md`,
    `Page ${n}\r\n\r\n[[page-${n + 2}]]\n`,
  ]),
);

it('shows which folders are used and how many files each holds, and runs nothing', async () => {
  const { host, document, statusText, until } = await openWorld({ files: FIVE_HUNDRED });
  await until('the question', () => host.modals.length === 1);
  const [modal] = host.modals;
  const rows = [...document.querySelectorAll('.modal .setting-item')].map((row) => row.textContent);
  expect(modal?.titleEl.textContent).toBe('Use this vault as a brain?');
  expect(rows.find((row) => row.startsWith('inbox/'))).toContain('250 files');
  expect(rows.find((row) => row.startsWith('wiki/'))).toContain('250 files');
  expect(rows.find((row) => row.startsWith('raw/'))).toContain('New');
  expect(rows.find((row) => row.startsWith('imports/'))).toContain('New');
  // It says as `brain serve` does what becomes of the files.
  for (const folder of ['inbox', 'wiki'] as const)
    expect(rows.find((row) => row.startsWith(`${folder}/`))).toContain(becomesOf(folder));
  expect(rows.filter((row) => row.includes('Files there now')).length).toBe(2);
  expect(statusText()).toContain('Brain not set up');
});

it('leaves 500 files as they are: before the answer, after "Not now", after a quit and after the next start', async () => {
  const { host, press } = await openWorld({ files: FIVE_HUNDRED });
  const before = await snapshotOf(host);
  expect(Object.keys(before)).toHaveLength(501);
  expect(before[DATA]).toBe('{"port":0}');
  await host.settle();
  expect(await snapshotOf(host)).toEqual(before);
  await press('Not now');
  await host.settle();
  expect(host.modals).toEqual([]);
  expect(await snapshotOf(host)).toEqual(before);
  await host.quit();
  expect(await snapshotOf(host)).toEqual(before);

  const again = await openWorld({ storage: host.storage, device: host.device });
  await again.host.settle();
  expect(again.host.modals).toEqual([]);
  expect(await snapshotOf(again.host)).toEqual(before);
});

it('takes closing the window for "Not now"', async () => {
  const { host, document, statusText, until } = await openWorld();
  await until('the question', () => host.modals.length === 1);
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  expect(host.modals).toEqual([]);
  expect(statusText()).toContain('Brain not set up');
  await host.settle();
  expect(await host.textOf('AGENTS.md')).toBeNull();
});

/** A vault whose app leaves some places out. */
const OWN = {
  'Journal.md': 'Dear diary.',
  'Projects/plan.md': 'A plan.',
  'Archive/old.md': 'Old.',
  'Templates/day.md': 'A day.',
  'Private/letter.md': 'A letter.',
  'wiki/a/facts/b.md': 'Of the wiki.',
  '.obsidian/app.json': '{"userIgnoreFilters":["Archive/"]}',
  '.obsidian/templates.json': '{"folder":"Templates"}',
};

it('says how many notes of the owner are read, what is left out and why, and that nothing of theirs is changed', async () => {
  const { host, document, until } = await openWorld({ files: OWN, saved: { exclude: ['Private'] } });
  await until('the question', () => host.modals.length === 1);
  const text = document.querySelector('.modal')?.textContent ?? '';
  expect(text).toContain('2 notes of yours are read.');
  expect(text).toContain(
    'Left out (3 notes): Private (the setting “Left out”), Archive/ (Excluded files of Obsidian), Templates (a template folder).',
  );
  expect(text).toContain('No agent ever changes, moves or deletes one');
});

it('says that no note is read while the settings of the app are damaged', async () => {
  const { host, document, until } = await openWorld({
    files: { ...OWN, '.obsidian/app.json': '{"userIgnoreFilters":["Arc' },
  });
  await until('the question', () => host.modals.length === 1);
  expect(document.querySelector('.modal')?.textContent).toContain(
    'No note of yours is read now, because .obsidian/app.json is not JSON. Mend the file',
  );
});

it('reads the folders of the service alone when the person chooses so', async () => {
  const world = await openWorld({ files: OWN });
  await world.until('the question', () => world.host.modals.length === 1);
  const choice = world.document.querySelector<HTMLSelectElement>('.modal select');
  if (choice === null) throw new Error('There is no choice.');
  choice.value = 'brain';
  choice.dispatchEvent(new Event('change', { bubbles: true }));
  expect(world.document.querySelector('.modal')?.textContent).toContain(
    '3 notes of yours are outside what is read.',
  );
  await world.start();
  expect(JSON.parse((await world.host.textOf(DATA)) ?? '')).toMatchObject({ readScope: 'brain' });
  const { url, ownerToken } = await world.owner();
  const answer = await fetch(`${url}/note?path=Journal.md`, {
    headers: { authorization: `Bearer ${ownerToken}` },
  });
  expect(await answer.json()).toMatchObject({ error: { code: 'path_not_allowed' } });
});

it('starts after the answer, keeps every file that stood there, and does not ask again', async () => {
  const world = await openWorld({ files: FIVE_HUNDRED });
  const before = await snapshotOf(world.host);
  await world.start();
  const after = await snapshotOf(world.host);
  expect(after).toMatchObject(before);
  expect(after['AGENTS.md']).toContain('How to use this vault');
  await world.host.quit();

  const again = await openWorld({ storage: world.host.storage, device: world.host.device });
  await again.until('the server runs', () => again.statusText().includes('Brain running'));
  expect(again.host.modals).toEqual([]);
});

it('asks again when the person wants to start after all', async () => {
  const world = await openWorld();
  await world.press('Not now');
  expect(world.host.runCommand('brain-server:start-server')).toBe(true);
  await world.start();
});

it('asks on every device for itself', async () => {
  const first = await openWorld();
  await first.start();
  await first.host.quit();
  const second = await openWorld({ storage: first.host.storage });
  await second.until('the question', () => second.host.modals.length === 1);
});

it('only shows the folders once that was agreed', async () => {
  const world = await openWorld();
  await world.start();
  world.host.runCommand('brain-server:show-folders');
  await world.until('the folders', () => world.host.modals.length === 1);
  expect(world.document.querySelector('.modal')?.textContent).not.toContain('Not now');
});

it('does nothing before the layout is ready', async () => {
  const { host } = await openWorld({ ready: false });
  await host.settle();
  expect(host.modals).toEqual([]);
});

describe('an installation that is too old', () => {
  it('is told how to get a newer one, and starts nothing', async () => {
    const world = await openWorld({ electron: '28.2.3' });
    await world.until('the notice', () => world.told().length === 1);
    expect(world.told()[0]).toContain('obsidian.md');
    expect(world.host.modals).toEqual([]);
    expect(world.statusText()).toContain('Brain cannot run');
    expect(world.host.runCommand('brain-server:start-server')).toBe(false);
  });
});
