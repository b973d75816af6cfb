import { describeInBrowser, eventually } from '../support/browser';
import { Served, wikiNote } from './served';

const stamps = (updated: string) =>
  `origin: mcp\npromoted_at: 2026-02-01T00:00:00Z\npromoted_by: human:me\nupdated_at: ${updated}`;

const VAULT = {
  'wiki/net/facts/changed.md': wikiNote('Changed tunnel', 'The tunnel needs 1380.').replace(
    'origin: mcp',
    stamps('2026-03-01T00:00:00Z'),
  ),
  'wiki/net/facts/kept.md': wikiNote('Kept tunnel', 'The tunnel needs 1412.').replace(
    'origin: mcp',
    stamps('2026-01-15T00:00:00Z'),
  ),
};

describeInBrowser('a promoted note whose text was changed after its review', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  it('says so in the results, beside them and where it is read, and no other note does', async () => {
    const { page, complaints } = await served.open(browser(), '#/search', {
      viewport: { width: 1488, height: 800 },
    });
    const flagOf = (title: string) =>
      page.locator('.brain-result', { hasText: title }).getByText('changed since review').count();
    await page.getByRole('searchbox', { name: 'Search the brain' }).fill('tunnel');
    await eventually(() => page.locator('.brain-results .brain-result').count(), 2);
    expect([await flagOf('Changed tunnel'), await flagOf('Kept tunnel')]).toEqual([1, 0]);
    await page.locator('.brain-result', { hasText: 'Changed tunnel' }).click();
    await eventually(() => page.getByText('changed since review').count(), 2);
    await page.evaluate(() => (window.location.hash = '#/note?path=wiki/net/facts/changed.md'));
    await page.getByText('changed since review').waitFor();
    expect(complaints).toEqual([]);
  });
});
