import type { Answer } from '../../src/core/registry/client';
import { describeInBrowser, eventually } from '../support/browser';
import { openScreen, scriptedClient } from '../support/ui/screen-page';
import { focused } from './queue-world';

type Call = Answer<'audit'>['entries'][number];

const call = (seq: number): Call => ({
  v: 1,
  ts: `2026-11-20T10:00:${String(seq).padStart(2, '0')}Z`,
  seq,
  id: `r${seq}`,
  tool: 'brain_query',
  actor: 'laptop',
  auth: 'read',
  ok: true,
  args: { query: `question ${seq}` },
  paths: [],
  unlinked: 0,
  duration_ms: 1,
});

/** The audit screen over a log of so many calls, which may grow. */
function growing(lines: number) {
  const log = { lines };
  const client = scriptedClient({
    audit: () => {
      const entries = Array.from({ length: log.lines }, (_, index) => call(log.lines - index));
      return { count: entries.length, total: entries.length, entries };
    },
    verifyAudit: () => ({ files: [], lines: log.lines, problem_count: 0, problems: [] }),
  });
  return { log, client };
}

describeInBrowser('the audit screen while agents call', (browser) => {
  const NOW = '2026-11-20T12:00:00Z';

  it('says of as many calls as it shows whether their chain holds', async () => {
    const { log, client } = growing(10);
    const { page, changed, close } = await openScreen(browser(), client, 'audit', { now: NOW });
    const rows = page.locator('.brain-calls tr[aria-selected]');
    await page.getByText('Chain verified, 10 lines').waitFor();
    for (const lines of [13, 14]) {
      log.lines = lines;
      await changed();
      await eventually(() => rows.count(), lines);
      await page.getByText(`Chain verified, ${lines} lines`).waitFor();
    }
    await close();
  });

  it.each([
    ['heading', 'h1'],
    ['list', '.brain-audit-main > .brain-scroll'],
  ])(
    'has the focus in the facts of a call that Enter opened from the %s, and then in the list',
    async (_, from) => {
      const { client } = growing(10);
      const { page, close } = await openScreen(browser(), client, 'audit', { now: NOW, width: 380 });
      await page.locator('.brain-calls tr[aria-selected]').first().waitFor();
      await page.evaluate((selector) => {
        const element = document.querySelector<HTMLElement>(selector);
        if (element === null) throw new Error('There is no such element.');
        element.tabIndex = -1;
        element.focus();
      }, from);
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      const facts = page.getByRole('region', { name: 'Facts of this call' });
      await facts.and(page.locator(':focus')).waitFor();
      await page.getByText('line 9').waitFor();
      await page.keyboard.press('j');
      await page.getByText('line 8').waitFor();
      await facts.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Calls' }).and(page.locator(':focus')).waitFor();
      await close();
    },
  );

  it('has it in the facts of a call that was clicked where they cover the list, and not beside them', async () => {
    for (const [width, expected] of [
      [380, 'Facts of this call'],
      [1488, 'Calls'],
    ] as const) {
      const { client } = growing(10);
      const { page, close } = await openScreen(browser(), client, 'audit', { now: NOW, width });
      await page.locator('.brain-calls tr[aria-selected]').nth(2).click();
      await page.getByText('line 8').waitFor();
      await page.getByRole('region', { name: expected }).and(page.locator(':focus')).waitFor();
      expect(await focused(page)).toBe('region');
      await close();
    }
  });
});
