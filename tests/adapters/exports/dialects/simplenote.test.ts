import { SAMPLES } from './samples';
import { converted } from './support';

it('reads the notes of Simplenote, and their copies once', async () => {
  const { at, left } = await converted('Simplenote', SAMPLES.Simplenote?.files ?? {});
  expect(at.Plan).toMatchObject({
    title: 'Plan',
    properties: {
      created: '2020-01-02T03:04:05Z',
      modified: '2021-01-02T03:04:05Z',
      tags: ['home-work'],
      pinned: true,
    },
    markdown: '- [ ] buy \\*milk\\*\nsee [[id:b2|Other]] \\[x]',
  });
  expect(at.Other?.markdown).toBe('**bold**');
  expect(Object.keys(left)).toEqual(['source/notes.json · Gone', 'Plan.txt']);
});
