import { readAs } from '../../support/read-document';

const vtt = (...blocks: string[]) => ['WEBVTT', ...blocks, ''].join('\n\n');

describe('a transcript', () => {
  it.each<[string, string, string]>([
    [
      'joins what one voice says',
      vtt(
        'intro\n00:01.000 --> 00:03.000 align:start\n<v Ada>The pump\n<i>hums</i>.</v>',
        '00:03.200 --> 00:05.000\n<v.loud Ada>Air &amp; sand &lt;perhaps&gt;.',
        '00:05.000 --> 00:06.000\n<v Brook>Yes.',
      ),
      '**Ada** (0:01): The pump hums. Air & sand \\<perhaps>.\n\n**Brook** (0:05): Yes.\n\n',
    ],
    [
      'parts two voices in one line',
      vtt('00:01.000 --> 00:03.000\n<v Ada>Who?\n<v Brook>Me.'),
      '**Ada** (0:01): Who?\n\n**Brook** (0:01): Me.\n\n',
    ],
    [
      'takes names before colons that return',
      vtt(
        '00:01.000 --> 00:02.000\nAda: One',
        '00:02.000 --> 00:03.000\nmore.',
        '00:03.000 --> 00:04.000\nBrook: Two.',
        '00:04.000 --> 00:05.000\nAda: Note: three.',
        '00:05.000 --> 00:06.000\nBrook: Four.',
      ),
      '**Ada** (0:01): One more.\n\n**Brook** (0:03): Two.\n\n**Ada** (0:04): Note: three.\n\n**Brook** (0:05): Four.\n\n',
    ],
    [
      'leaves a colon that comes once',
      vtt('00:01.000 --> 00:02.000\nRemember: water.'),
      '(0:01) Remember: water.\n\n',
    ],
    [
      'begins a paragraph after a silence',
      vtt('00:01.000 --> 00:02.000\nOne.', '00:06.000 --> 00:07.000\nTwo.'),
      '(0:01) One.\n\n(0:06) Two.\n\n',
    ],
    [
      'shows lines that scroll once',
      vtt(
        '00:01.000 --> 00:02.000\none<00:01.500><c> two</c>',
        '00:02.000 --> 00:02.010\none two',
        '00:02.010 --> 00:03.000\none two\nthree',
        '00:03.000 --> 00:04.000\nthree\nfour',
      ),
      '(0:01) one two three four\n\n',
    ],
    [
      'keeps what is said twice',
      vtt('00:01.000 --> 00:02.000\nNo.', '00:02.500 --> 00:03.000\nNo.'),
      '(0:01) No. No.\n\n',
    ],
    [
      'reads SubRip with and without blank lines',
      '1\r\n01:00:01,000 --> 01:00:02,000\r\n{\\an8}<font color="red">Red</font> 5\r\n2\r\n01:00:02,500 --> 01:00:03,000\r\n1984\r\n\r\n3\r\n01:00:03,000 --> 01:00:04,000\r\na < b\r\n',
      '(1:00:01) Red 5 1984 a < b\n\n',
    ],
    [
      'escapes what looks like markup',
      vtt('00:01.000 --> 00:02.000\n[[x]] &lt;img src=x&gt; # y'),
      '(0:01) \\[\\[x]] \\<img src=x> # y\n\n',
    ],
  ])('%s', async (_, source, markdown) =>
    expect(await readAs('talk', source)).toEqual({ markdown, warnings: [] }),
  );

  it('tells of its notes, its title and lines without a time', async () => {
    const source =
      'WEBVTT - West pump\nKind: captions\n\nNOTE by B.\n\n00:01.000 --> 00:02.000\nOne\n\ntwo\n';
    expect(await readAs('talk', source)).toEqual({
      markdown: '(0:01) One two\n\n',
      title: 'West pump',
      warnings: [
        'One note or style of the transcript was left out; the kept original has it.',
        'One line has no time in the transcript and was kept as it stands.',
      ],
    });
  });

  it('without a time is text', async () =>
    expect(await readAs('talk', 'Ada *hums*.\n')).toEqual({
      markdown: 'Ada \\*hums\\*.\n',
      warnings: ['The file names no times; its text was taken as it stands.'],
    }));

  it('ends a long paragraph at the end of a sentence', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, at) => `00:${at + 10}.000 --> 00:${at + 11}.000\n${'word '.repeat(9)}${at}.`,
    );
    const { markdown } = await readAs('talk', vtt(...lines));
    const paragraphs = markdown.trimEnd().split('\n\n');
    expect(paragraphs).toHaveLength(4);
    expect(markdown.match(/\d+\.(?=[ \n])/g)).toEqual(lines.map((_, at) => `${at}.`));
  });
});

describe('YAML', () => {
  it.each<[string, string | undefined]>([
    ['title: West pump # in use', 'West pump'],
    ["a: 1\ntitle: 'It # hums'", 'It # hums'],
    ['title: "Two words"', 'Two words'],
    ['title: &a x', undefined],
    ['title: |\n  x', undefined],
    ['a:\n  title: x', undefined],
  ])('%j is a block of code with its title', async (source, title) =>
    expect(await readAs('yaml', source)).toEqual({
      markdown: `\`\`\`yaml\n${source}\n\`\`\`\n`,
      ...(title !== undefined && { title }),
      warnings: [],
    }),
  );
});
