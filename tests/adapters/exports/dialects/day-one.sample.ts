import type { Files } from './support';

export const md5 = (letter: string): string => letter.repeat(32);

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
