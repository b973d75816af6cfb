import type { Page } from 'playwright-core';
import { CallError } from '../../src/core/registry/client';
import type { FileIngest } from '../../src/ui/client/host';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import {
  openScreen,
  type ScreenPage,
  type ScreenPageOptions,
  scriptedClient,
} from '../support/ui/screen-page';
import { entry } from '../ui/queue/entries';
import { watcher } from '../ui/intake/watcher';
import { Served } from './served';

const NOW = '2026-11-20T12:00:00Z';
const HASH = 'a'.repeat(64);
const HOSTILE = 'evil\u202Efdp.exe <img src=x onerror=alert(1)>.md';

type Result = Exclude<FileIngest, { job: string }>;
const page = (title: string, extra: Partial<Result['pages'][number]> = {}): Result['pages'][number] => ({
  title,
  status: 'written',
  path: `raw/${title}.md`,
  similar: [],
  refs: [],
  unlinked: [],
  warnings: [],
  ...extra,
});
const result = (pages: Result['pages'], extra: Partial<Result> = {}): Result => ({
  source_hash: HASH,
  extraction: 'llm',
  destination: 'raw',
  counts: { written: pages.length, duplicate: 0, rejected_before: 0, skipped: 0 },
  pages,
  warnings: [],
  file: 'x',
  converted: false,
  ...extra,
});

const ENTRIES = [
  entry('MTU', 3, {
    extraction: 'llm',
    unverified: true,
    rejected_before: true,
    origin: 'watcher',
    written_by: 'watcher via qwen3:14b',
    source: 'thread.pdf',
    sources: ['[[inbox/processed/2026-11-20/thread.pdf#page=3|thread.pdf]]'],
  }),
  entry('Manual', 4, { extraction: 'passthrough', can_re_extract: true, content_hash: HASH }),
  entry('Plain', 5),
];

/** A service with a queue, over which a test says what ingesting answers. */
function service(answers: Parameters<typeof scriptedClient>[0] = {}, entries = ENTRIES) {
  return scriptedClient({
    pending: ({ path }) => {
      const found = path === undefined ? entries : entries.filter((one) => one.path === path);
      return { count: found.length, total: found.length, pending: found };
    },
    note: ({ path = '' }) => ({
      path,
      title: path,
      frontmatter: {},
      body: 'Text.',
      content_hash: entries.find((one) => one.path === path)?.content_hash ?? HASH,
      truncated: false,
      status: 'raw',
      history: 0,
      outgoing: [],
      backlinks: [],
      same_tags: [],
      stale: false,
    }),
    gate: ({ path }) => ({
      path,
      content_hash: HASH,
      refs: [],
      unlinked: [],
      findings: [],
      findings_hash: 'none',
      warnings: [],
    }),
    wings: () => ({ wings: [] }),
    promote: () => {
      throw new CallError('invalid_hall', 'Nobody promotes here.');
    },
    ...answers,
  });
}

/** Holds files, or a text, above the queue; `release` lets them go. */
async function hold(on: Page, files: readonly (readonly [string, string])[], text = ''): Promise<void> {
  await on.evaluate(
    ([list, uri]) => {
      const data = new DataTransfer();
      for (const [name, body] of list) data.items.add(new File([body], name));
      if (uri !== '') data.setData('text/uri-list', uri);
      const root = document.querySelector('.brain-queue');
      root?.dispatchEvent(
        new DragEvent('dragenter', { dataTransfer: data, bubbles: true, cancelable: true }),
      );
      Object.assign(window, {
        release: () =>
          root?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })),
      });
    },
    [files, text] as const,
  );
}
const release = (on: Page) => on.evaluate('release()');

async function drop(on: Page, files: readonly (readonly [string, string])[], text = ''): Promise<void> {
  await hold(on, files, text);
  await release(on);
}

