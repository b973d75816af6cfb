import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];

/**
 * Where a Chromium may stand: what the environment says, then where Linux distributions put it. The one without windows comes
 * first: it takes half the computing time.
 */
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The Chromium of this machine, or null. */
const chromiumPath: string | null = CANDIDATES.find((path) => path !== undefined && existsSync(path)) ?? null;

/** Starts a Chromium of its own. @throws when this machine has none. */
async function launchBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('There is no Chromium. Install it or set CHROMIUM_PATH.');
  return chromium.launch({ executablePath: chromiumPath, args: ARGS });
}

/**
 * A suite that needs a real browser, which `body` gets as a function to be called inside of tests. Without a Chromium the
 * suite is skipped and says so; in CI (`CI` is set) that is a failure, so that it cannot go unnoticed.
 */
export function describeInBrowser(name: string, body: (browser: () => Browser) => void): void {
  if (chromiumPath === null && process.env.CI === undefined) {
    console.warn(`Skipped "${name}": there is no Chromium. Install it or set CHROMIUM_PATH.`);
    describe.skip(name, () => {
      body(() => {
        throw new Error('There is no Chromium.');
      });
    });
    return;
  }
  describe(name, () => {
    jest.setTimeout(LONGEST_MS);
    let running: Browser | undefined;
    beforeAll(async () => {
      running = await launchBrowser();
    });
    afterAll(async () => {
      await running?.close();
    });
    body(() => {
      if (running === undefined) throw new Error('The browser has not started yet.');
      return running;
    });
  });
}

/** How long a test may take: longer than what it waits for, which can then say that it did not come. */
const LONGEST_MS = 90_000;
/** How long a page may take over what a test waits for, in milliseconds: long, since it costs nothing where it is fast. */
const PATIENCE_MS = 10_000;

/**
 * Reads again and again until what is read equals `expected`, as `toEqual` has it: for what a page shows only after another
 * answer or rendering than the one that was waited for. @throws the difference when it does not within ten seconds.
 */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    try {
      expect(found).toEqual(expected);
      return;
    } catch (difference) {
      if (performance.now() > end) throw difference;
    }
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

const AXE = resolve('node_modules/axe-core/axe.min.js');

/**
 * Runs axe-core (WCAG 2.2 A and AA, and best practice) on the page, or on the part of it that `root` selects. Answers one
 * line for each element that breaks a rule. Landmarks are left to the page around a screen, so `region` is not asked.
 */
export async function axeFaults(page: Page, root = 'body'): Promise<string[]> {
  // As the tester's own script: the page's content security policy lets no script tag in.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async (selector: string) => {
    interface Axe {
      run(
        context: string,
        options: object,
      ): Promise<{
        violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
      }>;
    }
    const { axe } = window as unknown as { axe: Axe }; // axe-core puts itself there.
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run(selector, {
      runOnly: { type: 'tag', values: tags },
      rules: { region: { enabled: false }, 'target-size': { enabled: true } },
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
    );
  }, root);
}

/** Notes every request that leaves for an origin other than `own`, for tests that want none. */
export function foreignRequests(page: Page, own: string): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith('about:') && !url.startsWith('blob:')) seen.push(url);
  });
  return seen;
}
