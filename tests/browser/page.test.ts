import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFaults, describeInBrowser, eventually, foreignRequests } from '../support/browser';
import { byDay } from '../support/by-night';
import { Served, wikiNote } from './served';

const HOSTILE = [
  '<script>window.ran = true</script>',
  '<img src="https://evil.example/a.png" onerror="window.ran = true">',
  '![remote](https://evil.example/b.png)',
  '<iframe src="https://evil.example/"></iframe>',
  '[click](javascript:window.ran=true)',
  '```dataviewjs\nwindow.ran = true\n```',
  'and [[wg-mtu]] as well',
].join('\n\n');

const VAULT = {
  'wiki/homelab/facts/wg-mtu.md': wikiNote('WireGuard MTU', 'See [[hostile]].'),
  'wiki/homelab/facts/hostile.md': wikiNote('Hostile <b>note</b>', HOSTILE),
  'wiki/homelab/facts/long.md': wikiNote(
    'Long',
    `## The first\n\n${'A line.\n\n'.repeat(200)}## The *last*?\n\nThe end.\n\n${'B line.\n\n'.repeat(100)}`,
  ),
  'raw/2026-11-14-pending.md': wikiNote('Pending note', 'Read [[wg-mtu]].'),
  'sessions/a.jsonl': '',
};

