import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually, foreignRequests } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const HOSTILE = [
  'keepalive <script>window.ran = true</script>',
  '<img src="https://evil.example/a.png" onerror="window.ran = true">',
  '![remote](https://evil.example/b.png)',
  '[click](javascript:window.ran=true)',
].join('\n\n');

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [
    `wiki/${index < 58 ? 'bulk' : 'rare'}/facts/disk-${index}.md`,
    index < 58
      ? wikiNote(`Disk ${index}`, 'Replaced a disk.')
      : wikiNote(`Shelf ${index}`, `One disk among ${'many other words that fill the note '.repeat(30)}`),
  ]),
);

const VAULT = {
  ...many,
  'wiki/homelab/facts/wireguard-mtu.md': wikiNote(
    'WireGuard MTU',
    'The tunnel uses an MTU of 1412. See [[path-mtu]].',
  ),
  'wiki/network/facts/path-mtu.md': wikiNote(
    'Path MTU behind PPPoE',
    'Path MTU discovery fails, WireGuard suffers.',
  ),
  'wiki/network/failures/phone-vpn.md': wikiNote(
    'Phone VPN stalls',
    'Lowering the WireGuard MTU fixed it.',
  ).replace('origin: mcp', 'origin: mcp\nhalf_life: volatile\nclaim_provenance: inferred'),
  'wiki/ops/facts/hostile.md': wikiNote('Hostile <img src=x onerror=window.ran=true>', HOSTILE),
  'raw/2026-11-14-queued.md': wikiNote('Queued MTU note', 'WireGuard MTU in the queue.'),
};

