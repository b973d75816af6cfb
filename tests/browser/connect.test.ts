import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import type { Mounted } from './mounted-connect';

describeInBrowser('connecting an agent where tokens are made', (browser) => {
  let script: string;
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ['tests/browser/mounted-connect.tsx'],
      bundle: true,
      write: false,
      format: 'iife',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    script = outputFiles[0]?.text ?? '';
  });

  const opened = async (width = 1280, theme = 'light'): Promise<Page> => {
    const page = await (await browser().newContext({ viewport: { width, height: 900 } })).newPage();
    await page.setContent(
      `<!doctype html><html lang="en"><title>Connect</title><body class="theme-${theme}"></body></html>`,
    );
    for (const file of ['src/headless/page/theme.css', 'styles.css']) {
      await page.addStyleTag({ content: readFileSync(file, 'utf8') });
    }
    await page.addScriptTag({ content: script });
    return page;
  };
  const inside = (page: Page): Promise<Mounted> =>
    page.evaluate(() => (window as unknown as { entries: Mounted }).entries); // The entry put it there.

  it('makes a token with one press, shows it once and masked, and copies it whole', async () => {
    const page = await opened();
    await page.getByRole('radio', { name: 'Codex' }).click();
    await page.getByRole('checkbox', { name: 'Propose' }).click();
    const write = page.getByRole('checkbox', { name: 'Write' });
    await eventually(() => write.getAttribute('aria-checked'), 'false');
    await page.getByRole('button', { name: 'Make a token for Codex' }).click();
    const code = page.getByLabel('Put this into ~/.codex/config.toml');
    await code.waitFor();
    expect(await code.textContent()).not.toContain('secret-of');
    await page.getByRole('button', { name: 'Show token' }).click();
    await eventually(() => code.textContent(), expect.stringContaining('Bearer secret-of-codex'));
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const { tokens, copied } = await inside(page);
    expect(tokens.at(-1)).toMatchObject({ name: 'codex', scopes: ['read', 'propose'] });
    expect(copied).toEqual([await code.textContent()]);
    await page.getByText('Waiting for codex').waitFor();
    await page.evaluate(() => {
      const { tokens: list } = (window as unknown as { entries: Mounted }).entries; // As above.
      Object.assign(list.at(-1) ?? {}, { last_used: '2026-11-20T12:01:00Z' });
    });
    await page.getByText('codex is connected').waitFor();
    await page.context().close();
  });

  it('makes a token that sees what it is given, and says so in the list', async () => {
    const page = await opened();
    const reads = page.getByLabel(/^Reads only/);
    const make = page.getByRole('button', { name: 'Make a token for Claude Code' });
    await reads.fill('../secret');
    await page.getByRole('alert').getByText('"../secret" cannot be read').waitFor();
    await eventually(() => make.isDisabled(), true);
    await reads.fill('wiki/homelab, knowledge/');
    await page.getByLabel(/^Writes only into/).fill('Home Lab');
    await make.click();
    await page.getByText('Reads only wiki/homelab, knowledge. Writes only into home-lab.').waitFor();
    expect((await inside(page)).tokens.at(-1)).toMatchObject({
      read: ['wiki/homelab', 'knowledge'],
      writeWings: ['home-lab'],
    });
    await page.context().close();
  });

  it('gives every agent a token of its own, by a free name', async () => {
    const page = await opened();
    for (const [agent, token] of [
      ['Cursor', 'cursor'],
      ['VS Code', 'vs-code'],
    ] as const) {
      await page.getByRole('radio', { name: agent }).click();
      await page.getByRole('button', { name: `Make a token for ${agent}` }).click();
      await page.getByText(`Waiting for ${token}`).waitFor();
    }
    await page.getByRole('radio', { name: 'Cursor' }).click();
    await eventually(() => page.getByLabel(/^Token name/).inputValue(), 'cursor-2');
    expect((await inside(page)).tokens.map(({ name }) => name)).toEqual([
      'owner',
      'laptop',
      'cursor',
      'vs-code',
    ]);
    await page.context().close();
  });

  it('says at the name what is wrong with it, and that nothing may be ticked', async () => {
    const page = await opened();
    const name = page.getByLabel(/^Token name/);
    await name.fill('laptop');
    await page.getByRole('button', { name: 'Make a token for Claude Code' }).click();
    await page.getByRole('alert').getByText('The name "laptop" cannot be used.').waitFor();
    await eventually(() => name.getAttribute('aria-invalid'), 'true');
    await name.fill('laptop-2');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Read' }).press(' ');
    await page.getByRole('checkbox', { name: 'Write' }).press(' ');
    await page.getByRole('alert').getByText('Tick at least one').waitFor();
    const make = page.getByRole('button', { name: 'Make a token for Claude Code' });
    await eventually(() => make.isDisabled(), true);
    await page.context().close();
  });

  it('revokes after asking, and never the tokens of the service itself', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor();
    await page.getByRole('button', { name: 'Revoke owner' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page
      .getByRole('group', { name: 'Revoke laptop' })
      .getByRole('button', { name: 'Revoke laptop' })
      .click();
    await page.getByText('1 token', { exact: true }).waitFor();
    expect((await inside(page)).tokens.map(({ name }) => name)).toEqual(['owner']);
    await page.context().close();
  });

  it.each([
    [1280, 'light'],
    [1000, 'dark'],
    [320, 'dark'],
  ])('has no fault at %i px, %s', async (width, theme) => {
    const page = await opened(width, theme);
    await page.getByRole('button', { name: 'Make a token for Claude Code' }).click();
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByText(/^Waiting for/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.context().close();
  });
});
