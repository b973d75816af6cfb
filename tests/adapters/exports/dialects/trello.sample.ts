import type { Files } from './support';

export const id = (letter: string): string => `65000000${letter.repeat(16)}`;

export const TRELLO: Files = {
  'board.json': {
    id: id('b'),
    name: 'House/Home',
    desc: 'Our **plan**',
    closed: false,
    idOrganization: 'o',
    url: 'https://trello.com/b/x/house',
    prefs: {},
    labelNames: {},
    dateLastActivity: '2024-02-01T10:00:00.000Z',
    lists: [
      { id: id('2'), name: 'Done', closed: true, pos: 2 },
      { id: id('1'), name: 'To do', closed: false, pos: 1 },
    ],
    labels: [
      { id: id('8'), name: 'big job', color: 'red' },
      { id: id('9'), name: '', color: 'blue' },
    ],
    members: [{ id: id('7'), fullName: 'Ann B', username: 'ann' }],
    customFields: [
      { id: 'f1', name: 'Cost', type: 'number' },
      { id: 'f2', name: 'Room', type: 'list', options: [{ id: 'o1', value: { text: 'Kitchen' } }] },
    ],
    cards: [
      {
        id: id('c'),
        name: 'Paint *wall*',
        desc: 'With **white**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
        idList: id('1'),
        pos: 1,
        closed: false,
        due: '2024-03-01T10:00:00.000Z',
        dueComplete: false,
        dateLastActivity: '2024-02-01T10:00:00.000Z',
        idMembers: [id('7')],
        idLabels: [id('8'), id('9')],
        labels: [
          { id: id('8'), name: 'big job' },
          { id: id('9'), name: '' },
        ],
        attachments: [{ name: 'Colours', url: 'https://example.org/c', isUpload: false }],
        customFieldItems: [
          { idCustomField: 'f1', value: { number: '12.5' } },
          { idCustomField: 'f2', idValue: 'o1', value: null },
        ],
        shortUrl: 'https://trello.com/c/x',
      },
      { id: id('d'), name: 'Old', desc: '', idList: id('2'), pos: 1, closed: true },
    ],
    checklists: [
      {
        idCard: id('c'),
        name: 'Steps',
        pos: 1,
        checkItems: [
          { name: 'clean', state: 'complete', pos: 2 },
          {
            name: 'buy #paint',
            state: 'incomplete',
            pos: 1,
            due: '2024-02-10T10:00:00.000Z',
            idMember: id('7'),
          },
        ],
      },
    ],
    actions: [
      {
        type: 'commentCard',
        date: '2024-02-02T10:00:00.000Z',
        data: { text: 'later', card: { id: id('c') } },
        memberCreator: { fullName: 'Ann B' },
      },
      {
        type: 'commentCard',
        date: '2024-02-01T10:00:00.000Z',
        data: { text: 'first', card: { id: id('c') } },
        memberCreator: { fullName: 'Ann B' },
      },
      { type: 'updateCard', data: { card: { id: id('c') } } },
    ],
  },
};
