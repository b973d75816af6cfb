import { id, item, plain, JOPLIN } from './joplin.sample';
import { converted, recognised } from './support';

describe('Joplin', () => {
  it('has notes in the folders of their notebooks', async () => {
    const { at, left, kept } = await converted('Joplin', JOPLIN);
    expect(Object.keys(at)).toEqual(['Travel-Work/Paris/Trip', 'Travel-Work/Plan']);
    expect(at['Travel-Work/Paris/Trip']).toEqual({
      kind: 'note',
      id: id('a'),
      place: 'Travel-Work/Paris/Trip',
      title: 'Trip',
      properties: {
        created: '2019-12-31T09:00:00Z',
        modified: '2020-01-02T10:00:00Z',
        tags: ['on-the-way'],
        author: 'Ann',
        source: 'https://example.org/a',
        location: '48.85, 2.35',
      },
      markdown: `See [[id:${id('b')}|plan]], [[place:resources/${id('d')}.zip|map]] and ![[place:resources/${id('e')}.png]].\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\`[x](:/${id('b')})\`\n\nlast: line`,
      from: [`${id('a')}.md`],
    });
    expect(kept.map(({ place }) => place).sort()).toEqual(['resources/city map.zip', 'resources/tower.png']);
    expect(left[`${id('4')}.md · Secret`]).toContain('encrypted');
    expect(left[`${id('1')}.md · on the way`]).toBe('It describes a tag.');
  });

  it('has a to-do as a task', async () => {
    const note = (await converted('Joplin', JOPLIN)).at['Travel-Work/Plan'];
    expect(note?.markdown).toBe('- [x] Plan');
    expect(note?.properties).toMatchObject({
      due: '2020-01-01T12:00:00Z',
      completed: '2020-01-01T09:13:20Z',
    });
  });

  it('ends at notebooks that lie in each other', async () => {
    const files = {
      ...JOPLIN,
      [`${id('f')}.md`]: item(2, id('f'), 'Outer', { parent_id: id('c') }),
    };
    const { at } = await converted('Joplin', files);
    expect(Object.keys(at)).toContain('Outer/Paris/Trip');
  });

  it('reads notes in HTML', async () => {
    const html = item(
      1,
      id('a'),
      `Page\n\n<p>A <b>bold</b> <a href=":/${id('b')}">plan</a> <img src=":/${id('e')}"></p>`,
      {
        ...plain,
        markup_language: '2',
      },
    );
    const { at } = await converted('Joplin', { ...JOPLIN, [`${id('a')}.md`]: html });
    expect(at.Page?.markdown).toBe(`A **bold** [[id:${id('b')}|plan]] ![[place:resources/${id('e')}.png]]`);
  });

  it('is no vault whose notes are named by hashes', async () => {
    expect(await recognised({ [`${id('a')}.md`]: '# Note\n\ntext' })).toEqual({});
  });
});
