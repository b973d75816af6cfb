import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually, foreignRequests } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const PATH = 'wiki/homelab/facts/wireguard-mtu.md';
const FIRST = '# WireGuard MTU\n\nThe tunnel uses an MTU of 1420.\n';
const SECOND =
  '# WireGuard MTU\n\nThe tunnel uses an MTU of 1412.\n\nChecked with ping. <img src=x onerror=window.ran=true>\n';
const LONG_OLD = '# Long\n\nTop.\nMiddle one.\nMiddle two.\nEnd was here.\n';
const LONG_NEW = LONG_OLD.replace('Top.\n', `Top.\n${'Another line.\n'.repeat(700)}`).replace('was', 'is');

describeInBrowser('the history of a note', (browser) => {
  const served = new Served();
  beforeAll(() =>
    served.start({
      [PATH]: wikiNote('WireGuard MTU', 'Old text.'),
      'wiki/homelab/facts/long.md': wikiNote('Long'),
      'raw/2026-11-14-queued.md': wikiNote('Queued'),
    }),
  );
  afterAll(() => served.end());

  const update = async (path: string, content: string, reason: string) =>
    String((await served.call('/update', { path, content, reason })).content_hash);
  const WIDE = { viewport: { width: 1488, height: 800 } };
  const openPath = (path: string, options: object = WIDE) =>
    served.open(browser(), `#/history?path=${encodeURIComponent(path)}`, options);
  const options = (page: Page) => page.locator('.brain-version');
  const marked = (page: Page, tag: 'del' | 'ins') => page.locator(`.brain-diff ${tag}`).allTextContents();

  it('lists versions and shows what changed, word by word', async () => {
    await update(PATH, FIRST, 'First text');
    await update(PATH, SECOND, 'Corrected the overhead');
    const { page, complaints } = await openPath(PATH);
    const foreign = foreignRequests(page, served.server.url);
    await page.locator('.brain-diff').waitFor();
    await eventually(() => options(page).count(), 3);
    expect(await options(page).first().textContent()).toMatch(/Current.*Corrected the overhead.*owner.*\d B/);
    expect(await options(page).last().textContent()).toContain('laptop (claude-code 2.1.300)');
    expect(await marked(page, 'del')).toContain('1420');
    expect(await marked(page, 'ins')).toContain('1412');
    // The stamps of the service are left out until they are asked for.
    expect(await page.locator('.brain-diff').textContent()).not.toContain('supersede_reason');
    await page.keyboard.press('s');
    await page.locator('.brain-diff').getByText('supersede_reason').first().waitFor();
    await page.keyboard.press('m');
    await page.waitForFunction(
      () => !document.querySelector('.brain-diff')?.textContent?.includes('supersede_reason'),
    );
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(await page.locator('.brain-diff img').count()).toBe(0);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('goes through versions and changes by keys, and compares from any version', async () => {
    const { page } = await openPath(PATH);
    await page.locator('.brain-diff').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('n');
    await page.getByText('Change 1 of').waitFor({ state: 'attached' });
    await page.keyboard.press('n');
    await page.getByText('Change 2 of').waitFor({ state: 'attached' });
    await page.keyboard.press('p');
    await page.getByText('Change 1 of').waitFor({ state: 'attached' });
    await page.keyboard.press('d');
    await page.locator('.brain-diff.mod-inline').waitFor();
    await page.keyboard.press('d');
    await page.locator('.brain-diff:not(.mod-inline)').waitFor();
    await page.keyboard.press('j');
    await page.locator('.brain-version[aria-selected="true"]').getByText('First text').waitFor();
    await page.locator('.brain-diff').getByText('Old text.').waitFor();
    // From the oldest to the newest.
    await page.keyboard.press('j');
    await page.keyboard.press('b');
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.locator('.brain-diff').getByText('1412').waitFor();
    await page.locator('.brain-diff').getByText('Old text.').waitFor();
    await page.context().close();
  });

  it('says when only properties changed', async () => {
    const path = 'wiki/homelab/facts/props.md';
    await served.call('/write', {
      wing: 'homelab',
      hall: 'facts',
      slug: 'props',
      content: '# Props\n\nSame.\n',
    });
    await update(path, '# Props\n\nSame.\n', 'Checked, still true');
    const { page } = await openPath(path);
    await page.getByText('Only properties changed. The text is the same.').waitFor();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Show properties' }).click();
    await page.locator('.brain-diff').getByText('supersede_reason').waitFor();
    await page.context().close();
  });

  it('brings an old text back as a new version', async () => {
    const path = 'wiki/homelab/facts/revert.md';
    await served.call('/write', {
      wing: 'homelab',
      hall: 'facts',
      slug: 'revert',
      content: '# Revert\n\nGood text.\n',
    });
    await update(path, '# Revert\n\nBad text.\n', 'A mistake');
    const { page } = await openPath(path);
    await page.locator('.brain-diff').waitFor();
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('comes back as a new version').waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await dialog.getByLabel('Reason').fill('The first one was right');
    await page.keyboard.press('Enter');
    await options(page).nth(2).waitFor();
    await options(page).first().getByText('The first one was right').waitFor();
    const note = await served.call(`/note?path=${path}`);
    expect(note).toMatchObject({ body: '# Revert\n\nGood text.\n', history: 2 });
    await page.getByText(/Reverted to/).waitFor({ state: 'attached' });
    await page.context().close();
  });

  it('refuses to revert over a change that nobody has looked at', async () => {
    const path = 'wiki/homelab/facts/stale.md';
    await served.call('/write', {
      wing: 'homelab',
      hall: 'facts',
      slug: 'stale',
      content: '# Stale\n\nOne.\n',
    });
    await update(path, '# Stale\n\nTwo.\n', 'Two');
    const { page } = await openPath(path);
    await page.locator('.brain-diff').waitFor();
    await page.keyboard.press('v');
    await page.getByRole('dialog').waitFor();
    const third = await update(path, '# Stale\n\nThree.\n', 'Three');
    await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
    await page.getByText('The note has changed since you opened its history. Nothing was changed.').waitFor();
    expect(await served.call(`/note?path=${path}`)).toMatchObject({ content_hash: third });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await options(page).getByText('Three').waitFor();
    await page.context().close();
  });

  it('begins with the version that a link names', async () => {
    const versions = await served.call(`/history?path=${PATH}`);
    const hashes = (versions.versions as { hash: string }[]).map(({ hash }) => hash);
    const { page } = await served.open(
      browser(),
      `#/history?path=${encodeURIComponent(PATH)}&hash=${hashes[1]}`,
      WIDE,
    );
    await page.locator('.brain-version[aria-selected="true"]').getByText('First text').waitFor();
    await page.context().close();
  });

  it('asks for a note when none is named', async () => {
    const { page } = await served.open(browser(), '#/history', WIDE);
    await page.getByText('No note is chosen').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Choose a note' });
    await dialog.getByRole('combobox').waitFor();
    await page.keyboard.type('wireguard mtu');
    await dialog.getByRole('option').first().waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('.brain-version').first().waitFor();
    await page.waitForFunction((path) => window.location.hash.includes(path), encodeURIComponent(PATH));
    await page.context().close();
  });

  it('says what is wrong with a note that is not there, and offers no revert in the queue', async () => {
    const { page } = await openPath('wiki/homelab/facts/nowhere.md');
    await page.getByRole('alert').getByText('There is no note at wiki/homelab/facts/nowhere.md').waitFor();
    await page.evaluate(() => (window.location.hash = '#/history?path=raw%2F2026-11-14-queued.md'));
    await page.locator('.brain-version').waitFor();
    await page.getByRole('button', { name: /^Revert/ }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('draws a part of a huge comparison at once, and any change that is jumped to', async () => {
    const path = 'wiki/homelab/facts/long.md';
    await update(path, LONG_OLD, 'Old');
    await update(path, LONG_NEW, 'New');
    const { page } = await openPath(path);
    await page.locator('.brain-diff .add').first().waitFor();
    const drawn = () => page.locator('.brain-diff .t.add').count();
    expect(await drawn()).toBeLessThan(601);
    const end = page.locator('.brain-diff').getByText('End is here.');
    await end.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Show the next of/ }).click();
    await end.waitFor();
    expect(await drawn()).toBeGreaterThan(650);
    await page.reload();
    await page.locator('.brain-diff .add').first().waitFor();
    await end.waitFor({ state: 'detached' });
    await page.keyboard.press('m'); // without properties there are two changes
    for (let index = 0; index < 2; index += 1) await page.keyboard.press('n');
    await end.waitFor();
    await eventually(() => page.locator('[data-change="1"].is-here').count(), 1);
    await page.context().close();
  });

  it.each([
    [1488, 800],
    [1000, 700],
    [320, 720],
  ])('breaks no rule of accessibility at %i px', async (width, height) => {
    for (const colorScheme of byDay(1, ['dark', 'light'] as const)) {
      const { page } = await openPath(PATH, { viewport: { width, height }, colorScheme });
      await page.locator(width === 320 ? '.brain-diff.mod-inline' : '.brain-diff').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });

  it('keeps the way back to a version in sight in the narrowest pane', async () => {
    const path = 'wiki/homelab/facts/long.md';
    await update(path, LONG_NEW, 'New');
    await update(path, LONG_OLD, 'Old');
    const { page } = await openPath(path, { viewport: { width: 320, height: 720 } });
    await page.locator('.brain-diff.mod-inline').waitFor();
    const button = page.getByRole('button', { name: /^Revert to/ });
    const box = await button.boundingBox();
    expect((box?.x ?? Infinity) + (box?.width ?? Infinity)).toBeLessThanOrEqual(320);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('main .brain-bar > *, main .brain-diff > *')]
        .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
        .map((element) => element.className),
    );
    expect(wide).toEqual([]);
    await page.context().close();
  });

  it('forgets a note whose title was typed, after a look at what goes', async () => {
    const path = 'wiki/homelab/facts/forgotten.md';
    const [wing, hall] = ['homelab', 'facts'];
    await served.call('/write', { wing, hall, slug: 'forgotten', content: '# The letter\n\nXylograph.\n' });
    const link = { wing, hall, slug: 'linking', content: `# Linking\n\nSee [[${path}|that letter]].\n` };
    await served.call('/write', link);
    const { page } = await openPath(path);
    await page.getByRole('button', { name: 'Forget this note' }).click();
    const layer = page.getByRole('dialog');
    await layer.getByText('The links of wiki/homelab/facts/linking.md become text.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const forget = layer.getByRole('button', { name: 'Forget for good' });
    await layer.getByLabel(/^Why/).fill('Asked for');
    await layer.getByLabel(/^Its title/).fill('Another');
    expect(await forget.isDisabled()).toBe(true);
    await layer.getByLabel(/^Its title/).fill('The letter');
    await forget.click();
    await page.locator('.brain-home').waitFor();
    await expect(served.call(`/history?path=${path}`)).rejects.toThrow('note_not_found');
    await page.context().close();
  });
});
