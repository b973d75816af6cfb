// What the stand-ins of the other tests assume of the app, and the plugin's own way through it.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { browser, $ } from '@wdio/globals';

const ID = 'brain-server';

/** The bytes of every file of the opened vault that is not the app's own. */
async function snapshot(folder) {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.parentPath.includes('.obsidian'));
  const found = {};
  for (const file of files) {
    const full = path.join(file.parentPath, file.name);
    found[path.relative(folder, full)] = await readFile(full, 'utf8');
  }
  return found;
}

const vaultFolder = () => browser.executeObsidian(({ app }) => app.vault.adapter.getBasePath());

describe('the app, as the other tests imagine it', () => {
  it('refuses to make a file that stands, and one without its folder', async () => {
    const said = await browser.executeObsidian(async ({ app }) => {
      const attempt = (make) =>
        make().then(
          () => 'made',
          () => 'refused',
        );
      return [
        await attempt(() => app.vault.create('wiki/garden/facts/tomatoes.md', 'x')),
        await attempt(() => app.vault.create('no/such/folder/a.md', 'x')),
      ];
    });
    assert.deepEqual(said, ['refused', 'refused']);
  });

  it('keeps dot-folders out of the vault', async () => {
    const seen = await browser.executeObsidian(async ({ app }) => {
      await app.vault.adapter.mkdir('.hidden-test');
      await app.vault.adapter.write('.hidden-test/a.md', 'x');
      const known = app.vault.getFiles().some((file) => file.path.startsWith('.hidden-test'));
      await app.vault.adapter.rmdir('.hidden-test', true);
      return known;
    });
    assert.equal(seen, false);
  });

  it('sees a new text in the callback of process', async () => {
    const seen = await browser.executeObsidian(async ({ app }) => {
      const file = app.vault.getFileByPath('wiki/garden/facts/tomatoes.md');
      let old = '';
      await app.vault.process(file, (text) => (old = text));
      return old;
    });
    assert.match(seen, /Sow in March/);
  });
});

describe('the plugin', () => {
  let before;

  it('changes nothing before the folders were agreed to', async () => {
    before = await snapshot(await vaultFolder());
    await browser.pause(2_000);
    assert.deepEqual(await snapshot(await vaultFolder()), before);
    assert.deepEqual(Object.keys(before).sort(), [
      'raw/2026-11-01-tunnel-mtu.md',
      'wiki/garden/facts/tomatoes.md',
    ]);
  });

  it('starts when the person agrees', async () => {
    if (!(await $('.modal-container').isExisting()))
      await browser.executeObsidianCommand(`${ID}:show-folders`);
    await $('.modal-container').$('button=Start').click();
    await $('.status-bar').$('span=Brain running').waitForExist({ timeout: 30_000 });
  });

  it('shows the queue and promotes a note from it with the keyboard', async () => {
    await browser.executeObsidianCommand(`${ID}:open-queue`);
    await $('.brain-queue').waitForExist();
    await $('.brain-item').waitForExist();
    await $('.brain-form input').waitForExist();
    await $('.brain-items').click();
    await browser.keys('1');
    await browser.keys('w');
    await browser.keys('net');
    await browser.keys('Enter');
    await browser.keys('Escape');
    await $('.brain-items').click();
    await browser.keys('a');
    const folder = await vaultFolder();
    await browser.waitUntil(async () => 'wiki/net/facts/tunnel-mtu.md' in (await snapshot(folder)));
    const files = await snapshot(folder);
    assert.equal('raw/2026-11-01-tunnel-mtu.md' in files, false);
    assert.match(files['wiki/net/facts/tunnel-mtu.md'], /source: https:\/\/example\.com\/mtu/);
  });

  it('answers over HTTP to nobody without a token', async () => {
    const answer = await fetch('http://127.0.0.1:27246/pending');
    assert.equal(answer.status, 401);
    const health = await fetch('http://127.0.0.1:27246/health');
    assert.equal(health.status, 200);
  });

  it('lets the port go when it is unloaded and takes it again when it is loaded', async () => {
    await browser.executeObsidian(async ({ app }, id) => app.plugins.disablePlugin(id), ID);
    await assert.rejects(fetch('http://127.0.0.1:27246/health'));
    await browser.executeObsidian(async ({ app }, id) => app.plugins.enablePlugin(id), ID);
    await $('.status-bar').$('span=Brain running').waitForExist({ timeout: 30_000 });
  });
});
