import { noteStatus } from '../../../src/core/catalog/record';
import { vaultPath, zoneOf } from '../../../src/core/vocabulary/paths';
import { isInWiki, isNote, isQueued, isRejected } from '../../../src/plugin/shell/commands';
import { isIngestible } from '../../../src/plugin/shell/ingest-commands';
import { describeDryRun, describeLength } from '../../../src/plugin/shell/ingest-modals';

it.each([
  ['raw/2026-11-14-mtu.md', true, false],
  ['raw/a b.md', true, false],
  ['raw/rejected/a.md', false, true],
  ['raw/other/a.md', true, false],
  ['raw/Rejected/a.md', false, true],
  ['Raw/a.md', false, false],
  ['raw/rejected.md', true, false],
  ['raw/_index.md', false, false],
  ['raw/.hidden/a.md', false, false],
  ['raw/A.MD', true, false],
  ['raw/a.pdf', false, false],
  ['raw/rejected/a.txt', false, false],
  ['wiki/x/facts/a.md', false, false],
  ['notes/raw/a.md', false, false],
  ['raw.md', false, false],
])('%s: queued %p, rejected %p', (path, queued, rejected) => {
  expect(isQueued(path)).toBe(queued);
  expect(isRejected(path)).toBe(rejected);
  const status = noteStatus(vaultPath(path));
  expect([status === 'raw', status === 'rejected']).toEqual([queued, rejected]);
});

it.each([
  'wiki/x/facts/a.md',
  'wiki/a.md',
  'wiki/x/_index.md',
  'wiki/.x/a.md',
  'wiki/a.pdf',
  'Wiki/a.md',
  'knowledge/a.md',
])('knows whether %s is a note of the wiki', (path) => {
  expect(isInWiki(path)).toBe(noteStatus(vaultPath(path)) === 'wiki');
});

it('takes Markdown files for notes', () => {
  expect([isNote('a/b.md'), isNote('a/b.canvas')]).toEqual([true, false]);
});

it.each([
  ['papers/one.pdf', true],
  ['papers', true],
  ['Journal.md', true],
  ['inbox/one.pdf', true],
  ['inbox/processed/2026-11-20/one.pdf', false],
  ['wiki/net/facts/dns.md', false],
  ['Wiki', false],
  ['raw', false],
  ['/', false],
  ['.obsidian/app.json', false],
  ['a/.hidden/b.md', false],
  ['wikipedia/a.md', true],
])('knows whether %s can be ingested', (path, can) => {
  expect(isIngestible(path)).toBe(can);
  // What the service itself keeps to: none of its zones but the inbox.
  const zone = zoneOf(path.endsWith('.md') || path.includes('.') ? path : `${path.toLowerCase()}/x.md`);
  if (path !== '/') expect(['other', 'inbox'].includes(zone)).toBe(can);
});

it.each([
  ['a', '1 character on 1 line'],
  ['😀\nb\n', '4 characters on 2 lines'],
])('says how much text %j is', (text, words) => expect(describeLength(text)).toBe(words));

it.each([
  [
    { scanned: 12, updated: 9, already: 1, unresolved: 2 },
    'Looked at 12 notes. 9 notes can be given references to their sources. Nothing has been changed yet. 1 note names its sources already. 2 notes name none, and nothing proves any.',
  ],
  [
    { scanned: 3, updated: 0, already: 3, unresolved: 0 },
    'Looked at 3 notes. There is nothing to add. 3 notes name their sources already.',
  ],
  [
    { scanned: 1, updated: 0, already: 0, unresolved: 1 },
    'Looked at 1 note. There is nothing to add. 1 note names none, and nothing proves any.',
  ],
  [{ scanned: 0, updated: 0, already: 0, unresolved: 0 }, 'Looked at 0 notes. There is nothing to add.'],
])('says what was found of %j', (counts, words) => {
  expect(describeDryRun({ ...counts, changes: [], errors: [] })).toBe(words);
});
