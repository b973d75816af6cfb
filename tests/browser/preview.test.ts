import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually, foreignRequests } from '../support/browser';
import { Served, wikiNote } from './served';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>parent.ran = 1; window.ran = 2</script><image href="https://evil.test/in.png"/><rect width="40" height="20" onload="parent.ran = 3"/></svg>';
const BODY = `Text[^1] with ![[plan.svg|A plan|300]] and ![rack](../../../Attachments/my%20rack.svg).

> [!warning]- Folded
> Under it ^under

See [[#^under]] and [[#Later]].

![[other]]

![[gone.png]] ![[fake.png]] ![far](https://evil.test/far.png)

${'A line.\n\n'.repeat(40)}
## Later

The end.

[^1]: The footnote.
`;
const VAULT = {
  'wiki/home/facts/preview.md': wikiNote('Preview', BODY),
  'wiki/home/facts/other.md': wikiNote('Other note', 'Its **first** line.\n\n![[plan.svg]]'),
  'raw/2026-11-10-preview.md': wikiNote('Preview', BODY),
  'Attachments/plan.svg': SVG,
  'Attachments/my rack.svg': SVG,
  'Attachments/fake.png': '<script>alert(1)</script>',
};

describeInBrowser('a note as it is previewed', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const isReady = (page: Page) => page.locator('.brain-note img').nth(1).waitFor();

  it.each(['#/note?path=wiki%2Fhome%2Ffacts%2Fpreview.md', '#/queue?path=raw%2F2026-11-10-preview.md'])(
    'shows images and notes of the vault, and runs and fetches nothing else: %s',
    async (fragment) => {
      const { page, complaints } = await served.open(browser(), fragment);
      const foreign = foreignRequests(page, served.server.url);
      await isReady(page);
      const images = page.locator('.brain-note img');
      expect(await images.count()).toBe(2);
      await eventually(
        () =>
          images.evaluateAll((all) =>
            all.map((one) => one instanceof HTMLImageElement && [one.alt, one.width]),
          ),
        [
          ['A plan', 300],
          ['rack', 40],
        ],
      );
      const group = page.getByRole('group', { name: 'Embedded note: Other note' });
      await group.getByText('first').waitFor();
      expect(await group.locator('img').count()).toBe(0);
      await page.locator('.brain-embed', { hasText: 'gone.png' }).waitFor();
      await page
        .locator('.brain-embed', { hasText: 'fake.png' })
        .getByText('no image that can be shown')
        .waitFor();
      expect(await page.evaluate(() => Reflect.get(window, 'ran') ?? null)).toBeNull();
      expect(foreign).toEqual([]);
      // The browser itself reports the 404 of the file that is no image.
      expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
      await page.context().close();
    },
  );

  it('gives the images back when the preview goes', async () => {
    const { page } = await served.open(browser());
    await page.evaluate(() => {
      const given: string[] = [];
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (file) => {
        const url = createObjectURL.call(URL, file);
        given.push(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        given.splice(given.indexOf(url), 1);
        revokeObjectURL.call(URL, url);
      };
      Object.assign(window, { given });
    });
    await page.evaluate(() => (window.location.hash = '#/note?path=wiki%2Fhome%2Ffacts%2Fpreview.md'));
    await isReady(page);
    expect(await page.evaluate(() => Reflect.get(window, 'given').length)).toBe(2);
    await page.evaluate(() => (window.location.hash = '#/doctor'));
    await eventually(() => page.evaluate(() => Reflect.get(window, 'given').length), 0);
    await page.context().close();
  });

  it('is gone through with the keyboard: footnote and back, folded callout, heading', async () => {
    const { page } = await served.open(browser(), '#/note?path=wiki%2Fhome%2Ffacts%2Fpreview.md');
    await isReady(page);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.getByRole('button', { name: 'Footnote 1' }).focus();
    await page.keyboard.press('Enter');
    expect(await focused()).toContain('The footnote.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('1');
    await page.getByRole('button', { name: '^under' }).focus();
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Under it');
    expect(await page.locator('.brain-callout details').getAttribute('open')).toBe('');
    await page.locator('.brain-callout summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByText('Under it').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Later' }).focus();
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Later');
    await page.context().close();
  });

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)('has no fault at %i px, %s', async (width, colorScheme) => {
    const viewport = { width, height: 900 };
    const { page } = await served.open(browser(), '#/note?path=wiki%2Fhome%2Ffacts%2Fpreview.md', {
      viewport,
      colorScheme,
      bypassCSP: true,
    });
    await isReady(page);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.context().close();
  });
});
