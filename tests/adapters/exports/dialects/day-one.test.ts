import { converted, type Files, recognised } from './support';

const md5 = (letter: string): string => letter.repeat(32);

export const DAY_ONE: Files = {
  'Travel.json': {
    metadata: { version: '1.0' },
    entries: [
      {
        uuid: 'E1',
        creationDate: '2023-05-01T23:20:30Z',
        modifiedDate: '2023-05-02T08:00:00Z',
        timeZone: 'Europe/Berlin',
        creationDevice: 'iPhone',
        starred: true,
        isPinned: false,
        tags: ['sea side', 'work'],
        text: '# At the sea\n\nIt was 3\\.5 km\\! See [before](dayone://view?entryId=E2).\n\n![](dayone-moment://P1)\n\n1\\. no list\n\n- [ ] swim\n- [x] eat\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![](dayone-moment:/video/V1)\n\n![](dayone-moment://GONE)',
        photos: [
          { identifier: 'P1', md5: md5('a'), type: 'jpeg', orderInEntry: 0 },
          { identifier: 'P2', md5: md5('b'), type: 'jpeg' },
        ],
        videos: [{ identifier: 'V1', md5: md5('c'), type: 'mp4' }],
        pdfAttachments: [{ identifier: 'D1', md5: md5('d'), pdfName: 'ticket.pdf' }],
        location: {
          latitude: 54.1,
          longitude: 12.1,
          placeName: 'Pier',
          localityName: 'Rostock',
          country: 'Germany',
        },
        weather: { temperatureCelsius: 17.4, conditionsDescription: 'Cloudy' },
        userActivity: { activityName: 'Walking' },
      },
      { uuid: 'E2', creationDate: '2023-04-01T10:00:00Z', timeZone: 'No/Where', text: 'Short *day*' },
      { uuid: 'E3', creationDate: '2023-04-02T10:00:00Z' },
    ],
  },
  'Diary.json': {
    metadata: { version: '1.0' },
    entries: [{ uuid: 'E4', creationDate: '2020-01-01T10:00:00Z', text: 'Another journal' }],
  },
  [`photos/${md5('a')}.jpeg`]: 'JPG',
  [`photos/${md5('b')}.jpeg`]: 'JPG',
  [`videos/${md5('c')}.mp4`]: 'MP4',
  [`pdfs/${md5('d')}.pdf`]: 'PDF',
};

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
