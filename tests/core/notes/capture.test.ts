import * as fc from 'fast-check';
import { capture } from '../../../src/core/notes/capture';
import { editNote } from '../../../src/core/notes/edit';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { openTestBrain, person } from '../../support/test-brain';

describe('the name of a text without a title', () => {
  it.each<[string, string, string]>([
    ['wakes up at 6:30', 'wakes up at 6:30', 'wakes-up-at-6-30'],
    ['The user wakes up at 6:30.', 'The user wakes up at 6:30', 'the-user-wakes-up-at-6-30'],
    ['6:30\nwake up', '6:30 wake up', '6-30-wake-up'],
    ['Version 2.1.300 is out', 'Version 2.1.300 is out', 'version-2-1-300-is-out'],
    ['- one\n- two', 'one', 'one'],
    ['> "Quoted" words', '"Quoted" words', 'quoted-words'],
    ['2026-11-20 meeting with Bob', '2026-11-20 meeting with Bob', '2026-11-20-meeting-with-bob'],
    ['## Sleep\n\nSix hours.', 'Sleep', 'sleep'],
    ['https://example.com/a is good', 'https://example.com/a is good', 'https-example-com-a-is-good'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b', 'a-b'],
    [
      'We met with Mr. Miller about the contract. He agreed to a lot of things that we need by then.',
      'We met with Mr. Miller about the contract',
      'we-met-with-mr-miller-about-the-contract',
    ],
    [
      'The pump draws 1.2 kW, e.g. at night. A second sentence makes the line too long for a title.',
      'The pump draws 1.2 kW, e.g. at night',
      'the-pump-draws-1-2-kw-e-g-at-night',
    ],
    ['日本語のメモです。今日は寒い。', '日本語のメモです。今日は寒い', '日本語のメモです-今日は寒い'],
  ])('of %j is %j', async (text, title, slug) => {
    const { run } = await openTestBrain();
    const captured = await run(capture, { text });
    expect(captured.slug).toBe(slug);
    expect((await run(getNote, { path: captured.path })).title).toBe(title);
    const written = await run(writeNote, { wing: 'lab', hall: 'facts', content: text });
    expect(written.slug).toBe(slug);
    expect((await run(getNote, { path: written.path })).title).toBe(title);
  });

  it('is the beginning of the text, and never only digits', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        '6:30',
        '2.1.300',
        '1,234.5',
        'https://a.example/b?c=1',
        '"so"',
        'e.g.',
        'Dr.',
        '…',
        '50%',
        '§',
      ),
      fc.stringMatching(/^[A-Za-zäöü]{1,12}[.,!?;:]?$/),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 30 }), async (words) => {
        const { run } = await openTestBrain();
        const text = words.join(' ');
        const { path } = await run(capture, { text });
        const { title } = await run(getNote, { path });
        if (/^note [0-9a-f]{8}$/.test(title)) return;
        expect(text.startsWith(title)).toBe(true);
        expect(title).toMatch(/\p{L}/u);
        expect(Array.from(title).length).toBeLessThanOrEqual(60);
      }),
      { numRuns: 100 },
    );
  });

  it('stays when the text changes, which is told', async () => {
    const { run } = await openTestBrain();
    const { path } = await run(capture, { text: 'wakes up at 6:30' });
    const appended = await run(editNote, { path, append: 'Except on Sundays.' });
    expect(appended.warnings).toEqual([]);
    const changed = await run(updateNote, { path, content: '# Sleep\n\nUntil 9:15.', reason: 'named' });
    expect(changed.warnings).toEqual(
      expect.arrayContaining([expect.stringContaining('still called "wakes up at 6:30"')]),
    );
    const renamed = await run(updateNote, {
      path,
      content: '---\ntitle: Sleep\n---\nUntil 9:15.',
      reason: 'n',
    });
    expect(renamed.warnings.join()).not.toContain('still called');
    expect((await run(getNote, { path })).title).toBe('Sleep');
  });

  it('of an owner is never changed', async () => {
    const path = 'wiki/lab/facts/pers.md';
    const { run, files } = await openTestBrain({
      [path]: '---\ntitle: Weekly sync\n---\nWeekly sync\n\nWe met.\n',
    });
    await run(updateNote, { path, content: 'Agenda moved to Friday.', reason: 'r' }, person);
    expect(files.get(path)).toContain('title: Weekly sync');
  });

  it('given by the writer stays', async () => {
    const { run } = await openTestBrain();
    const { path } = await run(capture, { text: 'wakes up at 6:30', title: 'Sleep' });
    await run(updateNote, { path, content: 'sleeps until 9:15', reason: 'moved' });
    expect((await run(getNote, { path })).title).toBe('Sleep');
  });
});

