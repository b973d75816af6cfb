import type { Answer, Ask } from '../../src/core/registry/client';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { byDay } from '../support/by-night';
import { openScreen, type ScreenPageOptions, scriptedClient } from '../support/ui/screen-page';
import { WATCHER_OFF } from '../support/watcher-off';

type Status = Answer<'status'>;
type Hybrid = Status['hybrid'];

const STATUS: Status = {
  version: '1.0.0',
  notes: 412,
  index: { state: 'ready', notes: 412, waiting: 0 },
  hybrid: { configured: true, state: 'ready', last_sync: '2026-11-20T09:00:00Z', vectors: 412, pending: 0 },
  watcher: WATCHER_OFF,
  queue: { count: 0 },
  quarantine: [],
  checks: [
    { name: 'language model', state: 'ok', message: 'Questions go to qwen3:14b at 127.0.0.1:11434.' },
    { name: 'embedder', state: 'failed', message: 'The embedder does not answer.', fix: 'Start Ollama.' },
    { name: 'vectors', state: 'ok', message: 'The database answers and holds 412 vectors.' },
  ],
};
const RESULT = (slug: string, extra: Partial<Answer<'query'>['results'][number]> = {}) => ({
  path: `wiki/ops/facts/${slug}.md`,
  title: slug,
  excerpt: 'The tunnel.',
  wing: 'ops',
  hall: 'facts' as const,
  score: 0.0325,
  status: 'wiki' as const,
  stale: false,
  terms: ['tunnel'],
  written_by: 'laptop (claude-code 2.1.300)',
  origin: 'mcp',
  ...extra,
});
const NOTE: Answer<'note'> = {
  path: 'wiki/ops/facts/both.md',
  title: 'both',
  body: 'The tunnel.',
  frontmatter: {},
  content_hash: 'a'.repeat(64),
  status: 'wiki',
  stale: false,
  history: 0,
  outgoing: [],
  backlinks: [],
  same_tags: [],
  truncated: false,
};

interface World {
  readonly asked: Ask<'query'>[];
  readonly backfills: { end(result: Answer<'backfill'>): void }[];
  cancelled: number;
  hybrid: Hybrid;
  index: Status['index'];
  found: Pick<Answer<'query'>, 'mode' | 'degraded' | 'reading'>;
}

/** A service whose search, sync and state are as the test says. */
function service(change: Partial<World> = {}) {
  const world: World = {
    asked: [],
    backfills: [],
    cancelled: 0,
    hybrid: STATUS.hybrid,
    index: STATUS.index,
    found: { mode: 'hybrid', degraded: false },
    ...change,
  };
  const client = scriptedClient({
    status: () => ({ ...STATUS, hybrid: world.hybrid, index: world.index }),
    verifyAudit: () => ({ files: [], lines: 12, problem_count: 0, problems: [] }),
    wings: () => ({ count: 0, wings: [] }),
    overview: () => ({
      notes: 412,
      added: 3,
      stale: 0,
      queue: { count: 0, ages: { under_1_day: 0, days_1_to_3: 0, days_4_to_7: 0, over_7_days: 0 } },
      writes: { notes: 0, writer_count: 0, writers: [] },
      undated: 0,
      owner_notes: 0,
      wings: [],
      latest: [],
      may: [],
      growth: [
        { until: '2026-11-14T00:00:00Z', notes: 409 },
        { until: '2026-11-21T00:00:00Z', notes: 412 },
      ],
    }),
    note: () => NOTE,
    query: (ask) => {
      world.asked.push(ask);
      const results = [
        RESULT('both', { ranks: { bm25: 1, vector: 2 } }),
        RESULT('meaning', { ranks: { vector: 1 }, terms: [], written_by: 'human:me' }),
        RESULT('old', { ranks: { bm25: 2 }, stale: true, status: 'knowledge' }),
      ];
      return { query: ask.query, count: results.length, results, ...world.found };
    },
    backfill: () =>
      new Promise((resolve) => {
        world.backfills.push({ end: resolve });
      }),
    cancelBackfill: () => {
      world.cancelled += 1;
      return { cancelled: true };
    },
  });
  return { world, client };
}

