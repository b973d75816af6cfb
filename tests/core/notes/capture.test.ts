import * as fc from 'fast-check';
import { capture } from '../../../src/core/notes/capture';
import { editNote } from '../../../src/core/notes/edit';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { openTestBrain } from '../../support/test-brain';

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

  it('follows the text: a heading takes its place', async () => {
    const { run, files } = await openTestBrain();
    const { path } = await run(capture, { text: 'wakes up at 6:30' });
    const titleNow = async () => (await run(getNote, { path })).title;
    await run(editNote, { path, append: 'Except on Sundays.' });
    expect(await titleNow()).toBe('wakes up at 6:30');
    await run(updateNote, { path, content: 'sleeps until 9:15', reason: 'moved' });
    expect(await titleNow()).toBe('sleeps until 9:15');
    await run(updateNote, { path, content: '# Sleep\n\nUntil 9:15.', reason: 'named' });
    expect(await titleNow()).toBe('Sleep');
    expect(files.get(path)).not.toContain('title:');
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
  ['Is the uplink the bottleneck?', 'hypotheses'],
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
  const copies = Array.from(
    { length: 20 },
    (_, at) => `The user  wakes${' '.repeat(at)} up at 6:30${at % 2 ? '.' : ''}`,
  );

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
    ['in doubt', 'In C:\\new and C:\\next', /stay as they are/],
    ['in code', 'Split at `\\n\\n` or `\\n`', /^$/],
    ['once', 'Ends with \\n', /^$/],
    ['beside real ones', 'a\\n\\nb\n\nc\\n\\nd', /^$/],
  ])('stay %s', async (_, text, warned) => {
    const { body, warnings } = await bodyOf(text);
    expect(body).toBe(text);
    expect(warnings.filter((each) => each.includes('line break')).join()).toMatch(warned);
  });

  it('are what a person wrote', async () => {
    const { body } = await bodyOf('a\\n\\nb\\n\\nc', { ...agent, origin: 'http', human: true });
    expect(body).toBe('a\\n\\nb\\n\\nc');
  });
});
