import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { LiveScreens } from '../support/ui/live-screen';
import type { ScreenPage } from '../support/ui/screen-page';

const HEAD = 'origin: mcp\nwritten_by: laptop (claude-code 2.1.300)';

/** A note of the queue of that day in November. */
export function raw(title: string, day: string, rest = '', body = 'Text of the note.'): string {
  return `---\ntitle: "${title}"\ncreated_at: 2026-11-${day}T09:12:00Z\n${HEAD}\n${rest}---\n\n# ${title}\n\n${body}\n`;
}

export const FACTS = 'wing: homelab\nhall: facts\n';
/** A queue of five notes, and some that stand in the wiki. */
export const VAULT = {
  'raw/2026-11-10-alpha.md': raw('Alpha', '10', FACTS, 'First of all. See [[mtu]] and [[Nobody]].'),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS),
  'raw/2026-11-12-gamma.md': raw('Gamma', '12'),
  'raw/2026-11-13-delta.md': raw('Delta', '13', 'wing: network\nhall: decisions\n'),
  'raw/2026-11-14-epsilon.md': raw('Epsilon', '14', FACTS),
  'wiki/homelab/facts/taken.md': raw('Taken', '01', FACTS),
  'wiki/network/facts/mtu.md': raw('MTU', '01'),
  'wiki/ops/facts/mtu.md': raw('MTU', '01'),
};

export const current = (page: Page) => page.locator('.brain-item[aria-current="true"] b').textContent();
export const titles = (page: Page) => page.locator('.brain-item:not(.is-leaving) b').allTextContents();
export const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('role') ?? '');
export const button = (page: Page, name: RegExp | string) => page.getByRole('button', { name });

/** Presses a key that decides, once the current note or the selected ones are shown in full. */
export async function act(page: Page, key: string): Promise<void> {
  await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
  await page.keyboard.press(key);
}

/** Holds a key down as a keyboard does: one press, then its repetitions. */
export async function hold(page: Page, key: string, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    await page.keyboard.down(key);
    await page.waitForTimeout(33);
  }
  await page.keyboard.up(key);
}

/** The files of a vault, as they are on the disk. */
export function filesOf(screens: () => LiveScreens) {
  return {
    file: (path: string) => readFile(join(screens().live.root, path), 'utf8'),
    list: (path: string) => readdir(join(screens().live.root, path)).catch(() => []),
  };
}

/**
 * Tells the screen of changes until it shows something: the server has to notice them first. Ever less often, so that a slow
 * machine is left time to answer.
 */
export async function until({ changed }: ScreenPage, shown: Locator): Promise<void> {
  for (let pause = 150; pause < 8000; pause *= 1.5) {
    await changed();
    const isShown = await shown.waitFor({ timeout: pause }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  throw new Error('The change was not shown.');
}
