import { writeNote } from '../../../src/core/notes/write';
import { mendLinks } from '../../../src/core/review/left-links';
import { adoptNote } from '../../../src/core/review/promote';
import { status } from '../../../src/core/status/status';
import { openFollowed } from '../../support/followed-brain';
import { agent, callerWith, person } from '../../support/test-brain';

const SOLARIS = { 'Films/Solaris.md': '# Solaris\n\nBy Tarkovsky.\n' };
const note = { wing: 'film', hall: 'facts', slug: 'tarkovsky' } as const;

describe('a note that a person moves by hand', () => {
  it('takes the links of the service with it, and leaves those of the owner', async () => {
    const own = { 'Own/List.md': '- [[Films/Solaris]]\n' };
    const { run, files, move, pass, state } = await openFollowed({ ...SOLARIS, ...own });
    const content = '# Tarkovsky\n\nMade [[Films/Solaris|a film]] and [it](/Films/Solaris.md).\n';
    const { path } = await run(writeNote, { ...note, content });
    const before = files.get(path) ?? '';
    expect(before).toContain('[[Films/Solaris|');
    move('Films/Solaris.md', 'Cinema/Solaris.md');
    await pass();
    expect(files.get(path)).toBe(before.replaceAll('Films/Solaris', 'Cinema/Solaris'));
    expect(files.get('Own/List.md')).toBe(own['Own/List.md']);
    expect(files.get('Cinema/Solaris.md')).toBe(SOLARIS['Films/Solaris.md']);
    expect(await state.list('local.testtest/journal')).toEqual([]);
  });

  it('takes with it what the service put into notes of the owner, and nothing that stood there before', async () => {
    const own = { 'Own/A.md': 'See [[Films/Solaris]].\n', 'Own/B.md': 'Later.\n' };
    const { run, files, vault, move, pass } = await openFollowed({ ...SOLARIS, ...own });
    const { path } = await run(adoptNote, { path: 'Films/Solaris.md', wing: 'film', hall: 'facts' }, person);
    const led = files.get('Own/A.md') ?? '';
    expect(led).not.toBe(own['Own/A.md']);
    vault.outside('Own/B.md', 'Now [[wiki/film/facts/Solaris]].\n');
    await pass();
    move(path, 'wiki/art/facts/sol.md');
    await pass();
    expect(files.get('Own/A.md')).toBe(led.replace('wiki/film/facts/Solaris', 'wiki/art/facts/sol'));
    expect(files.get('Own/B.md')).toBe('Now [[wiki/film/facts/Solaris]].\n');
  });

  it.each([
    ['when another program has changed the link already', 'Cinema/Solaris'],
    ['when it is gone', 'nothing'],
  ])('leaves links alone %s', async (_, instead) => {
    const { run, files, vault, move, pass } = await openFollowed(SOLARIS);
    const { path } = await run(writeNote, { ...note, content: '# Tarkovsky\n\n[[Films/Solaris|a film]]\n' });
    const changed = (files.get(path) ?? '').replace('Films/Solaris', instead);
    move('Films/Solaris.md', 'Cinema/Solaris.md');
    vault.outside(path, changed);
    await pass();
    expect(files.get(path)).toBe(changed);
  });

  it.each([
    [
      'two appear',
      (m: (path: string, text: string | null) => void, text: string) => (
        m('A/S.md', text),
        m('B/S.md', text)
      ),
    ],
    [
      'two vanish',
      (m: (path: string, text: string | null) => void, text: string) => (
        m('Twin.md', null),
        m('A/S.md', text)
      ),
    ],
    [
      'it appears changed',
      (m: (path: string, text: string | null) => void, text: string) => m('A/S.md', `${text}x`),
    ],
  ])('is none when %s', async (_, others) => {
    const text = SOLARIS['Films/Solaris.md'];
    const { run, files, vault, pass } = await openFollowed({ ...SOLARIS, 'Twin.md': text });
    const { path } = await run(writeNote, { ...note, content: '# Tarkovsky\n\n[[Films/Solaris|a film]]\n' });
    const before = files.get(path);
    vault.outside('Films/Solaris.md', null);
    others((at, becomes) => vault.outside(at, becomes), text);
    await pass();
    expect(files.get(path)).toBe(before);
  });

  it('is followed only with the setting `followMoves`', async () => {
    const { run, files, move, pass } = await openFollowed(SOLARIS, { followMoves: false });
    const { path } = await run(writeNote, { ...note, content: '# Tarkovsky\n\n[[Films/Solaris|a film]]\n' });
    const before = files.get(path);
    move('Films/Solaris.md', 'Cinema/Solaris.md');
    await pass();
    expect(files.get(path)).toBe(before);
  });
});

