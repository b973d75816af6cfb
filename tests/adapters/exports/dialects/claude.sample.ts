import type { Files } from './support';

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
