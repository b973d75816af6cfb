import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { FACTS, raw } from './queue-world';
import { Served } from './served';

const PARAGRAPHS = Array.from({ length: 12 }, (_, n) => `Paragraph ${n} of a note that fills its pane.`);
/** The first note of the queue wants a place that is taken. */
const VAULT = {
  'raw/2026-11-10-taken.md': raw('Taken', '10', FACTS, PARAGRAPHS.join('\n\n')),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS),
  'wiki/homelab/facts/taken.md': raw('Taken', '01', FACTS),
};
const TOUCH = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describeInBrowser('the page at every size', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const queueAt = async (options: BrowserContextOptions): Promise<Page> => {
    const { page } = await served.open(browser(), '#/queue', options);
    await page.locator('.brain-item').first().waitFor();
    if (!(await page.locator('.brain-detail').isVisible())) await page.locator('.brain-item').first().click();
    await page.getByText('A note already stands at').waitFor({ state: 'attached' });
    return page;
  };

  it.each([
    ['a wide window', { width: 1440, height: 900 }],
    ['a low one', { width: 1440, height: 560 }],
    ['a tablet', { width: 1024, height: 768 }],
    ['200 % zoom of a wide one', { width: 720, height: 450 }],
    ['200 % zoom', { width: 640, height: 400 }],
    ['400 % zoom', { width: 320, height: 200 }],
    ['a phone', { width: 390, height: 844 }],
  ])('keeps both decisions and the note in view at a collision in %s', async (_, viewport) => {
    const page = await queueAt({ viewport });
    // A narrow pane shows the facts first, and is scrolled to the text.
    await page.evaluate(() => document.querySelector('.brain-preview')?.scrollIntoView());
    const inView = await page.evaluate(() => {
      const boxOf = (element: Element | undefined) => element?.getBoundingClientRect();
      const buttons = [...document.querySelectorAll('.brain-form > .brain-buttons > button')];
      const reachable = buttons.map((button) => {
        const { left, top, right, bottom } = button.getBoundingClientRect();
        const within = left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return `${button.textContent?.trim() ?? ''}: ${within && button.contains(hit)}`;
      });
      const note = boxOf(document.querySelector('.brain-preview .brain-scroll') ?? undefined);
      const end = boxOf(document.querySelector('.brain-form > .brain-buttons') ?? undefined)?.top ?? 0;
      const isBeside = (boxOf(buttons[0])?.left ?? 0) >= (note?.right ?? Infinity);
      const below = Math.min(note?.bottom ?? 0, isBeside ? window.innerHeight : end);
      const head = boxOf(document.querySelector('.brain-web-head') ?? undefined)?.bottom ?? 0;
      return { reachable, note: below - Math.max(note?.top ?? 0, head) };
    });
    expect(inView.reachable).toEqual([
      expect.stringMatching(/^Promote.*: true$/),
      expect.stringMatching(/^Reject.*: true$/),
    ]);
    expect(inView.note).toBeGreaterThan(80);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    await page.context().close();
  });

  it('says on a phone why the place is refused, with the form folded', async () => {
    const page = await queueAt(TOUCH);
    await page
      .getByText('A note already stands at wiki/homelab/facts/taken.md')
      .waitFor({ state: 'visible' });
    expect(await page.getByLabel('Slug').isVisible()).toBe(false);
    await page.context().close();
  });

  it('names no keys where there are none to press', async () => {
    const page = await queueAt(TOUCH);
    const visible = () => page.locator('.brain-kbd:visible, .brain-hints:visible').count();
    expect(await visible()).toBe(0);
    for (const fragment of ['#/home', '#/search', '#/audit', '#/doctor', '#/connect']) {
      await page.evaluate((hash) => (window.location.hash = hash), fragment);
      await page.locator('.brain-frame').waitFor();
      expect(await visible()).toBe(0);
    }
    await page.context().close();
  });

  it('folds the navigation to icons, which keep their names', async () => {
    const { page } = await served.open(browser(), '#/home', { viewport: { width: 1024, height: 768 } });
    const nav = page.getByRole('navigation', { name: 'Screens' });
    const link = nav.getByRole('link', { name: 'Audit' });
    expect(await link.getAttribute('title')).toBe('Audit');
    expect((await nav.boundingBox())?.width).toBeLessThan(60);
    expect((await link.boundingBox())?.width).toBeGreaterThan(24);
    await link.click();
    await page.waitForFunction(() => window.location.hash === '#/audit');
    await page.setViewportSize({ width: 1440, height: 900 });
    expect((await nav.boundingBox())?.width).toBeGreaterThan(200);
    await page.context().close();
  });
});
