import * as fc from 'fast-check';
import { editNote } from '../../../src/core/notes/edit';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { undoWriter } from '../../../src/core/undo/undo';
import { sha256 } from '../../../src/core/base/hash';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const path = 'wiki/net/facts/dns.md';
const written = (body: string): string =>
  `---\nwing: net\nhall: facts\norigin: mcp\nwritten_by: laptop\ncreated_at: 2026-01-01T00:00:00Z\n---\n${body}`;
const open = (body: string): Promise<TestBrain> => openTestBrain({ [path]: written(body) });
const bodyOf = ({ files }: TestBrain): string => files.get(path)?.split('---\n').slice(2).join('---\n') ?? '';
const refusal = (call: Promise<unknown>): Promise<{ code: string; details: Record<string, unknown> }> =>
  call.then(
    () => ({ code: 'none', details: {} }),
    (error: { code: string; details: Record<string, unknown> }) => error,
  );

describe('a part of a note', () => {
  it('is added at the end: a paragraph, an item of a list, a row of a table', async () => {
    for (const [body, append, becomes] of [
      ['# DNS\n\nOld.\n', 'New.', '# DNS\n\nOld.\n\nNew.\n'],
      ['# Log\n\n- one\n', '- two\n', '# Log\n\n- one\n- two\n'],
      ['# Log\n\n- one', 'A text.', '# Log\n\n- one\n\nA text.\n'],
      ['| a |\n|---|\n| 1 |\n', '| 2 |', '| a |\n|---|\n| 1 |\n| 2 |\n'],
      ['# DNS\n\nOld.\r\n', 'One.\nTwo.', '# DNS\r\n\r\nOld.\r\n\r\nOne.\r\nTwo.\r\n'],
    ] as const) {
      const opened = await open(body);
      await opened.run(editNote, { path, append });
      expect(bodyOf(opened).replace(/\r/g, '')).toBe(becomes.replace(/\r/g, ''));
    }
  });

  it('is replaced where it stands once, and the version before stays', async () => {
    const opened = await open('# DNS\n\nThe MTU is 1380 here.\n');
    const before = sha256(opened.files.get(path) ?? '');
    const answer = await opened.run(editNote, { path, replace: { old: 'MTU is 1380', new: 'MTU is 1420' } });
    expect(bodyOf(opened)).toBe('# DNS\n\nThe MTU is 1420 here.\n');
    expect(answer).toMatchObject({ path, supersedes: before, warnings: [] });
    expect(opened.files.get(path)).toContain('supersede_reason: edit\n');
    expect((await opened.run(getNote, { hash: before })).body).toContain('1380');
  });

  it('is what stands below a heading, with the headings below it', async () => {
    const opened = await open('# DNS\n\nTop.\n\n## Open *items*\n\n- a\n\n### Deep\n\nx\n\n## Done\n\n- b\n');
    await opened
      .run(editNote, { path, section: { heading: '## open items', content: '- c\n' } })
      .catch(() => null);
    await opened.run(editNote, { path, section: { heading: '## Open *items*', content: '- c\n' } });
    expect(bodyOf(opened)).toBe('# DNS\n\nTop.\n\n## Open *items*\n\n- c\n\n## Done\n\n- b\n');
    await opened.run(editNote, { path, section: { heading: 'Done', content: 'All of it.' } });
    expect(bodyOf(opened)).toBe('# DNS\n\nTop.\n\n## Open *items*\n\n- c\n\n## Done\n\nAll of it.\n');
  });

  it('keeps all other text: the body is the old one with the replaced text, whatever it is', async () => {
    const text = fc.stringMatching(/^[a-c .\n]{0,12}$/);
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, by, after) => {
        const body = `# T\n\n${before}ZORP${after}x\n`;
        const opened = await open(body);
        await opened.run(editNote, { path, replace: { old: 'ZORP', new: `y${by}y` } });
        expect(bodyOf(opened)).toBe(body.replace('ZORP', `y${by}y`));
      }),
      { numRuns: 60 },
    );
  });

  it('is found by a title, and as agents read it', async () => {
    const opened = await openTestBrain();
    const content = '# Templates\n\n```js\n<% if (a) %>\n```\n';
    const { path: made } = await opened.run(writeNote, { wing: 'net', hall: 'facts', slug: 'ejs', content });
    const shown = await opened.run(getNote, { path: made }, callerWith(['read', 'write'], 'other'));
    expect(shown.body).toContain('<% if (a) %>');
    const { unlinked } = await opened.run(
      editNote,
      { path: 'Templates', append: 'A line.' },
      callerWith(['read', 'write'], 'laptop'),
    );
    expect(unlinked).toEqual([]);
    const replace = { old: '<% if (a) %>', new: '<% if (b) %>' };
    await opened.run(editNote, { path: made, replace }, callerWith(['read', 'write'], 'laptop'));
    expect((await opened.run(getNote, { path: made }, callerWith(['read'], 'x'))).body).toContain('if (b)');
  });
});

