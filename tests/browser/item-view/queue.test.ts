import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { hold } from '../queue-world';
import { type AppOptions, type AppPage, openApp } from './app-page';
import { QUEUE, rawNote } from './notes';

const VIEW = '[data-type="brain-server-queue"]';

// What the screen does with each key and answer is tested at the web page's server; here is what the app around it adds.
describeInBrowser('the review queue inside the app', (browser) => {
  let app: AppPage;
  let page: Page;
  const open = async (options: AppOptions = {}): Promise<void> => {
    app = await openApp(browser(), { files: QUEUE, ...options });
    page = app.page;
    await app.show('queue');
    await page.getByRole('option').first().waitFor();
  };
  afterEach(() => app.close());

  const titles = () => page.locator('.brain-item:not(.is-leaving) b').allTextContents();
  const current = () => page.locator('.brain-item[aria-current="true"] b').textContent();
  const textOf = (path: string) => page.evaluate((at) => window.hands.textOf(at), path);
  const outside = (path: string, text: string | null) =>
    page.evaluate(([at, content]) => window.hands.outside(at, content), [path, text] as const);
  const becomesCurrent = (title: string) =>
    page.locator('.brain-item[aria-current="true"]', { hasText: title }).waitFor();

  it('opens by its command with the notes that wait, the oldest in sight', async () => {
    app = await openApp(browser(), { files: QUEUE });
    page = app.page;
    expect(await page.evaluate(() => window.hands.run('open-queue'))).toBe(true);
    await page.locator('article').getByText('Text of the note.').waitFor();
    await eventually(titles, ['Alpha', 'Beta', 'Gamma']);
    await eventually(current, 'Alpha');
    await page.locator('.brain-status').getByText('3 pending').waitFor();
  });

  /** Waits until the current note can be decided on. */
  const shown = () => page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });

  it('promotes, and takes it back', async () => {
    await open();
    await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
    await shown();
    await page.getByRole('button', { name: /^Promote/ }).click();
    await page.getByText('Promoted Alpha').waitFor();
    expect(await textOf('wiki/homelab/facts/alpha.md')).toMatch(/promoted_by: .*me/);
    expect(await textOf('raw/2026-11-10-alpha.md')).toBeNull();
    await page.locator('.brain-status').getByText('2 pending').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('Put back Alpha').waitFor();
    await becomesCurrent('Alpha');
    const back = await textOf('raw/2026-11-10-alpha.md');
    expect(back).toContain('written_by: laptop (claude-code 2.1.300)');
    expect(back).toContain('# Alpha\n\nText of the note.\n');
    expect(back).not.toContain('promoted');
    expect(await textOf('wiki/homelab/facts/alpha.md')).toBeNull();
  });

  it('rejects with a reason, and takes it back', async () => {
    await open();
    await page.getByRole('button', { name: /^Reject/ }).click();
    await page.getByLabel('Why reject it?').fill('No measurement.');
    await shown();
    await page
      .locator(VIEW)
      .getByRole('button', { name: /^Reject/ })
      .click();
    await page.getByText('Rejected Alpha').waitFor();
    expect(await textOf('raw/rejected/2026-11-10-alpha.md')).toContain('reject_reason: No measurement.');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('Put back Alpha').waitFor();
    await becomesCurrent('Alpha');
    expect(await textOf('raw/rejected/2026-11-10-alpha.md')).toBeNull();
  });

  it('shows a collision at the slug and leaves both notes as they are', async () => {
    await open();
    const before = await textOf('wiki/homelab/facts/taken.md');
    await page.getByLabel('Slug').fill('taken');
    const problem = page
      .getByRole('alert')
      .getByText('A note already stands at wiki/homelab/facts/taken.md.');
    await problem.waitFor();
    await page.getByLabel('Slug').press('Enter');
    await eventually(() => page.getByLabel('Slug').getAttribute('aria-invalid'), 'true');
    expect(await textOf('wiki/homelab/facts/taken.md')).toBe(before);
    await page.getByRole('button', { name: 'Use taken-2' }).click();
    await page.getByText('wiki/homelab/facts/taken-2.md').waitFor();
    await shown();
    await page.getByRole('button', { name: /^Promote/ }).click();
    await page.getByText('Promoted Alpha').waitFor();
    expect(await textOf('wiki/homelab/facts/taken-2.md')).toContain('# Alpha');
  });

  it('follows a note that another program changes, and one that it takes away', async () => {
    await open();
    await page.getByLabel('Slug').fill('mine');
    await outside('raw/2026-11-10-alpha.md', rawNote('Alpha', '10', undefined, 'Quite another text.'));
    await page.getByText('Changed on disk at').waitFor();
    await page.locator('article').getByText('Quite another text.').waitFor();
    await eventually(() => page.getByLabel('Slug').inputValue(), 'mine');
    await outside('raw/2026-11-10-alpha.md', null);
    await page.getByText('This note is no longer in the queue').waitFor();
    await page.getByRole('button', { name: 'Next note' }).first().click();
    await eventually(current, 'Beta');
    await outside('raw/2026-11-09-new.md', rawNote('New', '09'));
    await page.locator(VIEW).getByText('3 pending').waitFor();
    await eventually(titles, ['New', 'Beta', 'Gamma']);
  });

  it('is worked by keys alone, from the command to the last decision', async () => {
    await open();
    const pressed = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await pressed('j');
    await eventually(current, 'Beta');
    await page.getByText('wiki/homelab/facts/beta.md').waitFor();
    await shown();
    await pressed('a');
    await page.getByText('Promoted Beta').waitFor();
    await eventually(current, 'Gamma');
    await pressed('w');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('ops');
    await pressed('ArrowDown', 'Enter', 'Escape', '2');
    await page.getByText('wiki/ops/decisions/gamma.md').waitFor();
    await shown();
    await pressed('a');
    await page.getByText('Promoted Gamma').waitFor();
    await pressed('r');
    await page.getByLabel('Why reject it?').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Old.');
    await shown();
    await pressed('Enter');
    await page.getByText('Rejected Alpha').waitFor();
    await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
    await pressed('u');
    await page.getByText('Put back Alpha').waitFor();
    expect(await page.evaluate(() => window.hands.paths())).toEqual(
      expect.arrayContaining([
        'raw/2026-11-10-alpha.md',
        'wiki/homelab/facts/beta.md',
        'wiki/ops/decisions/gamma.md',
      ]),
    );
  });

  it('types nothing into the layer that a held key opens', async () => {
    await open({ files: { ...QUEUE, 'raw/2026-11-09-taken.md': rawNote('Taken', '09') } });
    await page.getByRole('alert').getByText('A note already stands at').waitFor();
    await shown();
    await hold(page, 'y', 600);
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await reason.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('yes');
    await eventually(() => reason.inputValue(), 'yes');
  });

  it('gives the note to the app to be edited, and keeps its place', async () => {
    await open();
    await shown();
    await page.keyboard.press('j');
    await becomesCurrent('Beta');
    await page.keyboard.press('e');
    await page.waitForFunction(() => window.hands.traces().active === 'raw/2026-11-11-beta.md');
    await app.show('queue');
    await eventually(current, 'Beta');
  });

  it('lists 2,000 notes, draws those in view, and scrolls to the last', async () => {
    const many = Array.from({ length: 2000 }, (_, n) => [
      `raw/2026-11-01-note-${String(n).padStart(4, '0')}.md`,
      rawNote(`Note ${n}`, '01'),
    ]);
    await open({ files: Object.fromEntries(many) });
    await page.locator(VIEW).getByText('2,000 pending').waitFor();
    const list = page.getByRole('listbox', { name: 'Pending notes' });
    const height = await list.evaluate((element) => element.scrollHeight);
    await list.hover();
    for (let at = 0; at < height; at += 20_000) await page.mouse.wheel(0, 20_000);
    await page.getByRole('option', { name: 'Note 1999' }).waitFor();
    expect(await page.getByRole('option').count()).toBeLessThan(60);
    await list.focus();
    await page.keyboard.press('End');
    await becomesCurrent('Note 1999');
    for (let times = 0; times < 30; times += 1) await page.keyboard.press('k');
    await eventually(current, 'Note 1969');
    await page.getByRole('heading', { name: 'Note 1969' }).first().waitFor();
    await page.locator('.brain-item[aria-current="true"][aria-posinset="1970"]').waitFor();
  });

  it('turns with the theme of the app', async () => {
    await open();
    const colour = () => page.locator('.brain-list').evaluate((element) => getComputedStyle(element).color);
    const light = await colour();
    await page.evaluate(() => window.hands.setTheme('dark'));
    await eventually(async () => (await colour()) === light, false);
    expect(await axeFaults(page, VIEW)).toEqual([]);
  });
});
