import type { Files } from './support';

const USEC = 1_000_000;
const at = (time: string) => (Date.parse(time) / 1000) * USEC;

export const KEEP: Files = {
  'Takeout/Keep/Recipe.json': {
    color: 'TEAL',
    isTrashed: false,
    isPinned: true,
    isArchived: false,
    attachments: [{ filePath: '18a.1f.jpeg', mimetype: 'image/jpeg' }],
    annotations: [
      { description: 'How *we* bake', source: 'WEBLINK', title: 'Bread', url: 'https://example.org/bread' },
    ],
    textContent: 'Flour *fresh*\n# not a heading',
    textContentHtml: '<p dir="ltr"><span style="font-size:7pt">Flour</span></p>',
    title: 'Recipe',
    userEditedTimestampUsec: at('2024-03-02T08:00:00Z'),
    createdTimestampUsec: at('2024-03-01T10:00:00Z'),
    labels: [{ name: 'Cook book' }, { name: '2024' }],
    sharees: [
      { isOwner: true, type: 'WRITER', email: 'me@example.org' },
      { isOwner: false, type: 'WRITER', email: 'ann@example.org' },
    ],
  },
  'Takeout/Keep/Recipe.html': '<html><body><div class="note">Flour</div></body></html>',
  'Takeout/Keep/18a.1f.jpg': new Uint8Array([0xff, 0xd8]),
  'Takeout/Keep/Milk.json': {
    isTrashed: false,
    isPinned: false,
    isArchived: true,
    listContent: [
      { textHtml: '<p>milk</p>', text: 'milk', isChecked: true },
      { textHtml: '<p>eggs</p>', text: 'eggs #6', isChecked: false },
    ],
    title: '',
    userEditedTimestampUsec: at('2024-03-02T08:00:00Z'),
    createdTimestampUsec: at('2024-03-01T10:00:00Z'),
  },
  'Takeout/Keep/Gone.json': {
    isTrashed: true,
    title: 'Gone',
    textContent: 'x',
    userEditedTimestampUsec: 1,
  },
  'Takeout/Keep/Gone.html': '<html><body><div class="note">x</div></body></html>',
  'Takeout/Keep/Labels.txt': 'Cook book',
  'Takeout/Keep/Old.html':
    '<html><head><title>Old &amp; gold</title></head><body><div class="note"><div class="heading">1 May 2015</div><div class="content">Only <b>here</b></div><div class="labels"><span class="label"><span class="label-name">Attic</span></span></div></div></body></html>',
};
