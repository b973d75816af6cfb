import { SAMPLES } from './samples';
import { converted } from './support';

const backup = (content: object) => ({
  'b.txt': { version: '004', items: [{ uuid: 'n', content_type: 'Note', content }] },
});

describe('Standard Notes', () => {
  it('keeps text, tags and times, and leaves the copies out', async () => {
    const { at, left } = await converted('Standard Notes', SAMPLES['Standard Notes']?.files ?? {});
    expect(at.Plain).toMatchObject({
      properties: { modified: '2022-03-02T03:04:05Z', tags: ['my-tag'], pinned: true },
      markdown: 'some \\*letters\\*',
    });
    expect(Object.keys(left)).toEqual(['Items/Note/Plain-1234.txt']);
  });

  it('reads the text of its editors', async () => {
    const { at } = await converted('Standard Notes', SAMPLES['Standard Notes']?.files ?? {});
    expect(at.Super?.markdown).toBe(
      '## Head\n\n**bold** and [a page](https://example.org)\n\n- [x] done\n- [ ] open\n\n| a1 | a2 |\n| --- | --- |\n| b1 | b2 |',
    );
    const { notes } = await converted(
      'Standard Notes',
      backup({
        title: 'List',
        text: JSON.stringify({
          schemaVersion: '1.0.0',
          groups: [{ name: 'G', tasks: [{ description: 'one', completed: true }] }],
        }),
      }),
    );
    expect(notes[0]?.markdown).toBe('## G\n\n- [x] one');
  });

  it('leaves secrets out, and says that a backup is encrypted', async () => {
    const secret = { service: 'Mail', account: 'a', secret: 'JBSWY3DP' };
    const { notes } = await converted(
      'Standard Notes',
      backup({ title: 'A', noteType: 'authentication', text: JSON.stringify([secret]) }),
    );
    expect(notes[0]?.markdown).toBe('- Mail, a');
    const locked = { version: '004', items: [{ uuid: 'n', content_type: 'Note', content: '004:abc' }] };
    expect((await converted('Standard Notes', { 'b.txt': locked })).left['b.txt']).toMatch(/encrypted/);
  });
});
