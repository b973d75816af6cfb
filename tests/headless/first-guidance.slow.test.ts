import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox } from './brain-process';

let sandbox: Sandbox;
beforeEach(() => (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());
const inVault = (file: string): string => path.join(sandbox.vault, file);

/** Makes files, and folders that end in `/`, in the vault's folder. */
function leave(...names: readonly string[]): void {
  mkdirSync(sandbox.vault);
  for (const name of names) {
    if (name.endsWith('/')) mkdirSync(inVault(name));
    else writeFileSync(inVault(name), 'x');
  }
}

describe('the guidance note', () => {
  it.each<[string, () => void, Record<string, string>, string]>([
    ['a folder that is not there yet', () => undefined, {}, 'AGENTS.md'],
    ['an empty folder', () => mkdirSync(sandbox.vault), {}, 'AGENTS.md'],
    ['a folder with what systems leave', () => leave('.DS_Store', 'lost+found/'), {}, 'AGENTS.md'],
    ['another name', () => undefined, { BRAIN_ROOT_NOTE: 'GUIDE.md' }, 'GUIDE.md'],
  ])('is made in a new vault: %s', async (_, prepare, env, name) => {
    prepare();
    const { stderr } = await (await sandbox.serve([], env)).stop();
    expect(readFileSync(inVault(name), 'utf8')).toContain('brain_query');
    expect(stderr.match(/"event":"guidance.made"/g)).toHaveLength(1);
  });

  it.each(['Daily/2026-11-20.md', 'wiki/homelab/facts/nas.md', 'notes.txt', '.obsidian/app.json'])(
    'is not made in an existing vault, which may hold no more than %s',
    async (file) => {
      mkdirSync(path.dirname(inVault(file)), { recursive: true });
      writeFileSync(inVault(file), '{}\n');
      await (await sandbox.serve()).stop();
      await (await sandbox.serve()).stop();
      const folders = ['.brain', 'inbox', 'knowledge', 'raw', 'sessions', 'wiki'];
      const expected = new Set([...folders, file.split('/')[0]]);
      expect(readdirSync(sandbox.vault).sort()).toEqual([...expected].sort());
    },
  );

  it('that somebody has deleted does not come back', async () => {
    await (await sandbox.serve()).stop();
    rmSync(inVault('AGENTS.md'));
    await (await sandbox.serve()).stop();
    expect(existsSync(inVault('AGENTS.md'))).toBe(false);
  });

  it('and everything else is absent after a start that fails for its database, and comes with the next', async () => {
    const { code, stderr } = await sandbox.run(
      ['serve', '--create', '--vault', sandbox.vault, '--port', '0'],
      { env: { BRAIN_PG_DSN: 'mysql://db/brain', BRAIN_EMBED_URL: 'http://127.0.0.1:1' } },
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('no address of a Postgres server')]);
    expect(existsSync(sandbox.vault)).toBe(false);
    await (await sandbox.serve()).stop();
    expect(existsSync(inVault('AGENTS.md'))).toBe(true);
  });
});
