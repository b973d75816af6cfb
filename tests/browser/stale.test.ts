import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { Served } from './served';

const claim = (title: string, at: string) =>
  `---\ntitle: ${title}\nwing: homelab\nhall: facts\ncreated_at: ${at}\nhalf_life: volatile\nclaim_provenance: asserted\norigin: mcp\nwritten_by: laptop\n---\n\n# ${title}\n\nThe tunnel uses an MTU of 1420.\n`;
const FILES = {
  'wiki/homelab/facts/oldest.md': claim('Oldest claim', '2020-01-01T00:00:00Z'),
  'wiki/homelab/facts/middle.md': claim('Middle claim', '2021-01-01T00:00:00Z'),
  'wiki/homelab/facts/newest.md': claim('Newest claim', '2022-01-01T00:00:00Z'),
  'wiki/homelab/facts/older.md': claim('Older claim', '2022-06-01T00:00:00Z').replace(
    'claim_provenance: asserted\n',
    '',
  ),
  'wiki/homelab/facts/fresh.md': '# Fresh\n\nNo half-life.\n',
};

describeInBrowser('stale claims', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(FILES));
  afterAll(() => served.end());
  const stale = async () => {
    const { notes } = await served.call('/notes?stale=true');
    return Array.isArray(notes) ? notes.map(({ path }: { path: string }) => path) : [];
  };
  const note = async (path: string) => served.call(`/note?path=${path}`);

  it('are confirmed, moved and superseded by keys, and each act is taken back', async () => {
    const before = await Promise.all(Object.keys(FILES).map(note));
    const { page, complaints } = await served.open(browser(), '#/stale', {
      viewport: { width: 1280, height: 800 },
    });
    await page.getByRole('heading', { name: '4 stale claims' }).waitFor();
    await page.locator('article').getByText('The tunnel uses').waitFor();
    expect(await page.getByRole('option').allTextContents()).toEqual([
      expect.stringContaining('Oldest claim'),
      expect.stringContaining('Middle claim'),
      expect.stringContaining('Newest claim'),
      expect.stringContaining('Older claim'),
    ]);
    expect(await axeFaults(page, '.brain-stale')).toEqual([]);

    await page.keyboard.press('a');
    await page.getByText('“Oldest claim” still holds').waitFor();
    await page.getByRole('heading', { name: '3 stale claims' }).waitFor();
    expect(await note('wiki/homelab/facts/oldest.md')).toMatchObject({
      frontmatter: { verified_by: 'human:me' },
      stale: false,
    });
    await page.locator('.brain-stale-facts').getByText('middle.md').waitFor();

    await page.keyboard.press('h');
    await page.getByText('“Middle claim” is a hypothesis now').waitFor();
    expect(await note('wiki/homelab/hypotheses/middle.md')).toMatchObject({ hall: 'hypotheses' });

    await page.keyboard.press('z');
    await page.getByText('Taken back: “Middle claim” is a hypothesis now').waitFor();
    await page.keyboard.press('z');
    await page.getByText('Taken back: “Oldest claim” still holds').waitFor();
    await page.getByRole('heading', { name: '4 stale claims' }).waitFor();
    expect(await Promise.all(Object.keys(FILES).map(note))).toEqual(before);

    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.locator('.brain-stale-facts').getByText('oldest.md').waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What holds now').waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# Oldest claim\n\nThe tunnel uses an MTU of 1412.\n');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Measured anew');
    await page.keyboard.press('Enter');
    await page.getByText('“Oldest claim” is superseded').waitFor();
    expect(await note('wiki/homelab/facts/oldest.md')).toMatchObject({
      body: expect.stringContaining('1412'),
      // The text before, and that which was confirmed.
      history: 2,
    });
    await eventually(async () => (await stale()).length, 3);
    // A note that has just moved may still be asked for at the path that it left.
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
    await page.context().close();
  });

  it('without a provenance get one from the person who supersedes them', async () => {
    const path = 'wiki/homelab/facts/older.md';
    const { page } = await served.open(browser(), `#/stale?path=${encodeURIComponent(path)}`);
    await page.locator('.brain-stale-facts').getByText('older.md').waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What holds now').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# Older claim\n\nThe tunnel uses an MTU of 1412.\n');
    await page.keyboard.press('Tab');
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Measured anew');
    await page.keyboard.press('Enter');
    await page.getByText('“Older claim” is superseded').waitFor();
    expect(await note(path)).toMatchObject({
      frontmatter: { half_life: 'volatile', claim_provenance: 'asserted' },
      body: expect.stringContaining('1412'),
    });
    await page.keyboard.press('z');
    await page.getByText('Put the text of “Older claim” back.').waitFor();
    await page.context().close();
  });

  it('are acted on once by a key that is held down', async () => {
    const count = (await stale()).length;
    const { page } = await served.open(browser(), '#/stale');
    await page.locator('article').first().waitFor();
    await page.keyboard.down('a');
    for (let time = 0; time < 20; time += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await eventually(async () => (await stale()).length, count - 1);
    await page.getByText('still holds', { exact: false }).first().waitFor();
    expect((await stale()).length).toBe(count - 1);
    await page.context().close();
  });
});
