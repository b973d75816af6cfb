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

test('generateMarkdownLink writes the shortest link that is clear', () =>
  withHost({ files: { 'a/x.md': '', 'b/x.md': '', 'a/y.md': '', 'p.png': '' } }, async (host) => {
    const { fileManager } = host.app;
    expect(fileManager.generateMarkdownLink(fileAt(host, 'a/y.md'), '')).toBe('[[y]]');
    expect(fileManager.generateMarkdownLink(fileAt(host, 'a/x.md'), '', '#h', 'X')).toBe('[[a/x#h|X]]');
    expect(fileManager.generateMarkdownLink(fileAt(host, 'p.png'), '')).toBe('[[p.png]]');
  }));
