import type { Page } from 'playwright-core';
import { sha256 } from '../../src/core/base/hash';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { openApp } from './item-view/app-page';
import { Served } from './served';

const note = (title: string, rest = '') =>
  `---\nwing: homelab\nhall: facts\norigin: mcp\nwritten_by: ci-bot\n${rest}---\n# ${title}\n\nWords about ${title} alone.\n`;
const READY = ['raw/2026-11-10-alpha.md', note('Alpha')] as const;
/** The log of the service says that it wrote the first note. Nothing says so of the second. */
const FILES = {
  [READY[0]]: READY[1],
  'raw/2026-11-11-beta.md': note('Beta'),
  'wiki/homelab/facts/dns.md': '# DNS\n\nNames.\n',
  '.brain/changes/2026-11.another1.jsonl': `${JSON.stringify({
    ts: '2026-11-10T00:00:00Z',
    op: 'write',
    notes: [[READY[0], null, sha256(READY[1])]],
  })}\n`,
};

/** Makes a rule, tries it and switches it on, by the keyboard alone. */
async function switchOn(page: Page): Promise<void> {
  await page.getByText('Every note waits for you').waitFor();
  await page.keyboard.press('n');
  await page.keyboard.type('ci');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ci-bot');
  await page.keyboard.press('Enter');
  await page.getByText('“ci” would promote 1 note and leave 1 to you.').waitFor();
  await page.getByText('The service did not put it into the queue.').waitFor();
  expect(await axeFaults(page, '.brain-rules')).toEqual([]);
  for (let tabs = 0; tabs < 12; tabs += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.textContent === 'Switch on')) break;
  }
  await page.keyboard.press('Enter');
  await page.getByText('“ci” is on.').waitFor();
  await page.getByText('Promotes notes of ci-bot').waitFor();
}

describeInBrowser('rules', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(FILES));
  afterAll(() => served.end());

  it('are tried, switched on and undone by keys on the page', async () => {
    const { page, complaints } = await served.open(browser(), '#/rules', {
      viewport: { width: 1280, height: 900 },
    });
    await switchOn(page);
    await page.getByText('1 of 50 today · 1 in all').waitFor();
    const { notes } = await served.call('/notes?wing=homelab');
    expect(notes).toContainEqual(expect.objectContaining({ path: 'wiki/homelab/facts/alpha.md' }));
    expect(await axeFaults(page, '.brain-rules')).toEqual([]);

    const button = (name: string) => page.getByRole('button', { name });
    await button('Switch off ci').focus();
    await page.keyboard.press('Enter');
    await page.getByText('“ci” is off.').waitFor();
    await button('Undo what ci did').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await eventually(() => dialog.getByLabel('Writer').inputValue(), 'human:me/rule:ci');
    await dialog.getByLabel('Writer').press('Enter');
    await dialog.getByText('1 note of human:me/rule:ci').waitFor();
    await dialog.getByRole('button', { name: 'Undo 1 note' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('undone.').waitFor();
    expect(await served.call(`/note?path=${READY[0]}`)).toMatchObject({ content_hash: sha256(READY[1]) });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('asks for another try after a change of the draft', async () => {
    const { page } = await served.open(browser(), '#/rules');
    await page.getByRole('textbox', { name: 'Name' }).fill('other');
    await page.getByRole('combobox', { name: 'Writer' }).fill('ci-bot');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await page.getByLabel('Hall').selectOption('Decisions');
    await eventually(() => page.getByRole('button', { name: 'Switch on' }).count(), 0);
    await page.getByLabel('At most a day').fill('many');
    await page.getByText('A whole number from 1 to 1,000').waitFor();
    expect(await page.getByRole('button', { name: 'Try it' }).last().isDisabled()).toBe(true);
    await page.context().close();
  });

  it('are tried and switched on by keys in the app, and act there', async () => {
    const app = await openApp(browser(), { files: FILES });
    await app.show('rules');
    await app.page.locator('.brain-rules').click();
    await switchOn(app.page);
    await app.page.getByText('1 of 50 today · 1 in all').waitFor();
    await app.close();
  });
});
