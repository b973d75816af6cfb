import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { byDay } from '../../support/by-night';
import { type AppPage, openApp } from './app-page';
import { act } from '../queue-world';
import { QUEUE } from './notes';

const focusedRole = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName);

describeInBrowser('layers and windows of the app', (browser) => {
  let app: AppPage;
  let page: Page;
  beforeEach(async () => {
    app = await openApp(browser(), { files: QUEUE });
    page = app.page;
  });
  afterEach(() => app.close());

  const queueIn = async (window: Page) => {
    await window.getByRole('option', { name: /Alpha/ }).waitFor();
    await window.getByRole('listbox', { name: 'Pending notes' }).and(window.locator(':focus')).waitFor();
  };

  /** Presses `?`, goes round inside the layer, and leaves it by Escape. */
  async function throughTheKeys(window: Page): Promise<void> {
    await window.keyboard.press('?');
    const dialog = window.getByRole('dialog');
    await dialog.getByText('Keys in the review queue').waitFor();
    const inside = () => dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement));
    await eventually(inside, true);
    for (let times = 0; times < 3; times += 1) {
      await window.keyboard.press('Tab');
      await eventually(inside, true);
    }
    // A letter that decides on the note must not reach the screen below.
    await window.keyboard.press('a');
    await window.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() => focusedRole(window), 'listbox');
  }

  it.each(byDay(1, ['dark', 'light'] as const))(
    'shows all keys in a dialog of the app, without a fault in %s',
    async (theme) => {
      await page.evaluate((name) => window.hands.setTheme(name), theme);
      await app.show('queue');
      await queueIn(page);
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Keys in the review queue').waitFor();
      expect(await axeFaults(page, '.brain-modal .modal-content')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await eventually(() => focusedRole(page), 'listbox');
      await throughTheKeys(page);
      expect(await page.evaluate(() => window.hands.paths())).toContain('raw/2026-11-10-alpha.md');
    },
  );

  it('searches above any note, opens what is chosen, and gives the focus back when left', async () => {
    await app.show('queue');
    await queueIn(page);
    await page.evaluate(() => window.hands.run('search'));
    const field = page.getByRole('combobox', { name: 'Search the brain' });
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('taken');
    await page.getByRole('dialog').getByRole('option', { name: /Taken/ }).waitFor();
    expect(await axeFaults(page, '.brain-modal .modal-content')).toEqual([]);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await eventually(() => focusedRole(page), 'listbox');
    await page.evaluate(() => window.hands.run('search'));
    await field.fill('taken');
    await page.getByRole('dialog').getByRole('option', { name: /Taken/ }).waitFor();
    await field.press('Enter');
    await page.waitForFunction(() => window.hands.traces().active === 'wiki/homelab/facts/taken.md');
  });

  it('works in a window of its own: keys, decisions, layers', async () => {
    const [popout] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(() => window.hands.showInWindow('queue')),
    ]);
    await queueIn(popout);
    await page.locator('.brain-screen').waitFor({ state: 'detached' });
    await popout.keyboard.press('j');
    await popout.locator('.brain-item[aria-current="true"]', { hasText: 'Beta' }).waitFor();
    await popout.getByText('wiki/homelab/facts/beta.md').waitFor();
    await throughTheKeys(popout);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await act(popout, 'a');
    await popout.getByText('Promoted Beta').waitFor();
    await popout.keyboard.press('u');
    await popout.getByText('Put back Beta').waitFor();
    await popout.locator('.brain-item[aria-current="true"]', { hasText: 'Beta' }).waitFor();
    await popout.keyboard.press('r');
    await popout.getByLabel('Why reject it?').and(popout.locator(':focus')).waitFor();
    await popout.keyboard.type('Not ours.');
    await act(popout, 'Enter');
    await popout.getByText('Rejected Beta').waitFor();
    // Its row fades.
    await popout.locator('.brain-item', { hasText: 'Beta' }).waitFor({ state: 'detached' });
    expect(await axeFaults(popout, '.brain-screen')).toEqual([]);
    // The search opens above the window that has the focus.
    await page.evaluate(() => window.hands.run('search'));
    const field = popout.getByRole('combobox', { name: 'Search the brain' });
    await field.fill('taken');
    await popout.getByRole('dialog').getByRole('option', { name: /Taken/ }).waitFor();
    expect(await axeFaults(popout, '.brain-modal .modal-content')).toEqual([]);
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  it('goes with its view into another window, and goes on there', async () => {
    await app.show('queue');
    await queueIn(page);
    const [popout] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(() => window.hands.moveToWindow('queue')),
    ]);
    await queueIn(popout);
    await page.locator('.brain-screen').waitFor({ state: 'detached' });
    await popout.keyboard.press('j');
    await popout.locator('.brain-item[aria-current="true"]', { hasText: 'Beta' }).waitFor();
    await throughTheKeys(popout);
  });
});
