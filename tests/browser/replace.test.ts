import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { Served, wikiNote } from './served';
import { act } from './queue-world';

const OLD = 'wiki/homelab/facts/wireguard-mtu.md';
const QUEUED = 'raw/2026-11-20-wireguard-mtu.md';
const NEXT = 'raw/2026-11-21-dns.md';
const CURRENT = wikiNote('WireGuard MTU', 'The tunnel of the wireguard router uses an MTU of 1420 bytes.');
const CORRECTION =
  '---\nwing: homelab\nhall: facts\norigin: mcp\nwritten_by: laptop\n---\n# WireGuard MTU\n\nThe tunnel of the wireguard router uses an MTU of 1412 bytes.\n';

describeInBrowser('a correction of a standing note', (browser) => {
  let served: Served;
  beforeEach(() => {
    served = new Served();
    return served.start({ [OLD]: CURRENT, [QUEUED]: CORRECTION, [NEXT]: '# DNS\n\nKnot answers names.\n' });
  });
  afterEach(() => served.end());
  const content = async (path: string) => {
    const { content_hash: hash } = await served.call(`/note?path=${path}`);
    return (await served.call(`/history?hash=${String(hash)}`)).content;
  };
  const open = async (width = 1280) => {
    const opened = await served.open(browser(), '#/queue', { viewport: { width, height: 900 } });
    await opened.page.locator('article').getByText('1412').waitFor();
    // The address that the note suggests is taken.
    await opened.page.getByRole('button', { name: 'Replace it' }).waitFor({ state: 'attached' });
    return opened;
  };

  it('replaces it by keys at the collision, and is taken back byte for byte', async () => {
    const { page, complaints } = await open();
    await act(page, 'y');
    const dialog = page.getByRole('dialog');
    await dialog.locator('del', { hasText: '1420' }).waitFor();
    await dialog.locator('ins', { hasText: '1412' }).waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.keyboard.type('Measured anew');
    await page.keyboard.press('Enter');
    await page.getByText('Replaced a note by').waitFor();
    await eventually(async () => String(await content(OLD)).includes('1412'), true);
    expect(await served.call(`/note?path=${OLD}`)).toMatchObject({
      frontmatter: { supersede_reason: 'Measured anew', promoted_by: 'human:me', written_by: 'laptop' },
    });
    await page.locator('article').getByText('Knot answers').waitFor();
    expect((await served.call('/pending')).total).toBe(1);
    await page.keyboard.press('u');
    await page.getByText('Put back').waitFor();
    expect([await content(OLD), await content(QUEUED)]).toEqual([CURRENT, CORRECTION]);
    expect(complaints.filter((words) => !words.startsWith('Failed to load resource'))).toEqual([]);
    await page.context().close();
  });

  it('is merged by hand, and what is shown is what will be', async () => {
    const { page } = await open();
    await act(page, 'y');
    const dialog = page.getByRole('dialog');
    await dialog.locator('ins', { hasText: '1412' }).waitFor();
    await page.keyboard.type('Both hold');
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      if (await dialog.getByRole('button', { name: 'Merge by hand' }).evaluate((it) => it.matches(':focus')))
        break;
    }
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Merged').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# WireGuard MTU\n\nThe MTU is 1420 or 1412. <script>x</script>\n');
    await dialog.locator('.brain-diff').getByText('&lt;script').first().waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Replaced a note by').waitFor();
    expect(await content(OLD)).toMatch(/The MTU is 1420 or 1412\. &lt;script>x&lt;\/script>/);
    await page.context().close();
  });
});