describeInBrowser('the search screen', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const WIDE = { viewport: { width: 1488, height: 800 } };
  const open = (fragment: string, options: object = WIDE) => served.open(browser(), fragment, options);
  const titles = (page: Page) => page.locator('.brain-results .brain-result h2').allTextContents();
  const selected = (page: Page) => page.locator('.brain-result[aria-selected="true"] h2').textContent();
  const focusedRole = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('role') ?? '');

  it('finds by words, marks them, and says how', async () => {
    const { page, complaints } = await open('#/search');
    await page.getByRole('searchbox', { name: 'Search the brain' }).waitFor();
    // An empty search is for typing into.
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('wireguard mtu');
    // Who types slowly sees first what half of it finds.
    await eventually(() => titles(page), ['WireGuard MTU', 'Path MTU behind PPPoE', 'Phone VPN stalls']);
    const marks = page.locator('.brain-result').first().locator('mark');
    await eventually(() => marks.allTextContents(), expect.arrayContaining(['MTU']));
    await page.locator('.brain-find > .brain-bar', { hasText: /BM25\s*3 notes, \d+ ms/ }).waitFor();
    const row = page.locator('.brain-result').nth(2);
    expect(await row.textContent()).toContain('network / failures');
    expect(await row.textContent()).toContain('laptop (claude-code 2.1.300)');
    await row.getByText('Stale').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps what was asked over a reload, also the wing', async () => {
    const { page } = await open('#/search');
    await page.getByRole('searchbox').fill('mtu');
    await page.getByRole('radio', { name: /network/ }).click();
    await page.waitForFunction(() => window.location.hash === '#/search?q=mtu&wing=network');
    await page.reload();
    await page.getByRole('radio', { name: /network/, checked: true }).waitFor();
    await eventually(async () => (await titles(page)).sort(), ['Path MTU behind PPPoE', 'Phone VPN stalls']);
    // Counts of the halls are those within the chosen wing; wings keep their own.
    const group = (name: string) => page.getByRole('radiogroup', { name }).textContent();
    await eventually(() => group('Hall'), 'HallAll halls2Facts1Failures1');
    await eventually(() => group('Wing'), expect.stringContaining('All wings3'));
    await page.context().close();
  });

  it('asks the service again for a wing whose notes may not be among the best fifty', async () => {
    const { page } = await open('#/search?q=disk');
    await page.getByText('best 50 notes').waitFor();
    // More notes may fit than were counted.
    await page.getByRole('radio', { name: 'All wings 50+' }).waitFor();
    expect(await titles(page)).not.toContain('Shelf 59');
    await page.evaluate(() => (window.location.hash = '#/search?q=disk&wing=rare'));
    await page.getByRole('heading', { name: 'Shelf 59' }).first().waitFor();
    await eventually(async () => (await titles(page)).sort(), ['Shelf 58', 'Shelf 59']);
    await page.context().close();
  });

  it('is driven by the keyboard alone', async () => {
    const { page } = await open('#/search');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    // All at once: half of it would find other notes first.
    await page.keyboard.insertText('mtu');
    await page.locator('.brain-result').first().waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => focusedRole(page), 'listbox');
    const first = await selected(page);
    await page.keyboard.press('j');
    await eventually(async () => (await selected(page)) === first, false);
    await page.keyboard.press('ArrowUp');
    await eventually(() => selected(page), first);
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await eventually(() => selected(page), first);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => focusedRole(page), 'listbox');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys in search' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('h');
    await page.waitForFunction(() => window.location.hash.startsWith('#/history?path=wiki'));
    await page.context().close();
  });

  it('opens notes here and in a new pane, and copies a link', async () => {
    const { page } = await open('#/search?q=wireguard+mtu', {
      ...WIDE,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('.brain-result').first().waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'listbox');
    await page.keyboard.press('y');
    await page.getByText('Link copied').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      '[[wiki/homelab/facts/wireguard-mtu|WireGuard MTU]]',
    );
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.keyboard.press('Control+Enter'),
    ]);
    await tab.waitForURL(/#\/note\?path=wiki%2Fhomelab/);
    await tab.close();
    await page.bringToFront();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.location.hash.startsWith('#/note?path=wiki%2Fhomelab'));
    await page.context().close();
  });

  it('shows the chosen note beside the list, with its neighbours and its text', async () => {
    const { page } = await open('#/search?q=wireguard+mtu');
    const panel = page.getByRole('complementary', { name: 'About this note' });
    await panel.getByText('wiki/homelab/facts/wireguard-mtu.md').waitFor();
    await panel.getByRole('link', { name: '1 version' }).waitFor();
    await panel.getByText('The tunnel uses an MTU of 1412.').waitFor();
    await eventually(() => panel.getByLabel('Links to').textContent(), 'path-mtu');
    await panel.getByLabel('Why it was found').getByText('Words').waitFor();
    await page.context().close();
  });

  it('tells which words stand nowhere, and what waits in the queue', async () => {
    const { page } = await open('#/search?q=wireguard+mtu+zorp');
    await page.getByText('No note has “zorp”. 1 note of the review queue matches.').waitFor();
    await page.getByRole('button', { name: 'Search the review queue too' }).click();
    await page.getByRole('heading', { name: 'Queued MTU note' }).first().waitFor();
    await page.getByText('No note has “zorp”.').waitFor();
    await eventually(() => page.getByText('of the review queue matches').count(), 0);
    await page.context().close();
  });

  it('leaves the queue out until it is asked for', async () => {
    const { page } = await open('#/search?q=queue');
    await page.getByText('No note fits “queue”.').waitFor();
    await page.getByRole('button', { name: 'Search the review queue too' }).last().click();
    await page.locator('.brain-result').getByText('Not reviewed').waitFor();
    await page.waitForFunction(() => window.location.hash === '#/search?q=queue&raw=yes');
    await page.getByRole('checkbox', { name: 'The review queue' }).click();
    await page.getByText('No note fits “queue”.').waitFor();
    await page.context().close();
  });

  it('shows only fresh notes when asked, and offers the way back', async () => {
    const { page } = await open('#/search?q=wireguard&hall=failures');
    await page.locator('.brain-result').first().waitFor();
    await page.getByRole('checkbox', { name: 'Only fresh' }).click();
    await page.getByText('No note here fits “wireguard”.').waitFor();
    await page.getByRole('button', { name: 'Search everywhere' }).click();
    await page.locator('.brain-result').nth(2).waitFor();
    await page.context().close();
  });

  it('shows a new note without being asked again', async () => {
    const { page } = await open('#/search?q=heliotrope');
    await page.getByText('No note fits “heliotrope”.').waitFor();
    await served.call('/write', {
      wing: 'garden',
      hall: 'facts',
      slug: 'heliotrope',
      content: '# Heliotrope\n\nGrows.',
    });
    await page.locator('.brain-result').getByText('Heliotrope').first().waitFor();
    await page.context().close();
  });

  it('says that the server is gone, and searches again when it is back', async () => {
    const { page } = await open('#/search?q=mtu');
    await page.locator('.brain-result').first().waitFor();
    await page.route('**/query', (route) => route.abort());
    await page.getByRole('searchbox').fill('wireguard');
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    // What was found stays in sight.
    expect((await titles(page)).length).toBeGreaterThan(0);
    await page.unroute('**/query');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.brain-find').getByRole('alert').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('runs and fetches nothing that stands in a note', async () => {
    const { page, complaints } = await served.page(browser(), WIDE);
    const foreign = foreignRequests(page, served.server.url);
    await page.goto(`${served.server.url}/#token=${served.token}`);
    await page.goto(`${served.server.url}/#/search?q=keepalive`);
    await page.getByRole('complementary').getByText('remote').first().waitFor();
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.locator('.brain-find img, .brain-find script, .brain-find iframe').count()).toBe(0);
    await page.context().close();
  });

  it.each([
    [1488, 800],
    [1000, 700],
    [320, 720],
  ])('breaks no rule of accessibility at %i px', async (width, height) => {
    for (const colorScheme of byDay(1, ['dark', 'light'] as const)) {
      const { page } = await open('#/search?q=mtu&raw=yes', { viewport: { width, height }, colorScheme });
      await page.locator('.brain-result').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });

  it('opens the side panel over the list where there is no room beside it', async () => {
    const { page } = await open('#/search?q=wireguard+mtu', { viewport: { width: 1000, height: 700 } });
    await page.locator('.brain-result').first().waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'listbox');
    const panel = page.getByRole('complementary', { name: 'About this note' });
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await panel.getByText('wiki/homelab/facts/wireguard-mtu.md').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('narrows by two menus in a narrow pane', async () => {
    const { page } = await open('#/search?q=mtu', { viewport: { width: 320, height: 720 } });
    await page.locator('.brain-result').first().waitFor();
    await page.getByRole('combobox', { name: 'Wing' }).selectOption('homelab');
    await eventually(() => titles(page), ['WireGuard MTU']);
    await page.context().close();
  });
});
