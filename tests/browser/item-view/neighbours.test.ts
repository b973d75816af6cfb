import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { byDay } from '../../support/by-night';
import { type AppPage, openApp } from './app-page';
import { rawNote } from './notes';

const HOME = 'wing: homelab\nhall: facts\n';
const FILES = {
  'Tunnel.md': 'The WireGuard tunnel of the house needs an MTU of 1420. Its router: [[Router]].\n',
  'Router.md': 'The router behind the house. See [[Tunnel]].\n',
  'Plan.md': 'First the [[Tunnel]], then the rest.\n',
  'Fibre.md': 'The fibre of the house and its WireGuard keys.\n',
  'wiki/homelab/facts/mtu.md': rawNote(
    'The MTU is 1380',
    '02',
    HOME,
    'WireGuard in PPPoE needs an MTU of 1380.',
  ),
  'raw/2026-11-10-mtu.md': rawNote(
    'MTU of the tunnel',
    '10',
    HOME,
    'The WireGuard tunnel drops large packets.',
  ),
  'Private/Diary.md': 'Dear diary.\n',
};
const VIEW = '[data-type="brain-server-neighbours"]';

describeInBrowser('the neighbours of the note in front', (browser) => {
  let app: AppPage;
  let page: Page;
  const start = async (theme: 'light' | 'dark', width: number) => {
    app = await openApp(browser(), { files: FILES, theme, width });
    page = app.page;
    await page.evaluate(() => window.hands.openNote('Tunnel.md'));
    await page.evaluate(() => window.hands.run('open-neighbours'));
    await page.locator(VIEW).getByRole('listbox', { name: 'Neighbours of Tunnel' }).waitFor();
  };
  afterEach(() => app.close());

  it.each(
    byDay(2, [
      ['light', 300],
      ['dark', 1280],
      ['light', 1280],
    ] as const),
  )('are shown in groups without a fault in %s at %i px, and follow it', async (theme, width) => {
    await start(theme, width);
    const view = page.locator(VIEW);
    for (const name of ['Waits for review', 'Claims of agents', 'Linked from', 'Similar'])
      await view.getByRole('group', { name }).waitFor();
    expect(await axeFaults(page, VIEW)).toEqual([]);
    await page.evaluate(() => window.hands.openNote('Plan.md'));
    await view.getByRole('listbox', { name: 'Neighbours of Plan' }).waitFor();
  });

  it('are opened by keys, what waits in the review queue', async () => {
    await start('light', 1280);
    const list = page.locator(VIEW).getByRole('listbox');
    await list.focus();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('j');
    await eventually(
      () => list.locator('[aria-selected="true"]').textContent(),
      expect.stringContaining('Plan'),
    );
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate(() => window.hands.traces().active), 'Plan.md');
    await page.locator(VIEW).getByRole('listbox', { name: 'Neighbours of Plan' }).waitFor();
    await page.evaluate(() => window.hands.openNote('Tunnel.md'));
    await page
      .locator(VIEW)
      .getByRole('option', { name: /MTU of the tunnel/ })
      .click();
    await page.locator('[data-type="brain-server-queue"] article').waitFor();
  });

  it('go on in a window of their own', async () => {
    await start('light', 1280);
    const [popout] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(() => window.hands.moveToWindow('neighbours')),
    ]);
    await popout.getByRole('listbox', { name: 'Neighbours of Tunnel' }).waitFor();
    expect(await axeFaults(popout, '.brain-screen')).toEqual([]);
  });
});
