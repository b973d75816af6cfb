import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { button, FACTS, raw } from './queue-world';

describeInBrowser('the log of decisions', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens({
      'raw/2026-11-10-alpha.md': raw('Alpha', '10', FACTS),
      'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS),
      'raw/2026-11-12-gamma.md': raw('Gamma', '12', FACTS),
    });
    await screens.client.call('promote', { path: 'raw/2026-11-10-alpha.md', wing: 'homelab', hall: 'facts' });
    await screens.client.call('reject', { path: 'raw/2026-11-11-beta.md', reason: 'Says nothing new' });
  });
  afterEach(() => screens.stop());

  it('says who decided what and why, and puts a rejected note back by a key', async () => {
    const { page } = await screens.open(browser(), 'audit', { params: { show: 'decisions' } });
    const rows = page.locator('.brain-decided > li');
    await eventually(() => rows.count(), 2);
    expect(await rows.first().innerText()).toMatch(
      /Rejected\s+Beta[\s\S]*Says nothing new[\s\S]*raw\/rejected/,
    );
    expect(await rows.last().innerText()).toMatch(/Promoted\s+Alpha[\s\S]*wiki\/homelab\/facts\/alpha\.md/);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('f');
    await eventually(() => rows.count(), 1);
    await page.keyboard.press('p');
    await page.getByText('Beta waits in the queue again.').waitFor();
    expect((await screens.client.call('pending', {})).pending.map(({ title }) => title)).toEqual([
      'Beta',
      'Gamma',
    ]);
    await page.keyboard.press('f');
    await eventually(() => rows.count(), 3);
    await eventually(
      () =>
        rows
          .first()
          .innerText()
          .then((text) => text.startsWith('Put back')),
      true,
    );
    expect(await button(page, /^Put back/).count()).toBe(1);
  });

  it('puts a promoted note back, which a person who comes back later may want', async () => {
    const { page } = await screens.open(browser(), 'audit', { params: { show: 'decisions' } });
    const rows = page.locator('.brain-decided > li');
    await eventually(() => rows.count(), 2);
    await button(page, 'Put back Alpha').click();
    await page.getByText('Alpha waits in the queue again.').waitFor();
    expect((await screens.client.call('pending', {})).pending.map(({ title }) => title)).toEqual([
      'Alpha',
      'Gamma',
    ]);
  });

  it('puts back the row that was current when a newer one comes above it', async () => {
    const { page, changed } = await screens.open(browser(), 'audit', { params: { show: 'decisions' } });
    const rows = page.locator('.brain-decided > li');
    await eventually(() => rows.count(), 2);
    await screens.client.call('reject', { path: 'raw/2026-11-12-gamma.md', reason: 'Says nothing new' });
    await changed();
    await eventually(() => rows.count(), 3);
    await page.keyboard.press('p');
    await page.getByText('Beta waits in the queue again.').waitFor();
    expect((await screens.client.call('pending', {})).pending.map(({ title }) => title)).toEqual(['Beta']);
  });

  it.each([320, 1024])('fits a pane of %d px in both themes', async (width) => {
    for (const theme of byDay(1, ['dark', 'light'] as const)) {
      const { page, close } = await screens.open(browser(), 'audit', {
        params: { show: 'decisions' },
        ...{ width, height: 720, theme },
      });
      await page.getByText('2 decisions').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await close();
    }
  });
});
