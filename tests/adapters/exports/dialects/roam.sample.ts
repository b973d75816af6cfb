import type { Files } from './support';

export const ms = Date.parse('2024-05-01T10:00:00Z');
const block = (string: string, more: object = {}): object => ({ string, 'create-time': ms, ...more });

export const ROAM: Files = {
  'graph.json': [
    {
      title: 'May 1st, 2024',
      uid: '05-01-2024',
      'create-time': ms,
      'edit-time': ms + 3_600_000,
      children: [
        block('{{[[TODO]]}} call [[Ann/Work]] about ((abc_def-1))', {
          uid: 'todo00001',
          children: [block('{{[[DONE]]}} __dial__ ^^now^^ **b** #urgent #[[two words]] $$x^2$$')],
        }),
        block('{{[[embed]]: ((abc_def-1))}} [said]([[Ann/Work]]) [there](((abc_def-1)))'),
        block('Steps', { heading: 2, 'view-type': 'numbered', children: [block('one'), block('two')] }),
        block('{{[[table]]}}', {
          children: [
            block('Name', { children: [block('Age')] }),
            block('Ann', { children: [block('[[Empty]]')] }),
          ],
        }),
        block('code:\n```js\nlet a = "[[no]]"```'),
        block('![pic](https://example.org/p.png) {{[[video]]: https://example.org/v}}'),
      ],
    },
    {
      title: 'Ann/Work',
      'create-time': ms,
      children: [
        block('Role:: editor'),
        block('Tags:: #[[old friend]] #work'),
        block('Boss:: [[May 1st, 2024]]'),
        block('The office\nis *here*', { uid: 'abc_def-1' }),
      ],
    },
    { title: 'Empty', 'edit-time': ms, uid: 'empty0001' },
  ],
};