describeInBrowser('search by meaning, on the screens', (browser) => {
  const show = async (
    client: ReturnType<typeof service>['client'],
    screen: 'search' | 'home',
    options: ScreenPageOptions,
  ) => openScreen(browser(), client, screen, options);
  const WIDE = { width: 1488, params: { q: 'tunnel' } };

  it('says that both sides were asked, and shows the rank of each', async () => {
    const { client } = service();
    const { page, close } = await show(client, 'search', WIDE);
    await page.locator('.brain-bar').getByText('Hybrid').waitFor();
    const why = page.getByLabel('Why it was found');
    const rows = () => why.locator('tr').allTextContents();
    await eventually(rows, ['Wordstunnel', 'BM25 rank1', 'Vector rank2', 'Fused score0.0325']);
    await page.locator('.brain-result').nth(1).click();
    await eventually(rows, ['BM25 ranknot in this list', 'Vector rank1', 'Fused score0.0325']);
    const flagged = page.locator('.brain-result').filter({ hasText: 'By meaning' });
    await eventually(() => flagged.locator('h2').allTextContents(), ['meaning']);
    await close();
  });

  it('says that hybrid was not used, and why', async () => {
    const { client } = service({
      found: { mode: 'bm25', degraded: true, reading: { done: 2100, total: 8412 } },
      hybrid: { configured: true, state: 'degraded', last_error: 'The embedder does not answer.' },
    });
    const { page, heard, close } = await show(client, 'search', WIDE);
    await page.locator('.brain-bar').getByText('BM25 only').waitFor();
    await page
      .getByText(
        'Hybrid is configured but was not used. The embedder does not answer. Results are by BM25 alone.',
      )
      .waitFor();
    await page.getByText('2,100 of 8,412 notes').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Doctor' }).click();
    await eventually(async () => heard.at(-1), { what: 'go', detail: ['doctor'] });
    await close();
  });

  it('says when no word was found and meaning alone answers', async () => {
    const { client } = service();
    const nearest: typeof client = {
      ...client,
      call: async (name, ask) => {
        const answer = await client.call(name, ask);
        if (name !== 'query' || !('results' in answer)) return answer;
        const results = answer.results.map((result) => ({ ...result, ranks: { vector: 1 }, terms: [] }));
        return { ...answer, results };
      },
    };
    const { page, close } = await show(nearest, 'search', WIDE);
    await page.getByText('No note holds these words. These come nearest by their meaning.').waitFor();
    await close();
  });

  it('narrows by who wrote it, by state, by freshness, and by source', async () => {
    const { world, client } = service();
    const { page, close } = await show(client, 'search', WIDE);
    const titles = () => page.locator('.brain-results .brain-result h2').allTextContents();
    await page.getByRole('radio', { name: /laptop/ }).click();
    await eventually(titles, ['both', 'old']);
    await page.getByRole('checkbox', { name: 'Only fresh' }).click();
    await eventually(titles, ['both']);
    await page.getByRole('checkbox', { name: 'Only fresh' }).click();
    await page.getByRole('radio', { name: /Knowledge/ }).click();
    await eventually(titles, ['old']);
    await page.getByRole('radio', { name: 'External source' }).click();
    // On a slow machine a question that a former click led to may still be on its way.
    await eventually(async () => world.asked.at(-1)?.source_type, 'external');
    expect(world.asked.at(-1)).toMatchObject({ source_type: 'external', explain: true });
    await eventually(titles, ['old']);
    await close();
  });

  it.each(byDay(1, ['dark', 'light'] as const))('unfolds its filters in a narrow pane, %s', async (theme) => {
    const { client } = service();
    const { page, close } = await show(client, 'search', { ...WIDE, width: 320, height: 720, theme });
    await page.locator('.brain-result').first().waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'Written by' }).selectOption('human:me');
    await eventually(() => page.locator('.brain-result').count(), 1);
    expect(await axeFaults(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0);
    await close();
  });

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('shows on home how far the backfill is, and stops it, %s at %i px', async (theme, width) => {
    const embedding = { phase: 'embedding' as const, done: 212, total: 412 };
    const { world, client } = service({
      hybrid: { configured: true, state: 'syncing', progress: embedding },
    });
    const { page, complaints, close } = await show(client, 'home', { theme, width, height: 720 });
    await page.getByText('Embedding the notes: 212 of 412').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Backfill embeddings' });
    await eventually(() => bar.getAttribute('aria-valuenow'), '212');
    await bar.scrollIntoViewIfNeeded();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pause the backfill' }).click();
    await eventually(async () => world.cancelled > 0, true);
    world.hybrid = { configured: true, state: 'ready', paused: true, vectors: 212, pending: 200 };
    await page.getByText('Embedding is paused: 212 notes embedded, 200 are left').waitFor();
    await page.getByRole('button', { name: 'Go on with the backfill' }).click();
    await eventually(async () => world.backfills.length > 0, true);
    world.hybrid = STATUS.hybrid;
    world.backfills[0]?.end({ added: 200, deleted: 0, errors: [] });
    await page.getByText('412 notes can be found by their words and by their meaning').waitFor();
    await bar.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('begins a backfill, follows it, and says what it did and what failed', async () => {
    const { world, client } = service();
    const { page, heard, close } = await show(client, 'home', {});
    await page.getByRole('button', { name: 'Backfill embeddings' }).click();
    const embedding = { phase: 'embedding' as const, done: 3, total: 9 };
    world.hybrid = { ...STATUS.hybrid, state: 'syncing', progress: embedding };
    await page.getByText('Embedding notes that have changed: 3 of 9').waitFor();
    world.hybrid = STATUS.hybrid;
    await eventually(async () => world.backfills.length > 0, true);
    const error = 'The input length exceeds the context length.';
    world.backfills[0]?.end({ added: 8, deleted: 1, errors: [{ path: 'wiki/a/facts/b.md', error }] });
    await page.getByText('Backfill done: 8 notes embedded, 1 embedding removed, 1 error.').waitFor();
    await page.getByRole('list', { name: 'Errors of the backfill' }).getByText(error).waitFor();
    await page.getByRole('button', { name: 'wiki/a/facts/b.md' }).click();
    await eventually(async () => heard.at(-1)?.what, 'openNote');
    await close();
  });

  it('offers nothing about embeddings where there are none, and shows the first reading', async () => {
    const { world, client } = service({
      hybrid: { configured: false, state: 'off' },
      index: { state: 'building', notes: 2100, waiting: 0, reading: { done: 2100, total: 8412 } },
    });
    const { page, close } = await show(client, 'home', {});
    const bar = page.getByRole('progressbar', { name: 'Reading the vault' });
    await bar.waitFor();
    await page.getByText('Reading the vault: 2,100 of 8,412').waitFor();
    expect(await page.getByRole('button', { name: /backfill/i }).count()).toBe(0);
    world.index = STATUS.index;
    await page.getByText('412 notes can be found by their words').waitFor();
    await bar.waitFor({ state: 'detached' });
    await close();
  });
});
