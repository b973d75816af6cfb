import { describeInBrowser, eventually } from '../../support/browser';
import { openApp } from './app-page';
import { QUEUE, rawNote } from './notes';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>parent.ran = 1; window.ran = 2</script><rect width="40" height="20"/></svg>';
const BODY = '![[plan.svg|A plan|300]]\n\n![[taken]]\n\n![[gone.png]]';

describeInBrowser('the preview of a note inside the app', (browser) => {
  it('shows images under the addresses of the app, embedded notes, and runs nothing', async () => {
    const files = {
      ...QUEUE,
      'raw/2026-11-13-preview.md': rawNote('Preview', '13', undefined, BODY),
      'Attachments/plan.svg': SVG,
    };
    const app = await openApp(browser(), { files });
    await app.show('queue', { path: 'raw/2026-11-13-preview.md' });
    const image = app.page.locator('.brain-note img');
    await image.waitFor();
    expect(await image.getAttribute('src')).toBe('https://app.test/files/Attachments%2Fplan.svg');
    await eventually(() => image.evaluate((one) => one instanceof HTMLImageElement && one.width), 300);
    await app.page
      .getByRole('group', { name: 'Embedded note: Taken' })
      .getByText('Text of the note.')
      .waitFor();
    await app.page
      .locator('.brain-embed', { hasText: 'gone.png' })
      .getByText('no note has this name')
      .waitFor();
    expect(await app.page.evaluate(() => Reflect.get(window, 'ran') ?? null)).toBeNull();
    await app.close();
  });
});
