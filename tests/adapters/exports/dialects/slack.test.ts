import { converted, type Files, recognised } from './support';

const ts = (time: string): string => `${Date.parse(time) / 1000}.000100`;

export const SLACK: Files = {
  'users.json': [
    { id: 'U1', team_id: 'T', name: 'ann', real_name: 'Ann B', profile: { display_name: 'Ann' } },
    { id: 'U2', team_id: 'T', name: 'bob', profile: { display_name: '', real_name: 'Bob C' } },
  ],
  'channels.json': [
    {
      id: 'C1',
      name: 'general',
      is_general: true,
      members: ['U1'],
      topic: { value: 'All *news*' },
      purpose: { value: '' },
    },
  ],
  'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
  'integration_logs.json': [],
  'general/2024-05-01.json': [
    {
      type: 'message',
      user: 'U1',
      ts: ts('2024-05-01T10:31:00Z'),
      thread_ts: ts('2024-05-01T10:31:00Z'),
      text: 'Hi <@U2>, see <https://example.org/a_b|the *page*> &amp; <#C1|general> *bold* _soft_ ~gone~ `x *y*`\n# no heading\n- item <!here>',
      reactions: [{ name: 'tada' }],
      files: [
        { id: 'F1', name: 'p.png', title: 'Plan', permalink: 'https://example.slack.com/f/p' },
        { mode: 'tombstone' },
      ],
    },
    {
      type: 'message',
      user: 'U2',
      ts: ts('2024-05-01T12:00:00Z'),
      text: '```let a = 1 &lt; 2;```',
      edited: { ts: '1' },
    },
  ],
  'general/2024-05-02.json': [
    {
      type: 'message',
      user: 'U2',
      ts: ts('2024-05-02T09:00:00Z'),
      thread_ts: ts('2024-05-01T10:31:00Z'),
      text: 'reply',
    },
    {
      type: 'message',
      subtype: 'bot_message',
      username: 'deploy',
      ts: ts('2024-05-02T10:00:00Z'),
      text: '',
      attachments: [{ fallback: 'x', title: 'Build', title_link: 'https://example.org/b', text: 'ok' }],
    },
  ],
  'general/2024-06-01.json': [
    {
      type: 'message',
      user: 'U9',
      ts: ts('2024-06-01T10:00:00Z'),
      text: 'next',
      user_profile: { real_name: 'Gone G' },
    },
  ],
  'D1/2024-05-01.json': [{ type: 'message', user: 'U1', ts: ts('2024-05-01T10:00:00Z'), text: 'psst' }],
};

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
