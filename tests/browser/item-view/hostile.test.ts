import type { Page } from 'playwright-core';
import { describeInBrowser, eventually } from '../../support/browser';
import { type AppPage, openApp } from './app-page';
import { HOSTILE_BODY, HOSTILE_TITLE, QUEUE, rawNote } from './notes';

const RAW = 'raw/2026-11-09-hostile.md';
const WIKI = 'wiki/homelab/facts/hostile.md';
const HOSTILE = rawNote(HOSTILE_TITLE, '09', undefined, HOSTILE_BODY);
const VAULT = {
  ...QUEUE,
  [RAW]: HOSTILE,
  [WIKI]: HOSTILE.replace('Words before', 'Words of the wiki before'),
};

/** What a note may never become. */
const ACTIVE =
  'script, iframe, img, object, embed, video, audio, link, style, form[action], image, [onerror], [onload], [srcdoc]';

describeInBrowser('hostile notes inside the app', (browser) => {
  let app: AppPage;
  let page: Page;
  beforeEach(async () => {
    app = await openApp(browser(), { files: VAULT });
    page = app.page;
  });

  /** Time enough for a frame, a picture or a script to do its work. */
  const settled = () => page.waitForTimeout(300);
  const ran = () => page.evaluate(() => Reflect.get(window, 'ran') ?? null);

  async function expectInert(): Promise<void> {
    await settled();
    expect(
      await page
        .locator('.brain-screen')
        .locator(ACTIVE)
        .evaluateAll((all) => all.map((one) => one.outerHTML)),
    ).toEqual([]);
    const addresses = await page
      .locator('.brain-screen [href]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(addresses.filter((href) => !/^(https:\/\/|#)/.test(href))).toEqual([]);
    expect(await ran()).toBeNull();
    expect(await page.evaluate(() => window.hands.traces())).toMatchObject({ rendered: 0, requests: 0 });
    expect(app.complaints).toEqual([]);
  }

  it('would leave traces here, if the screens took them as the app or a page does', async () => {
    await page.evaluate((body) => window.hands.renderAsTheAppDoes(body), HOSTILE_BODY);
    await eventually(ran, 'dataviewjs');
    expect(await page.evaluate(() => window.hands.traces().rendered)).toBe(1);
    const other = await page.context().newPage();
    await other.setContent(HOSTILE_BODY, { waitUntil: 'commit' });
    await other.waitForFunction(() => 'ran' in window);
    await eventually(async () => app.complaints.some((one) => one.includes('https://evil.test/')), true);
    await page.context().close();
  });

  it('stay text in the queue: list, preview, source, properties, comparison', async () => {
    await app.show('queue');
    await page.locator('article').getByText('Words after.').waitFor();
    await eventually(() => page.locator('.brain-item b').first().textContent(), HOSTILE_TITLE);
    await page.getByRole('heading', { name: HOSTILE_TITLE, exact: true }).first().waitFor();
    await expectInert();
    await page.keyboard.press('m');
    await expectInert();
    await page.keyboard.press('p');
    await page.locator('pre.brain-code').getByText('Words after.').waitFor();
    await expectInert();
    await page.keyboard.press('c');
    await page.getByRole('region', { name: 'Compare' }).first().waitFor();
    await page.getByText('Words of the wiki before.').first().waitFor();
    await expectInert();
    await app.close();
  });

  it('stay text once they are promoted: search, its window, history, home', async () => {
    await app.show('queue', { path: RAW });
    await page.getByLabel('Slug').fill('promoted-hostile');
    await page.getByText('wiki/homelab/facts/promoted-hostile.md').waitFor();
    await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: /^Promote/ }).click();
    await page.getByText('Promoted <img').waitFor();
    await expectInert();
    await app.show('search', { q: 'words' });
    await page.getByText('Words of the wiki before.').first().waitFor();
    await expectInert();
    await page.evaluate(() => window.hands.run('search'));
    await page.getByRole('combobox', { name: 'Search the brain' }).fill('words before');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await expectInert();
    await page.keyboard.press('Escape');
    await app.show('history', { path: 'wiki/homelab/facts/promoted-hostile.md' });
    await page.locator('.brain-version').first().waitFor();
    await expectInert();
    await app.show('home');
    await page.getByText('Notes by wing and hall').waitFor();
    await expectInert();
    await app.close();
  });
});
