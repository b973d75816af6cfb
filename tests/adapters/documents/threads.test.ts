import { DocumentThreads } from '../../../src/adapters/documents/threads';

it('reads however many documents it is asked for, two at once, and refuses none of them', async () => {
  let running = 0;
  let most = 0;
  const threads = new DocumentThreads({
    startThread: ({ name }) => {
      running += 1;
      most = Math.max(most, running);
      const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => ({
        text: { markdown: name, warnings: [] },
      }));
      return { answer, end: () => void (running -= 1) };
    },
    sleep: () => new Promise(() => undefined),
  });
  const names = Array.from({ length: 300 }, (_, number) => `${number}.md`);
  const texts = await Promise.all(
    names.map((name) => threads.read({ kind: 'markdown', name, bytes: new Uint8Array() })),
  );
  expect(texts.map(({ markdown }) => markdown)).toEqual(names);
  expect([most, running]).toEqual([2, 0]);
});
