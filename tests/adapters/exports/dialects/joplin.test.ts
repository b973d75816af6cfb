import { converted, type Files, recognised } from './support';

const id = (letter: string): string => letter.repeat(32);
const item = (
  type: number,
  of: string,
  text: string,
  data: Readonly<Record<string, string>> = {},
): string => {
  const lines = Object.entries({ id: of, ...data, type_: String(type) }).map(([key, value]) =>
    value === '' ? `${key}: ` : `${key}: ${value}`,
  );
  return `${text === '' ? '' : `${text}\n\n`}${lines.join('\n')}`;
};
const times = {
  created_time: '2020-01-01T10:00:00.000Z',
  updated_time: '2020-01-02T10:00:00.000Z',
  user_created_time: '2019-12-31T09:00:00.000Z',
  user_updated_time: '2020-01-02T10:00:00.000Z',
};
const plain = {
  ...times,
  is_todo: '0',
  markup_language: '1',
  encryption_applied: '0',
  latitude: '0.00000000',
};

export const JOPLIN: Files = {
  [`${id('a')}.md`]: item(
    1,
    id('a'),
    `Trip\n\nSee [plan](:/${id('b')}), [map](:/${id('d')} "Map") and ![](:/${id('e')}).\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\`[x](:/${id('b')})\`\n\nlast: line`,
    {
      ...plain,
      parent_id: id('c'),
      latitude: '48.85000000',
      longitude: '2.35000000',
      author: 'Ann',
      source_url: 'https://example.org/a',
    },
  ),
  [`${id('b')}.md`]: item(1, id('b'), 'Plan', {
    ...plain,
    parent_id: id('f'),
    is_todo: '1',
    todo_due: '1577880000000',
    todo_completed: '1577870000000',
  }),
  [`${id('c')}.md`]: item(2, id('c'), 'Paris', { parent_id: id('f') }),
  [`${id('f')}.md`]: item(2, id('f'), 'Travel/Work', { parent_id: '' }),
  [`${id('d')}.md`]: item(4, id('d'), 'city map', { mime: 'application/zip', file_extension: 'zip' }),
  [`${id('e')}.md`]: item(4, id('e'), 'tower.png', { mime: 'image/png', file_extension: 'png' }),
  [`resources/${id('d')}.zip`]: 'PK',
  [`resources/${id('e')}.png`]: 'PNG',
  [`${id('1')}.md`]: item(5, id('1'), 'on the way'),
  [`${id('2')}.md`]: item(6, id('2'), '', { note_id: id('a'), tag_id: id('1') }),
  [`${id('3')}.md`]: item(13, id('3'), '', { item_id: id('a') }),
  [`${id('4')}.md`]: item(1, id('4'), 'Secret', { ...plain, encryption_applied: '1' }),
};

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
