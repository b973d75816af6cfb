import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen } from '../support/ui/screen-page';
import { wikiNote } from './served';

const PLAN = 'Projects/Greenhouse plan.md';
const ADOPTED = 'wiki/garden/decisions/Greenhouse plan.md';
const TEXT = '# Greenhouse plan\r\n\r\nA drip line waters the greenhouse.\r\n';
const FILES = {
  [PLAN]: TEXT,
  'Projects/Watering.md': 'The drip line of the [[Projects/Greenhouse plan]] needs one bar.\n',
  'wiki/garden/facts/drip-line.md': wikiNote('Drip line pressure', 'A drip line wants one bar.'),
};

describeInBrowser('notes of the owner', (browser) => {
  let live: LiveScreens;
  beforeEach(async () => void (live = await startLiveScreens(FILES)));
  afterEach(() => live.stop());

  const open = (q: string, options: object = {}) =>
    live.open(browser(), 'search', { width: 1488, params: { q }, ...options });
  const row = (page: Page, title: string) =>
    page.locator('.brain-result', {
      has: page.getByRole('heading', { name: title, exact: true, includeHidden: true }),
    });
  const file = (path: string): string => join(live.live.root, path);
  const form = (page: Page) => page.getByRole('form', { name: 'Adopt' });

  it('are marked in the results, and the state filters them', async () => {
    const { page, complaints } = await open('drip line');
    await row(page, 'Greenhouse plan').getByText('Your note').waitFor();
    expect(await row(page, 'Drip line pressure').getByText('Your note').count()).toBe(0);
    // A note without a stamp has no unknown writer, for it is the owner's.
    expect(await row(page, 'Greenhouse plan').textContent()).not.toContain('unknown');
    await page.getByRole('radio', { name: /Your notes/ }).click();
    await eventually(
      async () => (await page.locator('.brain-result h2').allTextContents()).sort(),
      ['Greenhouse plan', 'Watering'],
    );
    await row(page, 'Greenhouse plan').click();
    const panel = page.getByRole('complementary', { name: 'About this note' });
    await panel.getByText('Your note').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('say how many notes were searched when none fits, and what to do', async () => {
    const { page } = await open('zeppelin');
    await page.getByText('No note fits “zeppelin”. 3 notes were searched.').waitFor();
    await page.getByText('Try other words or fewer, without quotes.').waitFor();
  });

  it('are adopted from the results, and given back byte for byte', async () => {
    const { page, complaints } = await open('drip line');
    await row(page, 'Greenhouse plan').click();
    await page.locator('.brain-results').press('a');
    await form(page).getByRole('combobox', { name: 'Wing' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('garden');
    await form(page).getByRole('radio', { name: 'Facts' }).focus();
    await page.keyboard.press('2');
    await form(page).getByText(ADOPTED).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await form(page).getByRole('button', { name: 'Adopt' }).click();
    await page.getByText(`Adopted as ${ADOPTED}.`).waitFor();
    await page.getByText('One note that links to it was brought up to date.').waitFor();
    expect((await live.client.call('note', { path: ADOPTED })).status).toBe('wiki');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`It is yours again: ${PLAN}, byte for byte as it was.`).waitFor();
    expect(await readFile(file(PLAN), 'utf8')).toBe(TEXT);
    expect(complaints).toEqual([]);
  });

  it('are adopted under another name where one is taken, and the reviewed note stays', async () => {
    const { page } = await open('drip line');
    await row(page, 'Greenhouse plan').click();
    await page.getByRole('button', { name: /^Adopt/ }).click();
    await form(page).getByRole('combobox', { name: 'Wing' }).fill('garden');
    await form(page).getByRole('radio', { name: 'Facts' }).click();
    await form(page).getByRole('textbox', { name: 'Slug' }).fill('drip-line');
    await form(page).getByText('A note already stands at wiki/garden/facts/drip-line.md').waitFor();
    await form(page).getByRole('button', { name: 'Use drip-line-2' }).click();
    await form(page).getByText('wiki/garden/facts/drip-line-2.md').waitFor();
    await form(page).getByRole('button', { name: 'Adopt' }).click();
    await page.getByText('Adopted as wiki/garden/facts/drip-line-2.md.').waitFor();
  });

  it('stay where they are when their text has changed since the form was opened', async () => {
    const { page } = await open('drip line');
    await row(page, 'Greenhouse plan').click();
    await page.getByRole('button', { name: /^Adopt/ }).click();
    await form(page).getByRole('combobox', { name: 'Wing' }).fill('garden');
    await form(page).getByRole('radio', { name: 'Facts' }).click();
    await form(page).getByText('wiki/garden/facts/Greenhouse plan.md').waitFor();
    await writeFile(file(PLAN), 'Two drip lines.\n');
    await form(page).getByRole('button', { name: 'Adopt' }).click();
    await form(page).getByRole('alert').waitFor();
    expect(await readFile(file(PLAN), 'utf8')).toBe('Two drip lines.\n');
  });

  it('are found next to the nearest names where the wing of the request does not exist', async () => {
    const { page } = await open('zeppelin', { params: { q: 'zeppelin', wing: 'gardn' } });
    await page.getByText('No wing "gardn". Wings: garden').waitFor();
    await page.getByText('No note here fits “zeppelin”. 3 notes were searched.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Search everywhere' }).click();
    await page.getByText('No note fits “zeppelin”. 3 notes were searched.').waitFor();
    await page.getByText('No wing "gardn"').waitFor({ state: 'detached' });
  });

  it('are counted where only the filters hide them', async () => {
    const { page } = await open('drip line', { params: { q: 'drip line', wing: 'gardn' } });
    await page.getByText('No note here fits “drip line”. 3 notes fit without the filters.').waitFor();
    await page.getByText('No wing "gardn". Wings: garden').waitFor();
  });

  it('have no versions that the service keeps, and the history says so', async () => {
    const { page, complaints } = await live.open(browser(), 'history', { params: { path: PLAN } });
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByText('A note of your own: no agent changes it').waitFor();
    await versions.getByText('Your note').waitFor();
    await page.locator('.brain-diff-head').getByText('Your note').waitFor();
    expect(await page.getByText('unknown').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('offer no adoption of a note that is reviewed', async () => {
    const { page } = await open('drip line');
    await row(page, 'Drip line pressure').click();
    await page.getByRole('complementary').getByText('laptop').first().waitFor();
    await page.getByRole('button', { name: /^Adopt/ }).waitFor({ state: 'detached' });
    await page.locator('.brain-results').press('a');
    await form(page).waitFor({ state: 'detached' });
  });

  it.each(byDay(1, ['dark', 'light'] as const))('fit into a narrow pane: %s', async (theme) => {
    const { page } = await open('drip line', { theme, width: 320 });
    await row(page, 'Greenhouse plan').getByText('Your note').waitFor();
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    expect(await overflow()).toBe(false);
    await row(page, 'Drip line pressure').click();
    await page
      .getByRole('group', { name: 'Drip line pressure' })
      .getByRole('button', { name: /^Open/ })
      .waitFor();
    await page.getByRole('button', { name: /^Adopt/ }).waitFor({ state: 'detached' });
    await row(page, 'Greenhouse plan').click();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Adopt/ }).click();
    await form(page).getByRole('combobox', { name: 'Wing' }).fill('garden');
    await form(page).getByRole('radio', { name: 'Facts' }).click();
    expect(await axeFaults(page)).toEqual([]);
    expect(await overflow()).toBe(false);
    await form(page).getByRole('button', { name: 'Adopt' }).click();
    await page.getByText('Adopted as wiki/garden/facts/Greenhouse plan.md.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await overflow()).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`It is yours again: ${PLAN}, byte for byte as it was.`).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});

describeInBrowser('a search while the vault is being read', (browser) => {
  let live: LiveScreens;
  beforeAll(async () => void (live = await startLiveScreens(FILES)));
  afterAll(() => live.stop());

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('shows the progress and goes on by itself: %s, %d px', async (theme, width) => {
    let done = 1200;
    const client: LiveScreens['client'] = {
      ...live.client,
      async call(name, ask) {
        const answer = await live.client.call(name, ask);
        if (name !== 'query' || done === 10_000) return answer;
        return { ...answer, reading: { done, total: 10_000 }, results: [], searched: done };
      },
    };
    const params = { q: 'greenhouse' };
    const { page, complaints } = await openScreen(browser(), client, 'search', { theme, width, params });
    await page.getByText('No note fits “greenhouse” so far. 1,200 notes were searched.').waitFor();
    const bar = page.getByRole('progressbar', { name: 'The vault is still being read' });
    await eventually(() => bar.getAttribute('aria-valuenow'), '12');
    await page.getByText('1,200 of 10,000 notes').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    done = 5000;
    await eventually(() => bar.getAttribute('aria-valuenow'), '50');
    done = 10_000;
    await page.locator('.brain-result').getByText('Greenhouse plan', { exact: true }).waitFor();
    await bar.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('notes of the owner that are not read', (browser) => {
  let live: LiveScreens;
  beforeAll(async () => void (live = await startLiveScreens(FILES, { readScope: 'brain' })));
  afterAll(() => live.stop());

  it.each(byDay(1, ['dark', 'light'] as const))(
    'are counted on the home screen, with the way to change that: %s',
    async (theme) => {
      for (const width of [1280, 320]) {
        const { page, complaints } = await live.open(browser(), 'home', { theme, width });
        const state = page.getByRole('region', { name: 'State' });
        await state.getByText('2 notes are outside what is read.').waitFor();
        await state.getByText('set "What is read" to every note of the vault').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      }
    },
  );

  it('are told where a search finds nothing', async () => {
    const { page } = await live.open(browser(), 'search', { params: { q: 'greenhouse' } });
    await page.getByText('No note fits “greenhouse”. 1 note was searched.').waitFor();
    await page.getByText('2 notes are outside what is read.').waitFor();
  });
});
