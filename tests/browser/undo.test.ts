import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const OLD = 'wiki/homelab/facts/zfs-arc-size.md';
const NEW = 'wiki/homelab/facts/pay-here.md';
const SHARED = 'wiki/homelab/facts/router.md';
/** Where pictures of the screens are put for a person to look at; none are made unless it is set. */
const PICTURES = process.env.BRAIN_PICTURES;

describeInBrowser('undoing what a writer did, in the audit screen', (browser) => {
  const served = new Served();
  let intern = '';
  const asIntern = async (route: string, body: object): Promise<void> => {
    const answer = await fetch(served.server.url + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${intern}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  const text = (note: string): string => readFileSync(path.join(served.sandbox.vault, note), 'utf8');

  beforeAll(async () => {
    await served.start({ [OLD]: wikiNote('ZFS ARC size', '8 GiB.') });
    const { stdout } = await served.sandbox.run(['token', 'add', 'intern', '--json']);
    ({ token: intern } = JSON.parse(stdout) as { token: string });
    await asIntern('/update', { path: OLD, content: '# ZFS ARC size\n\nNone at all.', reason: 'tidy' });
    const place = { wing: 'homelab', hall: 'facts' };
    await asIntern('/write', { ...place, slug: 'pay-here', content: '# Pay here\n\nNow.' });
    await asIntern('/write', { ...place, slug: 'router', content: '# Router\n\nSee [[pay-here]].' });
    await served.call('/update', {
      path: SHARED,
      content: '# Router\n\nSee [[pay-here]]. Ours.',
      reason: 'x',
    });
  });
  afterAll(() => served.end());

  const open = async (options: object = {}) => {
    const opened = await served.open(browser(), '#/audit', {
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    await opened.page.getByText('Chain verified').waitFor();
    return opened;
  };
  /** Opens the layer by its key, and says whose doings, by keys alone. */
  const ask = async (page: Page, writer: string) => {
    await page.keyboard.press('u');
    const layer = page.getByRole('dialog', { name: 'Undo what a writer did' });
    await layer.getByRole('combobox', { name: 'Writer' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('dialog input[list]') === true);
    await page.keyboard.type(writer);
    await page.keyboard.press('Enter');
    return layer;
  };
  /** The list of what would happen. */
  const look = async (page: Page) => {
    const layer = await ask(page, 'intern');
    await layer.getByText(/2 notes of intern since .* Nothing was changed yet\./).waitFor();
    return layer;
  };
  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
  };

  it('lists what would happen and why, and changes nothing by that', async () => {
    const before = [text(OLD), text(NEW)];
    const { page, complaints } = await open();
    const layer = await look(page);
    const lists = (name: string, expected: string[]) =>
      eventually(() => layer.getByRole('list', { name }).getByRole('listitem').allTextContents(), expected);
    await lists('To the review queue: 1 note', [
      expect.stringMatching(/^Pay here.*review queue.*pay-here\.md, then raw\/.*1 link to it leads nowhere/),
    ]);
    await lists('Back to an earlier version: 1 note', [
      expect.stringMatching(/^ZFS ARC size.*goes back to the version of laptop.*zfs-arc-size\.md/),
    ]);
    await lists('Left as they are: 1 note', [
      expect.stringMatching(/^Router.*was changed since by owner.*router\.md/),
    ]);
    await page.keyboard.press('Escape');
    expect([text(OLD), text(NEW)]).toEqual(before);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    [1280, 800],
    [320, 720],
  ])('breaks no rule of accessibility at %i px, at any step', async (width, height) => {
    for (const colorScheme of byDay(1, ['dark', 'light'] as const)) {
      const { page } = await open({ viewport: { width, height }, colorScheme });
      await picture(page, `audit-${width}-${colorScheme}`);
      await page.getByRole('button', { name: 'Undo what a writer did' }).click();
      const layer = page.getByRole('dialog');
      await layer.getByRole('combobox', { name: 'Since' }).selectOption('A time of your own');
      await layer.getByLabel('Date and time').waitFor();
      expect(await axeFaults(page, 'dialog')).toEqual([]);
      await picture(page, `undo-form-${width}-${colorScheme}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await look(page);
      expect(await axeFaults(page, 'dialog')).toEqual([]);
      await picture(page, `undo-list-${width}-${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });

  it('begins at the call that is looked at, with its caller and its minute', async () => {
    const answer = await fetch(`${served.server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${intern}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'brain_log_session', arguments: { skill: 'deploy', status: 'pass' } },
      }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('\\"count\\":1');
    const { page } = await open({ viewport: { width: 1600, height: 800 } });
    await page.getByRole('button', { name: /^Undo all of intern since \d\d:\d\d$/ }).click();
    const layer = page.getByRole('dialog', { name: 'Undo what a writer did' });
    await eventually(() => layer.getByRole('combobox', { name: 'Writer' }).inputValue(), 'intern');
    await layer.getByLabel('Date and time').waitFor();
    await layer.getByRole('button', { name: 'See what would happen' }).click();
    // Nobody knows in which minute this runs, so not what was written in it.
    await layer.getByText(/of intern since/).waitFor();
    await page.context().close();
  });

  it('says so when there is nothing to undo', async () => {
    const { page } = await open();
    await ask(page, 'nobody');
    await page.getByText(/Nothing to undo of nobody since/).waitFor();
    await page.context().close();
  });

  it('refuses a list that is another one by now, and looks again', async () => {
    const { page } = await open();
    const layer = await look(page);
    await asIntern('/write', { wing: 'homelab', hall: 'facts', slug: 'late', content: '# Late\n\nx' });
    await layer.getByRole('button', { name: 'Undo 2 notes' }).click();
    await layer.getByText('The notes have changed since this list was made.').waitFor();
    expect(existsSync(path.join(served.sandbox.vault, NEW))).toBe(true);
    await layer.getByRole('button', { name: 'Look again' }).click();
    await layer.getByText(/3 notes of intern/).waitFor();
    await page.context().close();
  });

  it('undoes it, tells it, and takes it back', async () => {
    const before = [text(OLD), text(NEW)];
    const { page, complaints } = await open();
    const layer = await ask(page, 'intern');
    await layer.getByRole('button', { name: 'Undo 3 notes' }).click();
    await layer.getByText('3 notes of intern undone.').waitFor();
    expect(await axeFaults(page, 'dialog')).toEqual([]);
    await picture(page, 'undo-done');
    expect(text(OLD)).toContain('8 GiB.');
    expect(existsSync(path.join(served.sandbox.vault, NEW))).toBe(false);
    await layer.getByRole('button', { name: 'Close' }).last().click();

    await page.keyboard.press('u');
    await layer.getByRole('button', { name: /Take back the undo of intern/ }).click();
    await layer.getByText('3 notes are as before the undo.').waitFor();
    await layer.getByText('taken back', { exact: true }).waitFor();
    await picture(page, 'undo-taken-back');
    expect([text(OLD), text(NEW)]).toEqual(before);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
