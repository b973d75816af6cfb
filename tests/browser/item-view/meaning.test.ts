import { mkdirSync } from 'node:fs';
import { axeFaults, describeInBrowser, eventually } from '../../support/browser';
import { type AppOptions, openApp } from './app-page';

const FILES = {
  'wiki/net/facts/auto.md':
    '---\nwing: net\nhall: facts\n---\n# Automobile\n\nThe automobile stands outside, where it has stood since the garage was sold to the baker.\n',
  'wiki/net/facts/car.md': '---\nwing: net\nhall: facts\n---\n# Car\n\nA car.\n',
  'wiki/net/facts/rain.md': '---\nwing: net\nhall: facts\n---\n# Rain\n\nIt is wet.\n',
};
const SHOTS = process.env.BRAIN_SHOTS;

describeInBrowser('the set-up of search by meaning', (browser) => {
  const open = async (options: AppOptions = {}) => {
    const app = await openApp(browser(), { files: FILES, ...options });
    await app.page.evaluate(() => window.hands.run('set-up-meaning'));
    const dialog = app.page.getByRole('dialog', { name: 'Search by meaning' });
    await dialog.getByText('Search goes by words alone.').waitFor();
    const shot = async (name: string) => {
      if (SHOTS === undefined) return;
      mkdirSync(SHOTS, { recursive: true });
      await app.page.screenshot({ path: `${SHOTS}/${name}.png` });
    };
    return { ...app, dialog, shot };
  };

  it('finds an embedder, shows what a question finds, and turns it on, by keys alone', async () => {
    const { page, dialog, shot, close } = await open({
      ollama: { 'nomic-embed-text:latest': ['embedding'], 'qwen3:14b': ['completion'] },
    });
    const focus = async (what: ReturnType<typeof dialog.getByRole>) => {
      await eventually(async () => {
        await page.keyboard.press('Tab');
        return what.evaluate((element) => element === element.ownerDocument.activeElement);
      }, true);
    };
    await shot('meaning-off');
    await focus(dialog.getByRole('radio', { name: 'Off' }));
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('In files of this device').waitFor();
    await focus(dialog.getByRole('button', { name: 'Look for embedders' }));
    await page.keyboard.press('Enter');
    const models = dialog.getByRole('radiogroup', { name: 'Models of Ollama' });
    await eventually(() => models.getByRole('radio').allTextContents(), ['nomic-embed-text']);
    await dialog.getByText('LM Studio does not run on this machine.').waitFor();
    await dialog.getByText('Nothing leaves it.').waitFor();
    await shot('meaning-found');
    await focus(dialog.getByLabel('A question of your own'));
    await page.keyboard.type('vehicle');
    await page.keyboard.press('Enter');
    const found = dialog.getByRole('region', { name: 'What was found' });
    await found.getByText('The embedder read all 3 notes.').waitFor();
    await found.getByText('Of 1 fragment from the middle of these notes').waitFor();
    const titles = (way: string) => found.getByRole('region', { name: way }).locator('li').allTextContents();
    expect(await titles('By words')).toEqual([]);
    expect((await titles('By meaning')).slice(0, 2).sort()).toEqual(['Automobile', 'Car']);
    expect((await titles('By both')).slice(0, 2).sort()).toEqual(['Automobile', 'Car']);
    expect(await axeFaults(page, '.modal-content .brain-meaning')).toEqual([]);
    await shot('meaning-tried');
    await focus(dialog.getByRole('radio', { name: 'By ranks' }));
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('Meaning gets the weight that it earns').waitFor();
    await shot('meaning-fusion');
    await focus(dialog.getByRole('button', { name: 'Turn on' }));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Brain running').waitFor({ state: 'attached' });
    const saved = await page.evaluate(() => window.hands.textOf('.obsidian/plugins/brain-server/data.json'));
    expect(JSON.parse(saved ?? '')).toMatchObject({
      vectorStore: 'local',
      embedUrl: 'http://127.0.0.1:11434',
      embedModel: 'nomic-embed-text',
      fusion: 'measured',
    });
    await close();
  });

  it('offers the command for a model where an Ollama has none, in the dark and narrow', async () => {
    const { page, dialog, shot, close } = await open({
      ollama: { 'qwen3:14b': ['completion'] },
      theme: 'dark',
      width: 390,
      height: 844,
    });
    await dialog.getByRole('radio', { name: 'On this device' }).click();
    await dialog.getByRole('button', { name: 'Look for embedders' }).click();
    await dialog.getByText('ollama pull nomic-embed-text').waitFor();
    await shot('meaning-none-dark');
    expect(await axeFaults(page, '.modal-content .brain-meaning')).toEqual([]);
    await close();
  });

  it('says what fails, and turns nothing on that is not whole', async () => {
    const { page, dialog, close } = await open();
    await dialog.getByRole('radio', { name: 'Postgres' }).click();
    await dialog.getByText('Set the connection string of the database in the settings first.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Turn on' }).isDisabled()).toBe(true);
    await dialog.getByRole('radio', { name: 'On this device' }).click();
    for (const address of ['ai.lan', 'localhost:11434', 'http://ai.lan\\@localhost']) {
      await dialog.getByLabel('Address').fill(address);
      await dialog.getByText('Use a web address.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Turn on' }).isDisabled()).toBe(true);
    }
    await dialog.getByLabel('Address').fill('http://127.0.0.1:11434');
    await dialog.getByRole('radio', { name: 'OpenAI-compatible' }).click();
    expect(await dialog.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:1234/v1');
    await dialog.getByLabel('Address').fill('https://ai.example/v1');
    await dialog.getByText('is sent to ai.example.').waitFor();
    await dialog.getByLabel('A question of your own').fill('vehicle');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    await dialog.getByText('The embedder at ai.example cannot be reached').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Nothing was saved.
    expect(
      await page.evaluate(() => window.hands.textOf('.obsidian/plugins/brain-server/data.json')),
    ).toBeNull();
    await close();
  });
});
