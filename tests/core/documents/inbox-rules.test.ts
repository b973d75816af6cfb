import { inboxFolder, isInboxFile } from '../../../src/core/documents/paths';
import { vaultPath } from '../../../src/core/vocabulary/paths';

it.each([
  ['inbox', 'inbox'],
  ['inbox/', 'inbox'],
  ['brain/inbox/scans', 'inbox/scans'],
  ['Drop folder', 'Drop folder'],
  ['raw', 'raw'],
])('watches %p', (setting, folder) => expect(inboxFolder(setting)).toBe(folder));

it.each([
  ...[
    '',
    '/',
    '.',
    '..',
    '../other',
    'a/../../b',
    'C:\\drop',
    '.brain',
    'a/.b',
    'wiki',
    'WIKI/home',
    'knowledge',
  ],
  ...['sessions', 'raw/rejected', 'Raw/Rejected/a', 'inbox/processed', 'inbox/Quarantine'],
])('watches nothing when told %p', (setting) => expect(inboxFolder(setting)).toBeNull());

it.each([
  ['inbox', 'inbox/a.txt', true],
  ['inbox', 'inbox/sub/b.pdf', true],
  ['inbox', 'inbox/processed.txt', true],
  ['inbox', 'inbox/sub/processed/b.pdf', true],
  ['inbox', 'inbox2/a.txt', false],
  ['inbox', 'inbox/processed/a.txt', false],
  ['inbox', 'inbox/Quarantine/a.txt', false],
  ['inbox', 'inbox/.a.txt', false],
  ['inbox', 'inbox/.git/config', false],
  ['inbox', 'inbox/a.txt.TMP', false],
  ['inbox', 'inbox/a.sync-conflict-20261120-103200-ABCDEFG.md', false],
  ['inbox', 'inbox/report-sync-conflict.txt', false],
  ['inbox', 'inbox/Sync-Conflict.md', false],
  ['inbox', 'inbox/sync-conflicts/a.txt', false],
  ['inbox', "inbox/a (me's conflicted copy 2026-11-20).md", false],
  ['inbox', 'inbox/my conflicted copy.txt', true],
  ['inbox', 'inbox/a (conflicted copy).txt', true],
  ['drop', 'drop/processed/a.txt', false],
  ['drop', 'inbox/a.txt', false],
  ['raw', 'raw/a.pdf', true],
  ['raw', 'raw/a.md', false],
  ['raw', 'raw/A.MD', false],
  ['raw', 'raw/rejected/a.pdf', false],
  ['raw/in', 'raw/in/a.md', false],
])('in %p takes %p: %p', (folder, path, wanted) =>
  expect(isInboxFile(vaultPath(folder), vaultPath(path))).toBe(wanted),
);
