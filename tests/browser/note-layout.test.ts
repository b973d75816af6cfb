import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser } from '../support/browser';
import { Served, wikiNote } from './served';

const WORDS = {
  title: '\u0643\u064a\u0641 \u0646\u0633\u062a\u0639\u064a\u062f \u0627\u0644\u0646\u0633\u062e\u0629',
  text: '\u0647\u0630\u0627 \u0646\u0635 \u0645\u0639 English.',
  item: '\u0627\u0644\u0628\u0646\u062f',
};
const LONG_WING = 'a-very-long-wing-name-that-never-seems-to-end-because-people';
const cells = (word: string): string =>
  `|${Array.from({ length: 20 }, (_, n) => ` ${word} ${n} |`).join('')}`;
const TABLES = `${cells('Column number')}\n|${'---|'.repeat(20)}\n${cells('value')}\n\n| a | b |\n|---|---|\n| c | d |\n`;
const RTL_BODY = `${WORDS.text}\n\nPlain English.\n\n- ${WORDS.item}\n\n> ${WORDS.item}\n\n| ${WORDS.item} |\n|---|\n| 1 |\n`;

const VAULT = {
  'wiki/home/facts/rtl.md': wikiNote(`${WORDS.title} `.repeat(8).trim(), RTL_BODY),
  'wiki/home/facts/tables.md': wikiNote('Tables', TABLES),
  [`wiki/${LONG_WING}/facts/far.md`]: wikiNote('Zeppelin', 'The zeppelin flies far.'),
  'raw/deep.md': wikiNote('Deep', '### Deeper heading\n\nText.').replace('# Deep\n\n', ''),
  'raw/rtl.md': wikiNote(`${WORDS.title} `.repeat(8).trim(), RTL_BODY),
};

describeInBrowser('how notes are laid out', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const opened = async (fragment: string, width = 1280, options = {}): Promise<Page> =>
    (await served.open(browser(), fragment, { viewport: { width, height: 800 }, ...options })).page;
  const noteAt = (path: string): string => `#/note?path=${encodeURIComponent(path)}`;

  it('reads every block from the side of its own script', async () => {
    const page = await opened(noteAt('wiki/home/facts/rtl.md'));
    await page.locator('.brain-note li').waitFor();
    const directions = await page.evaluate(() =>
      [...document.querySelectorAll('.brain-note > *')].map((block) => [
        block.localName,
        getComputedStyle(block).direction,
      ]),
    );
    expect(directions).toEqual([
      ['p', 'rtl'],
      ['p', 'ltr'],
      ['ul', 'rtl'],
      ['blockquote', 'rtl'],
      ['div', 'rtl'],
    ]);
    await page.context().close();
  });

  it.each([
    ['#/queue?path=raw%2Frtl.md', '.brain-item[aria-current="true"] b'],
    ['#/search?q=English', '.brain-result h2'],
  ])('cuts the last words of a title off, not the first: %s', async (fragment, selector) => {
    const page = await opened(fragment, 1280);
    await page.locator(selector, { hasText: WORDS.title }).first().waitFor();
    const [start, box] = await page.evaluate(
      ([where, words]) => {
        const titles = [...document.querySelectorAll(where ?? '')];
        const title = titles.find(({ textContent }) => textContent?.startsWith(words ?? ''));
        if (title?.firstChild == null) throw new Error('There is no such title.');
        const range = document.createRange();
        range.setStart(title.firstChild, 0);
        range.setEnd(title.firstChild, 1);
        return [range, title]
          .map((one) => one.getBoundingClientRect())
          .map(({ left, right }) => ({ left, right }));
      },
      [selector, WORDS.title],
    );
    expect(start?.right).toBeLessThanOrEqual((box?.right ?? 0) + 1);
    expect(start?.left).toBeGreaterThan(((box?.left ?? 0) + (box?.right ?? 0)) / 2);
    await page.context().close();
  });

  it.each([1280, 380])('lets a wide table scroll, with words that stay whole, at %i px', async (width) => {
    const page = await opened(noteAt('wiki/home/facts/tables.md'), width);
    await page.locator('.brain-note-table').first().waitFor();
    const [wide, narrow] = await page.evaluate(() =>
      [...document.querySelectorAll('.brain-note-table')].map((table) => ({
        over: table.scrollWidth - table.clientWidth,
        heading: table.querySelector('th')?.clientHeight ?? 0,
        line: parseFloat(getComputedStyle(table).lineHeight),
      })),
    );
    expect(wide?.over).toBeGreaterThan(0);
    expect(wide?.heading).toBeLessThan(5 * (wide?.line ?? 0));
    expect(narrow?.over).toBe(0);
    await page.context().close();
  });

  it.each([
    [noteAt('wiki/home/facts/tables.md'), '.brain-note-table'],
    ['#/queue?path=raw%2Fdeep.md', '.brain-note-h3'],
  ])('has no fault on a narrow page: %s', async (fragment, selector) => {
    for (const width of [1280, 380]) {
      const page = await opened(fragment, width, { bypassCSP: true });
      await page.locator(selector).first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.context().close();
    }
  });

  it('keeps the hall in view behind the name of a long wing', async () => {
    const page = await opened('#/search?q=zeppelin', 380);
    const place = page.locator('.brain-result .brain-address', { hasText: '/ facts' }).first();
    await place.waitFor();
    const box = await place.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(380);
    await page.context().close();
  });
});
