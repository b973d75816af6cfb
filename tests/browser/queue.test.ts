import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { type LiveScreens, startLiveScreens } from '../support/ui/live-screen';
import { openScreen, type ScreenPage, scriptedClient } from '../support/ui/screen-page';
import { type Entry, entry } from '../ui/queue/entries';
import { act, button, current, FACTS, filesOf, focused, raw, titles, until, VAULT } from './queue-world';

describeInBrowser('the review queue', (browser) => {
  let screens: LiveScreens;
  beforeEach(async () => {
    screens = await startLiveScreens(VAULT);
  });
  afterEach(() => screens.stop());

  async function open(
    options: Parameters<LiveScreens['open']>[2] = {},
  ): Promise<ScreenPage & { page: Page }> {
    const screen = await screens.open(browser(), 'queue', options);
    await screen.page.getByRole('option').first().waitFor({ state: 'attached' });
    return screen;
  }
  const { file, list } = filesOf(() => screens);

  describe('one note', () => {
    it('is promoted with the keys alone, and taken back', async () => {
      const { page, complaints } = await open();
      await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']);
      await eventually(() => focused(page), 'listbox');
      await page.keyboard.press('j');
      await eventually(() => current(page), 'Beta');
      await page.getByText('wiki/homelab/facts/beta.md').waitFor();
      await act(page, 'a');
      await page.getByText('Promoted Beta').waitFor();
      await eventually(() => current(page), 'Gamma');
      await eventually(() => focused(page), 'listbox');
      expect(await file('wiki/homelab/facts/beta.md')).toContain('promoted_by: human:me');
      expect(await list('raw')).not.toContain('2026-11-11-beta.md');

      await page.keyboard.press('u');
      await page.getByText('Put back Beta').waitFor();
      await page.locator('.brain-item[aria-current="true"]', { hasText: 'Beta' }).waitFor();
      await eventually(() => titles(page), ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']);
      expect(await list('wiki/homelab/facts')).not.toContain('beta.md');
      expect(complaints).toEqual([]);
    });

    it('is rejected with a reason, and taken back', async () => {
      const { page } = await open();
      await page.keyboard.press('r');
      await page.getByLabel('Why reject it?').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('No measurement.');
      await act(page, 'Enter');
      await page.getByText('Rejected Alpha').waitFor();
      await eventually(() => current(page), 'Beta');
      await eventually(() => focused(page), 'listbox');
      expect(await file('raw/rejected/2026-11-10-alpha.md')).toContain('reject_reason: No measurement.');

      await page.keyboard.press('u');
      await page.getByText('Put back Alpha').waitFor();
      await page.locator('.brain-item[aria-current="true"]', { hasText: 'Alpha' }).waitFor();
      expect(await file('raw/2026-11-10-alpha.md')).not.toContain('reject_reason');
    });

    it('takes a ready-made reason, and none after Escape', async () => {
      const { page } = await open();
      await page.keyboard.press('r');
      await button(page, 'Not verified').click();
      await eventually(() => page.getByLabel('Why reject it?').inputValue(), 'Not verified');
      await page.keyboard.press('Escape');
      await button(page, /^Promote/).waitFor();
      await eventually(() => focused(page), 'listbox');
      expect(await list('raw')).toContain('2026-11-10-alpha.md');
    });

    it('needs a wing and a hall, and says so at the field', async () => {
      const { page } = await open({ params: { path: 'raw/2026-11-12-gamma.md' } });
      await eventually(() => current(page), 'Gamma');
      await act(page, 'a');
      await page.getByRole('alert').getByText('Choose a wing.').waitFor();
      await eventually(() => focused(page), 'combobox');
      const wings = page.getByRole('listbox', { name: 'Wings' });
      await page.keyboard.type('net');
      await wings.getByRole('option', { name: 'network', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await eventually(() => page.getByRole('combobox').inputValue(), 'network');
      // A text that fits no wing makes none unless its row is chosen.
      await page.keyboard.press('Control+A');
      await page.keyboard.type('hous');
      await wings.getByRole('option', { name: 'Create wing “hous”' }).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await act(page, 'a');
      await page.getByRole('alert').getByText('Choose a wing.').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('combobox').fill('net');
      await page.keyboard.press('Tab');
      await eventually(() => page.getByRole('combobox').inputValue(), 'network');
      await page.locator('.brain-items').focus();
      await act(page, 'a');
      await page.getByRole('alert').getByText('Choose a hall.').waitFor();
      await page.keyboard.press('2');
      await page.getByText('wiki/network/decisions/gamma.md').waitFor();
      await act(page, 'a');
      await page.getByText('Promoted Gamma').waitFor();
      expect(await file('wiki/network/decisions/gamma.md')).toContain('hall: decisions');
      // The next note goes to the same place by one key.
      await eventually(() => current(page), 'Delta');
      await page.keyboard.press('k');
      await page.keyboard.press('l');
      await page.getByText('wiki/network/decisions/beta.md').waitFor();
      await page.keyboard.press('w');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('house');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByText('wiki/house/decisions/beta.md').waitFor();
    });

    it('shows a collision at the slug before anything is done, and a way out', async () => {
      const { page } = await open();
      await page.keyboard.press('s');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('taken');
      await page
        .getByRole('alert')
        .getByText('A note already stands at wiki/homelab/facts/taken.md. Nothing was changed.')
        .waitFor();
      const slug = page.getByLabel('Slug');
      await eventually(() => slug.getAttribute('aria-invalid'), 'true');
      await page.keyboard.press('Enter');
      expect(await list('raw')).toContain('2026-11-10-alpha.md');
      await button(page, 'Use taken-2').click();
      await page.getByText('wiki/homelab/facts/taken-2.md').waitFor();
      await page.locator('.brain-items').focus();
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      expect(await list('wiki/homelab/facts')).toEqual(expect.arrayContaining(['taken.md', 'taken-2.md']));
    });

    it('shows a collision that comes about while one decides', async () => {
      const { page } = await open();
      await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
      await writeFile(join(screens.live.root, 'wiki/homelab/facts/alpha.md'), 'Mine.\n');
      await act(page, 'a');
      await page.getByRole('alert').getByText('A note already stands at').waitFor();
      await page.getByLabel('Slug').and(page.locator(':focus')).waitFor();
      expect(await file('wiki/homelab/facts/alpha.md')).toBe('Mine.\n');
    });

    it('refuses a name that no file may have', async () => {
      const { page } = await open();
      await page.getByLabel('Slug').fill('a/b');
      await page.getByRole('alert').getByText('path separator').waitFor();
      expect(await axeFaults(page)).toEqual([]);
    });

    it('opens on the form that was asked for', async () => {
      const { page } = await open({ params: { path: 'raw/2026-11-13-delta.md', act: 'reject' } });
      await page.getByLabel('Why reject it?').waitFor();
      await eventually(() => current(page), 'Delta');
      const other = await open({ params: { path: 'raw/2026-11-13-delta.md', act: 'promote' } });
      await eventually(() => focused(other.page), 'combobox');
    });

    it('says when the note that it is opened on is not in the queue', async () => {
      const { page } = await open({ params: { path: 'raw/gone.md' } });
      await page.getByText('raw/gone.md is not in the queue.').waitFor();
    });

    it('is edited and opened by the host', async () => {
      const { page, heard } = await open();
      await page.keyboard.press('e');
      await page.keyboard.press('o');
      await eventually(
        async () => heard,
        [
          { what: 'editNote', detail: ['raw/2026-11-10-alpha.md'] },
          { what: 'openNote', detail: ['raw/2026-11-10-alpha.md', { newPane: true }] },
        ],
      );
    });
  });

  describe('the gate', () => {
    it('has a link made a note, and one with two meanings chosen', async () => {
      const { page, changed } = await open();
      await page.getByRole('heading', { name: 'Gate finds 2 links' }).waitFor();
      await eventually(() => page.locator('.brain-removed').count(), 2);
      await button(page, 'Choose: mtu').click();
      await button(page, 'wiki/ops/facts/mtu.md').click();
      await button(page, 'Create note: Nobody').click();
      await page.getByLabel('New note: Nobody').getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('New note: Nobody').waitFor({ state: 'detached' });
      await changed();
      await page.getByRole('heading', { name: 'Gate finds 1 link' }).waitFor();
      expect(await file('wiki/homelab/facts/nobody.md')).toContain('# Nobody');
      await page.locator('.brain-items').focus();
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      const text = await file('wiki/homelab/facts/alpha.md');
      expect(text).toContain('[[wiki/ops/facts/mtu|');
      expect(text).toContain('[[wiki/homelab/facts/nobody|Nobody]]');
    });
  });

  describe('what Promote changes', () => {
    const path = 'raw/2026-11-09-first.md';
    const BODY =
      'See [[mtu]].\n\n![a](https://example.org/a.png)\n\n[b](javascript:b)\n\n<iframe src="https://c.example"></iframe>';
    const text = (page: Page) => page.locator('article');

    it('is shown before, kept as written where a person wants it, and so it stands', async () => {
      await writeFile(join(screens.live.root, path), raw('First', '09', FACTS, BODY));
      await eventually(async () => (await screens.client.call('pending', {})).total, 6);
      const { page, complaints } = await open();
      await eventually(() => current(page), 'First');
      await page.getByRole('heading', { name: 'Promote changes 4 parts' }).waitFor();
      await text(page).getByRole('link', { name: 'a', exact: true }).waitFor();
      await page.keyboard.press('v');
      await button(page, 'As written').and(page.locator('[aria-pressed="true"]')).waitFor();
      await page.keyboard.press('v');
      expect(await axeFaults(page)).toEqual([]);
      const frame = page.getByRole('listitem').filter({ hasText: '<iframe src' }).last();
      await frame.getByRole('checkbox', { name: 'Keep as written' }).press(' ');
      await page.getByRole('heading', { name: 'Promote changes 3 of 4 parts' }).waitFor();
      await page.locator('.brain-items').focus();
      await page.keyboard.press('p');
      await act(page, 'a');
      await page.getByText('Promoted First').waitFor();
      const promoted = await file('wiki/homelab/facts/first.md');
      expect(promoted).toContain('<iframe src="https://c.example">&lt;/iframe>');
      expect(promoted).not.toMatch(/!\[a\]|javascript:b\)/);
      expect(complaints).toEqual([]);
    });
  });

  describe('files that change underneath', () => {
    const path = 'raw/2026-11-10-alpha.md';

    it('shows the new text and keeps what was typed', async () => {
      const screen = await open();
      const { page } = screen;
      await page.getByLabel('Slug').fill('mine');
      await writeFile(join(screens.live.root, path), raw('Alpha', '10', FACTS, 'Quite another text.'));
      await until(screen, page.getByText('Changed on disk at'));
      await page.locator('article').getByText('Quite another text.').waitFor();
      await eventually(() => page.getByLabel('Slug').inputValue(), 'mine');
    });

    it('does not decide on a text that nobody has seen', async () => {
      const { page } = await open();
      await page.locator('article').getByText('First of all.').waitFor();
      await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
      await writeFile(join(screens.live.root, path), raw('Alpha', '10', FACTS, 'Quite another text.'));
      await act(page, 'a');
      await page.getByText('The file changed while you were reading. Nothing was changed.').waitFor();
      expect(await list('raw')).toContain('2026-11-10-alpha.md');
      await eventually(() => current(page), 'Alpha');
      await page.locator('article').getByText('Quite another text.').waitFor();
      // Now that it has been seen.
      await act(page, 'a');
      await page.getByText('Promoted Alpha').waitFor();
      expect(await file('wiki/homelab/facts/alpha.md')).toContain('Quite another text.');
    });

    it('rejects no text that nobody has seen either, and keeps the reason', async () => {
      const { page } = await open();
      await page.locator('article').getByText('First of all.').waitFor();
      await page.getByText('wiki/homelab/facts/alpha.md').waitFor();
      await page.keyboard.press('r');
      await page.keyboard.type('No measurement.');
      await writeFile(join(screens.live.root, path), raw('Alpha', '10', FACTS, 'Quite another text.'));
      await act(page, 'Enter');
      await page.getByText('The file changed while you were reading. Nothing was changed.').waitFor();
      await eventually(() => page.getByLabel('Why reject it?').inputValue(), 'No measurement.');
      expect(await list('raw/rejected')).toEqual([]);
    });

    it('says that a note has gone, keeps it in sight, and leads on', async () => {
      const screen = await open();
      const { page } = screen;
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.keyboard.press('k');
      await mkdir(join(screens.live.root, 'elsewhere'));
      await rename(join(screens.live.root, path), join(screens.live.root, 'elsewhere/a.md'));
      await until(screen, page.getByText('This note is no longer in the queue'));
      await page.getByRole('heading', { name: 'Alpha' }).first().waitFor();
      await eventually(() => titles(page), ['Beta', 'Gamma', 'Delta', 'Epsilon']);
      const ticked = page.locator('.brain-item[aria-selected="true"] b');
      await eventually(() => ticked.allTextContents(), ['Beta']);
      await eventually(() => button(page, 'Next note').count(), 1);
      await page.locator('.brain-notice').getByRole('button', { name: 'Next note' }).click();
      await eventually(() => current(page), 'Beta');
    });

    it('shows new notes without moving the reader', async () => {
      const screen = await open();
      const { page } = screen;
      await page.keyboard.press('End');
      await writeFile(join(screens.live.root, 'raw/2026-11-01-first.md'), raw('First', '01', FACTS));
      await until(screen, page.getByText('6 pending'));
      await eventually(() => current(page), 'Epsilon');
    });

    it('says when the last note has gone elsewhere, and when nothing is left', async () => {
      const screen = await open();
      const { page } = screen;
      for (const name of await list('raw')) await rm(join(screens.live.root, 'raw', name));
      await until(screen, page.getByText('This note is no longer in the queue'));
      await until(screen, page.getByText('0 pending'));
      await page.locator('.brain-notice').getByRole('button', { name: 'Next note' }).click();
      await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
    });
  });

  describe('several notes', () => {
    it('are tried first, and promoted one after the other; what is taken or risky is listed apart', async () => {
      const { page } = await open();
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+J');
      await page.keyboard.press('Shift+J');
      await page.getByRole('heading', { name: '3 notes selected' }).waitFor();
      await page.getByText('2 can be promoted as suggested').waitFor();
      await page.getByText('No wing and no hall suggested').waitFor();
      await writeFile(join(screens.live.root, 'wiki/homelab/facts/beta.md'), 'Mine.\n');
      await act(page, 'a');
      await page.getByRole('heading', { name: '1 taken' }).waitFor();
      await page.getByText('There is already a note at wiki/homelab/facts/beta.md').waitFor();
      await page.getByRole('heading', { name: '1 risky' }).waitFor();
      expect(await list('raw')).toHaveLength(5);
      await button(page, 'With 1 risky').press('Enter');
      await page.getByText('1 promoted').waitFor();
      await eventually(() => titles(page), ['Beta', 'Gamma', 'Delta', 'Epsilon']);
      expect(await file('wiki/homelab/facts/alpha.md')).toContain('promoted_by');
      await page.keyboard.press('Escape');
      await page.keyboard.press('u');
      await page.getByText('Put back Alpha').waitFor();
    });

    it('are all rejected with one reason, and all taken back', async () => {
      const { page } = await open();
      await page.keyboard.press('Control+A');
      await page.getByRole('heading', { name: '5 notes selected' }).waitFor();
      await page.keyboard.press('r');
      await page.keyboard.type('Not ours');
      await act(page, 'Enter');
      await page.getByText('Rejected 5 notes').waitFor();
      await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
      expect(await list('raw/rejected')).toHaveLength(5);
      await page.keyboard.press('u');
      await page.getByText('Put back 5 notes').waitFor();
      await page.locator('.brain-item').nth(4).waitFor();
      expect(await list('raw/rejected')).toHaveLength(0);
    });

    it('can be stopped: what is done is done, the rest stays', async () => {
      let cancelled = (): void => undefined;
      const cancelling = new Promise<void>((resolve) => (cancelled = resolve));
      let promoted = 0;
      const slow = {
        ...screens.client,
        call: async (name, ask) => {
          // The second one takes until the button is pressed.
          if (name === 'promote' && !('dry_run' in ask) && ++promoted === 2) await cancelling;
          return screens.client.call(name, ask);
        },
      } satisfies typeof screens.client;
      const { page } = await openScreen(browser(), slow, 'queue');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Control+A');
      await act(page, 'a');
      await button(page, 'With 1 risky').press('Enter');
      await page.getByRole('progressbar').waitFor();
      await eventually(async () => promoted, 2);
      await button(page, 'Cancel').click();
      cancelled();
      await page.getByText('2 promoted, 2 left as they were').waitFor();
      expect(await list('raw')).toHaveLength(3);
      await page.context().close();
    });

    it('get a hall for all of them by its key', async () => {
      const { page } = await open();
      for (const key of ['x', 'j', 'x', '3']) await page.keyboard.press(key);
      await act(page, 'a');
      await button(page, 'With 1 risky').press('Enter');
      await page.getByText('Promoted 2 notes').waitFor();
      expect(await list('wiki/homelab/failures')).toEqual(expect.arrayContaining(['alpha.md', 'beta.md']));
    });
  });

  describe('the keyboard', () => {
    it('reaches every panel, moves, filters, and leaves', async () => {
      const { page } = await open();
      await eventually(() => focused(page), 'listbox');
      await page.keyboard.press('F6');
      await eventually(() => focused(page), 'region');
      await page.keyboard.press('F6');
      await eventually(() => focused(page), 'combobox');
      await page.keyboard.press('F6');
      await eventually(() => focused(page), 'listbox');
      await page.keyboard.press('End');
      await eventually(() => current(page), 'Epsilon');
      await page.keyboard.press('Home');
      await eventually(() => current(page), 'Alpha');
      await page.keyboard.press('/');
      await page.keyboard.type('delta');
      await eventually(() => titles(page), ['Delta']);
      await page.keyboard.press('Escape');
      await eventually(async () => (await titles(page)).length, 5);
      await eventually(() => focused(page), 'listbox');
      await eventually(() => current(page), 'Delta');
    });

    it('types letters into fields and acts on none of them', async () => {
      const { page } = await open();
      await page.keyboard.press('w');
      await page.keyboard.type('arejk?');
      await eventually(() => page.getByRole('combobox').inputValue(), expect.stringContaining('arejk?'));
      await eventually(() => current(page), 'Alpha');
      expect(await list('raw')).toHaveLength(5);
    });

    it('shows all keys, and the focus comes back', async () => {
      const { page } = await open();
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys in the review queue' }).waitFor();
      await act(page, 'a');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Keys in the review queue' }).waitFor({ state: 'detached' });
      await eventually(() => focused(page), 'listbox');
      expect(await list('raw')).toHaveLength(5);
    });

    it('switches the view of the note', async () => {
      const { page } = await open();
      await page.keyboard.press('p');
      await page.locator('pre.brain-code').getByText('See [[mtu]] and [[Nobody]].').waitFor();
      await page.keyboard.press('p');
      await page.keyboard.press('m');
      await page.getByRole('row', { name: 'written_by laptop (claude-code 2.1.300)' }).waitFor();
    });

    it('works in a narrow pane from the list to the decision and back', async () => {
      const { page } = await open({ width: 320, height: 720 });
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await button(page, 'Queue').waitFor();
      await page.locator('.brain-list').waitFor({ state: 'hidden' });
      await page.keyboard.press('s');
      await page.getByLabel('Slug').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.locator('.brain-list').waitFor();
      await eventually(() => focused(page), 'listbox');
    });
  });

  const LOOKS = [
    ['light', 1280],
    ['dark', 320],
    ['dark', 1280],
    ['light', 1000],
    ['light', 320],
  ] as const;
  it.each(byDay(2, LOOKS))('has no fault for assistive technology in %s at %i px', async (theme, width) => {
    const { page } = await open({ theme, width });
    await page.locator('article').waitFor({ state: 'attached' });
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('x');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await axeFaults(page)).toEqual([]);
  });
});

describeInBrowser('hostile notes', (browser) => {
  const BODY = [
    '<script>window.ran = true</script>',
    '<img src="https://evil.example/a.png" onerror="window.ran = true">',
    '![remote](https://evil.example/b.png) ![[https://evil.example/c.png]]',
    '<iframe src="https://evil.example/"></iframe> <svg onload="window.ran = true">',
    '[click](javascript:window.ran=true) [data](data:text/html,x) [app](obsidian://x)',
    '```dataviewjs\nwindow.ran = true\n```',
    '`$= window.ran = true` <% window.ran = true %>',
  ].join('\n\n');
  let stop: () => Promise<void> = async () => undefined;
  afterEach(() => stop());
  const TITLE = '<img src=https://evil.example/t.png onerror=window.ran=true>\u202e';

  it('run nothing and ask for nothing, in the list, the preview, the source and the gate', async () => {
    const screens = await startLiveScreens({
      'raw/2026-11-10-evil.md': `---\ntitle: '${TITLE}'\ncreated_at: 2026-11-10T00:00:00Z\norigin: '<b onclick=x>'\nwritten_by: '<img src=https://evil.example/w.png>'\nsource: javascript:window.ran=true\n---\n\n${BODY}\n`,
    });
    stop = () => screens.stop();
    const { page, complaints } = await screens.open(browser(), 'queue');
    await page.getByRole('heading', { name: /^Promote changes \d+ parts/ }).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    await page.locator('article a').first().waitFor();
    const links = await page
      .locator('.brain-queue a')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
    expect(links.every((href) => href.startsWith('https://evil.example/'))).toBe(true);
    expect(
      await page.locator('.brain-queue :is(img, iframe, script, object, embed, form[action])').count(),
    ).toBe(0);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(complaints).toEqual([]);
  });
});

describeInBrowser('states that a healthy server is never in', (browser) => {
  const nothing = { count: 0, total: 0, pending: [] };

  it('shows skeletons only when the answer takes long', async () => {
    let answer: (value: typeof nothing) => void = () => undefined;
    const client = scriptedClient({
      pending: () => new Promise<typeof nothing>((resolve) => (answer = resolve)),
      wings: () => ({ wings: [] }),
    });
    const { page } = await openScreen(browser(), client, 'queue');
    // Measured in the page: by the time that a test has asked, it may be late.
    const begunAfter = await page.evaluate(async () => {
      window.testUnmount();
      const from = performance.now();
      const shown = new Promise<number>((resolve) => {
        new MutationObserver((_, observer) => {
          if (document.querySelector('.brain-skeleton') === null) return;
          observer.disconnect();
          resolve(performance.now() - from);
        }).observe(document.body, { childList: true, subtree: true });
      });
      window.testShow('queue', {});
      return shown;
    });
    expect(begunAfter).toBeGreaterThan(100);
    expect(await axeFaults(page)).toEqual([]);
    answer(nothing);
    await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
    await page.context().close();
  });

  it('says what failed and tries again', async () => {
    const { CallError } = await import('../../src/core/registry/client');
    let fails = true;
    const client = scriptedClient({
      pending: () => {
        if (fails) throw new CallError('internal', 'Something went wrong here.', {}, 'req-7');
        return nothing;
      },
      wings: () => ({ wings: [] }),
    });
    const { page } = await openScreen(browser(), client, 'queue');
    await page.getByRole('alert').getByText('Something went wrong here. Request req-7.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
    await page.context().close();
  });
});

describeInBrowser('a note with more links than the service names', (browser) => {
  it('says that there may be more', async () => {
    const [one] = [pendingEntry(1)];
    const refs = Array.from({ length: 200 }, (_, index) => ({
      kind: 'wikilink' as const,
      target: `gone ${index}`,
      text: `gone ${index}`,
      line: index,
      unlinked: true,
      reason: 'missing' as const,
    }));
    const client = scriptedClient({
      pending: () => ({ count: 1, total: 1, pending: [one] }),
      wings: () => ({ wings: [] }),
      note: () => note(one),
      gate: ({ path }) => ({
        path,
        content_hash: 'a'.repeat(64),
        refs,
        unlinked: [],
        findings: [],
        findings_hash: 'none',
        warnings: [],
      }),
      promote: () => {
        throw new Error('Nobody asked for that.');
      },
    });
    const { page } = await openScreen(browser(), client, 'queue');
    await page.getByRole('heading', { name: 'Gate finds 200 or more links' }).waitFor();
    await page.context().close();
  });
});

describeInBrowser('a queue of 2,000 notes', (browser) => {
  it('draws only what is in view, wherever it is scrolled to', async () => {
    const all = Array.from({ length: 2000 }, (_, index): Entry => pendingEntry(index));
    const client = scriptedClient({
      pending: ({ limit = 200, offset = 0 }) => {
        const pending = all.slice(offset, offset + limit);
        return { count: pending.length, total: all.length, pending };
      },
      wings: () => ({ wings: [] }),
      note: (ask) => note(all.find(({ path }) => path === ask.path) ?? pendingEntry(0)),
      gate: ({ path }) => ({
        path,
        content_hash: 'a'.repeat(64),
        refs: [],
        unlinked: [],
        findings: [],
        findings_hash: 'none',
        warnings: [],
      }),
      promote: ({ path = '', wing, hall, slug = '' }) => ({
        path: `wiki/${wing}/${hall}/${slug}.md`,
        from: path,
        wing,
        hall,
        slug,
        content_hash: 'a'.repeat(64),
        promoted_at: '2026-11-20T00:00:00Z',
        index: `wiki/${wing}/_index.md`,
        tunnels: [],
        relinked: 0,
        refs: [],
        warnings: [],
      }),
    });
    const { page } = await openScreen(browser(), client, 'queue');
    await page.getByText('2,000 pending').waitFor();
    expect(await page.locator('.brain-item').count()).toBeLessThan(40);
    // How long a frame takes is for the bench, which can say on what machine; here, how much is drawn.
    const most = await page.evaluate(async () => {
      const element = document.querySelector('.brain-items');
      if (element === null) throw new Error('There is no list.');
      let drawn = 0;
      for (let top = 0; top < element.scrollHeight; top += 1500) {
        element.scrollTop = top;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        drawn = Math.max(drawn, element.querySelectorAll('.brain-item').length);
      }
      return drawn;
    });
    expect(most).toBeLessThan(60);
    await page.locator('.brain-item:not(.is-leaving) b', { hasText: 'Note 1999' }).waitFor();
    await page.keyboard.press('End');
    await page.locator('.brain-item[aria-current="true"][aria-posinset="2000"]').waitFor();
    await page.locator('.brain-items[aria-activedescendant]').waitFor();
    await page.keyboard.press('Home');
    await eventually(() => current(page), 'Note 0');
    await page.keyboard.press('/');
    await page.keyboard.type('note 1234');
    await eventually(() => titles(page), ['Note 1234']);
    await page.context().close();
  });
});

const pendingEntry = (index: number): Entry =>
  entry(`note-${index}`, 10, {
    path: `raw/2026-11-10-note-${index}.md`,
    content_hash: 'a'.repeat(64),
    title: `Note ${index}`,
    excerpt: `What note ${index} says, at some length, so that it takes two lines in the list of pending notes.`,
    origin: 'mcp',
    written_by: 'laptop (claude-code 2.1.300)',
    warnings: index % 3 === 0 ? ['Something to look at.'] : [],
  });

function note({ path, title, content_hash: hash }: Entry) {
  return {
    path,
    title,
    status: 'raw' as const,
    frontmatter: {},
    body: `# ${title}\n\nText.`,
    content_hash: hash,
    stale: false,
    history: 0,
    outgoing: [],
    backlinks: [],
    same_tags: [],
    truncated: false,
  };
}