it.each([
  ['The user wakes up at 6:30.', 'facts'],
  ['Works at Contoso since 2019', 'facts'],
  ['Der Nutzer trinkt keinen Kaffee.', 'facts'],
  ['Maybe the pump is broken.', 'hypotheses'],
  ['I think the fan failed', 'hypotheses'],
  ['Is the disk full?\nYes, 98 %.', 'facts'],
  ['# NAS\n\nWe decided to use ZFS.', 'decisions'],
  ['# Scrub\n\nThe scrub failed at 40 %.', 'failures'],
  ['# Maybe the fan', 'hypotheses'],
  ['Backup.\nMaybe the disk is dying.', 'hypotheses'],
  ['Prod runs nginx 1.2. The old RAID failed in 2020.', 'facts'],
  ['Nginx fails over to the second host.', 'facts'],
  ['The API returns 404 when the id seems wrong', 'facts'],
  ['Vermutlich liegt es am Router.', 'hypotheses'],
  ['We decided to use Postgres, because it is boring.', 'decisions'],
  ['Wir haben uns für Kaffee entschieden.', 'decisions'],
  ['The upgrade to 5.2 failed: the driver is missing.', 'failures'],
  ['Suspend does not work on kernel 6.8', 'failures'],
])('a capture of %j goes to %s', async (text, hall) => {
  const { run } = await openTestBrain();
  expect(await run(capture, { text })).toMatchObject({ wing: 'notes', hall });
});

it('what comes from the web is external', async () => {
  const { run, files } = await openTestBrain();
  const { path } = await run(capture, { text: 'Tea has caffeine.', source: 'https://example.com/tea' });
  expect(files.get(path)).toContain('source_type: external');
  const said = await run(capture, { text: 'The user drinks tea.' });
  expect(files.get(said.path)).toContain('source_type: internal');
});

describe('the same again', () => {
  const copies = Array.from({ length: 20 }, (_, at) => `The user  wakes${' '.repeat(at)} up at 6:30`);

  it.each(['mcp', 'proposer'])('of one writer is one note, whatever the blanks: %s', async (name) => {
    const { run, files } = await openTestBrain();
    const scopes = new Set(
      name === 'proposer' ? (['read', 'propose'] as const) : (['read', 'write'] as const),
    );
    const caller = { origin: 'mcp', name, human: false, scopes } as const;
    const answers = [];
    for (const text of copies) answers.push(await run(capture, { text }, caller));
    expect(new Set(answers.map(({ path }) => path)).size).toBe(1);
    expect(answers.map(({ unchanged }) => unchanged)).toEqual([false, ...copies.slice(1).map(() => true)]);
    expect([...files.keys()].filter((path) => /^(?:wiki|raw)\/.*wakes/.test(path))).toHaveLength(1);
    // Another writer, and other tags, make another note.
    const other = await run(capture, { text: copies[3] ?? '' }, { ...caller, name: 'other' });
    expect(other.created).toBe(true);
    const tagged = await run(capture, { text: copies[3] ?? '', tags: ['sleep'] }, caller);
    expect(tagged.created).toBe(true);
  });
});

it.each([
  [
    { text: '192.168.1.1', title: 'Router 1' },
    { text: '192.168.1.1', title: 'Router #1' },
  ],
  [
    { text: '192.168.1.1', title: '\u{1f34e}' },
    { text: '192.168.1.1', title: '\u{1f34c}' },
  ],
  [{ text: 'The backup works?' }, { text: 'The backup works.' }],
])('%j and %j are two notes', async (one, other) => {
  const { run } = await openTestBrain();
  await run(capture, one);
  expect(await run(capture, other)).toMatchObject({ created: true, unchanged: false });
});

describe('line breaks that are written as two characters', () => {
  const agent = {
    origin: 'mcp',
    name: 'laptop',
    human: false,
    scopes: new Set(['read', 'write'] as const),
  } as const;
  const bodyOf = async (text: string, caller: object = agent) => {
    const { run, files } = await openTestBrain();
    const { path, warnings } = await run(capture, { text }, caller as typeof agent);
    return { body: files.get(path)?.split('---\n').at(-1), warnings };
  };

  it('become line breaks where they part blocks, with a warning', async () => {
    const { body, warnings } = await bodyOf('# Pump\\n\\nIt draws 1.2 kW.\\n- at night');
    expect(body).toBe('# Pump\n\nIt draws 1.2 kW.\n- at night');
    expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining('became line breaks')]));
  });

  it.each([
    ['in paths', 'Copy D:\\music\\new to E:\\music\\nas', /^$/],
    ['in formulas', '\\nabla and \\nu, \\n\\nThen \\newline', /^$/],
    ['in quotes', "Use printf 'a\\n\\nB' to print a blank line.", /^$/],
    ['in double quotes', 'Parted by "\\n\\nA", twice', /^$/],
    ['in code', 'Split at `\\n\\n` or `\\n`', /^$/],
    ['once', 'Ends with \\n', /^$/],
    ['beside real ones', 'a\\n\\nb\n\nc\\n\\nd', /^$/],
  ])('stay %s', async (_, text, warned) => {
    const { body, warnings } = await bodyOf(text);
    expect(body).toBe(text);
    expect(warnings.filter((each) => each.includes('line break')).join()).toMatch(warned);
  });

  it('are mended by an edit too', async () => {
    const { run, files } = await openTestBrain();
    const { path } = await run(capture, { text: 'First.' }, agent);
    const { warnings } = await run(editNote, { path, append: '## More\\n\\n- a\\n- b' }, agent);
    expect(files.get(path)).toMatch(/First\.\n\n## More\n\n- a\n- b\n$/);
    expect(warnings.join()).toContain('became line breaks');
  });

  it('are what a person wrote', async () => {
    const { body } = await bodyOf('a\\n\\nb\\n\\nc', { ...agent, origin: 'http', human: true });
    expect(body).toBe('a\\n\\nb\\n\\nc');
  });
});
