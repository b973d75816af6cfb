import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { act, button, current, FACTS, raw, titles } from '../queue-world';
import { type AppOptions, type AppPage, openApp } from './app-page';

const OLD = 'wiki/homelab/facts/mtu.md';
const QUEUED = 'raw/2026-11-10-mtu.md';
const CLAIM = 'wiki/homelab/facts/claim.md';
const claim = (title: string) =>
  raw(title, '01', `${FACTS}half_life: volatile\nclaim_provenance: asserted\n`, 'It holds.').replaceAll(
    '2026-11-01',
    '2020-01-01',
  );
const FILES = {
  [QUEUED]: raw('MTU', '10', FACTS, 'The tunnel uses an MTU of 1412 bytes.'),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS, '<script>alert(1)</script>'),
  'raw/2026-11-12-gamma.md': raw('Gamma', '12', 'wing: ops\nhall: facts\n').replace('laptop', 'ci-bot'),
  [OLD]: raw('MTU', '01', FACTS, 'The tunnel uses an MTU of 1420 bytes.'),
  [CLAIM]: claim('A claim'),
  'wiki/homelab/facts/second.md': claim('Second claim').replaceAll('2020-01-01', '2021-01-01'),
};

// What is the same on the page is tested there; here keys work the same screens in views and windows of the app.
describeInBrowser('decisions by keys inside the app', (browser) => {
  let app: AppPage;
  let page: Page;
  const open = async (screen: 'queue' | 'stale', size: AppOptions = {}): Promise<void> => {
    app = await openApp(browser(), { files: FILES, ...size });
    page = app.page;
    await app.show(screen);
    await page.getByRole('option').first().waitFor();
  };
  afterEach(() => app.close());
  const textOf = (path: string) => page.evaluate((at) => window.hands.textOf(at), path);
  const choose = async (name: string, key: string): Promise<void> => {
    await page.getByRole('combobox', { name }).focus();
    await page.keyboard.press(key);
  };

  it('replace the note at a collision, and give both back byte for byte', async () => {
    await open('queue');
    await button(page, 'Replace it').waitFor({ state: 'attached' });
    await act(page, 'y');
    const dialog = page.getByRole('dialog');
    await dialog.locator('del', { hasText: '1420' }).waitFor();
    await dialog.locator('ins', { hasText: '1412' }).waitFor();
    expect(await axeFaults(page, '.modal-content')).toEqual([]);
    await page.keyboard.type('Measured anew');
    await page.keyboard.press('Enter');
    await page.getByText('Replaced a note by').waitFor();
    await eventually(async () => (await textOf(OLD))?.includes('1412'), true);
    await eventually(() => current(page), 'Beta');
    await page.keyboard.press('u');
    await page.getByText('Put back').waitFor();
    expect([await textOf(OLD), await textOf(QUEUED)]).toEqual([FILES[OLD], FILES[QUEUED]]);
  });

  it('filter, group, sort and snooze', async () => {
    await open('queue');
    await button(page, 'Filter, group and sort').press('Enter');
    await choose('Writer', 'c');
    await eventually(() => titles(page), ['Gamma']);
    await button(page, 'Save this filter').press('Enter');
    await button(page, 'Clear').press('Enter');
    await eventually(() => titles(page), ['MTU', 'Beta', 'Gamma']);
    // The filter is kept for this device and is applied again.
    await choose('Saved filters', 'c');
    await eventually(() => titles(page), ['Gamma']);
    await button(page, 'Clear').press('Enter');
    await choose('Order', 'R');
    await eventually(() => titles(page), ['Beta', 'MTU', 'Gamma']);
    await page.getByRole('combobox', { name: 'Group' }).selectOption('wing');
    await eventually(() => page.locator('.brain-group').allTextContents(), ['homelab (2)', 'ops (1)']);
    expect(await axeFaults(page, '[data-type="brain-server-queue"]')).toEqual([]);
    await page.getByRole('listbox').focus();
    await act(page, 'z');
    await eventually(() => titles(page), ['Beta', 'MTU']);
    await button(page, 'Snoozed (1)').press('Enter');
    await eventually(() => titles(page), ['Gamma']);
  });

  it('select several notes, promote them and put them back', async () => {
    await open('queue');
    await page.keyboard.press('j');
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').first().waitFor();
    expect(await axeFaults(page, '[data-type="brain-server-queue"]')).toEqual([]);
    await act(page, 'a');
    // The check of each note finds the script of one of them: it waits for a key of its own.
    await page.getByRole('heading', { name: '1 risky' }).waitFor();
    expect(await textOf('wiki/ops/facts/gamma.md')).toBeNull();
    await button(page, 'With 1 risky').press('Enter');
    await page.getByText('Promoted 2 notes').waitFor();
    expect(await textOf('wiki/ops/facts/gamma.md')).toContain('# Gamma');
    await eventually(() => titles(page), ['MTU']);
    await page.keyboard.press('u');
    await page.getByText('Put back 2 notes').waitFor();
    await eventually(() => titles(page), ['MTU', 'Beta', 'Gamma']);
    expect(await textOf('raw/2026-11-12-gamma.md')).toBe(FILES['raw/2026-11-12-gamma.md']);
  });

  it('stay in view at a collision on a tablet', async () => {
    await open('queue', { width: 1024, height: 768 });
    await page.getByRole('alert').getByText('A note already stands at').waitFor();
    const reachable = await page.locator('.brain-form > .brain-buttons > button').evaluateAll((buttons) =>
      buttons.map((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const isWithin = left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return `${one.textContent?.trim() ?? ''}: ${isWithin && one.contains(hit)}`;
      }),
    );
    expect(reachable).toEqual([
      expect.stringMatching(/^Promote.*: true$/),
      expect.stringMatching(/^Reject.*: true$/),
    ]);
    const note = await page.locator('.brain-preview .brain-scroll').boundingBox();
    expect(note?.height).toBeGreaterThan(80);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1024);
  });

  it('are reached by the commands of the app, and notes by its search', async () => {
    await open('queue');
    const run = (command: string) => page.evaluate((id) => window.hands.run(id), command);
    for (const [command, screen] of [
      ['open-stale-claims', 'stale'],
      ['open-rules', 'rules'],
      ['open-audit', 'audit'],
      ['open-queue', 'queue'],
    ]) {
      expect(await run(command ?? '')).toBe(true);
      await page.locator(`[data-type="brain-server-${screen}"] .brain-frame`).waitFor({ state: 'visible' });
    }
    expect(await run('search')).toBe(true);
    const dialog = page.getByRole('dialog');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('1420');
    await dialog.getByRole('option', { name: /MTU/ }).first().waitFor();
    expect(await axeFaults(page, '.modal-content')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForFunction((path) => window.hands.traces().active === path, OLD);
  });

  it('confirm, move and supersede stale claims, and take each back', async () => {
    await open('stale');
    const view = page.locator('[data-type="brain-server-stale"]');
    await view.locator('article').getByText('It holds.').waitFor();
    expect(await axeFaults(page, '[data-type="brain-server-stale"]')).toEqual([]);
    await page.keyboard.press('a');
    await view.getByText('“A claim” still holds').waitFor();
    expect(await textOf(CLAIM)).toContain('verified_by: human:me');
    await view.locator('.brain-stale-facts').getByText('second.md').waitFor();
    await page.keyboard.press('h');
    await view.getByText('“Second claim” is a hypothesis now').waitFor();
    await page.keyboard.press('z');
    await view.getByText('Taken back: “Second claim” is a hypothesis now').waitFor();
    await page.keyboard.press('z');
    await view.getByText('Taken back: “A claim” still holds').waitFor();
    expect(await textOf(CLAIM)).toBe(FILES[CLAIM]);
    await view.locator('.brain-stale-facts').getByText('claim.md').waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Supersede a claim' });
    await dialog.getByLabel('What holds now').waitFor();
    expect(await axeFaults(page, '.modal-content')).toEqual([]);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# A claim\n\nIt changed.\n');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Measured anew');
    await page.keyboard.press('Enter');
    await view.getByText(/is superseded/).waitFor();
  });
});
