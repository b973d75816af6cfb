import { trySearch } from '../../../src/core/tryout/tryout';
import { type Operation, perform } from '../../../src/core/operation/operation';
import { type Answer, type BrainClient, CallError } from '../../../src/core/registry/client';
import { OPERATIONS } from '../../../src/core/registry/table';
import { StopController } from '../../../src/core/base/concurrency';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { openTestBrain, person } from '../../support/test-brain';

const FILES = {
  'wiki/net/facts/auto.md': '# Automobile\n\nThe automobile stands outside.\n',
  'wiki/net/facts/car.md': '---\ntags: [wheels]\n---\n# Car\n\nA car.\n',
  'wiki/net/facts/rain.md': '# Rain\n\nIt is wet.\n',
  'raw/2026-11-01-car.md': '# Queued car\n\nA car that nobody has looked at.\n',
  'Garage.md': '# Garage\n\nA vehicle of my own.\n',
};

async function open(files: Readonly<Record<string, string>> = FILES) {
  const { brain } = await openTestBrain(files);
  const embedder = fakeEmbedder();
  const client: Pick<BrainClient, 'call'> = {
    async call(name, ask) {
      const operation: Operation = OPERATIONS[name];
      const answer: unknown = await perform(brain, operation, ask, person);
      return answer as Answer<typeof name>; // The table has the operation of this name.
    },
  };
  return { brain, embedder, client, parts: { client, embedder, pace: brain.pace, roots: 'wiki' as const } };
}
const paths = (hits: readonly { readonly path: string }[]) => hits.map(({ path }) => path);

it('shows what words, meaning and both find, and keeps nothing', async () => {
  const { parts, brain } = await open();
  const before = brain.hybrid;
  const found = await trySearch(parts, 'car');
  expect(paths(found.words)).toEqual(['wiki/net/facts/car.md']);
  expect(paths(found.meaning).slice(0, 2).sort()).toEqual([
    'wiki/net/facts/auto.md',
    'wiki/net/facts/car.md',
  ]);
  expect(found.both[0]).toEqual({ path: 'wiki/net/facts/car.md', title: 'Car' });
  expect([found.looked, found.of]).toEqual([3, 3]);
  expect(brain.hybrid).toBe(before);
});

it('sends the question and the notes that would get vectors, nothing of the queue', async () => {
  const { parts, embedder } = await open();
  await trySearch(parts, 'car');
  const sent = embedder.calls.map(({ texts, kind }) => `${kind}: ${texts.join('|')}`).join('\n');
  expect(embedder.calls[0]).toEqual({ kind: 'query', texts: ['car'] });
  expect(sent).toContain('wheels');
  expect(sent).not.toMatch(/nobody has looked|of my own/);
  embedder.calls.length = 0;
  const all = await trySearch({ ...parts, roots: 'all' }, 'car');
  expect(JSON.stringify(embedder.calls)).toContain('of my own');
  expect(JSON.stringify(embedder.calls)).not.toContain('nobody has looked');
  expect(all.of).toBe(4);
});

it('looks at two hundred notes of a larger vault: those that the words find, then the last changed', async () => {
  const many = Array.from({ length: 230 }, (_, at) => [
    `wiki/net/facts/n${at}.md`,
    `# Note ${at}\n\nWords.\n`,
  ]);
  const { parts } = await open({
    ...Object.fromEntries(many),
    'wiki/net/facts/zebra.md': '# Zebra\n\nStripes.\n',
  });
  const heard: string[] = [];
  const found = await trySearch(
    { ...parts, onProgress: (done, total) => heard.push(`${done}/${total}`) },
    'zebra',
  );
  expect([found.looked, found.of]).toEqual([200, 231]);
  expect(paths(found.words)).toEqual(['wiki/net/facts/zebra.md']);
  expect(found.meaning).toHaveLength(10);
  expect([heard.length, heard.at(-1)]).toEqual([200, '200/200']);
});

it('fails as the embedder does, and stops when told', async () => {
  const { parts, embedder } = await open();
  embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
  await expect(trySearch(parts, 'car')).rejects.toMatchObject({ code: 'embed_error' });
  const stop = new StopController();
  let calls = 0;
  embedder.before = async () => {
    if ((calls += 1) === 2) stop.stop();
  };
  await expect(trySearch({ ...parts, signal: stop }, 'car')).rejects.toMatchObject({ code: 'embed_error' });
  expect(calls).toBe(2);
});

it('passes over a note that is removed meanwhile', async () => {
  const { parts, client } = await open();
  const gone: typeof client.call = async (name, ask) => {
    if (name === 'note' && JSON.stringify(ask).includes('auto.md'))
      throw new CallError('note_not_found', 'Gone.');
    return client.call(name, ask);
  };
  const found = await trySearch({ ...parts, client: { call: gone } }, 'car');
  expect(paths(found.meaning)).not.toContain('wiki/net/facts/auto.md');
});

it('measures with fragments of the notes that it read, and says when meaning would do harm', async () => {
  const words = ['alpine', 'basalt', 'cobalt', 'delta', 'ember'];
  const files = Object.fromEntries(
    words.flatMap((a) =>
      words.map((b) => [
        `wiki/net/facts/${a}-${b}.md`,
        `# ${a} ${b}\n\nThe ${a} pump of ${b} is oiled in ${a} week, and its seal came from ${b} by way of ${a}.\n`,
      ]),
    ),
  );
  const { parts } = await open(files);
  const noisy = { ...parts.embedder };
  let nth = 0;
  noisy.embed = async (texts) =>
    texts.map(() => Float32Array.from({ length: 768 }, (_, at) => Math.sin((nth += 1) * (at + 1))));
  const found = await trySearch({ ...parts, embedder: noisy }, 'pump');
  expect(found).toMatchObject({ isHarmful: true, measured: { questions: 20, words: { first: 20 } } });
  expect(found.measured?.meaning.first).toBeLessThan(5);
  const { measured, isHarmful } = await trySearch((await open()).parts, 'car');
  expect([measured, isHarmful]).toEqual([null, false]);
});
