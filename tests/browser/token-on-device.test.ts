import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { Served, wikiNote } from './served';

const QUEUED = 'raw/2026-11-14-pending.md';
const DEEP = `#/queue?path=${encodeURIComponent(QUEUED)}`;

describeInBrowser('the token on a device', (browser) => {
  const served = new Served();
  beforeAll(() => served.start({ [QUEUED]: wikiNote('Pending note') }));
  afterAll(() => served.end());

  const stored = (page: Page) =>
    page.evaluate(() => [
      window.localStorage.getItem('brain.token') !== null,
      window.sessionStorage.getItem('brain.token') !== null,
    ]);
  const form = (page: Page) => page.getByRole('heading', { name: 'This page needs a token' });

  it('is kept by the tab alone unless the person chooses otherwise, and a deep link survives the form', async () => {
    const { page } = await served.page(browser());
    await page.goto(`${served.server.url}/${DEEP}`);
    await form(page).waitFor();
    await page.keyboard.type(served.token);
    await page.keyboard.press('Enter');
    await page.locator('.brain-item', { hasText: 'Pending note' }).waitFor();
    expect(await page.evaluate(() => window.location.hash)).toBe(DEEP);
    expect(await stored(page)).toEqual([false, true]);
    const other = await page.context().newPage();
    await other.goto(served.server.url);
    await form(other).waitFor();
    await page.context().close();
  });

  it('opens new tabs and bookmarks when remembered, by keys, until the person signs out in any of them', async () => {
    const { page } = await served.page(browser(), { bypassCSP: true });
    await page.goto(served.server.url);
    await form(page).waitFor();
    await page.keyboard.type(served.token);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
    expect(await stored(page)).toEqual([true, true]);

    const bookmark = await page.context().newPage();
    await bookmark.goto(`${served.server.url}/${DEEP}`);
    await bookmark.locator('.brain-item', { hasText: 'Pending note' }).waitFor();

    await page.getByRole('button', { name: 'Token and sign-out' }).click();
    const layer = page.getByRole('dialog', { name: 'Token on this device' });
    await layer.getByRole('checkbox', { name: 'Remember on this device', checked: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await layer.getByRole('button', { name: 'Sign out and forget the token' }).click();
    await form(page).waitFor();
    await form(bookmark).waitFor();
    for (const one of [page, bookmark]) {
      await eventually(() => one.locator('.brain-item, .brain-frame').count(), 0);
    }
    expect(await stored(page)).toEqual([false, false]);
    for (const one of [page, bookmark]) {
      await one.reload();
      await form(one).waitFor();
    }
    await page.context().close();
  });

  it('is remembered and forgotten later, too, after it came by a link', async () => {
    const { page } = await served.open(browser());
    expect(await stored(page)).toEqual([false, true]);
    await page.getByRole('button', { name: 'Token and sign-out' }).click();
    const choice = page.getByRole('checkbox', { name: 'Remember on this device' });
    await choice.click();
    expect(await stored(page)).toEqual([true, true]);
    await choice.click();
    expect(await stored(page)).toEqual([false, true]);
    const other = await page.context().newPage();
    await other.goto(served.server.url);
    await form(other).waitFor();
    await page.context().close();
  });
});
