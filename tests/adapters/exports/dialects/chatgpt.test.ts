import { CHATGPT } from './chatgpt.sample';
import { converted } from './support';

describe('ChatGPT', () => {
  it('has a note for each conversation', async () => {
    const { at, left } = await converted('ChatGPT', CHATGPT);
    expect(Object.keys(at)).toEqual(['Pumps: a-b', 'Conversation 2024-05-01']);
    expect(at['Pumps: a-b']).toMatchObject({
      title: 'Pumps: a/b',
      properties: {
        created: '2024-05-01T10:40:00Z',
        modified: '2024-05-01T11:40:00Z',
        model: 'gpt-4o',
        source: 'https://chatgpt.com/c/0f0f-1',
      },
      warnings: ['One message was replaced by an edit or another answer, and stands at the end.'],
    });
    expect(at['Pumps: a-b']?.markdown).toBe(
      '## User, 2024-05-01 10:40 UTC\n\n![[place:file-Ab1-p.png]]\n\nWhich *one*?\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nAttached: gone.pdf\n\n' +
        '## Assistant, 2024-05-01 10:40 UTC\n\nnew\n\n## Replaced messages\n\n## Assistant, 2024-05-01 10:40 UTC\n\nold',
    );
    expect(Object.keys(left)).toEqual([
      'chat.html',
      'conversations.json · Broken',
      'message_feedback.json',
      'shared_conversations.json',
      'user.json',
    ]);
  });

  it('loses no conversation to one that is nested too deep', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const text = JSON.stringify(CHATGPT['conversations.json']).replace(
      '"x"',
      `{"m":{"parent":"","children":[],"message":{"content":${deep}}}}`,
    );
    expect((await converted('ChatGPT', { 'conversations.json': text })).notes).toHaveLength(3);
  });

  it('keeps what stands before a cut', async () => {
    const text = JSON.stringify(CHATGPT['conversations.json']);
    const { notes } = await converted('ChatGPT', {
      'conversations.json': text.slice(0, text.indexOf('Broken')),
    });
    expect(notes.map(({ title }) => title)).toEqual(['Pumps: a/b']);
    expect(notes[0]?.warnings?.[0]).toContain('is damaged');
  });
});
