import { md5, DAY_ONE } from './day-one.sample';
import { converted, recognised } from './support';

describe('Day One', () => {
  it('has a note for each entry, in the folder of its journal', async () => {
    const { at, left } = await converted('Day One', DAY_ONE);
    expect(Object.keys(at)).toEqual([
      'Diary/2020-01-01 Another journal',
      'Travel/2023-05-02 At the sea',
      'Travel/2023-04-01 Short day',
    ]);
    expect(at['Travel/2023-05-02 At the sea']).toEqual({
      kind: 'note',
      id: 'E1',
      place: 'Travel/2023-05-02 At the sea',
      title: 'At the sea',
      properties: {
        created: '2023-05-01T23:20:30Z',
        modified: '2023-05-02T08:00:00Z',
        timezone: 'Europe/Berlin',
        tags: ['sea-side', 'work'],
        starred: true,
        place: 'Pier, Rostock, Germany',
        location: '54.1, 12.1',
        weather: 'Cloudy, 17 °C',
        activity: 'Walking',
      },
      markdown: `# At the sea\n\nIt was 3.5 km! See [[id:E2|before]].\n\n![[place:photos/${md5('a')}.jpeg]]\n\n1\\. no list\n\n- [ ] swim\n- [x] eat\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![[place:videos/${md5('c')}.mp4]]\n\nAn attachment (not in the export)\n\n![[place:photos/${md5('b')}.jpeg]]\n![[place:pdfs/${md5('d')}.pdf]]`,
      from: ['Travel.json'],
      warnings: [],
    });
    expect(left).toEqual({
      'Travel.json · Entry of 2023-04-02T10:00:00Z': 'The entry has no text and no attachment.',
    });
  });

  it('is no other JSON with entries', async () => {
    expect(await recognised({ 'a.json': { entries: [{ text: 'a' }] } })).toEqual({});
  });
});
