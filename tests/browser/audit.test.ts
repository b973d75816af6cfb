import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const PATH = 'wiki/homelab/facts/zfs-arc-size.md';

describeInBrowser('the audit screen', (browser) => {
  const served = new Served();
  const clients: Client[] = [];
  const agent = async (token: string, name: string): Promise<Client> => {
    const client = new Client({ name, version: '2.1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${served.server.url}/mcp`), { requestInit }),
    );
    clients.push(client);
    return client;
  };
  const newToken = async (name: string): Promise<string> => {
    const { stdout } = await served.sandbox.run(['token', 'add', name, '--json']);
    const { token }: { token: string } = JSON.parse(stdout);
    return token;
  };

  beforeAll(async () => {
    await served.start({ [PATH]: wikiNote('ZFS ARC size', '8 GiB.') });
    const owner = await agent(served.token, 'claude-code');
    const laptop = await agent(await newToken('laptop'), 'cursor');
    const call = (client: Client, name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: args });
    for (let index = 0; index < 55; index += 1)
      await call(owner, 'brain_query', { query: `question q${index}` });
    await call(laptop, 'brain_get', { path: PATH });
    await call(laptop, 'brain_update', {
      path: PATH,
      content: '# ZFS ARC size\n\n16 GiB. See [[nowhere]].',
      reason: 'More memory',
    });
    await call(laptop, 'brain_write', {
      wing: 'homelab',
      hall: 'facts',
      slug: 'zfs-arc-size',
      content: '# Taken\n\nx',
    });
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await served.end();
  });

  const WIDE = { viewport: { width: 1488, height: 800 } };
  const open = async (fragment = '#/audit', options: object = WIDE) => {
    const opened = await served.open(browser(), fragment, options);
    await opened.page.locator('.brain-calls tr[aria-selected]').first().waitFor();
    return opened;
  };
  const rows = (page: Page) => page.locator('.brain-calls tr[aria-selected]');

  it('lists calls newest first, with agent, note, outcome and what the gate took out', async () => {
    const { page, complaints } = await open();
    const cells = await rows(page).nth(1).locator('td').allTextContents();
    expect(cells.slice(1, 6)).toEqual([
      'brain_update',
      'laptop (cursor 2.1)',
      'zfs-arc-size homelab / facts',
      'Changed',
      '1',
    ]);
    expect(await rows(page).first().textContent()).toContain('Note exists');
    expect(await rows(page).nth(2).textContent()).toMatch(/brain_get.*Read/);
    expect(await rows(page).nth(3).textContent()).toContain('“question q54”');
    await page.getByText('Chain verified, 58 lines').waitFor();
    expect(await page.locator('.brain-strip').getAttribute('aria-label')).toBe(
      'Last 24 hours: 58 calls, 1 failed',
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('draws fifty calls at first and the others on demand', async () => {
    const { page } = await open();
    await eventually(() => rows(page).count(), 50);
    await page.getByRole('button', { name: 'Show more of 8 older calls' }).click();
    await eventually(() => rows(page).count(), 58);
    await page.context().close();
  });

  it('filters by agent, tool, note, time and outcome', async () => {
    const { page } = await open();
    const count = (expected: number) => eventually(() => rows(page).count(), expected);
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('laptop');
    await count(3);
    await page.getByRole('button', { name: 'Failed' }).click();
    await count(1);
    await page.getByRole('button', { name: 'Changed' }).click();
    await count(1);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('brain_get');
    await count(1);
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('');
    await page.getByRole('searchbox', { name: 'Note' }).fill('zfs-arc');
    await count(3);
    await page.getByRole('searchbox', { name: 'Note' }).fill('nothing like it');
    await page.getByText('No call fits.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await count(50);
    await page.getByRole('combobox', { name: 'Time' }).selectOption('All time');
    await count(50);
    await page.context().close();
  });

  it('goes by keys to the diff, the note and the agent', async () => {
    const { page } = await open();
    await page.keyboard.press('j');
    const panel = page.getByRole('complementary', { name: 'This call' });
    await panel.getByText('More memory').waitFor();
    await eventually(() => panel.textContent(), expect.stringContaining('read, write'));
    await page.keyboard.press('f');
    await eventually(() => rows(page).count(), 3);
    await page.keyboard.press('f');
    await eventually(() => rows(page).count(), 50);
    await page.keyboard.press('d');
    await page.locator('.brain-version[aria-selected="true"]').getByText('More memory').waitFor();
    expect(await page.evaluate(() => window.location.hash)).toMatch(
      /^#\/history\?path=.*&hash=[0-9a-f]{64}$/,
    );
    await page.goBack();
    await rows(page).first().waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Note' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.waitForFunction(() => window.location.hash.startsWith('#/note?path=wiki'));
    await page.context().close();
  });

  it.each([
    [1488, 800],
    [1000, 700],
    [320, 720],
  ])('breaks no rule of accessibility at %i px', async (width, height) => {
    for (const colorScheme of byDay(1, ['dark', 'light'] as const)) {
      const { page } = await open('#/audit', { viewport: { width, height }, colorScheme });
      await page.getByText('Chain verified').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });

  it('opens the facts over the list where there is no room beside it', async () => {
    const { page } = await open('#/audit', { viewport: { width: 320, height: 720 } });
    const panel = page.getByRole('complementary', { name: 'This call' });
    await rows(page).nth(1).click();
    await panel.getByText('More memory').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.context().close();
  });

  // Last: it breaks the log.
  it('says where the chain is broken', async () => {
    const folder = path.join(served.sandbox.vault, '.brain/audit');
    const file = readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '';
    appendFileSync(path.join(folder, file), 'not a line\n');
    const { page } = await open();
    await page.getByRole('button', { name: /1 problem in 59 lines/ }).click();
    await page.getByRole('dialog').getByText(`audit/${file}, line 59`).waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.context().close();
  });
});
