import fc from 'fast-check';
import { notesWords, oldestWords, writerWords } from '../../../src/ui/home/screen';
import { countTicks, growthWords, monthTicks } from '../../../src/ui/home/growth';
import { heatLevel, heatSteps } from '../../../src/ui/home/heat-map';
import { backfillWords, searchState, whyDegraded } from '../../../src/ui/found/state';
import { auditRow, checkRows, readingRows, serverRow } from '../../../src/ui/home/state';
import { watcher } from '../intake/watcher';

describe('the shades of the heat map', () => {
  it('rise with the notes, and few notes stay light', () => {
    expect(heatSteps(37)).toEqual([1, 9, 17, 26]);
    expect([0, 1, 8, 9, 17, 26, 37].map((notes) => heatLevel(notes, heatSteps(37)))).toEqual([
      0, 1, 1, 2, 3, 4, 4,
    ]);
    expect(heatLevel(2, heatSteps(2))).toBe(1);
  });

  it('never fall while the notes rise', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), fc.nat(5000), (fullest, a, b) => {
        const steps = heatSteps(fullest);
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(heatLevel(less, steps)).toBeLessThanOrEqual(heatLevel(more, steps));
        expect(heatLevel(0, steps)).toBe(0);
      }),
    );
  });
});

describe('the axis of the growth', () => {
  it.each([
    [412, ['0', '200', '400']],
    [329, ['0', '100', '200', '300']],
    [0, ['0', '1', '2', '3', '4']],
    [3, ['0', '1', '2', '3', '4']],
    [12_345, ['0', '5,000', '10,000']],
  ])('divides %i into round numbers', (most, words) => {
    expect(countTicks(most).ticks.map((tick) => tick.words)).toEqual(words);
  });

  it('always holds what it shows, and two to seven numbers', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (most) => {
        const { top, ticks } = countTicks(most);
        expect(top).toBeGreaterThanOrEqual(most);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(new Set(ticks.map(({ words }) => words)).size).toBe(ticks.length);
      }),
    );
  });

  const growth = Array.from({ length: 26 }, (_, week) => ({
    until: new Date(Date.parse('2026-05-30T12:00:00Z') + week * 7 * 86_400_000).toISOString(),
    notes: 100 + week,
  }));

  it('names each month once, where it begins', () => {
    expect(monthTicks(growth).map(({ words }) => words)).toEqual(['Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov']);
    expect(monthTicks([])).toEqual([]);
  });

  it('is told in a sentence', () => {
    expect(growthWords(growth)).toBe('Notes rose from 100 on 30 May 2026 to 125 on 21 Nov 2026.');
    expect(growthWords(growth.map((week) => ({ ...week, notes: 7 })))).toBe(
      'Notes stayed at 7 on 21 Nov 2026.',
    );
    expect(growthWords([])).toBe('No data');
  });
});

describe('the words of the figures', () => {
  const now = new Date('2026-11-20T12:00:00Z');

  it('say how old the oldest note is', () => {
    expect(oldestWords(undefined, now)).toBe('nothing waits');
    expect(oldestWords('2026-11-20T01:00:00Z', now)).toBe('oldest from today');
    expect(oldestWords('2026-11-19T11:00:00Z', now)).toBe('oldest 1 day');
    expect(oldestWords('2026-11-11T11:00:00Z', now)).toBe('oldest 9 days');
  });

  it('tell agents from people, and count a name once', () => {
    const by = (...names: string[]) =>
      writerWords({
        notes: names.length,
        writer_count: names.length,
        writers: names.map((written_by) => ({ written_by, notes: 1 })),
      });
    expect(by()).toBe('by nobody');
    expect(by('laptop (claude-code 2.1)', 'laptop (cursor 3)', 'ci', 'human:me')).toBe(
      'by 2 agents and 1 person',
    );
    expect(by('human:me', 'human:you')).toBe('by 2 people');
    expect(writerWords({ notes: 99, writer_count: 25, writers: [{ written_by: 'a', notes: 9 }] })).toBe(
      'by 25 writers',
    );
  });
});