describe('links that a move by hand leaves', () => {
  const LIST = { 'Own/List.md': '- [[Films/Solaris|it]] and [it](../Films/Solaris.md#part)\n' };
  const CARDS = { 'Own/Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Films/Solaris.md"}]}' };
  const doctor = async ({ run }: Pick<Awaited<ReturnType<typeof openFollowed>>, 'run'>) => {
    const { checks } = await run(status, { probe: true });
    const { state, message, action } = checks.find(({ name }) => name === 'moved notes') ?? {};
    return state === 'ok' ? 'ok' : `${action}: ${message}`;
  };
  const openLeft = async (also = {}) => {
    const opened = await openFollowed({ ...SOLARIS, ...LIST, ...CARDS, ...also });
    opened.move('Films/Solaris.md', 'Cinema/Solaris.md');
    await opened.pass();
    return opened;
  };

  it('are named by the doctor, and follow when a person wants that', async () => {
    const opened = await openLeft();
    const { run, files } = opened;
    expect(await doctor(opened)).toBe(
      'mend-links: Notes were moved by hand, and these links did not follow: links to Films/Solaris.md, which is now Cinema/Solaris.md, in Own/List.md, Own/Board.canvas.',
    );
    expect(await opened.refusal(mendLinks, {}, callerWith(['read', 'review']))).toMatchObject({
      code: 'forbidden_scope',
    });
    const relinked = ['Own/Board.canvas', 'Own/List.md'];
    expect(await run(mendLinks, { dry_run: true }, person)).toEqual({ relinked, warnings: [] });
    expect(files.get('Own/List.md')).toBe(LIST['Own/List.md']);
    expect(await run(mendLinks, {}, person)).toEqual({ relinked, warnings: [] });
    for (const [path, text] of Object.entries({ ...LIST, ...CARDS }))
      expect(files.get(path)).toBe(text.replaceAll('Films/', 'Cinema/'));
    expect(await doctor(opened)).toBe('ok');
  });

  it('are led to where the note is now, when it was moved again by hand and by the service', async () => {
    const opened = await openLeft();
    const { run, files, move, pass } = opened;
    move('Cinema/Solaris.md', 'Art/Solaris.md');
    await pass();
    await run(adoptNote, { path: 'Art/Solaris.md', wing: 'film', hall: 'facts', slug: 'sol' }, person);
    move('wiki/film/facts/sol.md', 'wiki/film/facts/solaris.md');
    await pass();
    expect(await doctor(opened)).toContain(
      'links to Films/Solaris.md, which is now wiki/film/facts/solaris.md, in',
    );
    await run(mendLinks, {}, person);
    expect(files.get('Own/List.md')).toBe(
      '- [[wiki/film/facts/solaris|it]] and [it](../wiki/film/facts/solaris.md#part)\n',
    );
    expect(await doctor(opened)).toBe('ok');
  });

  it('are left alone when another note has the place by now, or the note is gone', async () => {
    const opened = await openLeft();
    opened.vault.outside('Films/Solaris.md', 'Another film.\n');
    await opened.pass();
    expect(await doctor(opened)).toBe('ok');
    opened.vault.outside('Films/Solaris.md', null);
    opened.vault.outside('Cinema/Solaris.md', null);
    await opened.pass();
    expect(await doctor(opened)).toBe('ok');
    expect(await opened.run(mendLinks, {}, person)).toMatchObject({ relinked: [] });
  });

  it('are mended too where they open another note of the name', async () => {
    const opened = await openFollowed({
      ...SOLARIS,
      'Novels/Polish/Solaris.md': 'A book.\n',
      'Own/A.md': '[[Solaris]]\n',
    });
    const { run, files, move, pass, vault } = opened;
    move('Films/Solaris.md', 'Cinema/Of/Tarkovsky/Solaris.md');
    await pass();
    vault.outside('Own/B.md', '[[Solaris]]\n');
    await pass();
    expect(await doctor(opened)).toContain(
      'links to Films/Solaris.md, which is now Cinema/Of/Tarkovsky/Solaris.md, in Own/A.md.',
    );
    await run(mendLinks, {}, person);
    expect(files.get('Own/A.md')).toBe('[[Tarkovsky/Solaris|Solaris]]\n');
    expect(files.get('Own/B.md')).toBe('[[Solaris]]\n');
    expect(await doctor(opened)).toBe('ok');
  });

  it('to another note stay named in a note that a mending left', async () => {
    const opened = await openFollowed({
      ...SOLARIS,
      'Novels/Polish/Solaris.md': 'A book.\n',
      'Own/A.md': '[[Solaris]]\n',
      'Own/B.md': '---\nlocked: true\n---\n[[Solaris]]\n',
      'Own/C.md': '[[Solaris]]\n',
    });
    const { run, files, move, pass, vault } = opened;
    move('Films/Solaris.md', 'Cinema/Of/Tarkovsky/Solaris.md');
    await pass();
    vault.intercept = (call, path) => {
      if (call === 'edit' && path === 'Own/A.md') vault.outside('Own/C.md', '[[Solaris]]!\n');
    };
    const { relinked, warnings } = await run(mendLinks, {}, agent);
    vault.intercept = () => undefined;
    expect(relinked).toEqual(['Own/A.md']);
    expect(warnings).toEqual([
      expect.stringMatching(/^Own\/B\.md is locked/),
      expect.stringMatching(/^Own\/C\.md changed meanwhile/),
    ]);
    vault.outside('Own/A.md', '[[Tarkovsky/Solaris|Solaris]] and the book [[Solaris]]\n');
    move('Own/B.md', 'Own/D.md');
    await pass();
    expect(await doctor(opened)).toContain('in Own/C.md, Own/D.md.');
    await run(mendLinks, {}, person);
    expect(files.get('Own/D.md')).toContain('[[Tarkovsky/Solaris|Solaris]]');
    expect(files.get('Own/A.md')).toContain('the book [[Solaris]]');
    expect(await doctor(opened)).toBe('ok');
  });

  it('are named where only a hand changes them', async () => {
    const opened = await openLeft({ 'Own/Ref.md': 'See [it][s].\n\n[s]: ../Films/Solaris.md\n' });
    const { relinked, warnings } = await opened.run(mendLinks, {}, person);
    expect(relinked).not.toContain('Own/Ref.md');
    expect(warnings).toEqual([
      'Own/Ref.md has a link by reference, or one in a block that is not read; change it by hand.',
    ]);
    expect(await doctor(opened)).toContain('in Own/Ref.md.');
  });

  it('of the moved note itself lead to what they led to', async () => {
    const opened = await openFollowed({ 'A/X.md': 'See [y](Y.md) and [[#Part]].\n', 'A/Y.md': 'Y.\n' });
    const { run, files, move, pass } = opened;
    move('A/X.md', 'B/C/X.md');
    await pass();
    expect(await doctor(opened)).toContain('links to A/Y.md, in B/C/X.md.');
    await run(mendLinks, {}, person);
    expect(files.get('B/C/X.md')).toBe('See [y](../../A/Y.md) and [[#Part]].\n');
    expect(await doctor(opened)).toBe('ok');
  });
});

