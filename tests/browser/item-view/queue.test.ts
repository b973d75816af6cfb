import { describeInBrowser } from '../../support/browser';
import { openApp } from './app-page';

const VAULT = {
  'raw/2026-11-14-mtu.md': '---\ntitle: Tunnel MTU\nsuggested_wing: net\n---\n\nThe tunnel needs 1420.\n',
};

describeInBrowser('the review queue in the app', (browser) => {
  it('smoke', async () => {
    const app = await openApp(browser(), { files: VAULT });
    await app.show('queue');
    await app.page.waitForTimeout(1500);
    console.log(app.complaints, await app.page.locator('.brain-screen').textContent());
    await app.page.screenshot({ path: '/tmp/iv.png' });
    await app.close();
  });
});
