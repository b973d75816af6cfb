import type { Page } from 'playwright-core';
import { describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { act, button, current, FACTS, focused, raw, VAULT } from './queue-world';

const NARROW = { width: 380, height: 800 };

/** As the web page does on arrival: the heading of the screen has the focus, and no part of it. */
async function arrive(page: Page): Promise<void> {
  await page.getByText('wiki/homelab/facts/alpha.md').waitFor({ state: 'attached' });
  await page.evaluate(() => {
    const heading = document.querySelector('h1');
    if (heading === null) throw new Error('There is no heading.');
    heading.tabIndex = -1;
    heading.focus();
  });
}

const pane = (page: Page) => page.locator('.brain-queue').getAttribute('data-pane');

describeInBrowser('the review queue where one thing is shown at a time', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());

  const open = async (options: Parameters<LiveScreens['open']>[2] = NARROW): Promise<Page> => {
    const { page } = await screens.open(browser(), 'queue', options);
    await page.getByRole('option').first().waitFor({ state: 'attached' });
    return page;
  };

  it.each([
    ['r', (page: Page) => page.getByLabel('Why reject it?').and(page.locator(':focus'))],
    ['s', (page: Page) => page.getByLabel('Slug').and(page.locator(':focus'))],
    ['Escape', (page: Page) => page.locator('.brain-list')],
  ] as const)('hears %s in a note that was opened with the mouse', async (key, shown) => {
    const page = await open();
    await page.getByRole('option').nth(1).click();
    await page.locator('.brain-list').waitFor({ state: 'hidden' });
    await eventually(() => focused(page), 'region');
    await page.keyboard.press(key);
    await shown(page).waitFor();
  });

  it.each([
    ['a click', (page: Page) => page.getByRole('option').nth(1).click()],
    ['Enter', (page: Page) => page.keyboard.press('Enter')],
    ['a note that is put back', (page: Page) => page.keyboard.press('u')],
  ] as const)('has the focus in what is shown, after %s and after the way back', async (_, go) => {
    const page = await open();
    // A list shows no text: the key opens the note, and decides when it is pressed again.
    await act(page, 'a');
    await page.getByText('Nothing was done before Alpha was open.').waitFor();
    await act(page, 'a');
    await page.getByText('Promoted Alpha').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => current(page), 'Beta');
    await page.locator('.brain-list').waitFor();
    await go(page);
    await page.locator('.brain-list').waitFor({ state: 'hidden' });
    await eventually(() => focused(page), 'region');
    await button(page, 'Queue').click();
    await page.locator('.brain-list').waitFor();
    await eventually(() => focused(page), 'listbox');
  });

  it('leaves the focus in the list where a click hides nothing', async () => {
    const page = await open({ width: 1280 });
    await page.getByRole('option').nth(1).click();
    await eventually(() => current(page), 'Beta');
    await eventually(() => focused(page), 'listbox');
  });

  it('opens with Enter from the heading, where the focus is on arrival', async () => {
    const page = await open();
    await arrive(page);
    await page.keyboard.press('j');
    await eventually(() => current(page), 'Beta');
    await page.keyboard.press('Enter');
    await eventually(() => pane(page), 'note');
    await eventually(() => focused(page), 'region');
  });

  it('leaves Enter and Space to what they press', async () => {
    const page = await open();
    for (const key of ['Enter', ' ']) {
      const button = page.getByRole('button', { name: 'Select several' });
      const before = await button.getAttribute('aria-pressed');
      await button.focus();
      await page.keyboard.press(key);
      await eventually(() => button.getAttribute('aria-pressed'), String(before !== 'true'));
      expect(await pane(page)).toBe('list');
    }
  });
});

describeInBrowser('a long queue whose filter is cleared', (browser) => {
  let screens: LiveScreens;
  beforeAll(async () => {
    const notes = Array.from({ length: 120 }, (_, index) => {
      const title = `Entry ${String(index).padStart(3, '0')}`;
      return [`raw/2026-11-10-${title.toLowerCase().replace(' ', '-')}.md`, raw(title, '10', FACTS)] as const;
    });
    screens = await startLiveScreens(Object.fromEntries(notes));
  });
  afterAll(() => screens.stop());

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    [
      'Backspace',
      async (page: Page) => {
        await page.keyboard.press('Control+A');
        await page.keyboard.press('Backspace');
      },
    ],
  ] as const)('by %s has the current note in view', async (_, clear) => {
    const { page } = await screens.open(browser(), 'queue');
    await page.getByText('120 pending').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('entry 097');
    await page.getByText('1 found').waitFor();
    await eventually(() => current(page), 'Entry 097');
    await clear(page);
    await page.getByText('120 pending').waitFor();
    await page.locator('.brain-items[aria-activedescendant]').waitFor();
    await eventually(() => current(page), 'Entry 097');
    const inView = await page.evaluate(() => {
      const list = document.querySelector('.brain-items')?.getBoundingClientRect();
      const row = document.querySelector('.brain-item[aria-current="true"]')?.getBoundingClientRect();
      return list !== undefined && row !== undefined && row.top >= list.top && row.bottom <= list.bottom;
    });
    expect(inView).toBe(true);
  });
});
