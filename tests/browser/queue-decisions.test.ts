import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen, type ScreenPage } from '../support/ui/screen-page';
import { act, button, current, filesOf, focused, titles, until, VAULT } from './queue-world';

describeInBrowser('decisions in the review queue', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());

  async function open(
    options: Parameters<LiveScreens['open']>[2] = {},
  ): Promise<ScreenPage & { page: Page }> {
    const screen = await screens.open(browser(), 'queue', options);
    await screen.page.getByRole('option').first().waitFor({ state: 'attached' });
    return screen;
  }
  const { list } = filesOf(() => screens);

  describe('a decision that takes its time', () => {
    /** The queue over a service that decides nothing before `release`, so that a person has gone on meanwhile. */
    const openHeld = async (): Promise<{ page: Page; release: () => void }> => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const held = {
        ...screens.client,
        call: async (name, ask) => {
          const isDecision = name === 'promote' || name === 'reject';
          if (isDecision && !('dry_run' in ask)) await released;
          return screens.client.call(name, ask);
        },
      } satisfies typeof screens.client;
      const { page } = await openScreen(browser(), held, 'queue');
      await page.getByRole('option').first().waitFor();
      await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
      return { page, release };
    };

    it('takes no letter from what is typed for the next note', async () => {
      const { page, release } = await openHeld();
      await act(page, 'a');
      await page.keyboard.press('w');
      await page.keyboard.press('Control+A');
      const typed = page.keyboard.type('garage', { delay: 60 });
      release();
      await typed;
      await page.getByText('Promoted Alpha').waitFor();
      await page.keyboard.type('-door');
      await eventually(() => page.getByRole('combobox').inputValue(), 'garage-door');
      await eventually(() => focused(page), 'combobox');
      await eventually(() => current(page), 'Beta');
      expect(await list('raw')).toHaveLength(4);
      expect(await list('wiki/homelab/facts')).toContain('alpha.md');
      await page.context().close();
    });

    it('is made in its turn, and told while it is under way', async () => {
      const { page, release } = await openHeld();
      await act(page, 'a');
      await page.getByText('Promoting Alpha').waitFor();
      await page.getByText('wiki/homelab/facts/beta.md').waitFor();
      await act(page, 'a');
      await page.keyboard.press('u');
      release();
      await page.getByText('Put back Beta').waitFor();
      await eventually(() => titles(page), ['Beta', 'Gamma', 'Delta', 'Epsilon']);
      expect(await list('wiki/homelab/facts')).toEqual(['alpha.md', 'taken.md']);
      await page.context().close();
    });

    it('is told when it failed, without taking away who has gone on', async () => {
      const { page, release } = await openHeld();
      await writeFile(join(screens.live.root, 'wiki/homelab/facts/alpha.md'), 'Mine.\n');
      await act(page, 'a');
      await page.keyboard.press('j');
      release();
      await page.getByRole('alert').getByText('Alpha was not promoted.').waitFor();
      await eventually(() => current(page), 'Gamma');
      await eventually(() => focused(page), 'listbox');
      await eventually(async () => (await titles(page)).length, 5);
      await button(page, 'Look').click();
      await page.getByRole('alert').getByText('A note already stands at').waitFor();
      await eventually(() => current(page), 'Alpha');
      await page.getByLabel('Slug').and(page.locator(':focus')).waitFor();
      // Another name may be free.
      await page.keyboard.type('-other');
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.context().close();
    });
  });

  describe('undo', () => {
    it('outlives the screen and the page', async () => {
      const screen = await open();
      const { page } = screen;
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      await page.evaluate(() => window.testUnmount());
      await screen.show('queue');
      await page.getByText('Promoted Alpha').waitFor();
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('r');
      await act(page, 'Enter');
      await page.getByText('Rejected Beta').waitFor();
      await page.reload();
      await screen.show('queue');
      await page.getByText('Rejected Beta').waitFor();
      await page.keyboard.press('u');
      await page.getByText('Put back Beta').waitFor();
      await page.keyboard.press('u');
      await page.getByText('Put back Alpha').waitFor();
      await button(page, /^Undo/).waitFor({ state: 'detached' });
      await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']);
    });

    it('is not offered for what has been moved meanwhile', async () => {
      const screen = await open();
      const { page } = screen;
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      await act(page, 'a');
      await page.getByText('Promoted Beta').waitFor();
      await page.evaluate(() => window.testUnmount());
      await rm(join(screens.live.root, 'wiki/homelab/facts/beta.md'));
      await screen.show('queue');
      await page.getByText('Promoted Alpha').waitFor();
      await page.getByText('Promoted Beta').waitFor({ state: 'detached' });
    });

    it('says that it failed, and is not offered again', async () => {
      const { page } = await open();
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      await rm(join(screens.live.root, 'wiki/homelab/facts/alpha.md'));
      await page.keyboard.press('u');
      await page.getByText('Not undone: The note is no longer where the decision had put it.').waitFor();
      await button(page, /^Undo/).waitFor({ state: 'detached' });
    });
  });

  it.each([
    [false, ['Alpha']],
    [true, []],
  ] as const)('a row that leaves fades, unless nothing is to move (%p)', async (reducedMotion, expected) => {
    const { page } = await open({ reducedMotion });
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const list = document.querySelector('.brain-items');
      if (list === null) throw new Error('There is no list.');
      new MutationObserver(() =>
        list.querySelectorAll('.is-leaving b').forEach((title) => {
          if (!seen.includes(title.textContent ?? '')) seen.push(title.textContent ?? '');
        }),
      ).observe(list, { childList: true, subtree: true, attributes: true });
    });
    await act(page, 'a');
    await page.getByText('Promoted Alpha').waitFor();
    await page.locator('.is-leaving').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('delta');
    await eventually(() => titles(page), ['Delta']);
    // What a filter hides has not left.
    expect(await page.evaluate(() => 'seen' in window && window.seen)).toEqual(expected);
  });

  describe('several notes', () => {
    it('are all named when some have left the queue', async () => {
      const screen = await open();
      const { page } = screen;
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+J');
      await page.getByRole('heading', { name: '2 notes selected' }).waitFor();
      await rm(join(screens.live.root, 'raw/2026-11-11-beta.md'));
      await act(page, 'a');
      await page.getByRole('button', { name: /^With \d risky/ }).press('Enter');
      await page.getByText('Promoted Alpha').waitFor();
      await until(
        screen,
        page.locator('.brain-detail').getByText('Not promoted, since no longer in the queue: Beta'),
      );
      expect(await axeFaults(page)).toEqual([]);
      const notice = page.locator('.brain-detail .brain-notice', { hasText: 'Not promoted' });
      await notice.getByRole('button', { name: 'Close' }).click();
      await notice.waitFor({ state: 'detached' });
    });

    it('are named in the panel while others are still selected', async () => {
      const screen = await open();
      const { page } = screen;
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+J');
      await page.keyboard.press('Shift+J');
      await page.getByRole('heading', { name: '3 notes selected' }).waitFor();
      await rm(join(screens.live.root, 'raw/2026-11-11-beta.md'));
      await act(page, 'a');
      await page.getByRole('button', { name: /^With \d risky/ }).press('Enter');
      await page.getByText('1 promoted, 1 failed').waitFor();
      await until(screen, page.getByText('1 selected').first());
      const failed = page.locator('.brain-bulk li', { hasText: 'It is no longer in the queue.' });
      await failed.getByText('Beta').waitFor();
      await failed.getByRole('button').waitFor({ state: 'detached' });
    });
  });
});
