import type { BrowserContextOptions, Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { FACTS, raw } from './queue-world';
import { Served, wikiNote } from './served';

const RUN = (status: string, daysAgo: number) =>
  JSON.stringify({
    skill: 'deploy',
    status,
    timestamp: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
  });
const VAULT = {
  'raw/2026-11-10-taken.md': raw('Taken', '10', FACTS, 'The grandmaster of PTP. See [[Nobody]].'),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS),
  'wiki/homelab/facts/taken.md': raw('Taken', '01', FACTS, 'The grandmaster of PTP is the switch.'),
  'wiki/homelab/failures/mtu.md': wikiNote(
    'MTU',
    '- [ ] open\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  ),
  'wiki/homelab/facts/old.md': raw('Old', '01', `${FACTS}half_life: volatile\n`, 'It holds.').replace(
    '2026-11-01',
    '2020-01-01',
  ),
  'raw/2026-11-12-one.md': raw('One', '12', FACTS),
  'raw/2026-11-13-two.md': raw('A title that is longer than a phone is wide, twice', '13', FACTS),
  'sessions/a.jsonl': `${RUN('pass', 1)}\n${RUN('fail', 1)}\nno record\n`,
};

/** Each screen, and words that show that it is drawn. */
const SCREENS = [
  ['#/home', 'Notes by wing and hall'],
  ['#/queue', 'Taken'],
  ['#/imports', 'Drop files or folders here'],
  ['#/rules', 'Promotes notes of ci-bot'],
  ['#/search?q=grandmaster', 'The grandmaster of PTP is'],
  ['#/history?path=wiki%2Fkitchen%2Ffacts%2Ffour.md', 'Current'],
  ['#/audit', 'Chain verified'],
  ['#/audit?show=decisions', 'twice'],
  ['#/stale', 'It holds.'],
  ['#/pass-rates', 'Skipped'],
  ['#/connect', 'Which agent?'],
  ['#/doctor', 'Needs you'],
  ['#/note?path=wiki%2Fhomelab%2Ffailures%2Fmtu.md', 'open'],
] as const;

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FORCED = { viewport: { width: 1280, height: 800 }, forcedColors: 'active' } as const;
const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['1440 px, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['390 px, dark', { ...PHONE, colorScheme: 'dark' }],
  ['1024 px', { viewport: { width: 1024, height: 768 } }],
  ['200 % zoom', { viewport: { width: 640, height: 400 } }],
  ['forced colours', { ...FORCED, colorScheme: 'dark' }],
];

describeInBrowser('every screen', (browser) => {
  const served = new Served();
  beforeAll(async () => {
    await served.start(VAULT);
    await served.call('/rules', { name: 'ci', by: 'ci-bot', hall: 'facts' });
    await served.call('/reject', { path: 'raw/2026-11-12-one.md', reason: 'Says nothing new' });
    await served.call('/reject', { path: 'raw/2026-11-13-two.md', reason: 'Says nothing new' });
    await served.call('/write', { wing: 'kitchen', hall: 'facts', slug: 'four', content: '# Four\n\nText.' });
  });
  afterAll(() => served.end());

  const opened = async (fragment: string, options: BrowserContextOptions, words: string): Promise<Page> => {
    const { page } = await served.open(browser(), fragment, { ...options, bypassCSP: true });
    await page.locator('main').getByText(words).first().waitFor({ state: 'attached' });
    return page;
  };

  describe.each(byDay(2, LOOKS))('at %s', (_, options) => {
    it.each(SCREENS)('has no fault: %s', async (fragment, words) => {
      const page = await opened(fragment, options, words);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
      await page.context().close();
    });

    it('asks for a token without a fault', async () => {
      const { page } = await served.page(browser(), { ...options, bypassCSP: true });
      await page.goto(served.server.url);
      await page.getByLabel('Token').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.context().close();
    });
  });

  describe.each(byDay(1, ['dark', 'light'] as const))('in forced colours on %s', (colorScheme) => {
    const forced = { ...FORCED, colorScheme };

    /** The colours of elements, as contrast to the canvas or to their own background (1 to 21). */
    const contrast = (page: Page, selector: string): Promise<number[]> =>
      page.evaluate((where) => {
        const parts = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
        // The page has the colour of the canvas.
        const canvas = parts(getComputedStyle(document.body).backgroundColor);
        const over = ([r = 0, g = 0, b = 0, a = 1]: number[], under: number[]) =>
          [r, g, b].map((one, at) => one * a + (under[at] ?? 0) * (1 - a));
        const light = (colour: number[]) =>
          colour
            .map((one) => one / 255)
            .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
            .reduce((sum, one, at) => sum + one * ([0.2126, 0.7152, 0.0722][at] ?? 0), 0);
        return [...document.querySelectorAll(where)]
          .filter(({ textContent }) => textContent?.trim() !== '')
          .map((element) => {
            const { color, backgroundColor } = getComputedStyle(element);
            const ground = over(parts(backgroundColor), canvas);
            const [first = 0, second = 0] = [light(over(parts(color), ground)), light(ground)].sort(
              (a, b) => b - a,
            );
            return (first + 0.05) / (second + 0.05);
          });
      }, selector);

    /** Whether an element looks other than another one: by its background, its frame or its outline. */
    const look = (page: Page, selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const style = getComputedStyle(element);
          return [style.backgroundColor, style.border, style.outlineStyle, style.outlineColor].join('; ');
        });

    it.each([
      ['#/home', 'Notes by wing', '.brain-web-nav a[aria-current]', '.brain-web-nav a:not([aria-current])'],
      ['#/home', 'Notes by wing', '.brain-heat .mod-shade-1', '.brain-heat .mod-shade-0'],
      ['#/queue', 'Taken', '.brain-item.is-current', '.brain-item:not(.is-current)'],
      ['#/stale', 'It holds.', '.mod-cta', '.brain-stale-bar > :not(.mod-cta)'],
      [
        '#/audit?show=decisions',
        'twice',
        '.brain-decided > [aria-current]',
        '.brain-decided > :not([aria-current])',
      ],
      ['#/queue', 'Taken', '.brain-chips [aria-checked=true]', '.brain-chips [aria-checked=false]'],
      ['#/queue', 'Taken', '.brain-segments [aria-pressed=true]', '.brain-segments [aria-pressed=false]'],
      ['#/queue', 'Taken', '.brain-form .mod-cta', '.brain-form .brain-buttons > :not(.mod-cta)'],
      [
        '#/search?q=grandmaster',
        'PTP is',
        '.brain-facet[aria-checked=true]',
        '.brain-facet[aria-checked=false]',
      ],
      ['#/connect', 'Which agent?', '[aria-checked=true] > .brain-box', '[aria-checked=false] > .brain-box'],
      ['#/pass-rates', 'Skipped', '.brain-key .pass', '.brain-key .void'],
    ])('%s (%s) keeps the state of %s', async (fragment, words, chosen, other) => {
      const page = await opened(fragment, forced, words);
      await page.locator(chosen).first().waitFor();
      expect(await look(page, chosen)).not.toBe(await look(page, other));
      for (const ratio of await contrast(page, `${chosen}, ${other}`))
        expect(ratio).toBeGreaterThanOrEqual(4.5);
      await page.context().close();
    });

    it('draws a frame around what can be pressed, and a legend beside every chart', async () => {
      const page = await opened('#/pass-rates', forced, 'Skipped');
      const bare = await page.evaluate(() =>
        [...document.querySelectorAll('button:not(.brain-row-name, .brain-notelink)')]
          .filter((button) => getComputedStyle(button).borderTopStyle === 'none')
          .map((button) => button.outerHTML),
      );
      expect(bare).toEqual([]);
      const key = await page.locator('.brain-key i').evaluateAll((marks) =>
        marks.map((mark) => {
          const { backgroundColor, backgroundImage, borderStyle, height } = getComputedStyle(mark);
          return [backgroundColor, backgroundImage, borderStyle, height].join('; ');
        }),
      );
      expect(new Set(key).size).toBe(key.length);
      await page.context().close();
    });

    it('shows whether a list has the focus', async () => {
      const page = await opened('#/queue', forced, 'Taken');
      await page.keyboard.press('Shift');
      await page.locator('.brain-items').focus();
      expect(await page.locator('.brain-items').evaluate((list) => getComputedStyle(list).outlineStyle)).toBe(
        'solid',
      );
      await page.context().close();
    });

    it('shows where the focus is', async () => {
      const page = await opened('#/home', forced, 'Notes by wing');
      await page.keyboard.press('Tab');
      await eventually(
        () => page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle),
        'solid',
      );
      await page.context().close();
    });
  });
});