describe('the state', () => {
  const status = {
    version: '1.2.3',
    notes: 4,
    index: { state: 'ready' as const, notes: 4, waiting: 0 },
    hybrid: { configured: false, state: 'off' as const },
    watcher: watcher(),
    queue: { count: 0 },
    quarantine: [],
    checks: [
      { name: 'tokens', state: 'warning' as const, message: 'Authentication is off.' },
      { name: 'language model', state: 'ok' as const, message: 'None is set.' },
      { name: 'storage', state: 'ok' as const, message: 'Fine.' },
    ],
  };

  it('names what there is, and nothing that is not', () => {
    const rows = checkRows(status);
    expect(rows.map(({ title, state }) => [title, state])).toEqual([
      ['Model', 'green'],
      ['Tokens', 'amber'],
    ]);
    expect(serverRow(status, 'http://127.0.0.1:27246')).toMatchObject({
      state: 'green',
      words: 'Version 1.2.3, listening on 127.0.0.1:27246',
    });
    expect(rows[1]).toMatchObject({ mark: 'Look at this', words: 'Authentication is off.' });
  });

  it('says which notes of the owner are read, and offers the settings only where they change something', () => {
    const check = {
      name: 'what is read',
      state: 'ok' as const,
      message: 'Only the folders of the service are read.',
    };
    expect(readingRows({ checks: [check] })).toMatchObject([
      { title: 'Your notes', state: 'green', words: check.message, isSetting: false },
    ]);
    expect(readingRows({ checks: [{ ...check, fix: 'Choose another.' }] })).toMatchObject([
      { words: 'Only the folders of the service are read. Choose another.', isSetting: true },
    ]);
    expect(readingRows(status)).toEqual([]);
    expect([notesWords(3, 0), notesWords(3, 1204)]).toEqual([
      '3 new in the last 7 days',
      '3 new in the last 7 days; 1,204 of your own besides',
    ]);
  });

  it('says when the index is not whole yet', () => {
    const building = { ...status, index: { state: 'building' as const, notes: 1, waiting: 3 } };
    expect(searchState(building)).toEqual({ state: 'amber', words: 'Reading the vault: 1 note so far' });
    const reading = { done: 2100, total: 8412 };
    expect(searchState({ ...building, index: { ...building.index, reading } })).toEqual({
      state: 'amber',
      words: 'Reading the vault: 2,100 of 8,412',
      progress: { label: 'Reading the vault', ...reading },
    });
    const waiting = { ...status, index: { state: 'ready' as const, notes: 4, waiting: 3 } };
    expect(searchState(waiting).words).toMatch(/3 being read again/);
  });

  const hybridIs = (hybrid: object) => ({
    ...status,
    hybrid: { configured: true, state: 'ready' as const, ...hybrid },
  });
  const done = '2026-11-20T12:00:00Z';
  const embedding = { phase: 'embedding' as const, done: 212, total: 412 };

  it.each([
    [
      { state: 'starting' as const },
      'amber',
      /^The notes have yet to be compared with their embeddings$/,
      'backfill',
    ],
    [
      { state: 'syncing' as const, progress: embedding },
      'amber',
      /^Embedding the notes: 212 of 412$/,
      'cancel',
    ],
    [
      { state: 'syncing' as const, progress: embedding, last_error: '12 of 412 notes have a vector.' },
      'amber',
      /^BM25 until enough notes are embedded: 212 of 412$/,
      'cancel',
    ],
    [
      { state: 'syncing' as const, progress: embedding, last_sync: done },
      'green',
      /changed: 212 of 412$/,
      'cancel',
    ],
    [
      { state: 'syncing' as const, progress: { ...embedding, phase: 'comparing' as const } },
      'amber',
      /^Comparing/,
      'cancel',
    ],
    [{ last_sync: done, pending: 0 }, 'green', /by their words and by their meaning$/, 'backfill'],
    [
      { last_sync: done, pending: 2, last_error: 'No answer.' },
      'amber',
      /2 of them by their words alone. No answer\.$/,
      'backfill',
    ],
    [
      { state: 'degraded' as const, last_error: 'The database does not answer.' },
      'amber',
      /^BM25 alone. The database does not answer\.$/,
      'backfill',
    ],
    [{ state: 'model_changed' as const }, 'amber', /made by another model/, 'backfill'],
  ])('says how search by meaning is: %j', (hybrid, state, words, action) => {
    expect(searchState(hybridIs(hybrid))).toMatchObject({
      state,
      action,
      words: expect.stringMatching(words),
    });
  });

  it('has nothing to do about embeddings where there are none', () => {
    expect(searchState(status)).not.toHaveProperty('action');
  });

  it('says in a sentence why a search went by words alone', () => {
    const why = (hybrid: object) => whyDegraded(hybridIs(hybrid).hybrid);
    expect(why({ state: 'degraded', last_error: 'The embedder is gone.' })).toBe('The embedder is gone.');
    expect(why({ state: 'starting' })).toBe('No note is embedded yet.');
    expect(why({ state: 'ready' })).toBe('The store of the vectors or the embedder did not answer.');
  });

  const odd = { path: 'wiki/a.md', error: 'The text is empty.' };

  it('tells what a backfill has done', () => {
    expect(backfillWords({ added: 0, deleted: 0, errors: [] })).toBe(
      'Backfill done: every embedding was up to date.',
    );
    expect(backfillWords({ added: 12, deleted: 1, errors: [odd] })).toBe(
      'Backfill done: 12 notes embedded, 1 embedding removed, 1 error.',
    );
    expect(backfillWords({ added: 0, deleted: 0, errors: [odd] })).toBe('Backfill failed: 1 error.');
    expect(backfillWords({ added: 0, deleted: 500, errors: [odd] })).toBe(
      'Backfill done: 500 embeddings removed, 1 error.',
    );
  });

  it('tells what a backfill had done that was cut short, and why it was', () => {
    const reason = { error: 'The database at db refuses connections.' };
    expect(backfillWords({ added: 16, deleted: 0, errors: [reason] })).toBe(
      'Backfill stopped: 16 notes embedded. The database at db refuses connections.',
    );
    expect(backfillWords({ added: 0, deleted: 500, errors: [odd, reason] })).toBe(
      'Backfill stopped: 500 embeddings removed, 1 error. The database at db refuses connections.',
    );
    expect(backfillWords({ added: 0, deleted: 0, errors: [reason] })).toBe(
      'Backfill stopped: nothing was done. The database at db refuses connections.',
    );
  });

  it('is red when the audit chain is broken', () => {
    expect(auditRow({ files: [], lines: 1284, problem_count: 0, problems: [] })).toMatchObject({
      state: 'green',
      words: '1,284 lines, chain unbroken',
    });
    expect(auditRow({ files: [], lines: 2, problem_count: 1, problems: [] })).toMatchObject({
      state: 'red',
      mark: 'Failed',
    });
  });
});
