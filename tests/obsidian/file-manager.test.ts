import { fileAt, listen, withHost } from './world';

describe('trashFile honours what the person chose', () => {
  test('the system', () =>
    withHost({ files: { 'a.md': 'x' } }, async (host) => {
      await host.app.fileManager.trashFile(fileAt(host, 'a.md'));
      expect(host.systemTrash).toEqual(['a.md']);
      expect(await host.paths(true)).toEqual([]);
    }));

  test('the folder .trash', () =>
    withHost({ files: { 'd/a.md': 'x' }, settings: { trash: 'local' } }, async (host) => {
      const told = listen(host);
      await host.app.fileManager.trashFile(fileAt(host, 'd/a.md'));
      expect(await host.paths(true)).toEqual(['.trash/a.md']);
      expect(told).toEqual(['delete d/a.md']);
    }));

  test('gone for good', () =>
    withHost({ files: { 'a.md': 'x' }, settings: { trash: 'none' } }, async (host) => {
      await host.app.fileManager.trashFile(fileAt(host, 'a.md'));
      expect(host.systemTrash).toEqual([]);
      expect(await host.paths(true)).toEqual([]);
    }));
});

describe('renameFile', () => {
  test('rewrites links to the file, in the way in which each was written', () =>
    withHost(
      {
        files: {
          'wiki/old.md': '# Old',
          'note.md': 'See [[old]], [[old#Old|it]], ![[wiki/old]], [x](wiki/old.md) and [[other]].',
          'other.md': 'No link.',
        },
      },
      async (host) => {
        const told = listen(host);
        await host.app.fileManager.renameFile(fileAt(host, 'wiki/old.md'), 'wiki/new.md');
        expect(await host.textOf('note.md')).toBe(
          'See [[new]], [[new#Old|it]], ![[wiki/new]], [x](wiki/new.md) and [[other]].',
        );
        expect(told).toEqual(['rename wiki/old.md > wiki/new.md', 'modify note.md']);
      },
    ));

  test('does so for the files of a folder as well', () =>
    withHost({ files: { 'a/x.md': '', 'note.md': '[[a/x]]' } }, async (host) => {
      const folder = host.app.vault.getFolderByPath('a');
      if (folder === null) throw new Error('There is no folder a.');
      await host.app.fileManager.renameFile(folder, 'b');
      expect(await host.textOf('note.md')).toBe('[[b/x]]');
    }));

  test('Vault.rename leaves links alone', () =>
    withHost({ files: { 'old.md': '', 'note.md': '[[old]]' } }, async (host) => {
      await host.app.vault.rename(fileAt(host, 'old.md'), 'new.md');
      expect(await host.textOf('note.md')).toBe('[[old]]');
    }));
});

describe('processFrontMatter', () => {
  test('writes all of it anew: quotes, comments and inline lists are lost', () =>
    withHost(
      { files: { 'a.md': "---\n# mine\ntitle: 'Note'\ntags: [a, b]\nempty:\n---\nBody\n" } },
      async (host) => {
        await host.app.fileManager.processFrontMatter(
          fileAt(host, 'a.md'),
          (matter: Record<string, unknown>) => {
            matter.hall = 'facts';
          },
        );
        expect(await host.textOf('a.md')).toBe(
          '---\ntitle: Note\ntags:\n  - a\n  - b\nempty:\nhall: facts\n---\nBody\n',
        );
      },
    ));

  test('makes it where there is none, and takes it away when nothing is left', () =>
    withHost({ files: { 'a.md': 'Body\n' } }, async (host) => {
      const file = fileAt(host, 'a.md');
      const { fileManager } = host.app;
      await fileManager.processFrontMatter(file, (matter: Record<string, unknown>) => {
        matter.a = 1;
      });
      expect(await host.textOf('a.md')).toBe('---\na: 1\n---\nBody\n');
      await fileManager.processFrontMatter(file, (matter: Record<string, unknown>) => {
        delete matter.a;
      });
      expect(await host.textOf('a.md')).toBe('Body\n');
    }));

  test('throws on front matter that is no YAML, and leaves the note alone', () =>
    withHost({ files: { 'a.md': '---\na: [\n---\nBody\n' } }, async (host) => {
      const { fileManager } = host.app;
      await expect(fileManager.processFrontMatter(fileAt(host, 'a.md'), () => undefined)).rejects.toThrow();
      expect(await host.textOf('a.md')).toBe('---\na: [\n---\nBody\n');
    }));
});

test('generateMarkdownLink writes the shortest link that is clear', () =>
  withHost({ files: { 'a/x.md': '', 'b/x.md': '', 'a/y.md': '', 'p.png': '' } }, async (host) => {
    const { fileManager } = host.app;
    expect(fileManager.generateMarkdownLink(fileAt(host, 'a/y.md'), '')).toBe('[[y]]');
    expect(fileManager.generateMarkdownLink(fileAt(host, 'a/x.md'), '', '#h', 'X')).toBe('[[a/x#h|X]]');
    expect(fileManager.generateMarkdownLink(fileAt(host, 'p.png'), '')).toBe('[[p.png]]');
  }));

test('getAvailablePathForAttachment finds a name that is free', () =>
  withHost({ files: { 'a.png': '' } }, async ({ app }) => {
    expect(await app.fileManager.getAvailablePathForAttachment('a.png')).toBe('a 1.png');
    expect(await app.fileManager.getAvailablePathForAttachment('b')).toBe('b');
  }));
