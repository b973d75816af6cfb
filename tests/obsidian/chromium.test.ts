import { build } from 'esbuild';
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';

const ORIGIN = 'http://fake.test/';

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['tests/obsidian/page-entry.ts'],
    alias: { obsidian: resolve('tests/obsidian/index.ts') },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** A page with the fake in it, and what it complained about. */
async function open(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const script = await bundled();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.route('**/*', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>Main</title><style>p { color: red }</style><body class="theme-dark"><script>${script}</script>`,
    }),
  );
  await page.goto(ORIGIN);
  return { page, complaints };
}

describeInBrowser('the fake in a real browser', (browser) => {
  test('holds a vault, draws views, dialogs and settings, and takes them away again', async () => {
    const { page, complaints } = await open(browser());
    const seen = await page.evaluate(async () => {
      const host = await window.fakeHost('frame');
      const { vault, workspace } = host.app;
      const log: unknown[] = [];
      await vault.create('b.md', 'B');
      await host.outside('a.md', '# Changed');
      await host.settle();
      log.push(await host.paths(), window.isNote(vault.getFileByPath('a.md')));
      log.push(await host.textOf('a.md'));
      host.clickRibbon('Open');
      await new Promise((done) => setTimeout(done));
      document.querySelector<HTMLElement>('.view-content button')?.click();
      log.push(
        host.notices.map(({ text }) => text),
        workspace.getLeavesOfType('page-view').length,
      );
      host.runCommand('sample:ask');
      log.push(document.querySelector('.modal input')?.getAttribute('aria-labelledby') !== null);
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      log.push(host.modals.length);
      host.unloadPlugin('sample');
      await host.settle();
      const { views, ribbon, commands, domListeners } = host.leaks();
      log.push([...views, ...ribbon, ...commands, ...domListeners]);
      host.dispose();
      return log;
    });
    expect(seen).toEqual([['a.md', 'b.md'], true, '# Changed', ['Pressed in Main'], 1, true, 0, []]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(['frame', 'window'] as const)('opens a popout in a %s of its own', async (kind) => {
    const { page, complaints } = await open(browser());
    const seen = await page.evaluate(async (popout) => {
      const host = await window.fakeHost(popout);
      const { workspace } = host.app;
      const leaf = workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'page-view', active: true });
      const { view } = leaf;
      const moved = workspace.moveLeafToPopout(leaf);
      workspace.setActiveLeaf(leaf);
      view.containerEl.find('button').click();
      // What moved keeps the classes of its first window; what is made there has those of the new one.
      const fresh = view.containerEl.createEl('button');
      const found = {
        ownDocument: moved.doc !== document && view.containerEl.doc === moved.doc,
        active: activeDocument === moved.doc,
        foreign: !Object.prototype.isPrototypeOf.call(HTMLElement.prototype, fresh),
        instance: fresh.instanceOf(HTMLElement),
        theme: moved.doc.body.hasClass('theme-dark'),
        color: moved.win.getComputedStyle(moved.doc.body.createEl('p')).color,
        notices: host.notices.map(({ text }) => text),
      };
      leaf.detach();
      await host.settle();
      return { ...found, closed: moved.win.closed || moved.win.frameElement === null };
    }, kind);
    expect(seen).toEqual({
      ownDocument: true,
      active: true,
      foreign: true,
      instance: true,
      theme: true,
      color: 'rgb(255, 0, 0)',
      notices: ['Pressed in a popout'],
      closed: true,
    });
    expect(complaints).toEqual([]);
    await page.close();
  });
});
