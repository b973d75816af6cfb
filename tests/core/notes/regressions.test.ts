import { editRoot } from '../../../src/core/notes/root';
import { history } from '../../../src/core/notes/history';
import { indexWings } from '../../../src/core/wings/operations';
import { capture } from '../../../src/core/notes/capture';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { sha256 } from '../../../src/core/base/hash';
import { openTestBrain } from '../../support/test-brain';

/** Faults that reviewers found, each kept as a case. */
const note = { wing: 'net', hall: 'facts', slug: 'new' };
const END = '<!-- brain:index:end -->';

describe('a wing index', () => {
  it.each([
    ['a tag in code', 'Use `<img src="http://evil.example/x.png">` here.'],
    ['an escaped tag', 'Use &lt;script>x&lt;/script> here.'],
    ['an image in code', 'Use `![x](http://evil.example/x.png)` here.'],
    ['a spelt-out bracket', 'Use !&#91;a](http://evil.example/x.png) here.'],
    ['a link in code', 'Use `[[raw/secret]]` here.'],
    ['a template', 'Use &lt;% tp.x() %> here.'],
    ['a query', 'Use &#96;$= dv&#96; here.'],
    [
      'a description',
      '---\ndescription: "<script>q</script> ![z](http://e/z.png) [[raw/o]]"\n---\n# Only a title\n',
    ],
    ['a title', '---\ntitle: "<img src=http://e/x> `$= dv` [[x]] %%"\n---\nText'],
  ])('shows %s as text, never as what it would do', async (_, content) => {
    const { run, files } = await openTestBrain();
    await run(writeNote, { ...note, content });
    const line =
      (files.get('wiki/net/_index.md') ?? '').split('\n').find((each) => each.startsWith('- ')) ?? '';
    const shown = line.replace(/^- \[\[[^\]]+\]\]/, '');
    expect(line).not.toMatch(/<|%%/);
    expect(shown.replace(/\\./g, '')).not.toMatch(/[`[\]]/);
    expect(line.match(/\[\[/g)).toHaveLength(1);
  });

  it.each([`use \`${END}\` here`, `---\ntitle: "x ${END}"\n---\ny`])(
    'does not grow when a note names its markers (%j)',
    async (content) => {
      const { run, files } = await openTestBrain();
      await run(writeNote, { ...note, content });
      const made = files.get('wiki/net/_index.md');
      expect((await run(indexWings)).wings).toMatchObject([{ changed: false }]);
      expect(files.get('wiki/net/_index.md')).toBe(made);
    },
  );

  it('keeps what stands after a start without an end, also the second time', async () => {
    const { run, files } = await openTestBrain({
      'wiki/net/facts/a.md': '# A\n',
      'wiki/net/_index.md': '# H\n<!-- brain:index:start -->\nkeep this text\n',
    });
    await run(indexWings);
    await run(writeNote, { ...note, content: 'more' });
    expect(files.get('wiki/net/_index.md')).toMatch('<!-- brain:index:start -->\nkeep this text\n');
  });

  it('follows when a link in the wing was turned to a promoted note', async () => {
    const { run } = await openTestBrain({ 'raw/o.md': '# O\n', 'wiki/lk/facts/t.md': 'see [[raw/o]]\n' });
    await run(indexWings);
    await run(promoteNote, { path: 'raw/o.md', wing: 'net', hall: 'facts' });
    expect((await run(indexWings)).wings.map(({ changed }) => changed)).toEqual([false, false]);
  });
});

describe('what others put into the vault', () => {
  it('is seen by the next write, whoever reads first', async () => {
    const { run, refusal, vault } = await openTestBrain({ 'raw/x.md': 'x' });
    vault.outside('wiki/net/facts/Note.md', 'by hand');
    vault.outside('wiki/Home Lab/facts/a.md', '# Anchor\n');
    vault.outside('raw/rejected/X.md', 'by hand');
    expect(await refusal(writeNote, { ...note, slug: 'note', content: 'x' })).toMatchObject({
      code: 'note_exists',
    });
    expect(
      await refusal(promoteNote, { path: 'raw/x.md', wing: 'net', hall: 'facts', slug: 'note' }),
    ).toMatchObject({ code: 'destination_exists' });
    const written = await run(writeNote, {
      wing: 'home lab',
      hall: 'facts',
      slug: 'b',
      content: 'See [[Anchor]].',
    });
    expect(written).toMatchObject({ path: 'wiki/Home Lab/facts/b.md', unlinked: [] });
    expect((await run(rejectNote, { path: 'raw/x.md' })).rejected_path).toBe('raw/rejected/x-2.md');
  });

  it('may be an attachment anywhere, linked by its exact path', async () => {
    const { run, files } = await openTestBrain({ 'attachments/a plan.png': 'x', '.obsidian/x.png': 'x' });
    const content =
      '![[attachments/a plan.png]] ![p](attachments/a%20plan.png) ![[attachments/none.png]] ![[.obsidian/x.png]]';
    const { path, unlinked } = await run(writeNote, { ...note, content });
    expect(unlinked).toEqual(['attachments/none.png', '.obsidian/x.png']);
    expect(files.get(path)?.match(/!\[\[attachments\/a plan\.png/g)).toHaveLength(2);
  });

  it.each([
    ['| ![[attachments/photo.png\\|100]] |\n|---|', '| ![[attachments/photo.png\\|100]] |\n|---|'],
    ['![p]\n\n[p]: attachments/photo.png\n', '![[attachments/photo.png|p]]\n\n[p]: attachments/photo.png\n'],
    ['![p]\n\n[p]: attachments/photo.png', '![[attachments/photo.png|p]]\n\n[p]: attachments/photo.png'],
    [
      '![p]\r\n\r\n[p]: attachments/photo.png\r\n',
      '![[attachments/photo.png|p]]\r\n\r\n[p]: attachments/photo.png\r\n',
    ],
    [
      "![p]\n\n[p]: attachments/photo.png\n'a title'\n",
      "![[attachments/photo.png|p]]\n\n[p]: attachments/photo.png\n'a title'\n",
    ],
    ['![p](\tattachments/photo.png\t)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo%2Epng)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo&#46;png)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo&period;png)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo.p%6Eg)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo.p&#110;g)', '![[attachments/photo.png|p]]'],
    ['![p](attachments/photo.png&#35;x)', '![[attachments/photo.png#x|p]]'],
  ])('may be an attachment that nothing but %j names', async (content, expected) => {
    const { run, files } = await openTestBrain({ 'attachments/photo.png': 'x' });
    const { path, unlinked } = await run(writeNote, { ...note, content });
    expect(unlinked).toEqual([]);
    expect(
      files
        .get(path)
        ?.split(/---\r?\n/)
        .at(-1),
    ).toBe(expected);
  });

  it('may be the map of a wing, with its name and with a heading that nobody can look up', async () => {
    const { run, files } = await openTestBrain({ 'wiki/Home Lab/facts/a.md': '# A\n' });
    await run(indexWings);
    const { path, warnings } = await run(writeNote, {
      ...note,
      content:
        '[[wiki/Home Lab/_index]] [[wiki/Home Lab/_index#Facts (1)]] [m](../../Home%20Lab/_index.md)\n',
    });
    expect(files.get(path)?.split('---\n').at(-1)).toBe(
      '[[wiki/Home Lab/_index|Home Lab]] [[wiki/Home Lab/_index#Facts (1)|Home Lab]] [[wiki/Home Lab/_index|m]]\n',
    );
    expect(warnings).toEqual(['"net" is a new wing. The others: Home Lab.']);
  });
});

it('restores the very name a note had in the queue, a number of its own included', async () => {
  const { run } = await openTestBrain({ 'raw/2026-01-01-top-10.md': 'x', 'raw/report-2.md': 'y' });
  for (const path of ['raw/2026-01-01-top-10.md', 'raw/report-2.md']) {
    const { rejected_path } = await run(rejectNote, { path });
    expect((await run(restoreNote, { path: rejected_path })).path).toBe(path);
  }
});

it('refuses to promote a note whose front matter names another language', async () => {
  const { refusal } = await openTestBrain({ 'raw/js.md': '---js\nx\n---\nbody' });
  expect(await refusal(promoteNote, { path: 'raw/js.md', wing: 'net', hall: 'facts' })).toMatchObject({
    code: 'invalid_frontmatter',
  });
});

it('reports a link of a new note to itself as what it is', async () => {
  const { run } = await openTestBrain();
  expect((await run(writeNote, { ...note, content: 'See [[new]].' })).refs).toMatchObject([
    { target: 'new', reason: 'self' },
  ]);
});

it('does not gate a text anew for every name that is taken', async () => {
  const taken = Array.from({ length: 200 }, (_, n) => [
    `wiki/notes/facts/standup${n ? `-${n + 1}` : ''}.md`,
    `${n}`,
  ]);
  const { run, vault } = await openTestBrain(Object.fromEntries(taken));
  let reads = 0;
  const read = vault.read;
  vault.read = (path) => ((reads += 1), read(path));
  expect((await run(capture, { text: 'x', title: 'standup' })).slug).toBe('standup-201');
  expect(reads).toBeLessThan(10);
});

it('does not ascribe a text to an edit that failed', async () => {
  const { run, refusal, vault, files } = await openTestBrain({ 'AGENTS.md': 'A' });
  vault.intercept = (call) => {
    if (call === 'edit') throw new Error('disk full');
  };
  await expect(
    refusal(editRoot, { content: 'B', reason: 'why', expected_hash: sha256('A') }),
  ).rejects.toThrow('disk full');
  vault.intercept = () => undefined;
  files.set('AGENTS.md', 'B');
  const listed = await run(history, { path: 'AGENTS.md' });
  expect('versions' in listed && listed.versions).toEqual([{ hash: sha256('B'), bytes: 1 }]);
});
