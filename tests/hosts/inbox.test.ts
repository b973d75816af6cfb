import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../manifest.json';
import { byDay } from '../support/by-night';
import { buildSimulator, headless, type Host, plugins, present, type RunningHost } from './host';

/** The drain of the inbox, the same in the server and in the built plugin, where the app's own events tell of a file. */
const HOSTS = present([headless, ...byDay(1, plugins)]);
const DEVICE = 'testdev1';

beforeAll(() => buildSimulator(), 60_000);

describe.each(HOSTS)('the inbox of $name', (host: Host) => {
  let folder: string;
  let vault: string;
  let running: RunningHost;

  const at = (...names: string[]) => path.join(vault, ...names);
  const start = (watch: boolean) => {
    const settings = at('.obsidian/plugins', manifest.id);
    mkdirSync(settings, { recursive: true });
    writeFileSync(
      path.join(settings, 'data.json'),
      JSON.stringify({ watcherDevice: watch ? DEVICE : 'another1' }),
    );
    return host.start(vault, folder, {
      BRAIN_DEVICE: DEVICE,
      ...(host === headless && { BRAIN_WATCH: watch ? 'on' : 'off' }),
    });
  };
  const ask = async (method: string, route: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(running.url + route, {
      method,
      headers: {
        authorization: `Bearer ${running.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: Record<string, unknown> = JSON.parse(await answer.text());
    expect({ status: answer.status, parsed }).toEqual({ status: 200, parsed });
    return parsed;
  };
  const files = (name: string): string[] =>
    existsSync(at(name))
      ? readdirSync(at(name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.relative(at(name), path.join(entry.parentPath, entry.name)))
          .sort()
      : [];
  async function until(check: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { watcher } = await ask('GET', '/status');
    throw new Error(`It did not happen: ${files('').join(', ')}\n${JSON.stringify(watcher)}`);
  }
  const raw = () => files('raw').map((name) => name.replace(/^\d{4}-\d\d-\d\d-/, ''));

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-inbox-'));
    vault = path.join(folder, 'vault');
    mkdirSync(at('inbox'), { recursive: true });
    writeFileSync(at('inbox/old.txt'), 'It stood there before.\n');
    running = await start(false);
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes nothing while it is off', async () => {
    const reason = host === headless ? 'not_switched_on' : 'other_device';
    writeFileSync(at('inbox/early.txt'), 'Put there while nobody watched.\n');
    await until(async () => {
      const { watcher } = await ask('GET', '/status');
      expect(watcher).toMatchObject({ state: 'off', device: DEVICE, reason });
      return JSON.stringify(watcher).includes('early.txt');
    });
    expect(files('inbox')).toEqual(['early.txt', 'old.txt']);
    await running.stop();
    running = await start(true);
    const waiting = JSON.stringify(['inbox/early.txt', 'inbox/old.txt']);
    await until(async () => JSON.stringify((await ask('GET', '/status')).watcher).includes(waiting));
  }, 60_000);

  it('takes what is put there, files of other kinds than notes too, and leaves the rest', async () => {
    writeFileSync(at('inbox/letter.txt'), 'Dear all, the boiler is repaired.\n');
    writeFileSync(at('inbox/table.csv'), 'room,degrees\nkitchen,21\n');
    writeFileSync(at('inbox/broken.pdf'), 'This is no PDF.');
    writeFileSync(at('inbox/film.mp4'), 'frames');
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [at('inbox/pipe.txt')]);
      symlinkSync('/etc/hostname', at('inbox/link.txt'));
    }
    await until(() => files('inbox/processed').length === 2 && files('inbox/quarantine').length === 2);
    expect(raw()).toEqual(['letter.md', 'table.md']);
    const names = (folderName: string) => files(folderName).map((name) => path.basename(name));
    expect(names('inbox/processed')).toEqual(['letter.txt', 'table.csv']);
    expect(names('inbox/quarantine')).toEqual(['broken.pdf', 'broken.pdf.error.json']);
    const { watcher, quarantine } = await ask('GET', '/status');
    // The stand-in for the app lists a pipe as an empty file.
    const left: { path: string }[] = Object(watcher).left;
    expect(left.filter(({ path: file }) => file !== 'inbox/pipe.txt')).toEqual([
      { path: 'inbox/film.mp4', reason: 'unknown_type' },
    ]);
    expect(watcher).toMatchObject({
      state: 'on',
      waiting: ['inbox/early.txt', 'inbox/old.txt'],
    });
    expect(quarantine).toEqual([expect.objectContaining({ file: 'inbox/broken.pdf', attempts: 1 })]);
    const [page = ''] = files('raw').filter((name) => name.endsWith('letter.md'));
    const text = readFileSync(at('raw', page), 'utf8');
    expect(text).toMatch(/\norigin: watcher\nwritten_by: watcher via passthrough\n/);
    expect(text).toMatch(/\[\[inbox\/processed\/\d{4}-\d\d-\d\d\/letter\.txt\|letter\.txt\]\]/);
  }, 60_000);

  it('takes the others on demand, and a failed one again', async () => {
    expect(await ask('POST', '/inbox/ingest', {})).toEqual({ queued: 2 });
    await until(() => files('inbox/processed').length === 4);
    expect(raw()).toEqual(['early.md', 'letter.md', 'old.md', 'table.md']);
    const [failed] = (await ask('GET', '/status')).quarantine as { path: string }[];
    const again = await ask('POST', '/quarantine/retry', { path: failed?.path });
    expect(again).toMatchObject({ restored_path: 'inbox/broken.pdf' });
    await until(() => files('inbox/quarantine').length === 2);
  }, 60_000);

  it('takes at a start what came while it was away, and is cut by a kill without harm', async () => {
    await running.kill();
    writeFileSync(at('inbox/night.txt'), 'Came in the night.\n');
    running = await start(true);
    await until(() => files('inbox/processed').length === 5);
    expect(raw()).toContain('night.md');
  }, 60_000);
});
