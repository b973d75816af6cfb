import { StopController } from '../../src/core/base/concurrency';
import { CallError } from '../../src/core/registry/client';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen, scriptedClient } from '../support/ui/screen-page';
import { entry } from '../ui/queue/entries';
import { act, button, current, FACTS, raw, titles, until } from './queue-world';

const BY_BOT = 'wing: ops\nhall: facts\n';
const bot = (text: string) => text.replace('laptop (claude-code 2.1.300)', 'ci-bot');

const QUEUE = {
  'raw/2026-11-10-alpha.md': raw(
    'Alpha',
    '10',
    FACTS,
    'Alpha is about the backup of the office printer queue.',
  ),
  'raw/2026-11-11-beta.md': raw('Beta', '11', FACTS, '<script>alert(1)</script>'),
  'raw/2026-11-12-gamma.md': bot(
    raw('Gamma', '12', BY_BOT, 'Gamma waits for the nightly snapshot of the pool.'),
  ),
  'raw/2026-11-13-delta.md': bot(
    raw('Delta', '13', BY_BOT, 'Delta has a link to [[Nobody]] that leads nowhere.'),
  ),
  'raw/2026-11-14-taken.md': raw('Taken', '14', `${FACTS}due: "<% tp.date.now() %>"\n`, 'A taken address.'),
  'wiki/homelab/facts/taken.md': raw('Taken', '01', FACTS, 'Something else that stands there already.'),
};

describeInBrowser('triage', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(QUEUE);
  });
  afterEach(() => screens.stop());

  const opened = async () => {
    const screen = await screens.open(browser(), 'queue');
    await screen.page.getByRole('option').first().waitFor();
    return screen;
  };

  it('filters, groups and sorts by keys, keeps the filter on the device, and is accessible', async () => {
    const { page } = await opened();
    await button(page, 'Filter, group and sort').press('Enter');
    await page.getByRole('combobox', { name: 'Writer' }).selectOption('ci-bot');
    await eventually(() => titles(page), ['Gamma', 'Delta']);
    await page.getByText('2 found of 5 pending: ci-bot').waitFor();
    await button(page, 'Save this filter').press('Enter');
    await button(page, 'Clear').press('Enter');
    await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Taken']);
    await page.getByRole('combobox', { name: 'Risk' }).selectOption('any');
    await eventually(() => titles(page), ['Beta', 'Delta', 'Taken']);
    await page.getByRole('combobox', { name: 'Order' }).selectOption('risk');
    await eventually(() => titles(page), ['Beta', 'Taken', 'Delta']);
    await page.getByRole('combobox', { name: 'Group' }).selectOption('wing');
    await eventually(() => page.locator('.brain-group').allTextContents(), ['homelab (2)', 'ops (1)']);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Saved filters' }).selectOption('ci-bot');
    await eventually(() => titles(page), ['Gamma', 'Delta']);
    await button(page, 'Forget this filter').press('Enter');
    await eventually(() => page.getByRole('combobox', { name: 'Saved filters' }).count(), 0);
  });

  it('says in the panel that a property has template code', async () => {
    const { page } = await opened();
    await page.keyboard.press('End');
    await page.locator('.brain-item[aria-current="true"]', { hasText: 'Taken' }).waitFor();
    await page.getByRole('region', { name: 'Gate' }).getByText('Template code in the properties').waitFor();
    await page.getByText('The property “due” has template code').waitFor();
    await page.getByText('The gate finds nothing to remove').waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);
  });

  it('tells what the gate made harmless when a note came in, in the row, beside the note and in bulk', async () => {
    const content =
      '# Tainted\n\nThe chart of last week: ![chart](https://example.org/chart.png) and [[Nobody]].\n\n![x](https://example.org/x.png)\n';
    const note = { wing: 'homelab', hall: 'facts', slug: 'tainted', content };
    expect((await screens.live.http('POST', '/write', note, 'proposer')).status).toBe(200);
    const { page } = await opened();
    await page.keyboard.press('End');
    const row = page.locator('.brain-item[aria-current="true"]', { hasText: 'Tainted' });
    await row.getByText('Made harmless').waitFor();
    await page.getByText('A remote image became a link: lines 3, 5 as sent.').waitFor();
    await page.getByText('A link that leads nowhere became text: line 3 as sent.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByText('The gate finds nothing more to remove').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await act(page, 'a');
    await page.getByRole('heading', { name: '1 risky' }).waitFor();
    expect(await page.getByText('Made harmless').count()).toBe(2);
  });

  it('draws each heading of a group with its row, at the place that the list counts with', async () => {
    const { page } = await opened();
    await button(page, 'Filter, group and sort').press('Enter');
    await page.getByRole('combobox', { name: 'Group' }).selectOption('agent');
    await page.locator('.brain-group').first().waitFor();
    const { drawn, counted } = await page.locator('.brain-items').evaluate((list) => {
      const rows = [...list.querySelectorAll('.brain-item')];
      const top = list.querySelector('.brain-group')?.getBoundingClientRect().top ?? 0;
      const bottom = rows.at(-1)?.getBoundingClientRect().bottom ?? 0;
      const flagged = rows.filter((row) => row.querySelector('.brain-item-flags') !== null).length;
      const headings = list.querySelectorAll('.brain-group').length;
      return { drawn: bottom - top, counted: rows.length * 92 + flagged * 22 + headings * 28 };
    });
    // The gap below the last row is not drawn; the list counts it.
    expect(Math.abs(drawn - counted)).toBeLessThanOrEqual(2);
  });

  it('snoozes with one key, hides what is snoozed behind a button, and wakes it', async () => {
    const screen = await opened();
    const { page } = screen;
    await act(page, 'z');
    await eventually(() => titles(page), ['Beta', 'Gamma', 'Delta', 'Taken']);
    await eventually(() => current(page), 'Beta');
    const waiting = async () =>
      (await screens.client.call('pending', {})).pending[0]?.snoozed_until !== undefined;
    await eventually(waiting, true);
    await page.getByText('4 pending, oldest first').waitFor();
    await button(page, 'Snoozed (1)').press('Enter');
    await eventually(() => titles(page), ['Alpha']);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('listbox').focus();
    await act(page, 'z');
    await eventually(waiting, false);
    await page.getByText('No note is snoozed.').waitFor();
    await button(page, 'Snoozed (0)').press('Enter');
    await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Taken']);
  });

  it('names near-equal notes above the text, compares them by key, and goes to them', async () => {
    const text = 'The nightly backup of the office server starts at four and takes about an hour.';
    await screens.stop();
    screens = await startLiveScreens({
      ...QUEUE,
      'raw/2026-11-15-one.md': raw('One', '15', FACTS, text),
      'raw/2026-11-16-two.md': raw('Two', '16', FACTS, text.replace('four', 'five')),
    });
    const { page } = await screens.open(browser(), 'queue', { params: { path: 'raw/2026-11-15-one.md' } });
    const line = page.getByRole('status').filter({ hasText: 'Nearly the same as: Two' });
    await line.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await line.getByRole('button', { name: 'Compare with Two' }).click();
    await page.locator('.brain-diff').getByText('five').first().waitFor();
    await eventually(() => line.getByRole('button', { name: /^Compare/ }).count(), 0);
    await line.getByRole('button', { name: 'Two' }).click();
    await eventually(() => current(page), 'Two');
    await page.getByText('Nearly the same as: One').waitFor();
  });

  it('says why a note could not be snoozed, and lists it again', async () => {
    const screen = await opened();
    const { page } = screen;
    await screens.client.call('reject', { path: 'raw/2026-11-10-alpha.md' });
    await act(page, 'z');
    await page.getByText('Not snoozed: It is no longer in the queue.').waitFor();
    await until(screen, page.getByText('4 pending'));
  });
});

