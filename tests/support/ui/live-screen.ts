import type { Browser } from 'playwright-core';
import type { Settings } from '../../../src/core/config/config';
import type { BrainClient } from '../../../src/core/registry/client';
import { createHttpClient } from '../../../src/ui/client/http';
import type { ScreenName } from '../../../src/ui/client/screens';
import { type LiveServer, startLiveServer } from '../live-server';
import { openScreen, type ScreenPage, type ScreenPageOptions } from './screen-page';

/** A real server over a vault of its own, and screens in a real browser that work on it. */
export interface LiveScreens {
  readonly live: LiveServer;
  readonly client: BrainClient;
  open(browser: Browser, screen: ScreenName, options?: ScreenPageOptions): Promise<ScreenPage>;
  stop(): Promise<void>;
}

/** Starts a server with these files. Screens hear of changes when the test says so, never by themselves. */
export async function startLiveScreens(
  files: Readonly<Record<string, string>>,
  settings: Settings = {},
): Promise<LiveScreens> {
  const live = await startLiveServer(files, { rateLimit: 0, ...settings });
  const client = createHttpClient({
    url: live.url,
    token: () => 'owner',
    fetch,
    pace: { later: () => () => undefined, isVisible: () => false, onVisible: () => () => undefined },
  });
  const open: ScreenPage[] = [];
  return {
    live,
    client,
    async open(browser, screen, options) {
      const page = await openScreen(browser, client, screen, options);
      open.push(page);
      return page;
    },
    async stop() {
      for (const page of open) await page.close();
      await live.stop();
    },
  };
}
