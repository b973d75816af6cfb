import { TFile, TFolder, Vault } from 'obsidian';
import { erase, fileAt, listen, trash, withHost } from './world';

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer;

test('tells of every file that stands there before the layout is ready', () =>
  withHost({ files: { 'a/b.md': 'B', 'c.txt': 'C', 'empty/': '' }, ready: false }, async (host) => {
    const told = listen(host);
    const order: string[] = [];
    host.app.workspace.onLayoutReady(() => order.push(...told, 'ready'));
    expect(host.app.vault.getFiles()).toEqual([]);
    await host.layoutReady();
    expect(order.sort()).toEqual(['create a', 'create a/b.md', 'create c.txt', 'create empty', 'ready']);
    expect(order).toHaveLength(5);
  }));

test('knows files by path, by kind and by folder', () =>
  withHost({ files: { 'Wiki/Note.One.MD': 'x', 'img.png': 'y' } }, async ({ app: { vault } }) => {
    const note = vault.getFileByPath('Wiki/Note.One.MD');
    expect(note).toBeInstanceOf(TFile);
    expect(note).toMatchObject({ name: 'Note.One.MD', basename: 'Note.One', extension: 'md' });
    expect(note?.stat).toMatchObject({ size: 1, mtime: expect.any(Number), ctime: expect.any(Number) });
    expect(note?.parent).toBe(vault.getFolderByPath('Wiki'));
    expect(vault.getFolderByPath('Wiki')?.children).toEqual([note]);
    expect(vault.getFileByPath('Wiki')).toBeNull();
    expect(vault.getAbstractFileByPath('nowhere')).toBeNull();
    expect(vault.getAbstractFileByPath('')).toBeNull();
    expect(vault.getRoot()).toBe(vault.getAbstractFileByPath('/'));
    expect(vault.getRoot().isRoot()).toBe(true);
    expect(vault.getMarkdownFiles()).toEqual([note]);
    expect(vault.getFiles()).toHaveLength(2);
    expect(vault.getAllFolders().map((folder) => folder.path)).toEqual(['Wiki']);
    expect(vault.getAllFolders(true)).toHaveLength(2);
    expect(vault.getAllLoadedFiles()).toHaveLength(4);
    const seen: string[] = [];
    Vault.recurseChildren(vault.getRoot(), (file) => seen.push(file.path));
    expect(seen).toEqual(['/', 'img.png', 'Wiki', 'Wiki/Note.One.MD']);
  }));

describe('create', () => {
  test('makes a file and tells of it before it resolves', () =>
    withHost({ files: { 'a/': '' } }, async (host) => {
      const told = listen(host);
      const file = await host.app.vault.create('a/b.md', 'text');
      expect(told).toEqual(['create a/b.md']);
      expect(host.app.vault.getFileByPath('a/b.md')).toBe(file);
      expect(await host.textOf('a/b.md')).toBe('text');
    }));

  test('refuses a path that is taken, and one whose folder is missing', () =>
    withHost({ files: { 'a.md': 'old' } }, async (host) => {
      const { vault } = host.app;
      await expect(vault.create('a.md', 'new')).rejects.toThrow('File already exists.');
      await expect(vault.createBinary('a.md', bytes('new'))).rejects.toThrow('File already exists.');
      await expect(vault.create('no/where.md', 'x')).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await host.textOf('a.md')).toBe('old');
    }));

  test('refuses a file of which the vault has not heard yet', () =>
    withHost({}, async (host) => {
      await host.outside('a.md', 'theirs');
      await expect(host.app.vault.create('a.md', 'mine')).rejects.toThrow('File already exists.');
    }));

  test('finds both of two calls for one name free, and the later one wins', () =>
    withHost({}, async (host) => {
      const { vault } = host.app;
      const [first, second] = await Promise.all([vault.create('a.md', '1'), vault.create('a.md', '2')]);
      expect(first).toBe(second);
      expect(await host.textOf('a.md')).toBe('2');
    }));

  test('sees names that differ in case as one, where the file system does', () =>
    withHost({ files: { 'Wiki/foo.md': 'x' }, caseInsensitive: true }, async ({ app: { vault } }) => {
      await expect(vault.create('Wiki/Foo.md', 'y')).rejects.toThrow('File already exists.');
      await expect(vault.createFolder('wiki')).rejects.toThrow('Folder already exists.');
      expect(vault.getFileByPath('Wiki/Foo.md')).toBeNull();
    }));

  test('tells them apart elsewhere', () =>
    withHost({ files: { 'foo.md': 'x' } }, async ({ app: { vault } }) => {
      await expect(vault.create('Foo.md', 'y')).resolves.toBeInstanceOf(TFile);
    }));

  test('makes folders with those above them, once', () =>
    withHost({}, async (host) => {
      const told = listen(host);
      await expect(host.app.vault.createFolder('a/b')).resolves.toBeInstanceOf(TFolder);
      expect(told).toEqual(['create a', 'create a/b']);
      await expect(host.app.vault.createFolder('a/b')).rejects.toThrow('Folder already exists.');
    }));
});

