import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LAYOUT } from '../../src/core/notes/first-guidance';
import { hostChecks } from '../../src/headless/host-checks';
import { withTempFolder } from '../support/temp-folder';

const withVault = (work: (root: string) => Promise<void>) =>
  withTempFolder(async (root) => {
    for (const name of LAYOUT) await mkdir(join(root, name));
    await work(root);
  });

const server = (answers: boolean) => ({ url: 'http://127.0.0.1:1', answers: () => Promise.resolve(answers) });
const told = async (root: string, running: ReturnType<typeof server> | null) =>
  (await hostChecks(root, running)).map(({ name, state, message }) => `${name} ${state}: ${message}`);

it('finds nothing wrong with a vault in order', () =>
  withVault(async (root) => {
    expect(await told(root, server(true))).toEqual([
      'port ok: Listening on http://127.0.0.1:1.',
      'folder rights ok: This user may read and write every folder.',
      'conflict copies ok: No sync program has left a conflict copy.',
    ]);
  }));

it('says nothing of a port before the server runs', () =>
  withVault(async (root) => {
    expect((await hostChecks(root, null)).map(({ name }) => name)).toEqual([
      'folder rights',
      'conflict copies',
    ]);
  }));

it('tells a server that takes no connections any more', () =>
  withVault(async (root) => {
    expect((await told(root, server(false)))[0]).toMatch(/^port failed: /);
  }));

it('names conflict copies wherever they stand, and passes over a missing folder', () =>
  withVault(async (root) => {
    await rm(join(root, 'sessions'), { recursive: true });
    await mkdir(join(root, 'wiki/net/facts'), { recursive: true });
    await writeFile(join(root, 'wiki/net/facts/mtu.sync-conflict-20261120-103200-ABCDEFG.md'), 'x');
    await writeFile(join(root, "raw/idea (me's conflicted copy 2026-11-20).md"), 'x');
    expect((await told(root, null)).at(-1)).toBe(
      "conflict copies warning: A sync program has left 2 conflict copies, which are not read: raw/idea (me's conflicted copy 2026-11-20).md, wiki/net/facts/mtu.sync-conflict-20261120-103200-ABCDEFG.md.",
    );
  }));

it('looks for conflict copies in no folder that a link leads to', () =>
  withTempFolder(async (top) => {
    const root = join(top, 'vault');
    await mkdir(root);
    for (const name of LAYOUT) await mkdir(join(root, name));
    await mkdir(join(top, 'elsewhere/deep'), { recursive: true });
    await writeFile(join(top, 'elsewhere/deep/x.sync-conflict-20261120-103200-ABCDEFG.md'), 'x');
    await symlink(join(top, 'elsewhere'), join(root, 'inbox/linkdir'));
    expect((await told(root, null)).at(-1)).toBe(
      'conflict copies ok: No sync program has left a conflict copy.',
    );
  }));

it('tells what cannot be used as a folder', () =>
  withVault(async (root) => {
    await rm(join(root, 'raw'), { recursive: true });
    await writeFile(join(root, 'raw'), 'a file');
    expect(await told(root, null)).toEqual([
      'folder rights failed: This user may not read and write: raw.',
      'conflict copies warning: Not every folder could be looked into: raw.',
    ]);
  }));
