import { SAMPLES } from './samples';
import { converted } from './support';

const linesOf = async (program: string, place: string) =>
  (await converted(program, SAMPLES[program]?.files ?? {})).at[place]?.markdown.split('\n');

describe('saved pages', () => {
  it('of browsers keep folders, days, tags and descriptions, and no scripts', async () => {
    expect(await linesOf('Browser bookmarks', 'bookmarks')).toEqual([
      '## Work & Play',
      '',
      '- [An \\[example\\]](https://example.org/?a=1&b=2) (2020-09-13) #news #two-words',
      '    > What it says',
      '',
      '### Deep',
      '',
      '- [Com](https://example.com/) (2023-11-14)',
    ]);
  });

  it('of Pocket come from both of its forms', async () => {
    expect(await linesOf('Pocket', 'part_000000')).toEqual([
      '## Unread',
      '',
      '- [A, page](https://example.org/a) (2020-09-13) #one #two-words',
      '',
      '## Archive',
      '',
      '- [B](https://example.org/b) (2023-11-14)',
    ]);
    expect(await linesOf('Pocket', 'ril_export')).toContain('- [C](https://example.org/c) (2020-09-13) #x');
  });

  it('of Instapaper keep what was selected', async () => {
    expect(await linesOf('Instapaper', 'instapaper')).toEqual(
      expect.arrayContaining(['- [A](https://example.org/a) (2020-09-13) #x', '    > marked text']),
    );
  });

  it('of Raindrop keep folders in folders and notes', async () => {
    expect(await linesOf('Raindrop', 'raindrop')).toEqual(
      expect.arrayContaining([
        '## Read',
        '### Later',
        '- [A](https://example.org/a) (2023-01-02) #x #two-words',
        '    > my note',
      ]),
    );
  });
});
