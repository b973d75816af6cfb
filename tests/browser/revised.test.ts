import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { act, FACTS, filesOf, raw, VAULT } from './queue-world';

const PATH = 'raw/2026-11-10-alpha.md';

describeInBrowser('a queued note that its agent revises', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens({ ...VAULT, [PATH]: raw('Alpha', '10', FACTS, 'The MTU is 1420.') });
  });
  afterEach(() => screens.stop());
  const { file } = filesOf(() => screens);

  const open = (options: object = {}) => screens.open(browser(), 'queue', { width: 1488, ...options });
  const revise = async (content: string): Promise<void> => {
    const { status, body } = await screens.live.http(
      'POST',
      '/update',
      { path: PATH, content, reason: 'measured again' },
      'laptop',
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  const marked = (page: Page, sign: string) =>
    page.locator('.brain-preview').getByText(sign, { exact: false }).first();

  it('says so, and shows what changed beside the text before', async () => {
    await revise('# Alpha\n\nThe MTU is 1412.');
    const { page, heard, complaints } = await open();
    await page.locator('.brain-item').getByText('Revised').waitFor();
    await page.getByText(/^laptop revised this note on \d+ \w+ 2026, /).waitFor();
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.getByText('Before the revision').waitFor();
    await marked(page, 'The MTU is 1420.').waitFor();
    await marked(page, 'The MTU is 1412.').waitFor();
    expect(await page.getByRole('img', { name: '1 line added, 1 removed' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Show what changed' }).waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'All versions' }).click();
    await eventually(async () => heard.at(-1), { what: 'go', detail: ['history', { path: PATH }] });
    expect(complaints).toEqual([]);
  });

  it('says nothing of a revision where there was none', async () => {
    const { page } = await open();
    await page.locator('article').getByText('The MTU is 1420.').waitFor();
    await page.getByText('Revised').waitFor({ state: 'detached' });
    await page.getByText('revised this note').waitFor({ state: 'detached' });
  });

  it('is compared by the key, too, where no other note is similar', async () => {
    await revise('# Alpha\n\nThe jumbo frames are off.');
    const { page } = await open();
    await page.getByText('revised this note').waitFor();
    await page.keyboard.press('c');
    await page.getByText('Before the revision').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('article').getByText('The jumbo frames are off.').waitFor();
  });

  it('is not promoted with a text that nobody has seen: the newer text comes, then what changed', async () => {
    const { page } = await open();
    await page.locator('article').getByText('The MTU is 1420.').waitFor();
    await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
    await revise('# Alpha\n\nThe MTU is 9000.');
    await act(page, 'a');
    await page.getByText('The file changed while you were reading. Nothing was changed.').waitFor();
    await page.locator('article').getByText('The MTU is 9000.').waitFor();
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await marked(page, 'The MTU is 1420.').waitFor();
    await act(page, 'a');
    await page.getByText('Promoted Alpha').waitFor();
    expect(await file('wiki/homelab/facts/alpha.md')).toContain('The MTU is 9000.');
  });

  it('leaves room for its text at 200 % zoom, and the buttons can be reached', async () => {
    const { page } = await open({ width: 740, height: 450 });
    const article = page.getByRole('region', { name: 'Note text' });
    await article.getByText('The MTU is 1420.').waitFor();
    expect((await article.boundingBox())?.height).toBeGreaterThan(120);
    const promote = page.getByRole('button', { name: /^Promote/ });
    await promote.focus();
    const box = await promote.boundingBox();
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(450);
    expect(await axeFaults(page)).toEqual([]);
  });

  it.each(byDay(1, ['dark', 'light'] as const))('fits into a narrow pane: %s', async (theme) => {
    await revise('# Alpha\n\nThe MTU is 1412.');
    const { page } = await open({ theme, width: 320, height: 700, params: { path: PATH } });
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await marked(page, 'The MTU is 1412.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await eventually(
      () => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth),
      false,
    );
  });
});