describeInBrowser('ingesting on the screens', (browser) => {
  const opened: ScreenPage[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  async function open(
    client: Parameters<typeof openScreen>[1],
    screen: Parameters<typeof openScreen>[2] = 'queue',
    options: ScreenPageOptions = {},
  ): Promise<ScreenPage> {
    const one = await openScreen(browser(), client, screen, { now: NOW, ...options });
    opened.push(one);
    return one;
  }
  const intake = (on: Page) => on.getByRole('region', { name: 'Ingestion' });

  it('takes dropped files in turn, and says of each what came of it, also of hostile names', async () => {
    const taken: string[] = [];
    const { page: on, complaints } = await open(service(), 'queue', {
      ingestFile: async (name, bytes) => {
        taken.push(`${name} ${bytes.length}`);
        if (name.startsWith('scan')) throw new CallError('no_text', 'There is no text in it.');
        if (name === 'old.md') return result([], { extraction: 'unchanged' });
        const { path: _, ...nowhere } = page('DNS');
        return result([
          page('One'),
          page('Two'),
          { ...nowhere, status: 'duplicate', duplicate_of: 'wiki/n/facts/d.md' },
        ]);
      },
    });
    await on.getByRole('option').first().waitFor();
    await hold(on, [['a.pdf', 'x']]);
    await on.getByText('Drop to make notes of it').waitFor();
    await release(on);
    await on.getByText('Drop to make notes of it').waitFor({ state: 'detached' });
    await intake(on).getByText('2 notes made, 1 known already').first().waitFor();

    await drop(on, [
      ['report.pdf', 'abc'],
      ['scan.pdf', 'd'],
      ['empty.txt', ''],
      ['old.md', 'e'],
      [HOSTILE, 'f'],
    ]);
    await intake(on)
      .getByText('4 notes made, 2 known already, 1 unchanged, 2 sources not ingested')
      .waitFor();
    expect(taken).toEqual(['a.pdf 1', 'report.pdf 3', 'scan.pdf 1', 'old.md 1', `${HOSTILE} 1`]);
    const lines = intake(on).getByRole('list').first().locator('> li');
    await eventually(
      () => lines.allTextContents(),
      [
        'scan.pdfThere is no text in it.',
        'empty.txtThe file is empty.',
        'report.pdf2 notes made, 1 known already',
        'old.mdNothing new since it was last ingested',
        'evil fdp.exe <img src=x onerror=alert(1)>.md2 notes made, 1 known already',
      ],
    );
    expect(await on.locator('.brain-intake img').count()).toBe(0);
    expect(await axeFaults(on)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('leads from the outcome to the new note and to the one that says the same', async () => {
    const { path: _, ...nowhere } = page('DNS');
    const pages = [
      page('One'),
      { ...nowhere, status: 'duplicate' as const, duplicate_of: 'wiki/n/facts/d.md' },
    ];
    const { page: on, heard } = await open(service(), 'queue', { ingestFile: async () => result(pages) });
    await on.getByRole('option').first().waitFor();
    await drop(on, [['a.pdf', 'x']]);
    await intake(on).getByRole('button', { name: 'One' }).click();
    await intake(on).getByRole('button', { name: 'DNS' }).click();
    await eventually(
      async () => heard,
      [
        { what: 'go', detail: ['queue', { path: 'raw/One.md' }] },
        { what: 'openNote', detail: ['wiki/n/facts/d.md'] },
      ],
    );
    await intake(on).getByRole('button', { name: 'Close what was ingested' }).click();
    await intake(on).waitFor({ state: 'detached' });
    // The button is gone; the keys still work.
    await on.waitForFunction(() => document.activeElement?.getAttribute('role') === 'listbox');
  });

  it('shows how far a long one is, here and on home, and calls it off', async () => {
    const asked: string[] = [];
    let cancelled = false;
    const running = { job: 'j1', status: 'running' as const, done: 3, total: 12 };
    const client = service({
      ingestPath: ({ path }) => {
        asked.push(path);
        return running;
      },
      job: () => running,
      cancelJob: () => {
        cancelled = true;
        return { ...running, status: 'cancelled' as const };
      },
      ...HOME,
    });
    const one = await open(client);
    const { page: on } = one;
    await on.getByRole('option').first().waitFor();
    await drop(on, [], 'obsidian://open?vault=x&file=papers/manual.pdf');
    const bar = on.getByRole('progressbar', { name: 'Ingesting papers/manual.pdf' });
    await bar.waitFor();
    await on.getByText('3 of 12').waitFor();
    await eventually(() => bar.getAttribute('aria-valuenow'), '25');
    expect(asked).toEqual(['papers/manual.pdf']);
    await one.show('home');
    await bar.waitFor();
    await intake(on).getByRole('button', { name: 'Cancel' }).click();
    await intake(on).getByText('Cancelled. What was made before stands.').waitFor();
    expect(cancelled).toBe(true);
    expect(await axeFaults(on)).toEqual([]);
  });

  it('takes text by the keyboard alone', async () => {
    const sent: unknown[] = [];
    const client = service({
      ingest: (ask) => {
        sent.push(ask);
        return result([page('Well')]);
      },
    });
    const { page: on } = await open(client, 'queue', { kind: 'web' });
    await on.getByRole('option').first().waitFor();
    await on.keyboard.press('i');
    await on.waitForFunction(() => document.activeElement?.textContent === 'Choose files');
    await on.keyboard.press('Tab');
    await on.keyboard.type('The well');
    await on.keyboard.press('Control+Enter');
    await on.getByText('Paste or write some text.').waitFor();
    expect(await axeFaults(on, 'dialog')).toEqual([]);
    await on.keyboard.type('It is 30 m deep.');
    await on.getByText('16 characters').waitFor();
    await on.keyboard.press('Control+Enter');
    await intake(on).getByText('1 note made').first().waitFor();
    expect(sent).toEqual([{ text: 'It is 30 m deep.', title: 'The well', background: true }]);
    await on.waitForFunction(() => document.activeElement?.getAttribute('role') === 'listbox');
  });

  it('marks how each page was made, opens its source at the page, and has it made again', async () => {
    const asked: unknown[] = [];
    const client = service({
      reExtract: (ask) => {
        asked.push(ask);
        return result([page('One')]);
      },
    });
    const { page: on, heard } = await open(client);
    const row = (name: string) => on.getByRole('option', { name });
    await row('MTU').waitFor();
    for (const words of ['Rejected before', 'No quote found', 'Extracted'])
      await row('MTU').getByText(words).waitFor();
    await row('Manual').getByText('Passed through').waitFor();
    expect(await row('Plain').locator('.brain-flag').count()).toBe(0);
    await on.getByText('None of its quotes stands in the source.').waitFor();
    await on.getByRole('button', { name: 'thread.pdf, page 3' }).click();
    await eventually(async () => heard.at(-1), {
      what: 'openFile',
      detail: ['inbox/processed/2026-11-20/thread.pdf', 3],
    });
    expect(await on.getByRole('button', { name: 'Re-extract with the model' }).count()).toBe(0);
    await row('Manual').click();
    await on.getByRole('button', { name: 'Re-extract with the model' }).click();
    await intake(on).getByText('1 note made').first().waitFor();
    expect(asked).toEqual([{ path: 'raw/Manual.md', expected_hash: HASH, background: true }]);
    expect(await axeFaults(on)).toEqual([]);
  });

  describe('the inbox', () => {
    const FULL = {
      watcher: watcher({
        waiting: ['inbox/a.pdf', 'inbox/b.md'],
        waiting_count: 2,
        left: [
          { path: 'inbox/x.docx', reason: 'no_converter' },
          { path: 'inbox/y.zip', reason: 'unknown_type' },
        ],
        left_count: 2,
      }),
      quarantine: [
        {
          path: 'inbox/quarantine/2026-11-20/scan.pdf',
          file: 'inbox/scan.pdf',
          code: 'no_text',
          message: 'It has no text.',
          at: '2026-11-20T10:00:00Z',
          attempts: 1,
        },
      ],
    };

    it.each([
      ['light', 1280],
      ['dark', 320],
    ] as const)('is shown by the doctor with what can be done, %s, %i px', async (theme, width) => {
      const asked: unknown[] = [];
      let now: Partial<Status> = FULL;
      const client = service({
        status: () => ({ ...STATUS, ...now }),
        ingestInbox: () => {
          asked.push('ingest');
          now = { ...FULL, watcher: { ...FULL.watcher, waiting: [], waiting_count: 0 } };
          return { queued: 2 };
        },
        retryQuarantined: ({ path }) => {
          asked.push(path);
          throw new CallError('busy', 'The vault is busy. Try again.');
        },
      });
      const { page: on, heard } = await open(client, 'doctor', { theme, width });
      const inbox = on.getByRole('region', { name: 'Inbox' });
      await inbox.getByText('2 files wait in inbox').waitFor();
      await inbox.getByText('Not watched on this device', { exact: true }).waitFor();
      await inbox.getByText('Only a converter can read these: x.docx.').waitFor();
      await inbox.getByText('Of kinds that are not read: y.zip.').waitFor();
      await inbox.getByText('It has no text.').waitFor();
      expect(await axeFaults(on)).toEqual([]);
      await inbox.getByRole('button', { name: 'Ingest these 2 files' }).click();
      await inbox.getByText('2 files wait in inbox').waitFor({ state: 'detached' });
      await inbox.getByRole('button', { name: 'Try again: scan.pdf' }).click();
      await inbox.getByText('The vault is busy. Try again.').waitFor();
      await inbox.getByRole('button', { name: 'Open the file: scan.pdf' }).click();
      expect(asked).toEqual(['ingest', FULL.quarantine[0]?.path]);
      await eventually(async () => heard, [{ what: 'openFile', detail: [FULL.quarantine[0]?.path] }]);
    });

    it('tries every quarantined file again, also when one of them is gone', async () => {
      const [first] = FULL.quarantine;
      if (first === undefined) throw new Error('No file is in quarantine.');
      const files = ['a.pdf', 'b.pdf', 'c.pdf'].map((name) => ({
        ...first,
        path: `inbox/quarantine/d/${name}`,
      }));
      const asked: string[] = [];
      const client = service({
        status: () => ({ ...STATUS, quarantine: files.filter(({ path }) => !asked.includes(path)) }),
        retryQuarantined: ({ path }) => {
          asked.push(path);
          if (path.endsWith('a.pdf')) throw new CallError('source_missing', 'There is no such file.');
          return { path, restored_path: 'inbox/x.pdf' };
        },
      });
      const { page: on } = await open(client, 'doctor');
      await on.getByRole('button', { name: 'Try all again' }).click();
      await on.getByRole('region', { name: 'Inbox' }).waitFor({ state: 'detached' });
      expect(asked).toEqual(files.map(({ path }) => path));
    });

    it('says nothing while there is nothing to say', async () => {
      const client = service({ status: () => STATUS, ...HOME });
      const { page: on, show } = await open(client, 'doctor');
      await on.getByText('All is well').waitFor();
      await on.getByRole('region', { name: 'Inbox' }).waitFor({ state: 'detached' });
      await show('home');
      await on.getByText('Not watched on this device').waitFor();
      expect(await on.locator('.brain-dot.mod-amber, .brain-dot.mod-red').count()).toBe(0);
    });
  });
});

type Status = Awaited<ReturnType<NonNullable<Parameters<typeof scriptedClient>[0]['status']>>>;
const STATUS: Status = {
  version: '1.2.3',
  notes: 4,
  index: { state: 'ready', notes: 4, waiting: 0 },
  hybrid: { configured: false, state: 'off' },
  watcher: watcher(),
  queue: { count: 0 },
  quarantine: [],
  checks: [
    {
      name: 'converter',
      state: 'ok',
      message: 'None is set: Office documents and images stay where they are.',
    },
  ],
};
const HOME: Parameters<typeof scriptedClient>[0] = {
  status: () => STATUS,
  verifyAudit: () => ({ files: [], lines: 0, problem_count: 0, problems: [] }),
  overview: () => ({
    notes: 4,
    added: 0,
    undated: 0,
    owner_notes: 0,
    wings: [],
    latest: [],
    may: [],
    stale: 0,
    queue: { count: 0, ages: { under_1_day: 0, days_1_to_3: 0, days_4_to_7: 0, over_7_days: 0 } },
    writes: { notes: 0, writers: [], writer_count: 0 },
    growth: [],
  }),
};

describeInBrowser('ingesting on the web page', (browser) => {
  const served = new Served();
  beforeAll(() => served.start());
  afterAll(() => served.end());

  it('sends files as they are, keeps them, and says plainly which cannot be read', async () => {
    const { page: on, complaints } = await served.open(browser(), '#/queue');
    on.setDefaultTimeout(20_000);
    await on.getByText('Nothing waits for review').waitFor();
    await drop(on, [
      ['the well.md', '# The well\n\nIt is 30 m deep.'],
      ['page.html', '<h1>The page</h1><p>Its text.</p>'],
      ['tool.exe', 'x'],
    ]);
    const intake = on.getByRole('region', { name: 'Ingestion' });
    await intake.getByText('2 notes made, 1 source not ingested').waitFor();
    await intake.getByText('"tool.exe" is of a kind that is not read.').waitFor();
    await on.getByRole('option', { name: 'The well' }).waitFor();
    const { pending } = await served.call('/pending');
    expect(pending).toHaveLength(2);
    expect(pending).toContainEqual(
      expect.objectContaining({ title: 'The well', extraction: 'passthrough', can_re_extract: false }),
    );
    // The same again is no news.
    await drop(on, [['the well.md', '# The well\n\nIt is 30 m deep.']]);
    await intake.getByText('Nothing new since it was last ingested').first().waitFor();
    expect(await axeFaults(on)).toEqual([]);
    // The browser logs the refusal of the one file.
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
    await on.keyboard.press('i');
    await on.getByRole('dialog', { name: 'Add to the queue' }).getByText('Choose files').waitFor();
    const foot = on.getByRole('dialog').getByRole('button', { name: 'Add the text' });
    await foot.scrollIntoViewIfNeeded();
    expect(await foot.isVisible()).toBe(true);
    await on.context().close();
  });
});
