import { isPathLike } from '../../../src/headless/cli/arguments';

it.each([
  './fan',
  '../my notes',
  '~/notes',
  '/srv/notes',
  'C:\\notes',
  'C:/my notes/fan',
  'notes/fan',
  'notes\\fan',
  'my folder/',
  'my folder/missing file',
  'report.pdf',
  'my report of the year 2026 in words.pdf',
  'report.xyz',
  '.hidden/fan',
])('takes %s for a path', (text) => {
  expect(isPathLike(text)).toBe(true);
});

it.each([
  'WireGuard',
  'The tunnel wants an MTU of 1420/1380 bytes',
  'Use TCP/IP here.',
  'It rattles.',
  'Either / or',
  'The price is 3.50',
  '3.50',
  '# Fan\n\nSee notes/fan.md',
  'and so on ...',
])('takes %s for a text', (text) => {
  expect(isPathLike(text)).toBe(false);
});
