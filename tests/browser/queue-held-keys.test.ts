import { type Ask, CallError } from '../../src/core/registry/client';
import { axeFaults, describeInBrowser, eventually } from '../support/browser';
import { openScreen, scriptedClient } from '../support/ui/screen-page';
import { entry } from '../ui/queue/entries';
import { act, current, FACTS, focused, hold, raw } from './queue-world';
import { Served, wikiNote } from './served';

const NOTES = 100;
const LATE_MS = 2500;

/** A service with many notes whose every answer is late. The fourth note suggests no hall. */
function lateService() {
  const decided: string[] = [];
  const all = Array.from({ length: NOTES }, (_, index) =>
    entry(`note-${String(index).padStart(3, '0')}`, 1, {
      created_at: new Date(Date.UTC(2026, 10, 1, 0, index)).toISOString(),
      suggested: { wing: 'homelab', slug: `note-${index}`, ...(index !== 3 && { hall: 'facts' as const }) },
    }),
  );
  const waiting = () => all.filter(({ path }) => !decided.some((done) => done.endsWith(path)));
  const found = (path = '') => {
    const one = waiting().find((other) => other.path === path);
    if (one === undefined) throw new CallError('source_missing', 'It is gone.');
    return one;
  };
  const late = async <T>(answer: () => T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    return answer();
  };
  const client = scriptedClient({
    pending: ({ path, limit = 20, offset = 0 }) =>
      late(() => {
        const listed = waiting().filter((one) => path === undefined || one.path === path);
        const pending = listed.slice(offset, offset + limit);
        return { count: pending.length, total: listed.length, pending };
      }),
    wings: () => ({ wings: [] }),
    note: ({ path }) =>
      late(() => {
        const one = found(path);
        return {
          path: one.path,
          title: one.title,
          status: 'raw' as const,
          frontmatter: {},
          body: `# ${one.title}\n\nText of ${one.title}.`,
          content_hash: one.content_hash,
          stale: false,
          history: 0,
          outgoing: [],
          backlinks: [],
          same_tags: [],
          truncated: false,
        };
      }),
    gate: ({ path }) =>
      late(() => ({
        path,
        content_hash: found(path).content_hash,
        refs: [],
        unlinked: [],
        findings: [],
        findings_hash: 'none',
        warnings: [],
      })),
    promote: (ask) => {
      const one = found(ask.path);
      if (ask.dry_run !== true) decided.push(`promoted ${one.path}`);
      return late(() => promoted(ask, one.content_hash));
    },
    reject: ({ path }) => {
      decided.push(`rejected ${found(path).path}`);
      return late(() => ({
        path,
        rejected_path: path.replace('raw/', 'raw/rejected/'),
        rejected_at: '2026-11-20T00:00:00Z',
        linked_from: [],
      }));
    },
  });
  return { client, decided };
}

const promoted = ({ path = '', wing, hall, slug = '' }: Ask<'promote'>, hash: string) => ({
  path: `wiki/${wing}/${hall}/${slug}.md`,
  from: path,
  wing,
  hall,
  slug,
  content_hash: hash,
  promoted_at: '2026-11-20T00:00:00Z',
  index: `wiki/${wing}/_index.md`,
  tunnels: [],
  relinked: 0,
  refs: [],
  warnings: [],
});

describeInBrowser('keys of a queue whose answers are late', (browser) => {
  it('decide on a note that is shown, once, and say why they do nothing', async () => {
    const { client, decided } = lateService();
    const { page, complaints } = await openScreen(browser(), client, 'queue');
    const bar = page.locator('.brain-queue > [role="status"]');
    await page.getByText('100 pending').waitFor();

    // Held down from before the text is there until long after.
    await hold(page, 'a', LATE_MS + 1500);
    expect(decided).toEqual([]);
    await page.locator('.brain-queue[data-shown="raw/note-000.md"]').waitFor({ state: 'attached' });
    await bar.getByText('note-000 is shown now. The key before did nothing.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await hold(page, 'a', LATE_MS + 1500);
    expect(decided).toEqual(['promoted raw/note-000.md']);
    await bar.getByText('Promoted note-000').waitFor();

    // A reason is typed before the text is there; Enter waits, however long it is held.
    await page.keyboard.press('j');
    await eventually(() => current(page), 'note-002');
    await hold(page, 'r', 400);
    await eventually(() => page.getByLabel('Why reject it?').inputValue(), '');
    await page.keyboard.press('Enter');
    await bar.getByText('of note-002 are not all shown yet').waitFor();
    expect(decided).toHaveLength(1);
    await page.locator('.brain-queue[data-shown="raw/note-002.md"]').waitFor({ state: 'attached' });
    await hold(page, 'Enter', 1000);
    expect(decided.slice(1)).toEqual(['rejected raw/note-002.md']);
    await eventually(() => current(page), 'note-003');

    // A note without a hall: the form takes what is typed, and nothing is decided by it.
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('Choose a hall.').waitFor();
    await page.keyboard.type('arua');
    expect(await current(page)).toBe('note-003');
    await page.keyboard.press('1');
    await eventually(() => focused(page), 'listbox');
    await act(page, 'a');
    await eventually(() => Promise.resolve(decided.at(-1)), 'promoted raw/note-003.md');

    // Quickly to the next note, and promoted before the first key is released or the text is there.
    await page.keyboard.down('j');
    await page.keyboard.down('a');
    await page.keyboard.up('j');
    await page.keyboard.up('a');
    await bar.getByText('another key was still down').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await bar.getByText('are not all shown yet').waitFor();
    expect(decided).toHaveLength(3);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('a key that is held while it opens a layer', (browser) => {
  const served = new Served();
  beforeAll(() =>
    served.start({
      'raw/2026-11-10-alpha.md': raw('Alpha', '10', FACTS),
      'wiki/homelab/facts/clock.md': wikiNote('Grandmaster clock', 'PTP.'),
    }),
  );
  afterAll(() => served.end());

  it('types nothing into it, and the next key does', async () => {
    const { page, complaints } = await served.open(browser(), '#/queue');
    await page.locator('.brain-queue[data-shown]').waitFor({ state: 'attached' });
    const text = page.getByRole('textbox', { name: 'Text of the note' });
    await hold(page, 'e', 600);
    await text.and(page.locator(':focus')).waitFor();
    const before = await text.inputValue();
    expect(before).toContain('Text of the note.');
    expect(before).not.toContain('ee');
    await page.keyboard.press('Control+End');
    await hold(page, 'e', 300);
    await eventually(async () => /ee+$/.test(await text.inputValue()), true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard it' }).click();
    await text.waitFor({ state: 'detached' });

    // Enter would go on and press the button of the layer that it opened.
    let choosers = 0;
    page.on('filechooser', () => (choosers += 1));
    await page.getByRole('button', { name: /^Add/ }).focus();
    await hold(page, 'Enter', 400);
    const choose = page.getByRole('button', { name: 'Choose files' });
    await choose.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await choose.waitFor({ state: 'detached' });

    await page.locator('.brain-queue').focus();
    await page.keyboard.down('Control');
    await hold(page, 'k', 400);
    await page.keyboard.up('Control');
    const palette = page.getByRole('combobox', { name: 'Screens, actions and notes' });
    await palette.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('clock');
    await eventually(() => palette.inputValue(), 'clock');
    expect(choosers).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
