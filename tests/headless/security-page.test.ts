import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('SECURITY.md', 'utf8');
const [, promises = ''] = page.split('## What is promised, and where it is tested');
const rows = promises.split('\n').filter((line) => /^\| [^-]/.test(line) && !line.startsWith('| Promise'));

it('proves every promise of the security page with a test that is there', () => {
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const named = [...row.matchAll(/`(tests\/[^`]+)`/g)].map(([, path = '']) => path);
    expect([row, named.length > 0]).toEqual([row, true]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  }
});

it('names no file that is not there', () => {
  const named = [...page.matchAll(/`((?:tests|\.github|src)\/[^` ]+)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