describe('a body is changed where it is meant', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ['between two rules', '---\n# Intro\n---\ntext\n', { append: 'x' }, '---\n# Intro\n---\ntext\n\nx\n'],
    [
      'bold lines',
      '**Done:** router\n',
      { append: '**Next:** switch' },
      '**Done:** router\n\n**Next:** switch\n',
    ],
    ['an item and a table', '- item\n', { append: '| a |\n|---|' }, '- item\n\n| a |\n|---|\n'],
    [
      'a heading in a callout',
      '# T\n\n> ## Tip\n> a\n\nLong.\n\n## Tip\n\nold\n\n> ## X\n\nold\n\n# End\n',
      { section: { heading: 'Tip', content: 'new' } },
      '# T\n\n> ## Tip\n> a\n\nLong.\n\n## Tip\n\nnew\n\n# End\n',
    ],
    [
      'a lone CR',
      '# A\nold\r# B\nmore\n',
      { section: { heading: 'A', content: 'new' } },
      '# A\n\nnew\n\n# B\nmore\n',
    ],
    ['mixed line ends', 'a\r\nb c\nd\r\n', { replace: { old: 'c\nd', new: 'x' } }, 'a\r\nb x\r\n'],
    ['one kind of line end', 'a\r\nb\r\n', { replace: { old: 'b', new: 'b\nc' } }, 'a\r\nb\r\nc\r\n'],
    ['a setext heading', 'A\n===\n\nold\n', { section: { heading: 'a', content: 'new' } }, 'A\n===\n\nnew\n'],
  ])('%s', async (_, body, change, becomes) => {
    const opened = await open(body);
    await opened.run(editNote, { path, ...change });
    const text = opened.files.get(path) ?? '';
    expect(text.slice(-becomes.length - 4)).toBe(`---\n${becomes}`);
  });

  it('finds places that overlap, and takes long blanks in a heading', async () => {
    const opened = await open(`| - | - |\n\n# a${' '.repeat(5000)}b\n\nold\n`);
    const found = await refusal(opened.run(editNote, { path, replace: { old: '| - |', new: 'x' } }));
    expect([found.code, found.details.count]).toEqual(['not_unique', 2]);
    await opened.run(editNote, { path, section: { heading: `a${' '.repeat(900)}b`, content: 'new' } });
    expect(bodyOf(opened)).toMatch(/b\n\nnew\n$/);
  });
});

describe('what is refused changes nothing', () => {
  const opened = open('# DNS\n\nOne two one.\n\n## A\n\nx\n\n## A\n\ny\n');
  it.each([
    [{ replace: { old: 'three', new: 'x' } }, 'not_there', {}],
    [{ replace: { old: 'one', new: 'x' } }, 'none', {}],
    [{ replace: { old: '## A', new: 'x' } }, 'not_unique', { count: 2 }],
    [{ section: { heading: 'A', content: 'x' } }, 'not_unique', { count: 2 }],
    [{ section: { heading: 'B', content: 'x' } }, 'not_there', {}],
    [{}, 'invalid_field', {}],
    [{ append: 'a', replace: { old: 'b', new: 'c' } }, 'invalid_field', {}],
    [{ append: ' ' }, 'empty_content', { field: 'append' }],
    [{ append: '[rest of the note unchanged]' }, 'placeholder_content', {}],
    [{ append: 'x', expected_hash: sha256('another') }, 'hash_mismatch', {}],
  ])('%j is %s', async (change, code, details) => {
    const { run, files } = await opened;
    const before = files.get(path);
    const found = await refusal(run(editNote, { path, ...change }));
    expect(found.code).toBe(code);
    expect(found.details).toMatchObject(details);
    if (code !== 'none') expect(files.get(path)).toBe(before);
  });

  it('takes no edit of a caller who may not read, nor of an owner’s note', async () => {
    const { run } = await openTestBrain({ [path]: written('# DNS\n'), 'Mine.md': '# Mine\n' });
    const blind = callerWith(['write'], 'blind');
    expect((await refusal(run(editNote, { path, append: 'x' }, blind))).code).toBe('forbidden_scope');
    const agent = callerWith(['read', 'write'], 'agent');
    expect((await refusal(run(editNote, { path: 'Mine.md', append: 'x' }, agent))).code).toBe('not_ours');
    expect((await refusal(run(editNote, { path: 'wiki/net/facts/no.md', append: 'x' }, agent))).code).toBe(
      'note_not_found',
    );
  });
});

