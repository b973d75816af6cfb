import { SLACK } from './slack.sample';
import { converted, recognised } from './support';

describe('Slack', () => {
  it('has a note for each month of a channel', async () => {
    const { at, left } = await converted('Slack', SLACK);
    expect(Object.keys(at).sort()).toEqual([
      'Ann, Bob C/Ann, Bob C 2024-05',
      'general/general 2024-05',
      'general/general 2024-06',
    ]);
    expect(at['general/general 2024-05']).toEqual({
      kind: 'note',
      place: 'general/general 2024-05',
      title: 'general 2024-05',
      properties: { created: '2024-05-01T10:31:00Z', modified: '2024-05-02T10:00:00Z', channel: 'general' },
      markdown: [
        'All **news**',
        '## 2024-05-01',
        '**Ann** (10:31 UTC): Hi @Bob C, see [the \\*page\\*](https://example.org/a_b) & \\#general **bold** *soft* ~~gone~~ `x *y*`\n\\# no heading\n- item @here',
        '- [Plan](https://example.slack.com/f/p)\n- A file (deleted)',
        '> **Bob C** (09:00 UTC): reply',
        '**Bob C** (12:00 UTC, edited):\n\n```\nlet a = 1 < 2;\n```',
        '## 2024-05-02',
        '**deploy** (10:00 UTC): [Build](https://example.org/b)\n\nok',
      ].join('\n\n'),
      from: ['general/2024-05-01.json', 'general/2024-05-02.json'],
      warnings: [],
    });
    expect(at['general/general 2024-06']?.markdown).toContain('**Gone G** (10:00 UTC): next');
    expect(Object.keys(left).sort()).toEqual([
      'channels.json',
      'dms.json',
      'integration_logs.json',
      'users.json',
    ]);
  });

  it('is no folder that only lists people', async () => {
    expect(
      await recognised({ 'users.json': [{ real_name: 'a', team_id: 'x' }], 'log/2024-05-01.txt': 'a' }),
    ).toEqual({});
  });
});
