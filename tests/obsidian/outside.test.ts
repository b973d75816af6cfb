import { fileAt, listen, withHost } from './world';

test('an edit from outside is told after a delay, not before', async () => {
  jest.useFakeTimers();
  try {
    await withHost(
      { files: { 'a.md': 'x' }, ready: false, settings: { outsideDelay: 500 } },
      async (host) => {
        await host.layoutReady();
        const told = listen(host);
        await host.outside('a.md', 'changed');
        await jest.advanceTimersByTimeAsync(499);
        expect(told).toEqual([]);
        await jest.advanceTimersByTimeAsync(1);
        expect(told).toEqual(['modify a.md']);
      },
    );
  } finally {
    jest.useRealTimers();
  }
});

test('cachedRead may be stale until the edit is noticed; read is right', () =>
  withHost({ files: { 'a.md': 'old' } }, async (host) => {
    const { vault } = host.app;
    const file = fileAt(host, 'a.md');
    expect(await vault.cachedRead(file)).toBe('old');
    await host.outside('a.md', 'newer');
    expect(await vault.cachedRead(file)).toBe('old');
    expect(file.stat.size).toBe(3);
    expect(await vault.read(file)).toBe('newer');
    await host.settle();
    expect(await vault.cachedRead(file)).toBe('newer');
    expect(file.stat.size).toBe(5);
  }));

test('an own change is never stale', () =>
  withHost({ files: { 'a.md': 'old' } }, async (host) => {
    const { vault } = host.app;
    const file = fileAt(host, 'a.md');
    await vault.cachedRead(file);
    await vault.modify(file, 'new');
    expect(await vault.cachedRead(file)).toBe('new');
  }));

test('files and folders that come and go', () =>
  withHost({ files: { 'a/b.md': 'x' } }, async (host) => {
    const told = listen(host);
    await host.outside('c/d/e.md', 'y');
    await host.settle();
    expect(told).toEqual(['create c', 'create c/d', 'create c/d/e.md']);
    told.length = 0;
    await host.outside('a', null);
    await host.settle();
    expect(told).toEqual(['delete a/b.md', 'delete a']);
    expect(host.app.vault.getFiles().map((file) => file.path)).toEqual(['c/d/e.md']);
  }));

test('a move by another program is one file gone and one new', () =>
  withHost({ files: { 'a.md': 'x' } }, async (host) => {
    const told = listen(host);
    await host.moveOutside('a.md', 'b.md');
    await host.settle();
    expect(told).toEqual(['delete a.md', 'create b.md']);
  }));

test('a file in the place of a folder', () =>
  withHost({ files: { 'a/b.md': 'x' } }, async (host) => {
    const told = listen(host);
    await host.storage.rmdir('a', true);
    await host.outside('a', 'now a file');
    await host.settle();
    expect(told).toEqual(['delete a/b.md', 'delete a', 'create a']);
  }));

test('an edit that keeps time and size goes unnoticed', () =>
  withHost({ files: { 'a.md': 'one' } }, async (host) => {
    const told = listen(host);
    await host.outside('a.md', 'two', fileAt(host, 'a.md').stat.mtime);
    await host.settle();
    expect(told).toEqual([]);
  }));

test('what the adapter writes goes behind the back of the vault', () =>
  withHost({ files: { 'a.md': 'old' } }, async (host) => {
    const { vault } = host.app;
    const told = listen(host);
    await vault.cachedRead(fileAt(host, 'a.md'));
    await vault.adapter.write('a.md', 'newer');
    await vault.adapter.write('b.md', 'b');
    expect(vault.getFileByPath('b.md')).toBeNull();
    expect(await vault.cachedRead(fileAt(host, 'a.md'))).toBe('old');
    await host.settle();
    expect(told).toEqual(['modify a.md', 'create b.md']);
  }));

test('settings that another program wrote are told to their plugin', async () => {
  const { MANIFEST } = await import('./manifest');
  const { Plugin } = await import('obsidian');
  const seen: unknown[] = [];
  class Settings extends Plugin {
    override async onExternalSettingsChange(): Promise<void> {
      seen.push(await this.loadData());
    }
  }
  await withHost({}, async (host) => {
    await host.loadPlugin(Settings, MANIFEST);
    await host.outside('.obsidian/plugins/sample/data.json', '{"port":1}');
    await host.settle();
    expect(seen).toEqual([{ port: 1 }]);
    await host.outside('.obsidian/app.json', '{}');
    await host.settle();
    expect(seen).toHaveLength(1);
  });
});
