import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { ScreenName, ScreenParams } from '../../../src/ui/client/screens';
import { bundlePage } from './bundle-page';
import type { Start } from './page-entry';

/** A secure context, as the app's own origin is. Nothing is served there but what stands below. */
const ORIGIN = 'https://app.test';

/** The fake app draws its parts and leaves their look to the test: as much of it as the views need. */
const APP_LOOK = `
  html, body { margin: 0; height: 100%; }
  .app-container, .workspace, .workspace-split, .workspace-tabs, .workspace-leaf, .workspace-leaf-content {
    display: flex; flex: 1 1 0; flex-direction: column; min-width: 0; min-height: 0; }
  .app-container, body > .workspace-split { height: 100%; }
  .workspace-ribbon, .view-header { display: none; }
  .status-bar { order: 1; }
  .view-content { flex: 1 1 0; min-height: 0; overflow: auto; padding: 16px; }
  .modal-container { position: fixed; inset: 0; z-index: 50; display: flex; align-items: center; justify-content: center; }
  .modal-bg { position: absolute; inset: 0; background: rgb(0 0 0 / 50%); }
  .modal { position: relative; max-height: 85vh; overflow: auto; padding: 16px; color: var(--text-normal);
    background: var(--background-primary); }
  .notice-container { position: fixed; top: 0; right: 0; }
`;

export interface AppPage {
  readonly page: Page;
  /** Whatever went wrong in any window: errors and warnings of the console, and requests that left. */
  readonly complaints: readonly string[];
  /** Brings a screen to the front and resolves when it is drawn. */
  show(screen: ScreenName, params?: ScreenParams): Promise<void>;
  /** Ends it. @throws when anything of `complaints` stands there: no test wants a request. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly ollama?: Start['ollama'];
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** The plugin in a fake app in a real browser, with its server agreed to; only nobody listens. */
export async function openApp(browser: Browser, options: AppOptions = {}): Promise<AppPage> {
  const { files = {}, ollama, theme = 'light', width = 1280, height = 800 } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    timezoneId: 'UTC',
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  const script = await bundlePage();
  await context.route('**/*', (route) => {
    const href = route.request().url();
    if (href === `${ORIGIN}/`) return route.fulfill({ contentType: 'text/html', body: html(theme) });
    if (href === `${ORIGIN}/page.js`) return route.fulfill({ contentType: 'text/javascript', body: script });
    const file = href.startsWith(`${ORIGIN}/files/`)
      ? files[decodeURIComponent(href.slice(ORIGIN.length + 7))]
      : undefined;
    if (file !== undefined) return route.fulfill({ contentType: 'image/svg+xml', body: file });
    complaints.push(`request to ${href}`);
    return route.abort();
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto(`${ORIGIN}/`);
  await page.evaluate((start) => window.startApp(start), { files, ...(ollama && { ollama }) });

  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Brain running').waitFor({ state: 'attached' });
  return {
    page,
    complaints,
    async show(screen, params) {
      await page.evaluate(([to, on]) => window.hands.show(to, on), [screen, params] as const);
      await page.locator(`[data-type="brain-server-${screen}"] .brain-screen`).waitFor();
    },
    async close() {
      await context.close();
      if (complaints.length > 0) throw new Error(`The app complained:\n${complaints.join('\n')}`);
    },
  };
}

function html(theme: 'light' | 'dark'): string {
  const css =
    readFileSync('src/headless/page/theme.css', 'utf8') + APP_LOOK + readFileSync('styles.css', 'utf8');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">
    <style>${css}</style></head><body class="theme-${theme}"><script src="/page.js"></script></body></html>`;
}
