import { writeNote } from '../../../src/core/notes/write';
import { adoptNote } from '../../../src/core/review/promote';
import { followVault } from '../../../src/core/vault/follow';
import { openTestBrain, person } from '../../support/test-brain';

/** A followed vault whose waits end when the test says so. */
async function openFollowed(files: Readonly<Record<string, string>>, settings = {}) {
  const opened = await openTestBrain(files, settings);
  const { brain, vault } = opened;
  const sleeping: (() => void)[] = [];
  const following = followVault(brain, () => new Promise((resolve) => sleeping.push(resolve)));
  const drain = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    ...opened,
    following,
    async pass(): Promise<void> {
      for (await drain(); sleeping.length > 0;) {
        for (const wake of sleeping.splice(0)) wake();
        await drain();
        await brain.writer.idle();
        await drain();
      }
    },
    move(from: string, to: string): void {
      const text = vault.files.get(from);
      if (text === undefined) throw new Error(`No such file: ${from}`);
      vault.outside(from, null);
      vault.outside(to, text);
    },
  };
}

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
