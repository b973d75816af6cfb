import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { openApp } from '../tests/browser/item-view/app-page';
import { chromiumPath, launchBrowser } from '../tests/support/browser';
import { costliest, type Phase, watchLongTasks, watchPage } from './page-watch';
import { ms, randomFrom, serve, table, textOf, Timings, withFolder } from './support';

const TOKEN = 'token-of-the-bench-which-is-long-enough-000';
/** About as far as a page down goes in a list of this height, in pixels. */
const SCROLL_STEP = 600;
const MOVES = 200;
/** The keys of a slow device: the browser's thread gets this part of the CPU. */
const SLOWED = 4;
const KEYS = 60;
/** A person looks at a note for this long before the next key, in milliseconds. */
const THOUGHT_MS = 500;
const WINDOW = { width: 1280, height: 800 };

/**
 * The review queue with so many pending notes in a real browser, on the page of the built server and as a view of the app: how
 * long the thread of the window is held while the list is read, scrolled from top to bottom, gone through note by note, and
 * brought up to date after a change.
 */
export async function benchScroll(notes: number): Promise<void> {
  if (chromiumPath === null) {
    console.log(
      '## Scrolling the review queue\n\nLeft out: there is no Chromium. Install it or set CHROMIUM_PATH.\n',
    );
    return;
  }
  const files = queueOf(notes);
  const browser = await launchBrowser();
  try {
    await onPlainPage(browser);
    await onServedPage(browser, files, notes);
    await inApp(browser, files, notes);
  } finally {
    await browser.close();
  }
}

/** What no screen can be quicker than: a page with nothing but one text of 300 words, which a key replaces by another. */
async function onPlainPage(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: WINDOW });
  const random = randomFrom(4);
  const texts = Array.from({ length: 10 }, () => textOf(300, random));
  await page.setContent('<div class="brain-page"><h2 class="brain-page-title">0</h2><p></p></div>');
  await page.evaluate((all) => {
    let shown = 0;
    document.addEventListener('keydown', () => {
      shown += 1;
      document.querySelector('h2')?.replaceChildren(String(shown));
      document.querySelector('p')?.replaceChildren(all[shown % all.length] ?? '');
    });
  }, texts);
  console.log('## The floor: a page with one text\n');
  await measureKeys(page);
  await page.close();
}

/** Here a server does the work of the vault: what is measured is drawing. */
async function onServedPage(browser: Browser, files: Files, notes: number): Promise<void> {
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(vault, path)), { recursive: true });
      await writeFile(join(vault, path), text);
    }
    const served = await serve(vault, join(folder, 'config'), TOKEN, { BRAIN_WATCH: 'on' });
    try {
      const page = await browser.newPage({ viewport: WINDOW });
      const script = await namedScript();
      await page.route('**/page.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.goto(`${served.url}/#token=${TOKEN}`);
      await page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
      const open = () => page.evaluate(() => void (window.location.hash = '#/queue'));
      const add = (path: string, text: string) => writeFile(join(vault, path), text);
      report(`${notes} pending notes on the page of the server`, await measure(page, { notes, open, add }));
      await page.getByRole('listbox', { name: 'Pending notes' }).focus();
      await measureKeys(page);
    } finally {
      await served.stop();
    }
  });
}

/** Here the vault is read in the very thread that draws the window, as in the app. */
async function inApp(browser: Browser, files: Files, notes: number): Promise<void> {
  const app = await openApp(browser, { files, ...WINDOW });
  const { page } = app;
  // Reading the notes is another figure.
  await page
    .locator('.brain-status', { hasText: new RegExp(`^${notes.toLocaleString('en')} pending`) })
    .waitFor();
  const open = () => app.show('queue');
  const add = (path: string, text: string) =>
    page.evaluate(([at, content]) => window.hands.outside(at, content), [path, text] as const);
  report(`${notes} pending notes in a view of the app`, await measure(page, { notes, open, add }));
  await page.getByRole('listbox', { name: 'Pending notes' }).focus();
  await measureKeys(page);
  await app.close();
}

type Files = Readonly<Record<string, string>>;

/** A queue as agents bring it, and a wiki that its notes may be similar to. */
function queueOf(notes: number): Files {
  const random = randomFrom(3);
  const text = (title: string) =>
    `---\ntitle: ${title}\ncreated_at: 2026-11-10T00:00:00Z\norigin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n` +
    `wing: homelab\nhall: facts\n---\n# ${title}\n\n${textOf(300, random)}\n\n## More\n\n- one\n- two, see [[fact-7]]\n`;
  const many = (count: number, path: (n: number) => string, title: string) =>
    Array.from({ length: count }, (_, n) => [path(n), text(`${title} ${n}`)]);
  return Object.fromEntries([
    ...many(notes, (n) => `raw/2026-11-10-note-${String(n).padStart(4, '0')}.md`, 'Note'),
    ...many(100, (n) => `wiki/homelab/facts/fact-${n}.md`, 'Fact'),
  ]);
}

