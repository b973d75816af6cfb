import { existsSync, readFileSync } from 'node:fs';

const text = readFileSync('SECURITY.md', 'utf8');
const rows = text
  .slice(text.indexOf('## What is promised'), text.indexOf('## What is not promised'))
  .split('\n')
  .filter((line) => /^\| (?!Promise |-)/.test(line));
const named = [...new Set(text.match(/\btests\/[\w./-]+\.ts\b/g))];

it('every promise of SECURITY.md names a test', () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/\|[^|]*`tests\/[^`]+\.test\.ts`[^|]*\|$/.test(row))).toEqual([]);
});

it.each(named)('%s, which SECURITY.md names, is there', (file) => {
  expect(existsSync(file)).toBe(true);
});
