import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { filesOf, raw, FACTS, VAULT } from './queue-world';

const PATH = 'raw/2026-11-10-alpha.md';

describeInBrowser('a note of the queue that a person edits on the page', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());
  const { file } = filesOf(() => screens);

  const open = async (options: Parameters<LiveScreens['open']>[2] = {}) => {
    const screen = await screens.open(browser(), 'queue', { kind: 'web', ...options });
    const { page } = screen;
    await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
    await page.keyboard.press('e');
    const text = page.getByRole('textbox', { name: 'Text of the note' });
    await text.and(page.locator(':focus')).waitFor();
    return { ...screen, text };
  };

  it.each([1280, 390])('is saved by the keys, with a preview beside it, at %i px', async (width) => {
    const { page, text, changed, complaints } = await open({ width, params: { path: PATH } });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('A **second** line.');
    await page.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'second' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await text.waitFor({ state: 'detached' });
    const saved = await file(PATH);
    expect(saved).toContain('A **second** line.');
    expect(saved).toContain('written_by: human:me');
    await changed();
    await page.locator('.brain-preview').getByText('second').waitFor();
    expect(complaints).toEqual([]);
  });

  it('asks at Escape, and keeps what is unsaved over a reload', async () => {
    const { page, text, show } = await open();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Half a thought');
    await page.keyboard.press('Escape');
    await page.getByText('Your text is not saved.').waitFor();
    await page.keyboard.press('Enter');
    await text.and(page.locator(':focus')).waitFor();
    await page.reload();
    await show('queue');
    await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
    await page.keyboard.press('e');
    await page.getByText('Your unsaved text from before is here.').waitFor();
    await eventually(async () => (await text.inputValue()).endsWith('Half a thought'), true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard it' }).click();
    await text.waitFor({ state: 'detached' });
    expect(await file(PATH)).not.toContain('Half a thought');
    await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await text.waitFor();
    expect(await text.inputValue()).not.toContain('Half a thought');
  });

  it('gives the keyboard to the question as soon as Escape asks it', async () => {
    const { page, text } = await open();
    await page.keyboard.type('X');
    const focused = await text.evaluate(async (area) => {
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      // The question is rendered, and nothing is painted yet.
      await Promise.resolve().then(() => undefined);
      return document.activeElement?.textContent;
    });
    expect(focused).toBe('Go on');
  });

  it('is not saved over a text that came meanwhile, and shows both', async () => {
    const { page, text } = await open();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Mine.');
    await writeFile(join(screens.live.root, PATH), raw('Alpha', '10', FACTS, 'Theirs.'));
    await page.keyboard.press('Control+s');
    await page.getByText('The note has changed since you began. Nothing was saved.').waitFor();
    await page.getByRole('region', { name: 'Text on the disk' }).getByText('Theirs.').waitFor();
    expect(await text.inputValue()).toContain('Mine.');
    expect(await file(PATH)).toContain('Theirs.');
    expect(await axeFaults(page)).toEqual([]);
    await page.screenshot({ path: '/tmp/keys/e-conflict.png' });
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByRole('button', { name: /^Save/ }).last().click();
    await text.waitFor({ state: 'detached' });
    expect(await file(PATH)).toContain('Mine.');
  });
});
