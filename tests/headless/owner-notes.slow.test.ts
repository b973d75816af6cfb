import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const sandbox = new Sandbox();
let server: ServerProcess;

const OURS = ['wiki', 'knowledge', 'raw', 'inbox', 'sessions', '.brain'];

beforeAll(async () => {
  put('Projects/Greenhouse plan.md', '---\ntags: [garden]\n---\nThe greenhouse needs a drip line.\n');
  put('Projects/Watering.md', '\uFEFF# Watering\r\n\r\nSee [[Greenhouse plan]] and ![[sketch.png]].\r\n');
  put('Pictures/sketch.png', 'PNG');
  put('Board.canvas', '{"nodes":[]}');
  put('Private/diary.md', 'The greenhouse is a secret.\n');
  put('Old/archive.md', 'The greenhouse of last year.\n');
  put('Templates/daily.md', 'The greenhouse today: {{date}}\n');
  put('.obsidian/app.json', '{"userIgnoreFilters":["Old/"]}');
  put('.obsidian/templates.json', '{"folder":"Templates"}');
  put('.git/objects/x.md', 'greenhouse\n');
  put('code/node_modules/lib/README.md', 'greenhouse\n');
  put('Empty.md', '');
  writeFileSync(
    path.join(sandbox.vault, 'Latin.md'),
    Buffer.from([0x47, 0xe4, 0x72, 0x74, 0x6e, 0x65, 0x72]),
  );
  server = await sandbox.serve([], { BRAIN_EXCLUDE: 'Private' });
});
afterAll(() => sandbox.remove());

function put(at: string, text: string): void {
  const file = path.join(sandbox.vault, at);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const brain = (...args: string[]) => sandbox.run(args, { env: { BRAIN_URL: server.url } });
const send = (input: string, ...args: string[]) =>
  sandbox.run(args, { env: { BRAIN_URL: server.url }, input });

/** Returns the hash of every file outside the service's folders. */
function ownFiles(): Record<string, string> {
  const files = readdirSync(sandbox.vault, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return Object.fromEntries(
    files
      .map((one) => path.join(one.parentPath, one.name))
      .filter((full) => !OURS.includes(path.relative(sandbox.vault, full).split(path.sep)[0] ?? ''))
      .filter((full) => path.basename(full) !== 'AGENTS.md')
      .map((full) => [
        path.relative(sandbox.vault, full),
        createHash('sha256').update(readFileSync(full)).digest('hex'),
      ]),
  );
}

async function found(words: string): Promise<string[]> {
  const { stdout } = await brain('query', words, '--json');
  return JSON.parse(stdout).results.map((one: { path: string }) => one.path);
}

/** Waits for what a search finds; the watcher needs a moment. */
async function until(words: string, paths: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    if (JSON.stringify(await found(words)) === JSON.stringify(paths)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await found(words)).toEqual(paths);
}

it('serves a vault that a person has: found from the first question, and never changed', async () => {
  const before = ownFiles();
  expect(server.printed()).toContain(
    'Every note of the vault is read, except Private, Old/ (excluded files of Obsidian), Templates (template folder). Yours are never changed.',
  );
  expect(await found('greenhouse')).toEqual(['Projects/Greenhouse plan.md', 'Projects/Watering.md']);
  const answer = await brain('answer', 'What does the greenhouse need?');
  expect(answer.stdout).toContain('drip line');
  expect((await brain('query', 'nonsenseword')).stdout).toMatch(/No notes match\. 3 notes were searched\./);
  for (let at = 0; at < 20; at += 1)
    expect((await send(`See [[Watering]] ${at}.`, 'write', 'garden', 'facts', `n${at}`)).code).toBe(0);
  const update = await send('Mine now.', 'update', 'Projects/Watering.md', '--reason', 'no');
  expect([update.code, update.stderr]).toEqual([1, expect.stringContaining('(not_ours)')]);
  const doctor = await brain('doctor');
  expect(doctor.stdout).toMatch(/what is read.+Every note of the vault/);
  expect(ownFiles()).toEqual(before);
});

it('follows what a person does to their notes', async () => {
  put('Projects/Pump.md', 'The pump is broken.\n');
  await until('pump broken', ['Projects/Pump.md']);
  renameSync(path.join(sandbox.vault, 'Projects'), path.join(sandbox.vault, 'Work'));
  await until('pump broken', ['Work/Pump.md']);
  rmSync(path.join(sandbox.vault, 'Work/Pump.md'));
  await until('pump broken', []);
  put('Private/more.md', 'The pump is a secret.\n');
  put('.git/more.md', 'The pump is a secret.\n');
  put('Work/last.md', 'The gourd is last.\n');
  await until('gourd', ['Work/last.md']);
  expect(await found('pump secret')).toEqual([]);
});

it('adopts a note, and gives it back byte for byte', async () => {
  const before = ownFiles();
  const adopted = await brain('adopt', 'Work/Greenhouse plan.md', '--wing', 'garden', '--hall', 'decisions');
  expect(adopted.stdout).toContain(
    'Adopted Work/Greenhouse plan.md to wiki/garden/decisions/Greenhouse plan.md\n',
  );
  const back = await brain('unpromote', 'wiki/garden/decisions/Greenhouse plan.md');
  expect(back.code).toBe(0);
  expect(ownFiles()).toEqual(before);
});

it('reads no note of the owner while the settings of the app are damaged, and says what to do', async () => {
  const other = new Sandbox();
  try {
    mkdirSync(path.join(other.vault, '.obsidian'), { recursive: true });
    mkdirSync(path.join(other.vault, '.vscode'), { recursive: true });
    writeFileSync(path.join(other.vault, 'diary.md'), 'The greenhouse is a secret.\n');
    writeFileSync(path.join(other.vault, '.vscode/app.json'), '// of another program');
    writeFileSync(path.join(other.vault, '.obsidian/app.json'), '{"userIgnoreFilters":["dia');
    const damaged = await other.serve();
    expect(damaged.printed()).toContain(
      'Only the folders of the service are read, because .obsidian/app.json is not JSON: what it leaves out is unknown.',
    );
    const env = { BRAIN_URL: damaged.url };
    const query = await other.run(['query', 'greenhouse', '--json'], { env });
    expect(JSON.parse(query.stdout)).toMatchObject({ count: 0 });
    const doctor = await other.run(['doctor'], { env });
    expect(doctor.stdout).toMatch(/what is read[^]+Mend the file/);
  } finally {
    await other.remove();
  }
});
