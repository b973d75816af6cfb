import { hasMore, inboxState, leftByReason, nameOf, type Watcher } from '../../../src/ui/intake/inbox';
import { watcher } from './watcher';

const { reason: _, ...ON } = watcher({ state: 'on' });
const on = (extra: Partial<Watcher> = {}): Watcher => ({ ...ON, ...extra });
const failed = { path: 'inbox/quarantine/2026-11-20/scan.pdf' };

it.each<[string, Watcher, number, string, string]>([
  ['nothing watches', watcher(), 0, 'off', 'Not watched on this device'],
  ['another device does', watcher({ reason: 'other_device' }), 0, 'off', 'Another device watches inbox'],
  [
    'files wait unwatched',
    watcher({ waiting_count: 12 }),
    0,
    'off',
    'Not watched on this device, 12 files wait for you',
  ],
  ['it is watched', on(), 0, 'green', 'Watching inbox'],
  ['it begins', on({ state: 'starting' }), 0, 'green', 'Looking through inbox'],
  ['files are left', on({ left_count: 1 }), 0, 'green', 'Watching inbox, 1 file left there'],
  ['files wait from before', on({ waiting_count: 1 }), 0, 'amber', 'Watching inbox, 1 file waits for you'],
  ['a file failed', on(), 1, 'amber', 'Watching inbox, 1 file in quarantine'],
  ['a file failed, unwatched', watcher(), 2, 'amber', 'Not watched on this device, 2 files in quarantine'],
  [
    'a file is taken',
    on({ running: { file: 'inbox/a/report.pdf', done: 2, total: 9 } }),
    0,
    'green',
    'Ingesting report.pdf, 3 of 9',
  ],
  ['the folder is none', watcher({ reason: 'folder_not_allowed' }), 0, 'red', 'The folder cannot be watched'],
])('says how the inbox is when %s', (_name, inbox, quarantined, state, words) => {
  const status = { watcher: inbox, quarantine: Array.from({ length: quarantined }, () => failed) };
  expect(inboxState(status)).toMatchObject({ state, words });
});

it('has more to show only when there are files', () => {
  expect(hasMore({ watcher: watcher(), quarantine: [] })).toBe(false);
  expect(hasMore({ watcher: on(), quarantine: [] })).toBe(false);
  expect(hasMore({ watcher: on({ left_count: 1 }), quarantine: [] })).toBe(true);
  expect(hasMore({ watcher: watcher(), quarantine: [failed] })).toBe(true);
});

it('sorts the files that are left by why', () => {
  const left = [
    { path: 'inbox/b.zip', reason: 'unknown_type' as const },
    { path: 'inbox/a.docx', reason: 'no_converter' as const },
    { path: 'inbox/c.docx', reason: 'no_converter' as const },
  ];
  expect(leftByReason(watcher({ left })).map(({ reason, paths }) => [reason, paths])).toEqual([
    ['no_converter', ['inbox/a.docx', 'inbox/c.docx']],
    ['unknown_type', ['inbox/b.zip']],
  ]);
  expect(nameOf('inbox/sub/a.docx')).toBe('a.docx');
});
