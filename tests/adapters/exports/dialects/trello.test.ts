import { id, TRELLO } from './trello.sample';
import { converted, recognised } from './support';

describe('Trello', () => {
  it('has a note for each card, and one that lists them', async () => {
    const { at } = await converted('Trello', TRELLO);
    expect(Object.keys(at)).toEqual([
      'House-Home/House-Home',
      'House-Home/To do/Paint *wall*',
      'House-Home/Done/Old',
    ]);
    expect(at['House-Home/House-Home']?.markdown).toBe(
      `Our **plan**\n\n## To do\n\n- [[id:${id('c')}|Paint *wall*]]\n\n## Done (archived)\n\n- [[id:${id('d')}|Old]] (archived)`,
    );
    expect(at['House-Home/To do/Paint *wall*']).toEqual({
      kind: 'note',
      id: id('c'),
      place: 'House-Home/To do/Paint *wall*',
      title: 'Paint *wall*',
      properties: {
        created: '2023-09-12T06:06:56Z',
        modified: '2024-02-01T10:00:00Z',
        tags: ['big-job'],
        list: 'To do',
        members: ['Ann B'],
        due: '2024-03-01T10:00:00Z',
        source: 'https://trello.com/c/x',
        cost: 12.5,
        room: 'Kitchen',
      },
      markdown:
        '- [ ] Paint \\*wall\\*\n\nWith **white**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n## Steps\n\n- [ ] buy \\#paint (due 2024-02-10, Ann B)\n- [x] clean\n\n' +
        '## Attachments\n\n- [Colours](https://example.org/c)\n\n## Comments\n\n**Ann B**, 2024-02-01 10:00 UTC:\n\nfirst\n\n**Ann B**, 2024-02-02 10:00 UTC:\n\nlater',
      from: ['board.json'],
    });
    expect(at['House-Home/Done/Old']?.properties).toMatchObject({ archived: true, list: 'Done' });
  });

  it('is no other board', async () => {
    expect(await recognised({ 'a.json': { name: 'a', lists: [], cards: [] } })).toEqual({});
  });
});
