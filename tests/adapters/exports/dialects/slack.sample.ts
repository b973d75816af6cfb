import type { Files } from './support';

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
