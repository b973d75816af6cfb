import { mkdirSync } from 'node:fs';
import { axeFaults, describeInBrowser } from '../../support/browser';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { type AppPage, openApp } from './app-page';
import type { AskedOfServer } from './ask-server';
import { QUEUE } from './notes';

/** Where pictures of the screens go; none are taken without it. */
const SHOTS = process.env.BRAIN_SHOTS;
const ADDRESS = 'https://brain.test';
const NOTE = 'wiki/homelab/facts/taken.md';

describeInBrowser('a server elsewhere in place of the one inside the app', (browser) => {
  let app: AppPage;
  let live: LiveServer;
  let isAway: boolean;
  const shot = async (name: string) => {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await app.page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };
  const viewOf = (screen: string) => app.page.locator(`[data-type="brain-server-${screen}"]`);
  const dialog = () => app.page.getByRole('dialog', { name: 'Use a server' });

  async function start(theme: 'light' | 'dark', width: number): Promise<void> {
    app = await openApp(browser(), { files: { 'Journal.md': 'Mine.\n' }, theme, width });
    await app.page.exposeFunction('askServer', async (url: string, init: AskedOfServer) => {
      if (isAway) return null;
      const answer = await fetch(live.url + url.slice(ADDRESS.length), init);
      return { status: answer.status, text: await answer.text() };
    });
    await app.page.evaluate(() => window.hands.run('use-server'));
    await dialog().getByRole('textbox', { name: 'Address' }).fill('http://brain.test');
    await dialog().getByRole('textbox', { name: 'Token' }).fill('stranger');
  }

  beforeEach(async () => {
    isAway = false;
    live = await startLiveServer(QUEUE);
  });
  afterEach(async () => {
    await app.close();
    await live.stop();
  });

  it.each([
    ['light', 1280],
    ['dark', 400],
  ] as const)(
    'is chosen in a form, and shown as what the screens work on, in %s at %i px',
    async (theme, width) => {
      await start(theme, width);
      const name = (what: string) => `use-server-${what}-${theme}-${width}`;
      await dialog().getByText('readable for everyone on the way').waitFor();
      await dialog().getByRole('button', { name: 'Use this server' }).click();
      await dialog().getByRole('alert').getByText('or allow it above').waitFor();
      await shot(name('open'));
      // The colours of the app's own button are the app's.
      const faults = await axeFaults(app.page, '.modal-content');
      expect(faults.filter((fault) => !fault.startsWith('color-contrast: '))).toEqual([]);
      await dialog().getByRole('textbox', { name: 'Address' }).fill(ADDRESS);
      await dialog().getByText('readable for everyone on the way').first().waitFor({ state: 'hidden' });
      await dialog().getByRole('button', { name: 'Use this server' }).click();
      await dialog().getByRole('alert').getByText('The server does not know this token.').waitFor();
      await dialog().getByRole('textbox', { name: 'Token' }).fill('owner');
      await dialog().getByRole('button', { name: 'Use this server' }).click();
      await app.page.getByText('Brain connected').waitFor({ state: 'attached' });

      await app.show('note', { path: NOTE });
      await viewOf('note').getByRole('heading', { name: 'Taken' }).first().waitFor({ state: 'attached' });
      expect(await axeFaults(app.page, '[data-type="brain-server-note"]')).toEqual([]);
      await shot(name('note'));
      await app.show('queue');
      await viewOf('queue').locator('article').waitFor({ state: 'attached' });
      isAway = true;
      await viewOf('queue').getByText('Nothing listens at brain.test').waitFor();
      expect(await axeFaults(app.page, '[data-type="brain-server-queue"]')).toEqual([]);
      await shot(name('away'));
      isAway = false;
      await viewOf('queue').getByText('Nothing listens at brain.test').waitFor({ state: 'detached' });
      await app.page.evaluate(() => window.hands.openSettings());
      await app.page.getByRole('button', { name: 'Leave this server' }).waitFor();
      await shot(name('settings'));
    },
  );
});
