import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { type Answer, type Ask, type BrainClient, CallError } from '../../../src/core/registry/client';
import type { OperationName } from '../../../src/core/operation/descriptors';
import type { FileIngest } from '../../../src/ui/client/host';
import type { ScreenName, ScreenParams } from '../../../src/ui/client/screens';

const ORIGIN = 'http://screen.test';

export interface ScreenPageOptions {
  readonly params?: ScreenParams;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly kind?: 'obsidian' | 'web';
  /** The time of the screen; that of the machine unless given. */
  readonly now?: string;
  readonly reducedMotion?: boolean;
  /** What the host answers when a file is to be ingested; not possible unless given. */
  readonly ingestFile?: (name: string, bytes: readonly number[]) => Promise<FileIngest>;
}

export interface ScreenPage {
  readonly page: Page;
  /** What the screen asked of its host, in order. */
  readonly heard: readonly { readonly what: string; readonly detail: unknown[] }[];
  /** What the browser complained about, and requests that left for anywhere else. */
  readonly complaints: readonly string[];
  /** Tells the screen that something in the vault has changed. */
  changed(): Promise<void>;
  show(screen: ScreenName, params?: ScreenParams): Promise<void>;
  close(): Promise<void>;
}

let bundle: Promise<string> | undefined;

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['tests/support/ui/screen-entry.ts'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** A screen in a real browser whose calls are answered by a client of this process. */
export async function openScreen(
  browser: Browser,
  client: BrainClient,
  screen: ScreenName,
  options: ScreenPageOptions = {},
): Promise<ScreenPage> {
  const { params = {}, theme = 'light', width = 1280, height = 800, kind = 'obsidian', now } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    timezoneId: 'UTC',
    locale: 'en-GB',
    reducedMotion: options.reducedMotion === true ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  // Sooner than the test itself, so that it is known what was waited for.
  page.setDefaultTimeout(20_000);
  const heard: { what: string; detail: unknown[] }[] = [];
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  bundle ??= bundled();
  const script = await bundle;
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== ORIGIN) {
      complaints.push(`request to ${url.href}`);
      return route.abort();
    }
    if (url.pathname === '/script.js') {
      return route.fulfill({ contentType: 'text/javascript', body: script });
    }
    return route.fulfill({ contentType: 'text/html', body: html(theme) });
  });
  await page.exposeFunction('testHeard', (what: string, detail: unknown[]) => {
    heard.push({ what, detail });
  });
  await page.exposeFunction('testCall', (name: OperationName, ask: Ask<OperationName>) =>
    replyOf(() => client.call(name, ask)),
  );
  await page.exposeFunction('testFile', (name: string, bytes: readonly number[]) =>
    replyOf(() => {
      if (options.ingestFile === undefined) throw new Error(`The test has no answer to the file ${name}.`);
      return options.ingestFile(name, bytes);
    }),
  );
  const query = new URLSearchParams({ kind, ...(now !== undefined && { now }) });
  await page.goto(`${ORIGIN}/?${query.toString()}`);
  const show = (name: ScreenName, asked: ScreenParams = {}) =>
    page.evaluate(([to, on]) => window.testShow(to, on), [name, asked] as const);
  await show(screen, params);
  return {
    page,
    heard,
    complaints,
    show,
    changed: () => page.evaluate(() => window.testChanged()),
    close: () => context.close(),
  };
}

async function replyOf(call: () => Promise<unknown>): Promise<object> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, details, requestId } = error;
    return { error: { code, message, details, requestId } };
  }
}

/** Nothing from a note may load or run: the page forbids nothing, so that a fault shows as a request. */
function html(theme: 'light' | 'dark'): string {
  const sheets = ['src/headless/page/theme.css', 'styles.css', 'src/ui/web/web.css'];
  const css = sheets.map((sheet) => readFileSync(sheet, 'utf8')).join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Screen</title>
    <link rel="icon" href="data:,"><style>${css}
    html, body, #screen { height: 100%; margin: 0; } dialog:not([open]) { display: none; }</style></head>
    <body class="theme-${theme}"><main id="screen"></main><dialog class="brain-layer"></dialog><script src="/script.js"></script></body></html>`;
}

/** A client that is answered by functions, for states that no real server is in. What has no function fails the test. */
export function scriptedClient(answers: {
  readonly [Name in OperationName]?: (ask: Ask<Name>) => Answer<Name> | Promise<Answer<Name>>;
}): BrainClient {
  return {
    async call(name, ask) {
      const answer = answers[name];
      if (answer === undefined) throw new Error(`The test has no answer to "${name}".`);
      return answer(ask);
    },
    changes: () => () => undefined,
  };
}
