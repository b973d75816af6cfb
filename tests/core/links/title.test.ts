import { noteTitle, titleOf } from '../../../src/core/links/title';
import { markdownFacts } from '../../../src/core/markdown/facts';

describe('titleOf', () => {
  it.each([
    [{ title: '  From  block ' }, 'Heading', 'raw/2026-01-02-x.md', 'From block'],
    [{ title: ' ' }, 'Heading', 'raw/x.md', 'Heading'],
    [{ title: ['a'] }, null, 'wiki/a/facts/wire-guard_mtu.md', 'wire guard mtu'],
    [{}, null, 'raw/2026-01-02-some--note.md', 'some note'],
    [{}, null, 'knowledge/Old Note.md', 'Old Note'],
    [{}, null, 'wiki/food/facts/7 - ponti.md', '7 - ponti'],
    [{}, null, 'raw/2026-01-02-NAT66.md', 'NAT66'],
    [{}, null, '7 - ponti.md', '7 - ponti'],
    [{}, null, 'Daily/2026-01-02.md', '2026-01-02'],
    [{}, null, 'Daily/2026-01-02-visit.md', '2026-01-02-visit'],
    [{}, null, 'snake_case-name.md', 'snake_case-name'],
    [{}, null, 'knowledge/2026-01-02-.md', '2026-01-02-'],
    [{}, '', 'knowledge/-.md', '-'],
  ])('%j, heading %j, at %s: %j', (frontmatter, heading, path, title) => {
    expect(titleOf(frontmatter, { title: heading }, path)).toBe(title);
  });

  it.each([
    ['\n\n# Pika *backup*\n\nText', 'Pika backup'],
    ['Pika\n====\n', 'Pika'],
    ['Text\n\n# References\n', null],
    ['## Below\n\n# References\n', null],
    ['<!-- c -->\n# After\n', null],
    ['#\n\n# Second\n', null],
    ['', null],
  ])('takes of %j the heading %j', (body, title) => expect(markdownFacts(body).title).toBe(title));

  it('is cut to 200 characters, never within one', () => {
    expect(titleOf({ title: 'x'.repeat(300) }, { title: null }, 'a.md')).toBe('x'.repeat(200));
    expect(titleOf({ title: '😀'.repeat(300) }, { title: null }, 'a.md')).toBe('😀'.repeat(200));
  });

  it('tells when a note names itself', () => {
    expect(noteTitle({}, null)).toBeNull();
    expect(noteTitle({ title: 3 }, ' h ')).toBe('h');
  });
});
