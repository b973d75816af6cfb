import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, ServerProcess } from './brain-process';

let sandbox: Sandbox;
beforeEach(() => void (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());

const at = (name: string): string => path.join(sandbox.folder, name);

it.each<[name: string, there: string[], nearest: string]>([
  ['Notess', ['Notes', 'Music'], 'Notes'],
  ['notes/wrk/brain', ['notes/work'], 'notes/work'],
  ['Vault', ['Music'], ''],
])('of %s, which is not there, ends with 2 and names the nearest folder', async (name, there, nearest) => {
  for (const folder of there) mkdirSync(at(folder), { recursive: true });
  const before = readdirSync(sandbox.folder);
  const { code, stdout, stderr } = await sandbox.run(['serve', '--vault', at(name), '--port', '0']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`There is no folder ${at(name)}`);
  expect(stderr).toContain(`The nearest folder that is there: ${path.join(sandbox.folder, nearest)}.`);
  expect(stderr).toContain(`init ${at(name)}`);
  expect(readdirSync(sandbox.folder)).toEqual(before);
});

it('in a vault that "brain init" has made, or "--create" makes, says that it is new', async () => {
  const made = await sandbox.run(['init', at('new vault')]);
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toContain(
    `Made a new vault in ${at('new vault')}: wiki/ knowledge/ raw/ inbox/ sessions/`,
  );
  for (const args of [[at('new vault')], [at('other'), '--create']]) {
    const server = await sandbox.serve(['--vault', ...args]);
    expect((await server.stop()).stdout).toContain('This is a new vault: the folder was empty.\n');
    expect(existsSync(path.join(args[0] ?? '', 'AGENTS.md'))).toBe(true);
  }
  const again = await sandbox.run(['init', at('new vault')]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has files')]);
});

it('in a folder with files names those that the service uses, with counts, once', async () => {
  const files = [
    'wiki/page.md',
    'wiki/a/b.md',
    'knowledge/sub/deep.md',
    'raw/x.md',
    'imports/y.md',
    'Own/z.md',
  ];
  for (const file of [...files, 'wiki/.hidden/c.md']) {
    mkdirSync(path.dirname(at(`v/${file}`)), { recursive: true });
    writeFileSync(at(`v/${file}`), 'Mine.\n');
  }
  const first = await (await sandbox.serve(['--vault', at('v')])).stop();
  expect(first.stdout).toContain(
    [
      'Folders that the service uses have files of yours already:',
      '  wiki/ has 2 files: those that the service has not stamped stay yours, and no agent changes one. The list of a wing goes below your text in wiki/<wing>/_index.md.',
      '  knowledge/ has 1 file: those that the service has not stamped stay yours, and no agent changes one.',
      '  raw/ has 1 file: they wait in the review queue.',
      '  imports/ has 1 file: they stay yours, and no agent changes one.',
      'Every note of the vault is read.',
    ].join('\n'),
  );
  const second = await (await sandbox.serve(['--vault', at('v')])).stop();
  expect(second.stdout).not.toMatch(/already:|new vault/);
});

it.each<[stand: string, make: (folder: string) => void, said: string]>([
  ['nothing', () => undefined, 'it is missing or empty now'],
  ['an empty folder', (folder) => mkdirSync(folder), 'it is missing or empty now'],
  [
    'another vault',
    (folder) => {
      mkdirSync(path.join(folder, '.brain'), { recursive: true });
      writeFileSync(path.join(folder, '.brain/vault-id'), `${'0'.repeat(32)}\n`);
    },
    'it has another vault now',
  ],
])('waits for a vault that was served before while %s is in its place', async (_, make, said) => {
  const [folder, away] = [at('disk'), at('away')];
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'a.md'), 'Mine.\n');
  await (await sandbox.serve(['--vault', folder])).stop();
  renameSync(folder, away);
  make(folder);
  const child = sandbox.start(['serve', '--vault', folder, '--port', '0']);
  const server = ServerProcess.listening(child);
  await new Promise<void>((resolve) => {
    let told = '';
    child.stderr?.on('data', (chunk) => ((told += String(chunk)), told.includes(said) && resolve()));
  });
  expect(existsSync(path.join(folder, 'wiki'))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
  renameSync(away, folder);
  expect((await (await server).stop()).stdout).not.toContain('new vault');
});
