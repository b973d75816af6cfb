import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { Served, wikiNote } from './served';

/** The folder that a person brings, with what becomes a note and what does not. */
const GARDEN = {
  'Plants/Tomato.md': '# Tomato\n\nSown in March, see [[Basil]].\n',
  'Plants/Basil.md': '# Basil\n\nKeeps the whitefly away.\n\n![leaf](../pictures/leaf.png)\n',
  'Beds/North.md': '# North bed\n\nShady until noon.\n\n```dataviewjs\napp.vault\n```\n',
  'Same.md': '# One\n\nThe same text.\n',
  'pictures/leaf.png': 'not really a picture',
  'broken.pdf': 'no PDF',
  '.hidden/secret.md': '# Secret\n',
};

const VAULT = {
  'wiki/homelab/facts/one.md': wikiNote('One'),
  'Same.md': GARDEN['Same.md'],
};

describeInBrowser('importing on the screen', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  const garden = (): string => {
    const folder = path.join(served.sandbox.folder, 'garden');
    for (const [name, text] of Object.entries(GARDEN)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    return folder;
  };
  const inVault = (name: string): string => path.join(served.sandbox.vault, name);
  const hits = async (query: string): Promise<unknown[]> => {
    const { results } = await served.call('/query', { query });
    return Array.isArray(results) ? results.map(({ path: at }: { path: string }) => at) : [];
  };
  /** Drops files onto the screen. */
  const drop = (on: Page, files: readonly (readonly [string, string])[]): Promise<void> =>
    on.evaluate((list) => {
      const data = new DataTransfer();
      for (const [name, body] of list) data.items.add(new File([body], name));
      document
        .querySelector('.brain-frame')
        ?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, files);

  it('brings a folder, finds it, adopts one folder of it, and takes the rest back', async () => {
    const { page, complaints } = await served.open(browser(), '#/imports', { bypassCSP: true });
    await page.getByRole('heading', { name: 'Bring notes from elsewhere' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.locator('input[webkitdirectory]').setInputFiles(garden());
    await page.getByText('6 files').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('garden');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Import “garden”?' }).waitFor();
    const preview = page.getByRole('region', { name: 'Bring notes from elsewhere' });
    await preview.getByText('4 notes').waitFor();
    expect(await preview.getByRole('row').allTextContents()).toEqual([
      'FolderNotesSuggested wing',
      'Plants2plants',
      'Beds1beds',
      'No folder1garden',
    ]);
    await preview.getByText('Become no note').click();
    await preview.getByText('broken.pdf', { exact: true }).waitFor();
    await preview.getByText('Have the text of a note that is there').click();
    await preview.getByRole('button', { name: 'Same.md' }).waitFor();
    await preview.getByText('Have parts that are made harmless').click();
    await preview.getByText('Beds/North.md').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(existsSync(inVault('imports'))).toBe(false);
    await page.keyboard.press('i');

    await page.getByText('They can be searched now.').waitFor();
    expect(readFileSync(inVault('imports/garden/Plants/Tomato.md'), 'utf8')).toBe(GARDEN['Plants/Tomato.md']);
    expect(existsSync(inVault('imports/garden/.hidden'))).toBe(false);
    expect(await hits('whitefly')).toEqual(['imports/garden/Plants/Basil.md']);

    await page.getByRole('link', { name: 'Open the import' }).click();
    await page.getByRole('button', { name: 'Adopt… Plants' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Adopt… Plants' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox').inputValue()).toBe('plants');
    await dialog.getByRole('radio', { name: 'Facts' }).click();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Adopt', exact: true }).click();
    await page.getByText('Adopted 2 notes into the wiki.').waitFor();
    expect(await hits('whitefly')).toEqual(['wiki/plants/facts/Basil.md']);

    await page.keyboard.press('t');
    await dialog.getByText('4 files leave the vault.', { exact: false }).waitFor();
    await dialog.getByText('2 files that you have adopted', { exact: false }).waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('You can put it back for 30 days.').waitFor();
    expect(existsSync(inVault('imports'))).toBe(false);
    expect(existsSync(inVault('wiki/plants/facts/Basil.md'))).toBe(true);

    await page.getByRole('button', { name: 'Put back' }).click();
    await page.getByText('Put back: its files are in the vault again.').waitFor();
    expect(readFileSync(inVault('imports/garden/Beds/North.md'), 'utf8')).toContain('Shady until noon.');
    await page.keyboard.press('l');
    await page.getByRole('link', { name: 'garden' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('changes nothing when the preview is cancelled', async () => {
    const { page } = await served.open(browser(), '#/imports');
    await page.getByRole('heading', { name: 'Bring notes from elsewhere' }).waitFor();
    await drop(page, [['Diary.md', '# Diary\n\nRain.\n']]);
    await page.getByLabel('Name').fill('rainy');
    await page.getByRole('checkbox', { name: 'Only me' }).click();
    await page.getByRole('button', { name: 'Show what it makes' }).click();
    await page.getByText('You alone', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Drop files or folders here').waitFor();
    expect(existsSync(inVault('imports/rainy'))).toBe(false);
    await page.context().close();
  });

  it('takes an archive that is dropped on the queue, and leaves other files there', async () => {
    const { page } = await served.open(browser(), '#/queue');
    await page.getByText('Nothing waits for review').waitFor();
    await drop(page, [
      ['old.enex', '<en-export/>'],
      ['plain.md', '# Plain\n\nA source.\n'],
    ]);
    await page.getByText('An archive of notes is imported', { exact: false }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('old');
    await eventually(async () => (await served.call('/pending')).total, 1);
    await page.context().close();
  });
});