describe('a note that is moved by hand while the service is off', () => {
  const BOOK = { 'Books/Novel.md': 'A novel.\n', 'Own/A.md': 'See [[Films/Solaris]].\n' };
  /** Writes a note with a link, closes, does something outside, and opens again. */
  const reopened = async (
    files: Readonly<Record<string, string>>,
    outside: (opened: Awaited<ReturnType<typeof openFollowed>>) => void,
  ) => {
    const first = await openFollowed(files);
    const content = '# Tarkovsky\n\nMade [[Films/Solaris|a film]].\n';
    const { path } = await first.run(writeNote, { ...note, content });
    await first.pass();
    await first.following.close();
    await first.close();
    outside(first);
    const again = await openFollowed({}, {}, first);
    await again.pass();
    return { ...again, path };
  };

  it('takes its links with it at the next start, and the doctor names the others then and after another start', async () => {
    const again = await reopened({ ...SOLARIS, ...BOOK }, ({ move }) =>
      move('Films/Solaris.md', 'Cinema/Solaris.md'),
    );
    expect(again.files.get(again.path)).toContain('[[Cinema/Solaris|a film]]');
    expect(again.files.get('Own/A.md')).toBe(BOOK['Own/A.md']);
    await again.following.close();
    await again.close();
    const third = await openFollowed({}, {}, again);
    await third.pass();
    const { checks } = await third.run(status, { probe: true });
    expect(checks.find(({ name }) => name === 'moved notes')?.message).toContain(
      'links to Films/Solaris.md, which is now Cinema/Solaris.md, in Own/A.md',
    );
    await third.run(mendLinks, {}, person);
    expect(third.files.get('Own/A.md')).toBe('See [[Cinema/Solaris|Films/Solaris]].\n');
  });

  it('is followed by a later start when the one after the move ends too early', async () => {
    const first = await openFollowed(SOLARIS);
    const content = '# Tarkovsky\n\nMade [[Films/Solaris|a film]].\n';
    const { path } = await first.run(writeNote, { ...note, content });
    await first.pass();
    await first.following.close();
    await first.close();
    first.move('Films/Solaris.md', 'Cinema/Solaris.md');
    const early = await openFollowed({}, {}, first);
    await early.following.close();
    await early.close();
    const third = await openFollowed({}, {}, early);
    await third.pass();
    expect(third.files.get(path)).toContain('[[Cinema/Solaris|a film]]');
  });

  it.each<[string, (opened: Awaited<ReturnType<typeof openFollowed>>) => void]>([
    [
      'two notes have its text',
      ({ vault, move }) => (
        vault.outside('B/Solaris.md', SOLARIS['Films/Solaris.md']),
        move('Films/Solaris.md', 'Cinema/Solaris.md')
      ),
    ],
    [
      'its text was changed too',
      ({ vault }) => (
        vault.outside('Films/Solaris.md', null),
        vault.outside('Cinema/Solaris.md', '# Solaris\n\nBy Lem.\n')
      ),
    ],
    ['a note that stayed has its text', ({ move }) => move('Films/Solaris.md', 'Cinema/Solaris.md')],
    [
      'a note that stayed had its text',
      ({ vault, move }) => (
        vault.outside('Twin.md', 'Filled in.\n'),
        move('Films/Solaris.md', 'Cinema/Solaris.md')
      ),
    ],
  ])('is no move when %s', async (what, outside) => {
    const twin = what.includes('stayed') ? { 'Twin.md': SOLARIS['Films/Solaris.md'] } : {};
    const again = await reopened({ ...SOLARIS, ...twin }, outside);
    expect(again.files.get(again.path)).toContain('[[Films/Solaris|a film]]');
  });
});
