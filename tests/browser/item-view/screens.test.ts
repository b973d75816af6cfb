import type { Page } from 'playwright-core';
import { auditLine, NO_LINE } from '../../../src/core/audit/line';
import { timestamp } from '../../../src/core/base/time';
import type { ScreenName, ScreenParams } from '../../../src/ui/client/screens';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { byDay } from '../../support/by-night';
import { type AppPage, openApp } from './app-page';
import { QUEUE } from './notes';

const NOTE = 'wiki/homelab/facts/taken.md';
const NOW = new Date();
const CALL = auditLine(
  {
    ts: timestamp(NOW),
    id: 'req-1',
    tool: 'brain_get',
    actor: 'laptop',
    auth: 'read',
    ok: true,
    args: { path: NOTE },
    paths: [NOTE],
    unlinked: 0,
    duration_ms: 3,
  },
  1,
  NO_LINE,
);
const run = (skill: string, status: string, hoursAgo: number) =>
  JSON.stringify({ skill, status, timestamp: new Date(NOW.getTime() - hoursAgo * 3_600_000).toISOString() });

const VAULT = {
  ...QUEUE,
  'sessions/a.jsonl': `${run('deploy', 'pass', 1)}\n${run('deploy', 'fail', 30)}\n`,
  [`.brain/audit/${timestamp(NOW).slice(0, 7)}.thispage.jsonl`]: `${CALL}\n`,
};

/** Every screen, on what, and a sign that what is in the vault is shown. */
const SHOWN: readonly [ScreenName, ScreenParams, (view: ReturnType<Page['locator']>) => Promise<void>][] = [
  ['home', {}, (view) => view.getByRole('row', { name: /homelab/ }).waitFor()],
  [
    'queue',
    {},
    (view) => view.locator('article').getByText('Text of the note.').waitFor({ state: 'attached' }),
  ],
  ['search', { q: 'taken' }, (view) => view.locator('.brain-result', { hasText: 'Taken' }).first().waitFor()],
  ['history', { path: NOTE }, (view) => view.locator('.brain-version').first().waitFor()],
  ['audit', {}, (view) => view.locator('tr[aria-selected]', { hasText: 'laptop' }).waitFor()],
  ['rules', {}, (view) => view.getByText('Every note waits for you').waitFor()],
  ['stale', {}, (view) => view.getByText('No claim is stale').waitFor()],
  ['pass-rates', {}, (view) => view.getByText('deploy').first().waitFor()],
  ['connect', {}, (view) => view.getByRole('button', { name: 'Make a token for Claude Code' }).waitFor()],
  // What is fine is folded.
  ['doctor', {}, (view) => view.getByText('http://127.0.0.1:27246').first().waitFor({ state: 'attached' })],
];

describeInBrowser('the screens inside the app', (browser) => {
  let app: AppPage;
  let page: Page;
  const start = async (theme: 'light' | 'dark', width = 1280) => {
    app = await openApp(browser(), { files: VAULT, theme, width });
    page = app.page;
  };
  const viewOf = (screen: ScreenName) => page.locator(`[data-type="brain-server-${screen}"]`);
  afterEach(() => app.close());

  const LOOKS = [
    ['dark', 1280],
    ['light', 400],
    ['light', 1280],
  ] as const;
  it.each(byDay(2, LOOKS))(
    'all show what is in the vault without a fault in %s at %i px',
    async (theme, width) => {
      await start(theme, width);
      for (const [screen, params, sign] of SHOWN) {
        await app.show(screen, params);
        await sign(viewOf(screen));
        const faults = await axeFaults(page, `[data-type="brain-server-${screen}"]`);
        expect({ screen, faults }).toEqual({ screen, faults: [] });
      }
    },
  );

  it('makes a token once, which works from then on, and shows it no more', async () => {
    await start('light');
    await app.show('connect');
    const view = viewOf('connect');
    await view.getByRole('radio', { name: 'Codex' }).click();
    await view.getByRole('button', { name: 'Make a token for Codex' }).click();
    await view.getByRole('button', { name: 'Show token' }).click();
    const code = view.getByLabel('Put this into ~/.codex/config.toml');
    await eventually(() => code.textContent(), expect.stringMatching(/Bearer [\w-]{40,}/));
    const text = (await code.textContent()) ?? '';
    const [, token = 'no token'] = /Bearer ([\w-]{40,})/.exec(text) ?? [];
    expect(text).toContain('http://127.0.0.1:27246/mcp');
    await view.getByRole('button', { name: /^Copy/ }).click();
    await view.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(token);
    expect(await page.evaluate((one) => window.hands.nameOfToken(one), token)).toBe('codex');
    await view.getByRole('radio', { name: 'Cursor' }).click();
    await view.getByRole('button', { name: 'Make a token for Cursor' }).waitFor();
    await eventually(async () => (await view.textContent())?.includes(token), false);
    expect(await page.evaluate((one) => window.hands.keeps(one), token)).toBe(false);
  });

  it('opens on the agent that a link names', async () => {
    await start('light');
    await page.evaluate(() => window.hands.followLink('obsidian://brain-server?screen=connect&agent=codex'));
    await viewOf('connect').getByRole('button', { name: 'Make a token for Codex' }).waitFor();
  });

  it('says so when the server is off, and is back when it starts', async () => {
    await start('light');
    await app.show('home');
    await viewOf('home')
      .getByRole('row', { name: /homelab/ })
      .waitFor();
    await page.evaluate(() => window.hands.run('stop-server'));
    await viewOf('home').getByText('Brain off').waitFor();
    expect(await axeFaults(page, '[data-type="brain-server-home"]')).toEqual([]);
    await viewOf('home').getByRole('button', { name: 'Start' }).click();
    await viewOf('home')
      .getByRole('row', { name: /homelab/ })
      .waitFor();
  });
});
