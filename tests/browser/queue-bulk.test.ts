import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { BrainClient } from '../../src/core/registry/client';
import { describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen } from '../support/ui/screen-page';
import { act, current, FACTS, raw, titles, VAULT } from './queue-world';

describeInBrowser('what came of several notes', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());

  /** Three are ticked, of which one has left the queue by another hand: two go, one fails. */
  const decide = async (): Promise<Page> => {
    const { page } = await screens.open(browser(), 'queue');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+J');
    await page.getByRole('heading', { name: '2 notes selected' }).waitFor();
    await rm(join(screens.live.root, 'raw/2026-11-11-beta.md'));
    // The screen hears of it with its own next answer, which has to know.
    const waiting = async () => {
      const { pending } = await screens.client.call('pending', {});
      return pending.some(({ title }) => title === 'Beta');
    };
    await eventually(waiting, false);
    await act(page, 'a');
    await page.getByRole('button', { name: 'With 2 risky' }).press('Enter');
    await page.getByText('Promoted Alpha').waitFor();
    return page;
  };

  it.each([
    ['after it was taken back', true],
    ['while it stands', false],
  ] as const)('is not told of the next selection, %s', async (_, takesBack) => {
    const page = await decide();
    const left = takesBack ? ['Alpha', 'Gamma', 'Delta', 'Epsilon'] : ['Gamma', 'Delta', 'Epsilon'];
    if (takesBack) {
      await page.keyboard.press('u');
      await page.getByText('Put back Alpha').waitFor();
    }
    await eventually(() => titles(page), left);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: `${left.length} notes selected` }).waitFor();
    await page.getByText(/\d promoted/).waitFor({ state: 'detached' });
    await page.getByText('1 note failed').waitFor({ state: 'detached' });
  });

  it('goes with what is taken back, and stands until then while notes are still selected', async () => {
    const { page } = await screens.open(browser(), 'queue');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Control+A');
    await act(page, 'a');
    await page.getByRole('heading', { name: '1 risky' }).waitFor();
    expect((await screens.client.call('pending', {})).total).toBe(5);
    await page.getByRole('button', { name: 'With 1 risky' }).press('Enter');
    await page.getByText('4 promoted').waitFor();
    await page.getByRole('heading', { name: '1 note selected' }).waitFor();
    await page.keyboard.press('u');
    await page.getByText('Put back 4 notes').waitFor();
    await page.getByRole('heading', { name: '1 note selected' }).waitFor();
    await page.getByText('4 promoted').waitFor({ state: 'detached' });
  });
});

describeInBrowser('a screen while many notes leave it', (browser) => {
  const COUNT = 30;
  let screens: LiveScreens;
  beforeAll(async () => {
    const notes = Array.from({ length: COUNT }, (_, index) => {
      const title = `Entry ${String(index).padStart(2, '0')}`;
      return [`raw/2026-11-10-${title.toLowerCase().replace(' ', '-')}.md`, raw(title, '10', FACTS)] as const;
    });
    screens = await startLiveScreens(Object.fromEntries(notes));
  });
  afterAll(() => screens.stop());

  it('reads none of them, and then the one that is left', async () => {
    const read: string[] = [];
    const failed: string[] = [];
    let deciding = false;
    const counted = {
      ...screens.client,
      call: async (name, ask) => {
        deciding ||= name === 'reject';
        const isRead = name === 'note' || name === 'gate' || (name === 'pending' && 'path' in ask);
        if (isRead && deciding) read.push(name);
        try {
          return await screens.client.call(name, ask);
        } catch (error) {
          failed.push(name);
          throw error;
        }
      },
    } satisfies BrainClient;
    const { page, changed, close } = await openScreen(browser(), counted, 'queue');
    await page.getByText(`${COUNT} pending`).waitFor();
    await page.keyboard.press('Control+A');
    await page.getByRole('heading', { name: `${COUNT} notes selected` }).waitFor();
    // The last one stays.
    await page.keyboard.press('End');
    await page.keyboard.press('x');
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: `${COUNT - 1} notes selected` }).waitFor();
    await page.keyboard.press('r');
    await act(page, 'Enter');
    await page.getByRole('progressbar').waitFor();
    await changed();
    await page.getByText(`Rejected ${COUNT - 1} notes`).waitFor();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    const last = `Entry ${COUNT - 1}`;
    await eventually(() => current(page), last);
    await page.locator('.brain-preview article').getByText('Text of the note.').waitFor();
    await page.getByText('The gate finds nothing to remove').waitFor();
    expect(failed).toEqual([]);
    // The one that is left, when it comes into sight and once more after the change; none of the others.
    expect(read.length).toBeLessThanOrEqual(6);
    await close();
  });
});