describeInBrowser('a long queue that is compared with itself', (browser) => {
  it('is listed at once, and names near-equal notes when they are known', async () => {
    const known = new StopController();
    const listed = (same: readonly string[]) =>
      ['alpha', 'beta'].map((name, at) =>
        entry(name, at + 1, {
          same: same.filter((path) => !path.includes(name)),
          risks: same.length > 0 ? ['near_duplicate'] : [],
        }),
      );
    const client = scriptedClient({
      pending: async ({ path, wait = true }) => {
        if (wait) await new Promise<void>((resolve) => known.onStop(resolve));
        const all = listed(known.stopped ? ['raw/alpha.md', 'raw/beta.md'] : []);
        const pending = all.filter((one) => path === undefined || one.path === path);
        return {
          count: pending.length,
          total: pending.length,
          ...(!known.stopped && { looking: true }),
          pending,
        };
      },
      wings: () => ({ wings: [] }),
      note: () => {
        throw new CallError('source_missing', 'It is gone.');
      },
      gate: () => {
        throw new CallError('source_missing', 'It is gone.');
      },
    });
    const { page, close } = await openScreen(browser(), client, 'queue');
    await page.getByText('2 pending, oldest first, comparing…').waitFor();
    await eventually(() => titles(page), ['alpha', 'beta']);
    known.stop();
    await page.getByText('Nearly the same as: beta').waitFor();
    await eventually(() => page.locator('.brain-item').getByText('Like another').count(), 2);
    await eventually(() => page.getByText('comparing…').count(), 0);
    await close();
  });

  it('shows the key that compares once the similar notes are known', async () => {
    const known = new StopController();
    const all = ['alpha', 'beta'].map((name, at) =>
      entry(name, at + 1, {
        same: [name === 'alpha' ? 'raw/beta.md' : 'raw/alpha.md'],
        risks: ['near_duplicate'],
      }),
    );
    const client = scriptedClient({
      pending: async ({ path }) => {
        if (path !== undefined) await new Promise<void>((resolve) => known.onStop(resolve));
        const pending = all.filter((one) => path === undefined || one.path === path);
        return { count: pending.length, total: pending.length, pending };
      },
      wings: () => ({ wings: [] }),
      note: () => {
        throw new CallError('source_missing', 'It is gone.');
      },
      gate: () => {
        throw new CallError('source_missing', 'It is gone.');
      },
    });
    const { page, close } = await openScreen(browser(), client, 'queue');
    const compare = page.getByRole('status').getByRole('button', { name: 'Compare with beta' });
    await compare.waitFor();
    expect(await compare.locator('.brain-kbd').count()).toBe(0);
    known.stop();
    await eventually(() => compare.locator('.brain-kbd').allTextContents(), ['C']);
    await close();
  });
});