/** The script of the page as it is served, but with the names of its functions, which the profile is read by. */
async function namedScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['src/headless/page/main.tsx'],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** What pressing `j` costs on a slow device: from the key to the frame in which the text of the next note is drawn. */
async function measureKeys(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  };
  await page.keyboard.press('Home');
  await page.waitForTimeout(THOUGHT_MS);
  const before = await heap();
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  const longTasks = await watchLongTasks(page);
  const drawn = await page.evaluateHandle(watchNotesDrawn);
  const steps = new Timings();
  for (let n = 0; n < KEYS; n += 1) {
    await page.keyboard.press('j');
    await page.waitForTimeout(THOUGHT_MS);
    const took = await drawn.evaluate((times) => times.splice(0));
    if (took.length !== 1) throw new Error(`J drew ${took.length} notes within ${THOUGHT_MS} ms, not one.`);
    for (const time of took) steps.add(time);
  }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const after = await heap();
  console.log(`From J to the next note drawn, CPU slowed ${SLOWED} times:\n`);
  table(
    ['keys', 'p50', 'p95 (goal 50 ms)', 'slowest', 'long tasks over 50 ms (goal 0)', 'heap before, after'],
    [
      [
        String(KEYS),
        ms(steps.quantile(0.5)),
        ms(steps.quantile(0.95)),
        ms(steps.quantile(1)),
        String((await longTasks.jsonValue()).length),
        `${before.toFixed(1)}, ${after.toFixed(1)} MiB`,
      ],
    ],
  );
}

/** Runs in the page: adds to its list, for each key, the time until the frame after the text of another note stands in the preview. */
function watchNotesDrawn(): number[] {
  const times: number[] = [];
  // A note without its text yet counts as not drawn.
  const drawn = () =>
    document.querySelector('.brain-page:has(p)')?.querySelector('.brain-page-title')?.textContent;
  let pressed: { readonly at: number; readonly old: string | undefined } | null = null;
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => {
      pressed = { at: timeStamp, old: drawn() };
    },
    { capture: true },
  );
  new MutationObserver(() => {
    const now = drawn();
    if (pressed === null || now === undefined || now === pressed.old) return;
    const { at } = pressed;
    pressed = null;
    requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - at)));
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  return times;
}

interface Measured {
  readonly notes: number;
  readonly open: () => Promise<void>;
  readonly add: (path: string, text: string) => Promise<void>;
}

async function measure(page: Page, { notes, open, add }: Measured): Promise<Phase[]> {
  const watch = await watchPage(page);
  const list = page.getByRole('listbox', { name: 'Pending notes' });
  const isListed = (count: number) =>
    page.getByText(`${count.toLocaleString('en')} pending, oldest first`).waitFor();
  return [
    await watch('open the queue and read it', ({ time }) =>
      time(async () => {
        await open();
        await isListed(notes);
      }),
    ),
    await watch('scroll from top to bottom', async ({ steps }) => {
      for (const took of await list.evaluate(scrollThrough, SCROLL_STEP)) steps.add(took);
    }),
    await watch(`move ${MOVES} times with J and K`, async ({ time }) => {
      await list.focus();
      await page.keyboard.press('Home');
      for (let n = 0; n < MOVES; n += 1) {
        // Three steps on, one back, as one who looks again.
        await time(async () => {
          await page.keyboard.press(n % 4 === 3 ? 'k' : 'j');
          await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
        });
      }
    }),
    await watch('follow one new note', ({ time }) =>
      time(async () => {
        await add('raw/2026-11-11-new.md', '# New\n\nText.\n');
        await isListed(notes + 1);
      }),
    ),
  ];
}

/** Runs in the page: scrolls by so many pixels a frame to the end, and answers how long each frame took. */
async function scrollThrough(element: Element, by: number): Promise<number[]> {
  const took: number[] = [];
  const end = element.scrollHeight - element.clientHeight;
  for (let top = 0; top < end;) {
    top = Math.min(end, top + by);
    const start = performance.now();
    element.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    took.push(performance.now() - start);
  }
  return took;
}

function report(title: string, phases: readonly Phase[]): void {
  console.log(`## ${title}, Chromium\n`);
  table(
    ['', 'steps', 'p50 a step', 'p99', 'long tasks over 50 ms (goal 0)', 'longest', 'rows drawn'],
    phases.map(({ name, steps, longTasks, rows }) => [
      name,
      String(steps.count),
      ms(steps.quantile(0.5)),
      ms(steps.quantile(0.99)),
      String(longTasks.length),
      longTasks.length === 0 ? 'none' : ms(Math.max(...longTasks)),
      String(rows),
    ]),
  );
  for (const { name, profile } of phases) {
    console.log(`Where the thread of the window was, while it did this: ${name}\n`);
    table(
      ['function', 'alone', 'with what it calls'],
      costliest(profile).map(({ name: of, own, whole }) => [of, ms(own), ms(whole)]),
    );
  }
}
