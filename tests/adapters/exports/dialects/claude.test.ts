import { converted, type Files } from './support';

export const CLAUDE: Files = {
  'conversations.json': [
    {
      uuid: 'c-1',
      name: 'Garden',
      summary: 'About *beds*.',
      created_at: '2024-05-01T12:34:56.789012Z',
      updated_at: '2024-05-02T12:34:56.789012Z',
      account: { uuid: 'u' },
      chat_messages: [
        {
          uuid: 'm',
          sender: 'human',
          text: 'Which?',
          content: [{ type: 'text', text: 'Which?' }],
          created_at: '2024-05-01T12:34:57Z',
          attachments: [{ file_name: 'beds.txt', extracted_content: 'one *bed*' }],
          files: [{ file_name: 'p.png' }],
        },
        { sender: 'assistant', text: 'This:\n\n- [ ] dig', created_at: '2024-05-01T12:34:58Z' },
      ],
    },
    { uuid: 'c-2', name: '', chat_messages: [] },
    7,
  ],
  'projects.json': [
    {
      uuid: 'p-1',
      name: 'House',
      description: 'Our *house*',
      prompt_template: 'Be **brief**.',
      created_at: '2024-01-01T00:00:00Z',
      updated_at: '2024-01-02T00:00:00Z',
      docs: [
        { uuid: 'd-1', filename: 'plan.md', content: '# Plan\n\n[a](b)', created_at: '2024-01-01T00:00:00Z' },
        { uuid: 'd-2', filename: 'cost.py', content: 'x = 1' },
      ],
    },
    { uuid: 'p-2', name: 'How to use Claude', is_starter_project: true, docs: [] },
  ],
  'memories.json': [{ conversations_memory: '**Work**: editor', project_memories: { 'p-1': 'A roof.' } }],
  'users.json': [{ uuid: 'u', full_name: 'Ann' }],
};

describe('Claude', () => {
  it('has notes of conversations, projects and memories', async () => {
    const { at, left } = await converted('Claude', CLAUDE);
    expect(Object.keys(at)).toEqual([
      'Garden',
      'Memories/Memory of conversations',
      'Memories/Memory of project p-1',
      'Projects/House/House',
      'Projects/House/plan',
      'Projects/House/cost.py',
    ]);
    expect(at.Garden).toMatchObject({
      title: 'Garden',
      properties: {
        created: '2024-05-01T12:34:56Z',
        modified: '2024-05-02T12:34:56Z',
        source: 'https://claude.ai/chat/c-1',
      },
      markdown:
        '> About *beds*.\n\n## User, 2024-05-01 12:34 UTC\n\nWhich?\n\nAttached: beds.txt\n\none \\*bed\\*\n\nAttached: p.png\n\n## Assistant, 2024-05-01 12:34 UTC\n\nThis:\n\n- [ ] dig',
    });
    expect(at['Projects/House/House']?.markdown).toBe(
      'Our \\*house\\*\n\n## Instructions\n\nBe **brief**.\n\n## Documents\n\n- [[id:d-1|plan.md]]\n- [[id:d-2|cost.py]]',
    );
    expect(at['Projects/House/cost.py']?.markdown).toBe('```py\nx = 1\n```');
    expect(at['Memories/Memory of project p-1']?.markdown).toBe('Project: [[id:p-1|Project]]\n\nA roof.');
    expect(left).toEqual({
      'conversations.json · A conversation': 'The conversation has no message that can be read.',
      'projects.json · How to use Claude': 'It is the example that Claude gives to everyone.',
      'users.json': 'It describes the account.',
    });
  });
});