describe('change', () => {
  test('modify, append and their binary twins write and tell', () =>
    withHost({ files: { 'a.md': 'x' } }, async (host) => {
      const { vault } = host.app;
      const file = fileAt(host, 'a.md');
      const told = listen(host);
      await vault.modify(file, 'one');
      await vault.append(file, ' two');
      await vault.appendBinary(file, bytes(' three'));
      expect(await vault.read(file)).toBe('one two three');
      expect(file.stat.size).toBe(13);
      await vault.modifyBinary(file, bytes('four'), { mtime: 1_000 });
      expect(new Uint8Array(await vault.readBinary(file))).toEqual(new Uint8Array(bytes('four')));
      expect(file.stat.mtime).toBe(1_000);
      expect(told).toEqual(Array.from({ length: 4 }, () => 'modify a.md'));
    }));

  test('process sees what the one before has written: none is lost', () =>
    withHost({ files: { 'a.md': '0' } }, async (host) => {
      const file = fileAt(host, 'a.md');
      const add = (text: string): string => String(Number(text) + 1);
      const all = await Promise.all(Array.from({ length: 20 }, () => host.app.vault.process(file, add)));
      expect(all.at(-1)).toBe('20');
      expect(await host.textOf('a.md')).toBe('20');
    }));

  test('process leaves the file alone when its callback throws or changes nothing', () =>
    withHost({ files: { 'a.md': 'x' } }, async (host) => {
      const file = fileAt(host, 'a.md');
      const told = listen(host);
      const fails = host.app.vault.process(file, () => {
        throw new Error('No.');
      });
      await expect(fails).rejects.toThrow('No.');
      await host.app.vault.process(file, (text) => text);
      expect(told).toEqual([]);
      expect(await host.textOf('a.md')).toBe('x');
    }));

  test('operations on one file keep their order', () =>
    withHost({ files: { 'a.md': '' } }, async (host) => {
      const file = fileAt(host, 'a.md');
      const letters = [...'abcdefgh'];
      await Promise.all(letters.map((letter) => host.app.vault.append(file, letter)));
      expect(await host.textOf('a.md')).toBe('abcdefgh');
    }));

  test('modify can be told several times for one change', () =>
    withHost({ files: { 'a.md': 'x' }, settings: { repeatedModify: 2 } }, async (host) => {
      const told = listen(host);
      await host.app.vault.modify(fileAt(host, 'a.md'), 'y');
      expect(told).toEqual(['modify a.md']);
      await host.settle();
      expect(told).toEqual(['modify a.md', 'modify a.md', 'modify a.md']);
    }));

  test('reads leave out a byte order mark, bytes and the adapter keep it', () =>
    withHost({ files: { 'a.md': '\uFEFFx' } }, async (host) => {
      const { vault } = host.app;
      const file = fileAt(host, 'a.md');
      expect(await vault.read(file)).toBe('x');
      expect(await vault.cachedRead(file)).toBe('x');
      expect(await vault.adapter.read('a.md')).toBe('\uFEFFx');
      expect((await vault.readBinary(file)).byteLength).toBe(4);
      const seen: string[] = [];
      const look = (text: string): string => {
        seen.push(text);
        return text;
      };
      await vault.process(file, look);
      host.settings.processStripsBom = true;
      await vault.process(file, look);
      expect(seen).toEqual(['\uFEFFx', 'x']);
    }));
});

