import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const DAY = 86_400_000;
const NOW = Date.now();
const run = (skill: string, status: string, daysAgo: number) =>
  JSON.stringify({ skill, status, timestamp: new Date(NOW - daysAgo * DAY).toISOString() });
/** `deploy` passed and failed, `idle` was only skipped, and one line is no record. */
const LOG = [
  ...[0, 1, 2, 9, 10].map((ago) => run('deploy', 'pass', ago)),
  ...[2, 10].map((ago) => run('deploy', 'fail', ago)),
  run('idle', 'skip', 3),
  'no record',
];

const VAULT = {
  'AGENTS.md': '# How to use this vault\n',
  'wiki/homelab/facts/one.md': wikiNote('One'),
  'wiki/homelab/facts/two.md': wikiNote('Two'),
  'wiki/kitchen/sources/three.md': wikiNote('Three'),
  'raw/2026-11-14-pending.md': wikiNote('Pending note'),
  'sessions/a.jsonl': `${LOG.join('\n')}\n`,
};

describeInBrowser('the screens of the web page', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const opened = async (fragment: string, options = {}): Promise<Page> =>
    (await served.open(browser(), fragment, options)).page;

  describe('home', () => {
    it('shows what the service answers, and stays right when the vault changes', async () => {
      const page = await opened('#/home');
      await page.getByRole('link', { name: 'Notes 3' }).waitFor();
      await page.getByRole('link', { name: /Waiting for review 1/ }).waitFor();
      const row = page.getByRole('row', { name: /homelab/ });
      const cells = row.getByRole('cell');
      await eventually(() => cells.allTextContents(), ['2', '0', '0', '0', '0', '2', '0']);
      const state = page.getByRole('region', { name: 'State' });
      await eventually(
        () => state.getByRole('listitem').allTextContents(),
        [
          expect.stringMatching(/^Server: Fine.*127\.0\.0\.1/),
          expect.stringMatching(/^Search: Fine3 notes/),
          expect.stringMatching(/^Your notes: FineEvery note of the vault is read/),
          expect.stringMatching(/^Inbox: /),
          expect.stringMatching(/^Attachments: Fine/),
          expect.stringMatching(/^Model: FineNone is set/),
          expect.stringMatching(/^Converter: FineNone is set/),
          expect.stringMatching(/^Room: Fine/),
          expect.stringMatching(/^Tokens: Fine/),
          expect.stringMatching(/^Audit: Fine/),
        ],
      );
      await served.call('/write', { wing: 'kitchen', hall: 'facts', content: '# Four\n\nText.' });
      await page.getByRole('link', { name: 'Notes 4' }).waitFor();
      await page.context().close();
    });

    it('leads from a cell to the notes of its wing and hall', async () => {
      const page = await opened('#/home');
      await page.getByRole('link', { name: '2 notes in homelab, Facts' }).click();
      await page.waitForFunction(() => window.location.hash === '#/search?wing=homelab&hall=facts');
      await page.context().close();
    });

    it('shows the growth as a chart with a sentence, and as a table', async () => {
      const page = await opened('#/home');
      await page.getByRole('img', { name: /^Notes (rose|stayed)/ }).waitFor();
      await page.keyboard.press('t');
      const rows = page.getByRole('region', { name: 'Growth' }).getByRole('row');
      await eventually(() => rows.count(), 27);
      await page.context().close();
    });
  });

  describe('pass rates', () => {
    it('shows counts, gaps in words, and no data as no data', async () => {
      const page = await opened('#/pass-rates');
      await page.getByRole('heading', { name: 'deploy' }).waitFor();
      await page.getByText('5 of 7 passed').waitFor();
      await page.getByText('1 line could not be read').waitFor();
      await page
        .getByRole('img', { name: /^Pass rate of deploy per day: lowest 50.%.*No data on \d+ days\.$/ })
        .waitFor();
      await page.locator('.brain-void', { hasText: 'No data' }).first().waitFor();
      const idle = page.getByRole('row', { name: /idle/ });
      expect(await idle.textContent()).toMatch(/idleNo run that passed or failed001No data/);
      expect(await idle.textContent()).not.toMatch(/0.%/);
      await page.context().close();
    });

    it('goes by keys: skill, day, window, table', async () => {
      const page = await opened('#/pass-rates');
      await page.getByRole('heading', { name: 'deploy' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.brain-tip', { hasText: /100.%1 passed, 0 failed/ }).waitFor();
      await page.keyboard.press('w');
      await page.keyboard.press('w');
      await page.getByText('3 of 4 passed').waitFor();
      await page.keyboard.press('t');
      await page.getByRole('region', { name: 'deploy per day' }).getByRole('row').nth(8).waitFor();
      await page.keyboard.press('j');
      await page.getByRole('heading', { name: 'idle' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('zzz');
      await page.getByRole('button', { name: 'Show all 2' }).click();
      await page.getByRole('heading', { name: 'idle' }).waitFor();
      await page.context().close();
    });
  });

  it('connects an agent by the command line, since a page hands out no access', async () => {
    const page = await opened('#/connect');
    await page.getByRole('radio', { name: 'Cursor' }).click();
    await page.getByLabel(/^Token name/).fill('studio');
    await page.getByRole('checkbox', { name: 'Write' }).click();
    const command = page.getByLabel('Command that makes the token');
    await eventually(() => command.textContent(), 'brain token add studio --scopes read');
    const made = await served.sandbox.run(['token', 'add', 'studio', '--scopes', 'read']);
    expect(made.code).toBe(0);
    const config = await page.getByLabel('Put this into ~/.cursor/mcp.json').textContent();
    expect(JSON.parse(config ?? '')).toEqual({
      mcpServers: {
        brain: { url: `${served.server.url}/mcp`, headers: { Authorization: 'Bearer <token>' } },
      },
    });
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('gives no command to copy that a shell would take for another or that makes nothing', async () => {
    const page = await opened('#/connect');
    const name = page.getByLabel(/^Token name/);
    const command = page.getByLabel('Command that makes the token');
    const copy = page.getByRole('button', { name: 'Copy', exact: true }).first();
    await name.fill('bad name;rm -rf "x" $(y)');
    await page.getByRole('alert').getByText('A token name has 1 to 32 characters').waitFor();
    await eventually(() => name.getAttribute('aria-invalid'), 'true');
    await command.waitFor({ state: 'detached' });
    expect(await copy.isDisabled()).toBe(true);
    expect(await page.getByText('brain token revoke').textContent()).not.toContain('rm -rf');
    await name.fill('owner');
    await page.getByRole('alert').getByText('The name "owner" is taken by the service.').waitFor();
    await name.fill('studio');
    await eventually(() => command.textContent(), 'brain token add studio');
    for (const scope of ['Read', 'Write']) await page.getByRole('checkbox', { name: scope }).click();
    await eventually(() => command.count(), 0);
    expect(await copy.isDisabled()).toBe(true);
    await page.context().close();
  });

  it('keeps a typed name when another agent is chosen', async () => {
    const page = await opened('#/connect');
    await page.getByLabel(/^Token name/).fill('studio');
    await page.getByRole('radio', { name: 'Cursor' }).click();
    await page.getByLabel('Put this into ~/.cursor/mcp.json').waitFor();
    expect(await page.getByLabel(/^Token name/).inputValue()).toBe('studio');
    await page.context().close();
  });

  describe('the doctor', () => {
    it('is content when all is well, checks again, and copies the report', async () => {
      const page = await opened('#/doctor', { permissions: ['clipboard-read', 'clipboard-write'] });
      await page.getByRole('heading', { name: 'All is well' }).waitFor();
      const status = page.locator('main [role="status"]').first();
      await eventually(() => status.textContent(), expect.stringMatching(/^Checked at .* fine$/));
      const first = await status.textContent();
      await page.waitForTimeout(1100);
      await page.keyboard.press('r');
      await page.waitForFunction(
        (before) => document.querySelector('main [role="status"]')?.textContent !== before,
        first,
      );
      await page.keyboard.press('y');
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
        /^Brain Server \d.*\n.*\n\nok +/,
      );
      await page.context().close();
    });

    it('says what is wrong and how to put it right', async () => {
      await served.restart({ BRAIN_AUTH: 'off' });
      const { page } = await served.page(browser(), { bypassCSP: true });
      await page.goto(`${served.server.url}/#/doctor`);
      const needs = page.getByRole('region', { name: 'Needs you' });
      await needs.getByText('Warning: Tokens').waitFor();
      await needs.getByText('Unset BRAIN_AUTH and start again.').waitFor();
      await page.getByText('1 warning').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.context().close();
      await served.restart();
    });
  });

  const LOOKS = [
    [1280, 'light'],
    [320, 'dark'],
    [1000, 'dark'],
    [320, 'light'],
  ] as const;
  describe.each(byDay(2, LOOKS))('at %i px, %s', (width, colorScheme) => {
    it.each([
      ['#/home', 'Notes by wing and hall', []],
      ['#/home', 'Notes by wing and hall', ['t']],
      ['#/pass-rates', 'Skipped', []],
      ['#/pass-rates', 'Skipped', ['t']],
      ['#/connect', 'Which agent?', []],
      ['#/doctor', 'All is well', []],
      ['#/doctor', 'All is well', ['?']],
    ])('%s has no fault (%s, keys %p)', async (fragment, text, keys) => {
      const page = await opened(fragment, { viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
      await page.getByText(text).first().waitFor({ state: 'attached' });
      for (const key of keys) await page.keyboard.press(key);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.context().close();
    });
  });
});