describeInBrowser('the web page', (browser) => {
  const served = new Served();
  beforeAll(() => served.start(VAULT));
  afterAll(() => served.end());

  it('hears the keys of the queue on arrival, and after the part that had the focus is gone', async () => {
    const { page, complaints } = await served.open(browser());
    await page.goto(`${served.server.url}/#/queue`);
    await page.getByRole('option').waitFor();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Source', pressed: true }).waitFor();
    // A button has the focus, and ticking a note takes the whole form away.
    await page.getByRole('button', { name: /^Promote/ }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').first().waitFor();
    await page.locator('.brain-items:focus, .brain-queue:focus').waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 pending').first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  describe('the token', () => {
    it('comes by the fragment, leaves the address, and is kept for the tab alone', async () => {
      const { page, complaints } = await served.open(browser());
      await page.waitForURL(`${served.server.url}/#/home`);
      expect(await page.evaluate(() => JSON.stringify(window.localStorage))).not.toContain(served.token);
      expect(await page.evaluate(() => document.cookie)).toBe('');
      await page.reload();
      await page.getByRole('link', { name: /Notes 3/ }).waitFor();
      expect(complaints).toEqual([]);

      const other = await page.context().newPage();
      await other.goto(served.server.url);
      await other.getByRole('heading', { name: 'This page needs a token' }).waitFor();
      await page.context().close();
    });

    it('can be typed, and a wrong one is told in place', async () => {
      const { page } = await served.page(browser());
      await page.goto(`${served.server.url}/#/pass-rates`);
      await page.getByRole('heading', { name: 'This page needs a token' }).waitFor();
      const field = page.getByLabel('Token');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Paste the token here first.').waitFor();
      await field.fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The server does not know this token.').waitFor();
      await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor();
      await eventually(() => field.getAttribute('aria-invalid'), 'true');
      // No header could carry this one.
      await field.fill('nö');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The server does not know this token.').waitFor();
      // What a person has at hand is the whole link.
      await field.fill(`${served.server.url}/#token=${served.token}`);
      await page.getByRole('button', { name: 'Open the brain' }).click();
      await page.getByRole('heading', { name: 'Pass rates' }).waitFor({ state: 'attached' });
      await page.context().close();
    });

    it('may come by a link that is opened in the very tab that asks', async () => {
      const { page } = await served.page(browser());
      await page.goto(`${served.server.url}/#token=wrong`);
      await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor();
      await page.goto(`${served.server.url}/#token=${served.token}`);
      await page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
      await page.waitForURL(`${served.server.url}/#/home`);
      await page.context().close();
    });

    it('leaves the address whatever follows it there, and a route stays', async () => {
      const { page } = await served.page(browser());
      await page.goto(`${served.server.url}/#token=${served.token}&/pass-rates`);
      await page.getByRole('heading', { name: 'Pass rates' }).waitFor({ state: 'attached' });
      await page.waitForURL(`${served.server.url}/#/pass-rates`);
      await page.goto(`${served.server.url}/#token=${served.token}&x=1`);
      await page.waitForFunction(() => window.location.hash === '#/pass-rates');
      await eventually(() => page.title(), '(1) Pass rates · Brain Server');
      await page.context().close();
    });

    it('is not given up for a wrong one of a link', async () => {
      const { page } = await served.open(browser(), '#/connect?agent=codex');
      await page.getByLabel('Token name').fill('half-typed');
      const refused = page.waitForResponse((answer) => answer.status() === 401);
      await page.evaluate(() => (window.location.hash = '#token=wrong'));
      await refused;
      await page.waitForFunction(() => window.location.hash === '#/connect?agent=codex');
      await eventually(() => page.getByLabel('Token name').inputValue(), 'half-typed');
      await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor({ state: 'detached' });
      // Nor by a page that begins with such a link.
      await page.reload();
      await page.goto('about:blank');
      await page.goto(`${served.server.url}/#token=wrong`);
      await page.getByRole('link', { name: /Notes 3/ }).waitFor();
      await page.context().close();
    });

    it.each(byDay(1, ['dark', 'light'] as const))(
      'is asked for without a fault in %s',
      async (colorScheme) => {
        const { page } = await served.page(browser(), { colorScheme, bypassCSP: true });
        await page.goto(`${served.server.url}/#token=wrong`);
        await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor();
        await page.getByLabel('Token').fill('another');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await page.context().close();
      },
    );
  });

  describe('a server that stops', () => {
    afterAll(() => served.restart());

    it('is told, and found again by itself', async () => {
      const { page } = await served.open(browser());
      const head = page.locator('header');
      await page.getByRole('link', { name: /Notes 3/ }).waitFor();
      await head.getByText('Not reachable').waitFor({ state: 'detached' });
      await served.server.stop();
      await head.getByText('Not reachable').waitFor();
      await page.getByRole('link', { name: /Notes 3/ }).waitFor();
      await served.startAgain();
      await head.getByText('Not reachable').waitFor({ state: 'detached' });
      await page.context().close();
    });

    it('asks for the new token, and then the same screen is there with what was typed', async () => {
      const { page } = await served.open(browser(), '#/connect?agent=codex');
      await page.getByLabel('Token name').fill('half-typed');
      const other = 'a-token-of-another-run-that-is-long-enough-0';
      await served.restart({ BRAIN_TOKEN: other });
      await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor();
      await page.locator('.brain-web').waitFor({ state: 'hidden' });
      await page.getByLabel('Token', { exact: true }).fill(other);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect an agent' }).waitFor({ state: 'attached' });
      await eventually(() => page.getByLabel('Token name').inputValue(), 'half-typed');
      await page.waitForURL(/#\/connect\?agent=codex/);
      await page.context().close();
    });

    it('asks for it above a layer, which is there again afterwards with what was typed', async () => {
      await served.restart();
      const { page } = await served.open(browser(), '#/history?path=wiki%2Fhomelab%2Ffacts%2Fwg-mtu.md');
      await page.locator('.brain-version').waitFor();
      await page.keyboard.press('/');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').fill('half a quer');
      const other = 'a-token-of-yet-another-run-that-is-long-enough';
      await served.restart({ BRAIN_TOKEN: other });
      await page.getByRole('heading', { name: 'This token was not accepted' }).waitFor();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByLabel('Token', { exact: true }).fill(other);
      await page.keyboard.press('Enter');
      const field = dialog.getByRole('combobox');
      await eventually(() => field.inputValue(), 'half a quer');
      // The focus is where it was.
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('y');
      await eventually(() => field.inputValue(), 'half a query');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.context().close();
    });

    it('needs no token when authentication is off', async () => {
      await served.restart({ BRAIN_AUTH: 'off' });
      const { page } = await served.page(browser());
      await page.goto(`${served.server.url}/#/doctor`);
      await page.getByText('authentication is off').first().waitFor();
      await page.context().close();
    });
  });

  describe('moving about', () => {
    it('goes by links, with title, focus and the back button', async () => {
      const { page, complaints } = await served.open(browser());
      const nav = page.getByRole('navigation', { name: 'Screens' });
      for (const [link, heading] of [
        ['Review queue', 'Review queue'],
        ['Search', 'Search'],
        ['Audit', 'Audit'],
        ['Pass rates', 'Pass rates'],
        ['Connect an agent', 'Connect an agent'],
        ['Doctor', 'Doctor'],
      ] as const) {
        await nav.getByRole('link', { name: link }).click();
        await page.waitForFunction((title) => document.title === `(1) ${title} · Brain Server`, heading);
        await page.waitForFunction(() => document.querySelector('main')?.contains(document.activeElement));
        await nav.locator('[aria-current="page"]', { hasText: link }).waitFor();
      }
      await page.goBack();
      await page.waitForFunction(() => document.title === '(1) Connect an agent · Brain Server');
      await nav.getByRole('link', { name: 'Review queue 1 waiting' }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('hears the keys of a screen at once, and shows them all', async () => {
      const { page } = await served.open(browser());
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys on this screen' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.keyboard.press('d');
      await page.getByRole('heading', { name: 'Doctor' }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Keys' }).click();
      await page.getByRole('checkbox', { name: 'Use single letters as keys' }).press(' ');
      await page.keyboard.press('Escape');
      await page.goto(`${served.server.url}/#/home`);
      await page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
      await page.keyboard.press('d');
      expect(page.url()).toContain('#/home');
      await page.context().close();
    });

    it.each([
      ['another screen', '#/audit'],
      ['the same screen of another note', '#/history?path=wiki%2Fhomelab%2Ffacts%2Fother.md'],
    ])('closes what lies above a screen that it leaves for %s', async (_, before) => {
      const { page } = await served.open(browser(), before);
      await page.waitForFunction((hash) => window.location.hash === hash, before);
      await page.evaluate(() => (window.location.hash = '#/history?path=wiki%2Fhomelab%2Ffacts%2Fwg-mtu.md'));
      await page.locator('.brain-version').waitFor();
      await page.keyboard.press('/');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').fill('half a query');
      // Nothing is left by a link to where the page is already.
      await page.evaluate(() => (window.location.hash = `${window.location.hash}&`));
      await page.waitForFunction(() => window.location.hash.endsWith('&'));
      await eventually(() => dialog.getByRole('combobox').inputValue(), 'half a query');
      await page.goBack();
      await page.goBack();
      await page.waitForFunction((hash) => window.location.hash === hash, before);
      await dialog.waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.querySelector('main')?.contains(document.activeElement));
      await page.context().close();
    });

    it('goes where the address leads that changed before the page was listening', async () => {
      const { page, complaints } = await served.page(browser());
      // Fires when the page has drawn for the first time and its effects have not run.
      await page.addInitScript(() =>
        document.addEventListener('DOMContentLoaded', () => (window.location.hash = '#/queue')),
      );
      await page.goto(`${served.server.url}/#token=${served.token}`);
      await page.getByRole('option').waitFor({ timeout: 15_000 });
      await page.waitForFunction(() => window.location.hash === '#/queue');
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('folds the list of screens into a menu on a narrow window', async () => {
      const { page } = await served.open(browser(), '#/home', { viewport: { width: 320, height: 700 } });
      const nav = page.getByRole('navigation', { name: 'Screens' });
      const button = page.getByRole('button', { name: 'Screens' });
      expect(await nav.isVisible()).toBe(false);
      await button.click();
      await nav.waitFor();
      await eventually(() => button.getAttribute('aria-expanded'), 'true');
      await page.keyboard.press('Escape');
      await nav.waitFor({ state: 'hidden' });
      await button.and(page.locator(':focus')).waitFor();
      await button.click();
      await nav.getByRole('link', { name: 'Doctor' }).click();
      await page.getByRole('heading', { name: 'Doctor' }).waitFor({ state: 'attached' });
      await nav.waitFor({ state: 'hidden' });
      await page.context().close();
    });
  });

  it('follows the system from light to dark until the person chooses, which is kept', async () => {
    const { page } = await served.open(browser(), '#/home', { colorScheme: 'light' });
    // The system's change arrives as an event of its own.
    const becomes = (theme: string) =>
      page.waitForFunction((name) => document.body.className === name, theme);
    await becomes('theme-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await becomes('theme-dark');
    await page.getByRole('button', { name: 'Theme: follow the system' }).click();
    await becomes('theme-light');
    await page.reload();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await becomes('theme-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForTimeout(100);
    expect(await page.evaluate(() => document.body.className)).toBe('theme-dark');
    await page.context().close();
  });

  it('looks at the whole service once, however often the vault changes', async () => {
    const { page } = await served.open(browser(), '#/queue');
    await page.getByRole('link', { name: 'Review queue 1 waiting' }).waitFor();
    // The look that the page begins with has been answered.
    await page.getByText(/^Running, version/).waitFor();
    await page.waitForTimeout(300);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const path = 'raw/2026-11-20-more.md';
    writeFileSync(join(served.sandbox.vault, path), wikiNote('Something new'));
    await page.getByRole('link', { name: 'Review queue 2 waiting' }).waitFor();
    await served.call('/reject', { path });
    await page.getByRole('link', { name: 'Review queue 1 waiting' }).waitFor();
    expect(asked.filter((route) => route === '/status')).toEqual([]);
    expect(asked).toContain('/revision');
    await page.context().close();
  });

  it('puts a search into the history once it is meant, and no half of a word', async () => {
    const { page } = await served.open(browser(), '#/doctor');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Search' }).click();
    const field = page.getByLabel('Search the brain');
    const steps = () => page.evaluate(() => window.history.length);
    const shown = (query: string) =>
      page.waitForFunction(
        (hash) => window.location.hash === hash,
        query === '' ? '#/search' : `#/search?q=${query}`,
      );
    await field.fill('wire');
    const before = await steps();
    await shown('wire');
    await field.fill('wireguard');
    await shown('wireguard');
    expect(await steps()).toBe(before);
    await field.press('Enter');
    await field.fill('host');
    await shown('host');
    await field.fill('hostile');
    await shown('hostile');
    expect(await steps()).toBe(before + 1);
    await page.goBack();
    await shown('wireguard');
    // The address changes before the screen that follows it.
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[type=search]')?.value === 'wireguard',
    );
    await page.goBack();
    await page.waitForFunction(() => window.location.hash === '#/doctor');
    await page.context().close();
  });

  describe('a note', () => {
    const fragment = '#/note?path=wiki%2Fhomelab%2Ffacts%2Fhostile.md';

    it('runs nothing and fetches nothing, whatever stands in it', async () => {
      const { page, complaints } = await served.open(browser());
      const foreign = foreignRequests(page, served.server.url);
      await page.evaluate((hash) => (window.location.hash = hash), fragment);
      await page.getByText('and wg-mtu as well').waitFor();
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => 'ran' in window)).toBe(false);
      expect(await page.locator('main :is(iframe, img, script, style)').count()).toBe(0);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('opens what it links to, and is read again when it changes', async () => {
      const { page } = await served.open(browser(), fragment);
      await page.getByRole('button', { name: 'wg-mtu' }).first().click();
      await page.getByRole('heading', { name: 'WireGuard MTU', level: 1 }).waitFor({ state: 'attached' });
      const { content_hash: hash } = await served.call('/note?path=wiki/homelab/facts/wg-mtu.md');
      await served.call('/update', {
        path: 'wiki/homelab/facts/wg-mtu.md',
        expected_hash: hash,
        reason: 'The provider changed.',
        content: '# WireGuard MTU\n\nIt is 1412 now.',
      });
      await page.getByText('It is 1412 now.').waitFor();
      await page.context().close();
    });

    it('begins at the heading that the link names', async () => {
      const { page } = await served.open(
        browser(),
        '#/note?path=wiki%2Fhomelab%2Ffacts%2Flong.md&heading=The+last%3F',
      );
      const last = page.getByRole('heading', { name: 'The last?' });
      await page.waitForFunction(() => document.activeElement?.textContent === 'The last?');
      await eventually(async () => ((await last.boundingBox())?.y ?? Infinity) < 400, true);
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Source', pressed: true }).waitFor();
      await page.context().close();
    });

    it('says what is missing where no note is named', async () => {
      const { page, complaints } = await served.open(browser(), '#/note', { bypassCSP: true });
      await page.getByRole('heading', { name: 'No note is named' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.keyboard.press('/');
      await page.getByLabel('Search the brain').waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it.each([1280, 320])('is shown without a fault at %i px', async (width) => {
      const { page } = await served.open(browser(), fragment, {
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      await page.getByText('and wg-mtu as well').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await eventually(() => page.evaluate(() => document.documentElement.scrollWidth), width);
      await page.context().close();
    });
  });
});