describe('rename', () => {
  test('keeps the object, and tells of a folder and of all below it', () =>
    withHost({ files: { 'a/b/c.md': 'x', 'a/d.md': 'y' } }, async (host) => {
      const { vault } = host.app;
      const folder = vault.getFolderByPath('a');
      const note = fileAt(host, 'a/b/c.md');
      if (folder === null) throw new Error('There is no folder a.');
      const told = listen(host);
      await vault.rename(folder, 'z');
      expect(told.sort()).toEqual([
        'rename a > z',
        'rename a/b > z/b',
        'rename a/b/c.md > z/b/c.md',
        'rename a/d.md > z/d.md',
      ]);
      expect(vault.getFileByPath('z/b/c.md')).toBe(note);
      expect(note).toMatchObject({ path: 'z/b/c.md', basename: 'c' });
      expect(vault.getFileByPath('a/b/c.md')).toBeNull();
      expect(await host.paths()).toEqual(['z/b/c.md', 'z/d.md']);
    }));

  test('refuses a target that is taken or has no folder', () =>
    withHost({ files: { 'a.md': 'x', 'b.md': 'y' } }, async (host) => {
      const file = fileAt(host, 'a.md');
      await expect(host.app.vault.rename(file, 'b.md')).rejects.toThrow('Destination file already exists!');
      await expect(host.app.vault.rename(file, 'no/b.md')).rejects.toMatchObject({ code: 'ENOENT' });
      expect(file.path).toBe('a.md');
    }));

  test('may change the case of a name where case does not count', () =>
    withHost({ files: { 'a.md': 'x' }, caseInsensitive: true }, async (host) => {
      await host.app.vault.rename(fileAt(host, 'a.md'), 'A.md');
      expect(await host.paths()).toEqual(['A.md']);
      expect(host.app.vault.getFileByPath('a.md')).toBeNull();
    }));

  test('copies files and folders', () =>
    withHost({ files: { 'a/b.md': 'x', 'a/c/d.md': 'y' } }, async (host) => {
      const { vault } = host.app;
      const folder = vault.getFolderByPath('a');
      if (folder === null) throw new Error('There is no folder a.');
      await vault.copy(folder, 'z');
      await vault.copy(fileAt(host, 'a/b.md'), 'b.md');
      expect(await host.paths()).toEqual(['a/b.md', 'a/c/d.md', 'b.md', 'z/b.md', 'z/c/d.md']);
      await expect(vault.copy(fileAt(host, 'a/b.md'), 'b.md')).rejects.toThrow('already exists');
    }));
});

describe('removal', () => {
  test('delete takes a file away for good; it keeps its last path', () =>
    withHost({ files: { 'a/b.md': 'x' } }, async (host) => {
      const file = fileAt(host, 'a/b.md');
      const told = listen(host);
      await erase(host, file);
      expect(told).toEqual(['delete a/b.md']);
      expect(file).toMatchObject({ path: 'a/b.md', parent: null });
      expect(await host.paths(true)).toEqual([]);
      await expect(host.app.vault.read(file)).rejects.toMatchObject({ code: 'ENOENT' });
    }));

  test('delete of a folder stops at hidden files unless it is forced', () =>
    withHost({ files: { 'a/b.md': 'x', 'a/.keep': '' } }, async (host) => {
      const folder = host.app.vault.getFolderByPath('a');
      if (folder === null) throw new Error('There is no folder a.');
      await expect(erase(host, folder)).rejects.toMatchObject({ code: 'ENOTEMPTY' });
      await erase(host, folder, true);
      expect(await host.paths(true)).toEqual([]);
    }));

  test('trash goes to the system, or into .trash where the system refuses or nobody asked for it', () =>
    withHost({ files: { 'a/x.md': '1', 'b/x.md': '2', 'x.md': '3' } }, async (host) => {
      const told = listen(host);
      await trash(host, fileAt(host, 'x.md'), true);
      host.settings.systemTrashWorks = false;
      await trash(host, fileAt(host, 'a/x.md'), true);
      await trash(host, fileAt(host, 'b/x.md'), false);
      expect(host.systemTrash).toEqual(['x.md']);
      expect(await host.paths(true)).toEqual(['.trash/x 2.md', '.trash/x.md']);
      expect(told).toEqual(['delete x.md', 'delete a/x.md', 'delete b/x.md']);
    }));
});

test('does not show what lies below a dot', () =>
  withHost({ files: { '.brain/log.md': 'x', 'a/.hidden.md': 'y', 'a/b.md': 'z' } }, async (host) => {
    const { vault } = host.app;
    const told = listen(host);
    expect(vault.getFiles().map((file) => file.path)).toEqual(['a/b.md']);
    expect(vault.getAbstractFileByPath('.brain')).toBeNull();
    await vault.adapter.write('.brain/log.md', 'changed');
    await host.outside('a/.hidden.md', null);
    await host.outside('.brain/theirs.md', 'x');
    await host.settle();
    expect(told).toEqual([]);
    expect(await vault.adapter.read('.brain/log.md')).toBe('changed');
    await expect(vault.create('.brain/new.md', 'x')).rejects.toThrow('does not show');
  }));

test('takes no file of another vault', () =>
  withHost({ files: { 'a.md': 'x' } }, async (host) => {
    const stranger: object = { path: 'a.md' };
    const file: TFile = Object.assign(Object.create(null), stranger);
    await expect(async () => host.app.vault.rename(file, 'b.md')).rejects.toThrow('does not come from');
  }));
