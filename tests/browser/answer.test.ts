import type { Page } from 'playwright-core';
import { axeFaults, describeInBrowser, eventually, foreignRequests } from '../support/browser';
import { byDay } from '../support/by-night';
import { type ScriptedModelServer, startScriptedModelServer } from '../support/scripted-model-server';
import { Served, wikiNote } from './served';

const QUOTE = 'The tunnel needs an MTU of 1380 bytes.';
const LONG = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} of the long story.`).join('\n\n');
const HOSTILE_QUOTE = 'Heliotrope <img src="https://evil.example/q.png" onerror="window.ran=true"> grows.';
const HOSTILE_ANSWER = [
  'It grows [N]. <script>window.ran = true</script>',
  '<img src="https://evil.example/a.png" onerror="window.ran=true">',
  '![remote](https://evil.example/b.png)',
  '[click](javascript:window.ran=true) ![[https://evil.example/c.png]]',
  '<iframe src="https://evil.example"></iframe>',
].join('\n\n');

const VAULT = {
  'wiki/homelab/facts/wireguard-mtu.md': wikiNote('WireGuard MTU', `${LONG}\n\n${QUOTE}\n\n${LONG}`),
  'wiki/network/failures/phone-vpn.md': wikiNote(
    'Phone VPN stalls',
    'Lowering the WireGuard MTU of the tunnel to 1280 bytes fixed it.',
  ).replace('origin: mcp', 'origin: mcp\nhalf_life: volatile\nclaim_provenance: inferred'),
  'wiki/garden/facts/heliotrope.md': wikiNote('Heliotrope <b>x</b>', HOSTILE_QUOTE),
};

describeInBrowser('answers on the search screen', (browser) => {
  const served = new Served();
  let model: ScriptedModelServer;
  beforeAll(async () => {
    model = await startScriptedModelServer();
    await served.start(VAULT, { BRAIN_LLM_URL: model.ollamaUrl, BRAIN_LLM_MODEL: 'qwen3:14b' });
  });
  afterAll(async () => {
    await served.end();
    await model.close();
  });

  /** Lets the model answer from the notes with these titles; `N` and `M` stand for their numbers. */
  const says = (answer: string, ...cited: readonly (readonly [title: string, quote: string])[]): void =>
    model.script(({ user }) => {
      const numbers = cited.map(([title]) =>
        Number(new RegExp(`^BEGIN (\\d+) \\w+\\nnote: ${title}`, 'm').exec(user)?.[1]),
      );
      const [first = 0, second = 0] = numbers;
      const text = answer.replaceAll('[N]', `[${first}]`).replaceAll('[M]', `[${second}]`);
      const citations = cited.map(([, quote], index) => ({ n: numbers[index], quote }));
      return { say: { sufficient: cited.length > 0, answer: text, citations } };
    });
  const two = (): void =>
    says(
      'It needs **1380 bytes** [N]. On a phone 1280 worked [M].',
      ['WireGuard MTU', QUOTE],
      ['Phone VPN', 'Lowering the WireGuard MTU of the tunnel to 1280 bytes fixed it.'],
    );

  const WIDE = { viewport: { width: 1488, height: 800 } };
  const open = async (fragment: string, options: object = WIDE) => {
    const opened = await served.open(browser(), fragment, options);
    // Sooner than the test itself, so that it is known what was waited for.
    opened.page.setDefaultTimeout(20_000);
    return opened;
  };
  const pane = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true });
  /** Types a question and asks it with the keyboard alone. */
  const ask = async (page: Page, question: string): Promise<void> => {
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type(question);
    await page.keyboard.press('Shift+Enter');
  };

  it('answers with quotes that the numbers lead to, by the keyboard alone', async () => {
    two();
    const { page, complaints } = await open('#/search');
    await ask(page, 'which tunnel MTU');
    await pane(page).getByText('1380 bytes', { exact: true }).waitFor();
    await eventually(
      () => pane(page).locator('.brain-note').textContent(),
      'It needs 1380 bytes 1. On a phone 1280 worked 2.',
    );
    await pane(page).getByText('Answered by qwen3:14b').waitFor();
    const quotes = page.getByRole('list', { name: 'Quotes' }).getByRole('listitem');
    await eventually(() => quotes.count(), 2);
    expect(await quotes.first().textContent()).toContain(QUOTE);
    expect(await quotes.first().textContent()).toContain('laptop (claude-code 2.1.300)');
    await quotes.first().getByText('Stale').waitFor({ state: 'detached' });
    await quotes.nth(1).getByText('Stale').waitFor();
    const mark = pane(page).getByRole('button', { name: 'Quote 2: Phone VPN stalls' });
    await mark.focus();
    await page.keyboard.press('Enter');
    const current = page.locator('.brain-quote[aria-current="true"]', { hasText: '1280 bytes fixed it' });
    await current.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await mark.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.brain-result').first().waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'listbox');
    // What was answered once is not asked again.
    const { length } = model.asked;
    await page.keyboard.press('Shift+Enter');
    await pane(page).getByText('1380 bytes', { exact: true }).waitFor();
    expect(model.asked).toHaveLength(length);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('opens the note at the quote, in a new pane too', async () => {
    two();
    const { page } = await open('#/search?q=which+tunnel+MTU');
    await page.getByRole('button', { name: 'Answer from the notes' }).click();
    const quote = page.locator('.brain-quote').first();
    await quote.waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      quote.getByRole('button', { name: 'Open WireGuard MTU in a new pane' }).click(),
    ]);
    const marked = tab.locator('.brain-quoted');
    await eventually(() => marked.textContent(), QUOTE);
    const isInSight = () =>
      marked.evaluate((block) => {
        const { top, bottom } = block.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight;
      });
    await eventually(isInSight, true);
    await tab.close();
    await quote.getByRole('button', { name: '1: WireGuard MTU, open at the quote' }).click();
    await page.waitForFunction(() => window.location.hash.startsWith('#/note?path=wiki%2Fhomelab'));
    await page.locator('.brain-quoted').waitFor();
    await page.context().close();
  });

  it('files the answer and says where it is', async () => {
    two();
    const { page } = await open('#/search?q=which+tunnel+MTU+to+file');
    await page.getByRole('button', { name: 'Answer from the notes' }).click();
    await page.getByRole('button', { name: 'File this answer' }).click();
    const filed = pane(page).getByText(/Filed as raw\/\d{4}-\d\d-\d\d-which-tunnel-mtu-to-file\.md/);
    await filed.waitFor();
    await filed.getByRole('link', { name: 'review queue' }).click();
    await page.waitForFunction(() => window.location.hash.startsWith('#/queue?path=raw'));
    await page.getByText('which tunnel MTU to file').first().waitFor();
    await page.context().close();
  });

  it('says when the notes do not cover it, with the nearest ones', async () => {
    says('');
    const { page } = await open('#/search');
    await ask(page, 'tunnel colour');
    await pane(page).getByText('The notes do not cover this.').first().waitFor();
    const nearest = page.getByRole('region', { name: 'Nearest notes' });
    await nearest.getByRole('button', { name: 'Phone VPN stalls' }).waitFor();
    await page.getByRole('button', { name: 'File this answer' }).waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('shows passages word for word, and why, when the model fails', async () => {
    model.script({ status: 500 });
    const { page } = await open('#/search');
    await ask(page, 'phone tunnel 1280');
    await pane(page).getByText('Word for word from the notes').waitFor();
    await pane(page).getByText('These are passages of the notes instead.').waitFor();
    await pane(page).locator('.brain-note', { hasText: '1280 bytes fixed it' }).first().waitFor();
    await page.context().close();
  });

  it('can be cancelled while it waits, and what comes then is dropped', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    two();
    const { page } = await open('#/search');
    await page.route('**/answer', async (route) => {
      await held;
      await route.continue();
    });
    await ask(page, 'which tunnel MTU');
    await pane(page).getByText('Reading the notes.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.brain-result').first().waitFor();
    const answered = page.waitForResponse('**/answer');
    answer();
    await answered;
    await pane(page).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('says that the server is gone, and asks again', async () => {
    two();
    const { page } = await open('#/search');
    await page.route('**/answer', (route) => route.abort());
    await ask(page, 'which tunnel MTU');
    await pane(page).getByRole('alert').getByText('The server does not answer').waitFor();
    await page.unroute('**/answer');
    await page.getByRole('button', { name: 'Try again' }).click();
    await pane(page).getByText('1380 bytes', { exact: true }).waitFor();
    await page.context().close();
  });

  it('goes back to the results as soon as something else is typed', async () => {
    two();
    const { page } = await open('#/search');
    await ask(page, 'which tunnel MTU');
    await pane(page).getByText('1380 bytes', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('phone');
    await page.locator('.brain-result').first().waitFor();
    await pane(page).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('runs and fetches nothing that stands in an answer or a quote', async () => {
    says(HOSTILE_ANSWER, ['Heliotrope', HOSTILE_QUOTE]);
    const { page, complaints } = await served.page(browser(), WIDE);
    const foreign = foreignRequests(page, served.server.url);
    await page.goto(`${served.server.url}/#token=${served.token}`);
    await page.goto(`${served.server.url}/#/search?q=heliotrope`);
    await page.locator('.brain-result').first().waitFor();
    await page.getByRole('searchbox').press('Shift+Enter');
    await page.locator('.brain-quote').waitFor();
    expect(await page.locator('.brain-quote blockquote').textContent()).toBe(HOSTILE_QUOTE);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(await page.locator('.brain-find :is(img, script, iframe, object, embed)').count()).toBe(0);
    expect(await page.locator('.brain-find a[href^="javascript"]').count()).toBe(0);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    [1488, 800],
    [1000, 700],
    [320, 720],
  ])('breaks no rule of accessibility at %i px', async (width, height) => {
    for (const colorScheme of byDay(1, ['dark', 'light'] as const)) {
      two();
      const { page } = await open('#/search?q=which+tunnel+MTU', {
        viewport: { width, height },
        colorScheme,
      });
      await page.locator('.brain-result').first().waitFor();
      await page.getByRole('button', { name: 'Answer from the notes' }).click();
      await page.locator('.brain-quote').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });
});
