import { ms, ROAM } from './roam.sample';
import { converted, recognised } from './support';

describe('Roam Research', () => {
  it('has pages with links, tasks, tables and names of blocks', async () => {
    const { at, left } = await converted('Roam Research', ROAM);
    expect(Object.keys(at)).toEqual(['May 1st, 2024', 'Ann-Work']);
    expect(at['May 1st, 2024']).toMatchObject({
      id: 'May 1st, 2024',
      title: 'May 1st, 2024',
      properties: { created: '2024-05-01T10:00:00Z', modified: '2024-05-01T11:00:00Z' },
    });
    expect(at['May 1st, 2024']?.markdown.split('\n')).toEqual([
      '- [ ] call [[id:Ann/Work|Ann/Work]] about [[id:Ann/Work#%5eabc-def-1|The office is here]]',
      '\t- [x] *dial* ==now== **b** #urgent #two-words $x^2$',
      '- ![[id:Ann/Work#%5eabc-def-1]] [[id:Ann/Work|said]] [[id:Ann/Work#%5eabc-def-1|there]]',
      '- ## Steps',
      '\t1. one',
      '\t2. two',
      '',
      '| Name | Age |',
      '| --- | --- |',
      '| Ann | [[Empty]] |',
      '',
      '',
      '- code:',
      '  ```js',
      '  let a = "[[no]]"',
      '  ```',
      '- ![pic](https://example.org/p.png) ![](https://example.org/v)',
    ]);
    expect(left).toEqual({ 'graph.json · 1 page': 'They are pages without any text.' });
  });

  it('has attributes of plain text as properties', async () => {
    const note = (await converted('Roam Research', ROAM)).at['Ann-Work'];
    expect(note?.properties).toEqual({
      created: '2024-05-01T10:00:00Z',
      role: 'editor',
      tags: ['old-friend', 'work'],
    });
    expect(note?.markdown).toBe('- Boss:: [[id:May 1st, 2024]]\n- The office\n  is *here* ^abc-def-1');
  });

  it('says that EDN is another format', async () => {
    const { left } = await converted('Roam Research', { 'g.edn': '#datascript/DB {:schema {}}' });
    expect(left['g.edn']).toContain('Choose JSON');
  });

  it('reads blocks of any depth', async () => {
    const deep = `${'[{"string":"b","children":'.repeat(5000)}[{"string":"bottom"}]${'}]'.repeat(5000)}`;
    const { notes } = await converted('Roam Research', {
      'g.json': `[{"title":"Deep","create-time":${ms},"uid":"u","children":${deep}}]`,
    });
    expect(notes[0]?.markdown).toContain('bottom');
  });

  it('is no other list', async () => {
    expect(await recognised({ 'posts.json': [{ title: 'a', children: [], body: 'b' }] })).toEqual({});
  });
});
