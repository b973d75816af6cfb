import type { Files } from './support';

const message = (id: string, parent: string, role: string, text: unknown, more: object = {}): object => ({
  [id]: {
    id,
    parent,
    children: [],
    message: {
      author: { role, name: null },
      create_time: 1714560000,
      content: typeof text === 'string' ? { content_type: 'text', parts: [text] } : text,
      metadata: { model_slug: role === 'assistant' ? 'gpt-4o' : undefined, ...more },
    },
  },
});

export const CHATGPT: Files = {
  'conversations.json': [
    {
      title: 'Pumps: a/b',
      create_time: 1714560000.5,
      update_time: 1714563600,
      conversation_id: '0f0f-1',
      current_node: 'c',
      mapping: {
        root: { id: 'root', message: null, parent: null, children: ['a'] },
        ...message(
          'a',
          'root',
          'user',
          {
            content_type: 'multimodal_text',
            parts: [
              { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-Ab1' },
              'Which *one*?\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
            ],
          },
          {
            attachments: [
              { id: 'file-Ab1', name: 'p.png' },
              { id: 'file-Zz9', name: 'gone.pdf' },
            ],
          },
        ),
        ...message('b', 'a', 'assistant', 'old'),
        ...message('c', 'a', 'assistant', 'new'),
      },
    },
    { title: 'Broken', mapping: 'x' },
    { title: '', create_time: 1714560000, mapping: { ...message('z', '', 'user', 'second') } },
  ],
  'file-Ab1-p.png': 'PNG',
  'user.json': { email: 'a@example.org' },
  'message_feedback.json': [],
  'shared_conversations.json': [],
  'chat.html': '<html></html>',
};