it('is taken back as an update is', async () => {
  const opened = await open('# DNS\n\nOld.\n');
  opened.clock.advance(60_000);
  await opened.run(editNote, { path, append: 'Bad.' }, callerWith(['read', 'write'], 'rogue'));
  const look = { by: 'rogue', since: '2026-11-20T00:00:00Z' };
  const { plan } = await opened.run(undoWriter, { ...look, dry_run: true }, person);
  await opened.run(undoWriter, { ...look, plan }, person);
  expect(bodyOf(opened)).toBe('# DNS\n\nOld.\n');
});

describe('an update that loses text', () => {
  const long = `# DNS\n\n${Array.from({ length: 40 }, (_, at) => `Line ${at} word${at}.`).join('\n')}\n`;
  const agent = callerWith(['read', 'write'], 'other');
  const update = async (content: string, caller = agent, more: object = {}) => {
    const { run } = await open(long);
    return (await run(updateNote, { path, content, reason: 'because', ...more }, caller)).warnings;
  };

  it('warns who wrote what is gone when no version was named, and that most words are gone', async () => {
    const warnings = await update('# DNS\n\nLine 1 word1.\n');
    expect(warnings.join('\n')).toMatch(/by laptop of 2026-01-01T00:00:00Z .* 39 of its 41 lines are gone/);
    expect(warnings.join('\n')).toMatch(/Only \d+ of the 121 words/);
    expect(await update(long, agent)).toEqual([]);
    const named = await update('# DNS\n\nLine 1 word1.\n', agent, { expected_hash: sha256(written(long)) });
    expect(named).toEqual([expect.stringMatching(/^Only/)]);
    expect(await update('# DNS\n\nLine 1 word1.\n', person)).toEqual([]);
  });

  it.each([
    '[rest of the note unchanged]',
    '[rest unchanged]',
    '... rest of the content unchanged ...',
    '(remaining content unchanged)',
    '<!-- existing content -->',
    '// existing code here ...',
    '[unchanged]',
    '[...existing text stays...]',
    '… rest as before …',
    '[Rest unverändert]',
    '<!-- rest of the file remains the same -->',
    '[The rest of the note stays as it is]',
    '*(rest of note unchanged)*',
    '[keep the rest as is]',
    '[everything else unchanged]',
  ])('is refused with a line that stands for what was not sent: %s', async (line) => {
    const { run, files } = await open(long);
    const call = run(updateNote, { path, content: `# DNS\n\nNew.\n\n${line}\n`, reason: 'x' }, agent);
    expect((await refusal(call)).code).toBe('placeholder_content');
    expect(files.get(path)).toBe(written(long));
    await run(updateNote, { path, content: `# DNS\n\nNew.\n\n${line}\n`, reason: 'x' }, person);
  });

  it('is refused with a second such line beside one that the note has, and over an overwrite', async () => {
    const { run } = await open(`${long}\n(unchanged)\n`);
    const content = '# DNS\n\n(unchanged)\n\n[rest of the note unchanged]\n';
    expect((await refusal(run(updateNote, { path, content, reason: 'x' }, agent))).code).toBe(
      'placeholder_content',
    );
    const there = { wing: 'net', hall: 'facts', slug: 'dns', overwrite: true } as const;
    expect((await refusal(run(writeNote, { ...there, content }, agent))).code).toBe('placeholder_content');
    const { warnings } = await run(writeNote, { ...there, content: '# DNS\n\nShort.\n' }, agent);
    expect(warnings.join('\n')).toMatch(/by laptop .*lines are gone[^]*Only/);
  });

  it.each([
    '- [ ] other tasks here',
    '(other people were here)',
    '[[rest|the rest stays]]',
    '- [Remaining text](x.md)',
    '[Other content](http://x.y)',
    'The rest of the note stays unchanged.',
    '# Remaining sections',
    '...and the rest is history',
  ])('is taken with an ordinary line: %s', async (line) => {
    const { run } = await open(long);
    await run(updateNote, { path, content: `# DNS\n\nNew.\n\n${line}\n`, reason: 'x' }, agent);
  });
});
