import { noteTitle, titleOf } from '../../../src/core/links/title';

describe('titleOf', () => {
  it.each([
    [{ title: '  From  block ' }, 'Heading', 'raw/2026-01-02-x.md', 'From block'],
    [{ title: ' ' }, 'Heading', 'raw/x.md', 'Heading'],
    [{ title: ['a'] }, null, 'wiki/a/facts/wire-guard_mtu.md', 'wire guard mtu'],
    [{}, null, 'raw/2026-01-02-some--note.md', 'some note'],
    [{}, null, 'knowledge/Old Note.md', 'Old Note'],
    [{}, null, 'knowledge/2026-01-02-.md', '2026-01-02-'],
    [{}, '', 'knowledge/-.md', '-'],
  ])('%j, heading %j, at %s: %j', (frontmatter, h1, path, title) => {
    expect(titleOf(frontmatter, { h1 }, path)).toBe(title);
  });

  it('is cut to 200 characters, never within one', () => {
    expect(titleOf({ title: 'x'.repeat(300) }, { h1: null }, 'a.md')).toBe('x'.repeat(200));
    expect(titleOf({ title: '😀'.repeat(300) }, { h1: null }, 'a.md')).toBe('😀'.repeat(200));
  });

  it('tells when a note names itself', () => {
    expect(noteTitle({}, null)).toBeNull();
    expect(noteTitle({ title: 3 }, ' h ')).toBe('h');
  });
});
