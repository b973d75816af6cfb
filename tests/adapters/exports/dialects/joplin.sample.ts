import type { Files } from './support';

export const id = (letter: string): string => letter.repeat(32);
export const item = (
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
export const plain = {
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
