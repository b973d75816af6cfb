import { CLAUDE } from './claude.sample';
import { converted } from './support';

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
