import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = mkdtempSync(path.join(tmpdir(), 'brain-sample-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies the sample as `npm start` does, on a day of somebody's own, and gives its session records. */
function sessionsCopied(name: string, now: string): { timestamp: string; skill: string }[] {
  const to = path.join(folder, name);
  const module = pathToFileURL(path.resolve('scripts/copy-sample.mjs')).href;
  const script = `
    import { copySample } from ${JSON.stringify(module)};
    await copySample('sample-vault', ${JSON.stringify(to)}, new Date(${JSON.stringify(now)}));`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script]);
  return recordsIn(to);
}

function recordsIn(vault: string): { timestamp: string; skill: string }[] {
  const sessions = path.join(vault, 'sessions');
  const lines = readdirSync(sessions).flatMap((name) =>
    readFileSync(path.join(sessions, name), 'utf8').trimEnd().split('\n'),
  );
  return lines.map((line) => JSON.parse(line));
}

it.each(['2026-11-19T09:40:00Z', '2026-11-10T23:59:59Z', '2027-03-01T09:39:59Z', '2031-12-31T12:00:00Z'])(
  'has sessions of the last day when it is copied on %s, and nothing else is changed',
  (now) => {
    const name = now.slice(0, 10);
    const [copied, sample] = [sessionsCopied(name, now), recordsIn('sample-vault')];
    const [at, original] = [copied, sample].map((all) => all.map(({ timestamp }) => Date.parse(timestamp)));
    const age = Date.parse(now) - Math.max(...(at ?? []));
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(86_400_000);
    const moved = new Set(at?.map((time, index) => time - (original?.[index] ?? 0)));
    expect(moved.size).toBe(1);
    expect(copied.map((record) => ({ ...record, timestamp: '' }))).toEqual(
      sample.map((record) => ({ ...record, timestamp: '' })),
    );
    const note = 'wiki/homelab/facts/nas-disks.md';
    expect(readFileSync(path.join(folder, name, note))).toEqual(
      readFileSync(path.join('sample-vault', note)),
    );
  },
);
