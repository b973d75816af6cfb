import { KEEP } from './keep.sample';
import { converted, recognised } from './support';

describe('Google Keep', () => {
  it('is one note for the two files of a note', async () => {
    const { at: notes, left } = await converted('Google Keep', KEEP);
    expect(Object.keys(notes).sort()).toEqual([
      'Takeout/Keep/Milk',
      'Takeout/Keep/Old',
      'Takeout/Keep/Recipe',
    ]);
    expect(notes['Takeout/Keep/Recipe']).toEqual({
      kind: 'note',
      place: 'Takeout/Keep/Recipe',
      title: 'Recipe',
      properties: {
        created: '2024-03-01T10:00:00Z',
        modified: '2024-03-02T08:00:00Z',
        tags: ['Cook-book', '2024_'],
        pinned: true,
        shared_with: ['ann@example.org'],
      },
      markdown:
        'Flour \\*fresh\\*\n\\# not a heading\n\n![[place:Takeout/Keep/18a.1f.jpg]]\n\n- [Bread](https://example.org/bread): How \\*we\\* bake',
      from: ['Takeout/Keep/Recipe.json'],
      warnings: [],
    });
    expect(left).toEqual({
      'Takeout/Keep/Recipe.html': 'It is the same note as the JSON file beside it.',
      'Takeout/Keep/Gone.json · Gone': 'The note is in the trash of Keep.',
      'Takeout/Keep/Gone.html': 'The note is in the trash of Keep.',
      'Takeout/Keep/Labels.txt': 'It lists the labels, which are the tags of the notes.',
    });
  });

  it('has lists as tasks, and a name for a note without a title', async () => {
    const note = (await converted('Google Keep', KEEP)).at['Takeout/Keep/Milk'];
    expect(note?.markdown).toBe('- [x] milk\n- [ ] eggs \\#6');
    expect(note?.properties.archived).toBe(true);
    expect(note).not.toHaveProperty('title');
  });

  it('reads a page without its JSON, and with a damaged one', async () => {
    const files = { ...KEEP, 'Takeout/Keep/Old.json': 'x' };
    for (const each of [KEEP, files]) {
      const note = (await converted('Google Keep', each)).at['Takeout/Keep/Old'];
      expect(note).toMatchObject({ title: 'Old & gold', properties: { tags: ['Attic'] } });
      expect(note?.markdown).toContain('Only **here**');
    }
  });

  it('keeps the bold text of newer notes', async () => {
    const note = {
      title: 'A',
      isTrashed: false,
      textContent: 'big news',
      textContentHtml: '<p><span style="font-weight:700">big</span> news</p>',
      userEditedTimestampUsec: 1,
    };
    const { notes } = await converted('Google Keep', { 'Keep/A.json': note });
    expect(notes[0]?.markdown).toBe('**big** news');
  });

  it('is no folder of other JSON', async () => {
    expect(
      await recognised({ 'data/a.json': { title: 'a', labels: [] }, 'data/a.html': '<p>a</p>' }),
    ).toEqual({});
  });
});
