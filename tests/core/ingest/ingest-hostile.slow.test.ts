import fc from 'fast-check';
import { isInboxFile } from '../../../src/core/documents/paths';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { cancelJob, followJob, ingestDropped, ingestText } from '../../../src/core/ingest/operations';
import { readReference } from '../../../src/core/links/references';
import { perform } from '../../../src/core/operation/operation';
import type { IngestResult } from '../../../src/core/operation/shapes';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { characters } from '../../support/hostile-text';
import { inboxWorld } from '../../support/inbox-world';
import { agent, openTestBrain, type TestBrain } from '../../support/test-brain';

const names = fc.string({ unit: characters, minLength: 1, maxLength: 12 });
const notes = ({ files }: Pick<TestBrain, 'files'>) =>
  [...files.keys()].filter((path) => /^(?:raw|wiki)\//.test(path));

/** The files of the vault that a note names as its sources. */
function linkedFrom(text: string): string[] {
  const { sources } = parseNote(text).frontmatter;
  return (Array.isArray(sources) ? sources : []).flatMap((element) => {
    const reference = readReference(String(element));
    return reference.kind === 'link' ? [reference.target] : [];
  });
}

const odd = fc.constantFrom(
  '~$',
  ' .',
  '. .',
  'a (conflicted copy 2026)',
  'a.sync-conflict-1',
  'CON',
  '\n',
  ' ',
);

it('links a page to the kept file, whatever the file was called', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof({ arbitrary: names, weight: 3 }, odd), async (name) => {
      // What stands before the extension would be no name.
      fc.pre(!/[/\\]$/.test(name));
      const world = await openTestBrain();
      const bytes = new TextEncoder().encode('The cellar is at 12 °C.');
      await perform(world.brain, ingestDropped, { name: `${name}.txt`, bytes }, agent);
      const [path = ''] = notes(world);
      const [target = ''] = linkedFrom(world.files.get(path) ?? '');
      expect(target).toMatch(/^inbox\/processed\/2026-11-20\/[^/]+\.txt$/);
      expect(world.files.get(target)).toBe('The cellar is at 12 °C.');
      expect(world.brain.catalog.has(target)).toBe(target);
      await world.close();
    }),
    { numRuns: 300 },
  );
});

it('takes every file of the inbox once, whatever it is called, and links its page to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(names, { minLength: 1, maxLength: 4 }), async (list) => {
      const world = inboxWorld();
      await world.start('on');
      const dropped = new Map<string, string>();
      for (const [index, name] of list.entries()) {
        const path = vaultPath(`inbox/${name}.txt`);
        // What no disk can hold, what stands in folders, and what is left alone by its name is not the matter here.
        if (/[\0/\\\ud800-\udfff]/.test(name) || !isInboxFile(vaultPath('inbox'), path)) continue;
        dropped.set(path, `Fact number ${index}.`);
      }
      for (const [path, text] of dropped) world.drop(path, text);
      await world.pass(2500);
      await world.pass(2500);
      const kept = world.paths('inbox');
      expect(kept.every((path) => path.startsWith('inbox/processed/'))).toBe(true);
      expect(kept.map((path) => world.vault.files.get(path)).sort()).toEqual([...dropped.values()].sort());
      const pages = notes(world.vault);
      expect(pages).toHaveLength(dropped.size);
      for (const page of pages) {
        const [target = ''] = linkedFrom(world.vault.files.get(page) ?? '');
        expect(world.vault.files.get(page)).toContain(world.vault.files.get(target));
      }
      await world.stop();
    }),
    { numRuns: 200 },
  );
});

describe('a text', () => {
  it.each([
    ['front matter alone', '---\ntitle: Only a head\n---\n'],
    ['an invisible character', '\u200b'],
    ['half a character', 'Half \ud83d of it.'],
    ['a mark for the order of bytes in its middle', 'One\ufeffTwo.'],
    ['line ends of all kinds', 'One\r\nTwo\rThree\u2028Four\n'],
    ['a title of signs alone', '# ???\n\n!!!'],
    ['nothing but a heading', '# Alone'],
    ['a thousand marks', '# '.repeat(1000)],
  ])('of %s is taken or refused with a reason, and is no other text when it comes again', async (_, text) => {
    const world = await openTestBrain();
    const before = [...world.files];
    const first = await perform(world.brain, ingestText, { text }, agent).catch((error: unknown) => error);
    if (first instanceof Error) {
      expect(first).toHaveProperty('code', expect.stringMatching(/^[a-z_]+$/));
      expect([...world.files]).toEqual(before);
      return;
    }
    const after = [...world.files];
    expect(first).toMatchObject({ extraction: 'passthrough', counts: { written: 1 } });
    const again = await world.run(ingestText, { text });
    expect(again).toMatchObject({ extraction: 'unchanged' });
    expect([...world.files]).toEqual(after);
  });

  it('that is sent twice at once is taken once', async () => {
    const world = await openTestBrain();
    const send = () => world.run(ingestText, { text: '# MTU\n\nWireGuard wants 1420.' });
    const answers = (await Promise.all([send(), send(), send()])) as IngestResult[];
    expect(answers.map(({ extraction }) => extraction).sort()).toEqual([
      'passthrough',
      'unchanged',
      'unchanged',
    ]);
    expect(notes(world)).toHaveLength(1);
  });
});

it('a job that is called off at any moment has written all of it or nothing, and says which', async () => {
  const seen = new Set<string>();
  for (let turns = 0; turns < 160; turns += 1) {
    const world = await openTestBrain();
    const before = [...world.files];
    const ask = { text: '# MTU\n\nWireGuard wants 1420.', background: true };
    const begun = await perform(world.brain, ingestText, ask, agent);
    if (!('job' in begun)) throw new Error('No job was begun.');
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await perform(world.brain, cancelJob, { id: begun.job }, agent);
    const end = await world.brain.jobs.wait(begun.job, agent, 1000);
    const told = await perform(world.brain, followJob, { id: begun.job }, agent);
    expect(told).toEqual(end);
    if ('status' in told) {
      expect(told.status).toBe('cancelled');
      expect([...world.files]).toEqual(before);
      seen.add('cancelled');
    } else {
      expect(notes(world)).toHaveLength(1);
      seen.add('done');
    }
    expect(await world.run(ingestText, { text: ask.text })).toMatchObject({
      extraction: 'status' in told ? 'passthrough' : 'unchanged',
    });
    expect(notes(world)).toHaveLength(1);
    await world.close();
  }
  expect([...seen].sort()).toEqual(['cancelled', 'done']);
});
