import { describeInBrowser, eventually } from '../support/browser';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen, scriptedClient } from '../support/ui/screen-page';
import { entry } from '../ui/queue/entries';
import { act, current, titles, VAULT } from './queue-world';

/** Something that waits until the test lets it go on. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describeInBrowser('a note that comes back while the person has gone on', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());

  it.each(['the list comes late', 'the undo itself takes a while'])(
    'takes nobody away from the form of another note, nor letters from what is typed there: %s',
    async (what) => {
      const late = gate();
      let isHeld = false;
      const slow = {
        ...screens.client,
        call: async (name, ask) => {
          const waits = what.startsWith('the list')
            ? name === 'pending' && !('path' in ask)
            : name === 'unpromote';
          if (isHeld && waits) await late.opened;
          return screens.client.call(name, ask);
        },
      } satisfies typeof screens.client;
      const { page, close } = await openScreen(browser(), slow, 'queue');
      await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      await eventually(() => current(page), 'Beta');
      isHeld = true;
      await page.keyboard.press('u');
      if (what.startsWith('the list')) await page.getByText('Put back Alpha').waitFor();
      await page.keyboard.press('r');
      const reason = page.getByLabel('Why reject it?');
      await reason.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Not r');
      late.open();
      await page.getByText('Put back Alpha').waitFor();
      await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']);
      await page.keyboard.type('eally');
      expect(await reason.inputValue()).toBe('Not really');
      expect(await current(page)).toBe('Beta');
      expect(await titles(page)).toEqual(['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']);
      await close();
    },
  );
});

describeInBrowser('a screen while changes come faster than answers', (browser) => {
  /** Answers that each wait until the test lets the next one go. */
  function answers() {
    const waiting: ReturnType<typeof gate>[] = [];
    return {
      next: async (): Promise<void> => {
        const own = gate();
        waiting.push(own);
        await own.opened;
      },
      /** Lets the oldest one go, which has been asked for by then. */
      release: async (): Promise<void> => {
        await eventually(async () => waiting.length > 0, true);
        waiting.shift()?.open();
      },
    };
  }
  const unanswered = () => new Promise<never>(() => undefined);

  it('shows the queue as it was when it was last read', async () => {
    const all = [entry('First', 1), entry('Second', 2), entry('Third', 3)];
    let count = 1;
    const { next, release } = answers();
    const client = scriptedClient({
      pending: async (ask) => {
        if ('path' in ask && ask.path !== undefined) return unanswered();
        const pending = all.slice(0, count);
        await next();
        return { count: pending.length, total: pending.length, pending };
      },
      wings: () => ({ wings: [] }),
      note: unanswered,
      gate: unanswered,
      promote: unanswered,
    });
    const { page, changed, close } = await openScreen(browser(), client, 'queue');
    await release();
    await eventually(() => titles(page), ['First']);
    for (const expected of [2, 3]) {
      count = expected;
      await changed();
      await changed();
      await release();
      await eventually(async () => (await titles(page)).length >= expected - 1, true);
    }
    await changed();
    await release();
    await eventually(() => titles(page), ['First', 'Second', 'Third']);
    await close();
  });

  it('shows on the home screen what an earlier question was answered, until a later one is', async () => {
    const { next, release } = answers();
    let notes = 400;
    const client = scriptedClient({
      overview: async () => {
        notes += 1;
        const now = notes;
        await next();
        return {
          notes: now,
          added: 3,
          stale: 0,
          queue: { count: 0, ages: { under_1_day: 0, days_1_to_3: 0, days_4_to_7: 0, over_7_days: 0 } },
          writes: { notes: 0, writer_count: 0, writers: [] },
          undated: 0,
          owner_notes: 0,
          wings: [],
          latest: [],
          may: [],
          growth: [],
        };
      },
      wings: () => ({ wings: [] }),
      status: unanswered,
      verifyAudit: () => ({ files: [], lines: 12, problem_count: 0, problems: [] }),
    });
    const { page, changed, close } = await openScreen(browser(), client, 'home');
    for (const shown of [401, 402, 403]) {
      await changed();
      await release();
      await page.getByText(String(shown)).waitFor();
    }
    await close();
  });
});
