import { listNotes } from '../../../src/core/search/list';
import { refusalOf } from '../../support/refusal';
import { openTestBrain } from '../../support/test-brain';

const note = (keys: Readonly<Record<string, string>>) =>
  `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}---\n# Note\n`;

const VAULT = {
  'wiki/homelab/facts/b.md': note({ created_at: '2026-01-02T00:00:00Z' }),
  'wiki/homelab/decisions/a.md': note({
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-03-01T00:00:00Z',
    written_by: 'laptop',
    origin: 'mcp',
  }),
  'wiki/office/facts/c.md': note({
    created_at: '2026-01-01T00:00:00Z',
    promoted_at: '2026-02-01T00:00:00Z',
  }),
  'wiki/office/_index.md': '# office\n',
  'knowledge/old.md': note({ created_at: '2025-01-01T00:00:00Z' }),
  'Projects/garden.md': '---\nwing: homelab\n---\n# Garden\n',
  'Projects/shed/roof.md': '# Roof\n',
  'raw/waits.md': '# Waits\n',
  'raw/rejected/no.md': '# No\n',
};

it('lists the notes by path, those of the owner as well, without maps, queue and rejected ones', async () => {
  const { run } = await openTestBrain(VAULT);
  const { count, total, notes } = await run(listNotes);
  expect([count, total]).toEqual([6, 6]);
  expect(notes.map(({ path }) => path)).toEqual([
    'Projects/garden.md',
    'Projects/shed/roof.md',
    'knowledge/old.md',
    'wiki/homelab/decisions/a.md',
    'wiki/homelab/facts/b.md',
    'wiki/office/facts/c.md',
  ]);
  expect(notes[0]).toMatchObject({ status: 'vault', wing: 'homelab' });
  expect(notes[3]).toEqual({
    path: 'wiki/homelab/decisions/a.md',
    title: 'Note',
    wing: 'homelab',
    hall: 'decisions',
    origin: 'mcp',
    written_by: 'laptop',
    status: 'wiki',
    stale: false,
    changed_at: '2026-03-01T00:00:00Z',
  });
});

it('lists the last changed first, with a page of them', async () => {
  const { run } = await openTestBrain(VAULT);
  const recent = await run(listNotes, { order: 'recent', limit: 2, offset: 1, under: 'wiki' });
  expect([recent.count, recent.total]).toEqual([2, 3]);
  expect(recent.notes.map(({ path }) => path)).toEqual(['wiki/office/facts/c.md', 'wiki/homelab/facts/b.md']);
});

it('lists one wing, in any spelling of it, and one hall', async () => {
  const { run } = await openTestBrain(VAULT);
  expect((await run(listNotes, { wing: 'Homelab' })).total).toBe(3);
  expect((await run(listNotes, { wing: 'homelab', hall: 'facts' })).notes).toMatchObject([
    { path: 'wiki/homelab/facts/b.md' },
  ]);
  expect((await run(listNotes, { hall: 'facts' })).total).toBe(2);
});

it('refuses a wing that does not exist, and names those that do', async () => {
  const { run } = await openTestBrain(VAULT);
  const { code, message } = await refusalOf(run(listNotes, { wing: 'homelabs' }));
  expect([code, message]).toEqual(['invalid_wing', expect.stringContaining('homelab, office')]);
});

it('lists one folder, and refuses one outside the vault', async () => {
  const { run } = await openTestBrain(VAULT);
  const { notes } = await run(listNotes, { under: './Projects/' });
  expect(notes.map(({ path }) => path)).toEqual(['Projects/garden.md', 'Projects/shed/roof.md']);
  expect((await run(listNotes, { under: 'Proj' })).total).toBe(0);
  expect((await refusalOf(run(listNotes, { under: '../x' }))).code).toBe('path_not_allowed');
});
