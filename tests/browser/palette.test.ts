import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { FACTS, raw } from './queue-world';
import { Served, wikiNote } from './served';

const VAULT = {
  'raw/2026-11-10-alpha.md': raw('Alpha', '10', FACTS),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS),
  'wiki/homelab/facts/clock.md': wikiNote('Grandmaster clock', 'PTP.'),
};

describeInBrowser('the keys of the page', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const opened = async (fragment: string): Promise<Page> =>
    (await served.open(browser(), fragment, { bypassCSP: true })).page;
  const at = (page: Page, hash: string) =>
    page.waitForFunction((wanted) => window.location.hash === wanted, hash);
  const palette = (page: Page) => page.getByRole('combobox', { name: 'Screens, actions and notes' });

  it('lead to every screen by two letters', async () => {
    const page = await opened('#/home');
    for (const [key, hash] of Object.entries({
      q: '#/queue',
      s: '#/search',
      a: '#/audit',
      p: '#/pass-rates',
      c: '#/connect',
      d: '#/doctor',
      h: '#/home',
    })) {
      await page.locator('.brain-frame').waitFor();
      // The search screen begins in its field.
      await page.evaluate(() => document.querySelector<HTMLElement>('.brain-frame')?.focus());
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await at(page, hash);
      // Its field takes the focus when it appears, which is after the address has changed.
      if (key === 's') await page.locator('.brain-find input:focus').waitFor();
    }
    await page.context().close();
  });

  it('never decide on a note with the second letter, and forget the first one', async () => {
    const page = await opened('#/queue');
    await page.locator('.brain-item').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await at(page, '#/audit');
    await page.waitForTimeout(300);
    expect(await served.call('/pending')).toMatchObject({ total: 2 });
    await page.keyboard.press('g');
    await page.waitForTimeout(1_000);
    await page.keyboard.press('q');
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => window.location.hash)).toBe('#/audit');
    await page.context().close();
  });

  it('type letters in a field, and do nothing where single letters are off', async () => {
    const page = await opened('#/search');
    await page.getByRole('searchbox').or(page.getByLabel('Search the brain')).first().focus();
    await page.keyboard.type('gq');
    expect(await page.evaluate(() => window.location.hash)).toMatch(/^#\/search/);
    await page.evaluate(() => window.localStorage.setItem('brain.screen.keys', 'off'));
    await page.evaluate(() => document.querySelector<HTMLElement>('.brain-frame')?.focus());
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => window.location.hash)).toMatch(/^#\/search/);
    await page.context().close();
  });

  it('find screens, notes and the actions of the screen', async () => {
    const page = await opened('#/doctor');
    await page.getByText('Nothing to do').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.type('pass');
    await page.keyboard.press('Enter');
    await at(page, '#/pass-rates');

    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.type('grandmaster');
    await page.getByRole('option', { name: /Grandmaster clock/ }).waitFor();
    await page.keyboard.press('Enter');
    await at(page, `#/note?path=${encodeURIComponent('wiki/homelab/facts/clock.md')}`);

    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.locator('.brain-item[aria-current="true"]', { hasText: 'Alpha' }).waitFor();
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.type('reject');
    await page.getByRole('option', { name: /Reject.*here.*R/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Reject' }).waitFor();
    await page.context().close();
  });

  it('are listed by ?', async () => {
    const page = await opened('#/home');
    await page.locator('.brain-frame').waitFor();
    await page.keyboard.press('?');
    const layer = page.getByRole('dialog');
    await layer.getByRole('heading', { name: 'Anywhere on the page' }).waitFor();
    await eventually(
      () => layer.locator('li', { hasText: 'Review queue' }).last().locator('kbd').allTextContents(),
      ['G', 'Q'],
    );
    await layer.getByText('Screens, actions and notes').waitFor();
    await page.context().close();
  });
});
