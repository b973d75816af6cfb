import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { Served, wikiNote } from './served';

const CLAIM =
  '---\ncreated_at: 2026-01-02T03:04:05Z\nhalf_life: volatile\nclaim_provenance: asserted\norigin: mcp\nwritten_by: laptop\ntitle: MTU\n---\n\n# MTU\n\n';
const HUB = 'wiki/home/facts/hub.md';
const MTU = 'wiki/home/facts/mtu.md';
const VAULT = {
  [MTU]: `${CLAIM}See [[vpn]], [[dns]] and ![[plan.svg]].\n`,
  'wiki/home/facts/vpn.md': wikiNote('VPN', 'See [[mtu]].'),
  'wiki/home/facts/dns.md': wikiNote('DNS'),
  'wiki/home/facts/router.md': wikiNote('Router', 'See [[mtu]].'),
  'wiki/home/facts/alone.md': wikiNote('Alone'),
  'raw/waits.md': wikiNote('Waits', 'See [[mtu]].'),
  'Attachments/plan.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"></svg>',
  [HUB]: wikiNote('Hub'),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `wiki/home/facts/spoke-${n}.md`,
      wikiNote(`Spoke ${n}`, '[[hub]]'),
    ]),
  ),
};

describeInBrowser('the screen of a note', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const at = (path: string): string => `#/note?path=${encodeURIComponent(path)}`;
  const opened = async (path: string, options = {}): Promise<Page> => {
    const { page } = await served.open(browser(), at(path), options);
    await page.getByRole('complementary', { name: 'About this note' }).waitFor();
    return page;
  };
  const linksOf = (page: Page, name: string) =>
    page.getByRole('list', { name }).getByRole('button').allTextContents();

  it('names its neighbours in lists and in a graph, and is gone through with the keyboard', async () => {
    const page = await opened(MTU);
    await eventually(async () => (await page.title()).replace('(1) ', ''), 'MTU · Brain Server');
    expect(await linksOf(page, 'Linked from')).toEqual(['waits', 'router', 'vpn']);
    expect(await linksOf(page, 'Links to')).toEqual(['dns', 'vpn']);
    const graph = page.getByRole('group', { name: '3 notes link to MTU, which links to 2 notes' });
    expect(
      await graph.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))),
    ).toEqual([
      'vpn, in both directions',
      'waits, links here',
      'router, links here',
      'dns, linked from here',
    ]);
    await page.keyboard.press('l');
    for (const _ of ['versions', 'still true', 'vpn']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'VPN', level: 2 }).waitFor();
    await eventually(async () => (await page.title()).replace('(1) ', ''), 'VPN · Brain Server');
    await page.evaluate(() => (window.location.hash = '#/doctor'));
    await eventually(async () => (await page.title()).replace('(1) ', ''), 'Doctor · Brain Server');
    await page.context().close();
  });

  it('draws at most 24 neighbours, lists the others, and says when there are none', async () => {
    const page = await opened(HUB);
    expect(await page.locator('.brain-graph [role=link]').count()).toBe(24);
    await page.getByText('6 more notes in the lists.').waitFor();
    expect(await linksOf(page, 'Linked from')).toHaveLength(30);
    await page.evaluate((hash) => (window.location.hash = hash), at('wiki/home/facts/alone.md'));
    await page.getByText('No note links here, and this one links to none.').waitFor();
    expect(await page.locator('.brain-graph').count()).toBe(0);
    await page.context().close();
  });

  it('is confirmed with one key, which is taken back byte for byte', async () => {
    const before = await served.call(`/note?path=${MTU}`);
    const page = await opened(MTU);
    await page.locator('.brain-note-side').getByText('stale').waitFor();
    await page.keyboard.press('c');
    await page.getByText('Confirmed. Its age counts from now on.').waitFor();
    await page.locator('dt', { hasText: 'Verified' }).waitFor();
    await eventually(() => page.locator('.brain-note-side').getByText('stale').count(), 0);
    expect(await served.call(`/note?path=${MTU}`)).toMatchObject({ stale: false, body: before.body });
    await page.keyboard.press('u');
    await page.getByText('The confirmation is taken back.').waitFor();
    expect(await served.call(`/note?path=${MTU}`)).toMatchObject({ content_hash: before.content_hash });
    await page.context().close();
  });

  it('is superseded in place with a reason, and the text before stays in the history', async () => {
    const path = 'wiki/home/facts/router.md';
    const page = await opened(path);
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.locator('textarea').first().waitFor();
    await dialog.locator('textarea').first().fill('# Router\n\nA newer text, see [[mtu]].\n');
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await page.locator('.brain-note').getByText('A newer text').waitFor();
    // The dialog shows the new text before it is written.
    await eventually(
      async () => (await served.call(`/history?path=${path}`)).versions,
      [
        expect.objectContaining({ written_by: expect.stringMatching(/^human:/) }),
        expect.objectContaining({ origin: 'mcp' }),
      ],
    );
    await page.context().close();
  });

  it('says so when the note has changed meanwhile, and confirms nothing', async () => {
    const path = 'wiki/home/facts/dns.md';
    const page = await opened(path);
    await page.route('**/revision', (route) => route.abort());
    await served.call('/update', { path, content: '# DNS\n\nNew.', reason: 'new' });
    await page.keyboard.press('c');
    await page.getByRole('alert').first().waitFor();
    expect((await served.call(`/note?path=${path}`)).frontmatter).not.toHaveProperty('verified_at');
    await page.context().close();
  });

  it('offers no confirmation of a note that waits for review', async () => {
    const page = await opened('raw/waits.md');
    await page.getByRole('button', { name: 'Still true' }).waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    expect(await page.getByRole('status').first().textContent()).not.toContain('Confirmed');
    await page.context().close();
  });

  it.each([
    [1440, 'light', MTU],
    [390, 'dark', MTU],
    [1024, 'light', HUB],
    [390, 'light', HUB],
  ] as const)('has no fault at %i px, %s: %s', async (width, colorScheme, path) => {
    const page = await opened(path, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.context().close();
  });
});
