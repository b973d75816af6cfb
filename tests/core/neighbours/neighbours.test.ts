import fc from 'fast-check';
import { neighbours } from '../../../src/core/neighbours/neighbours';
import { getNote } from '../../../src/core/notes/get';
import { openTestBrain } from '../../support/test-brain';
import '../../support/properties';

const AGENT = 'origin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n';
const note = (title: string, body: string, head = '') => `---\n${head}---\n# ${title}\n\n${body}\n`;

const VAULT = {
  'Films/Solaris.md': note('Solaris', 'The ocean of Solaris, filmed by Tarkovsky. See [[Stalker]].'),
  'Films/Stalker.md': note('Stalker', 'Tarkovsky again, in the zone. After [[Solaris]].'),
  'Films/List.md': note('List', 'Seen: [[Solaris]].'),
  'Kitchen.md': note('Kitchen', 'Bread and butter.'),
  'wiki/film/facts/tarkovsky.md': note(
    'Tarkovsky made it',
    'Tarkovsky filmed [[Solaris]] in 1972.',
    `${AGENT}created_at: 2020-01-01T00:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\n`,
  ),
  'raw/2026-11-02-ocean.md': note('The ocean', 'The ocean of Solaris thinks.', AGENT),
  'raw/2026-11-03-rumour.md': note('Rumour', 'No word of it. [[Solaris]]', AGENT),
  'raw/2026-11-04-tarkovsky.md': note('Other', 'He did not.', `${AGENT}wing: film\nhall: facts\n`),
  'raw/2026-11-05-gone.md': note('Gone', 'Please.', `${AGENT}type: forget\ntarget: Films/Solaris.md\n`),
  'raw/rejected/2026-11-01-ocean.md': note('Ocean', 'The ocean of Solaris. [[Solaris]]', AGENT),
};

const open = () => openTestBrain(VAULT);

it('lists once what is similar, what is linked and what waits, each with its reasons', async () => {
  const { run } = await open();
  const answer = await run(neighbours, { path: 'Films/Solaris.md' });
  expect(answer).toMatchObject({
    title: 'Solaris',
    status: 'vault',
    meaning: 'off',
    links_here: 4,
    linked: 1,
  });
  const found = Object.fromEntries(answer.neighbours.map((one) => [one.path, one]));
  expect(Object.keys(found)).toHaveLength(answer.neighbours.length);
  expect(found['Films/Stalker.md']).toMatchObject({ links_here: true, linked: true, by_agent: false });
  expect(found['Films/List.md']).toMatchObject({ links_here: true, linked: false, status: 'vault' });
  expect(found['wiki/film/facts/tarkovsky.md']).toMatchObject({
    ...{ links_here: true, by_agent: true, stale: true, written_by: 'laptop (claude-code 2.1.300)' },
    shared: expect.arrayContaining(['Tarkovsky']),
  });
  expect(found['raw/2026-11-02-ocean.md']).toMatchObject({
    ...{ status: 'raw', links_here: false },
    shared: expect.arrayContaining(['ocean']),
  });
  expect(found['raw/2026-11-03-rumour.md']).toMatchObject({ links_here: true });
  expect(found['raw/2026-11-05-gone.md']).toMatchObject({ asks: 'forget' });
  expect(Object.keys(found)).not.toEqual(
    expect.arrayContaining(['Kitchen.md', 'raw/rejected/2026-11-01-ocean.md', 'Films/Solaris.md']),
  );
});

it('names a queued note that is to stand where the note does', async () => {
  const { run } = await open();
  const { neighbours: found } = await run(neighbours, { path: 'wiki/film/facts/tarkovsky.md' });
  expect(found[0]).toMatchObject({ path: 'raw/2026-11-04-tarkovsky.md', asks: 'replace' });
});

it('is refused for a note that is not read, that is not there, or that was rejected', async () => {
  const { refusal } = await openTestBrain(VAULT, { exclude: ['Films'] });
  expect(await refusal(neighbours, { path: 'Films/Solaris.md' })).toMatchObject({ code: 'note_not_found' });
  expect(await refusal(neighbours, { path: 'Nothing.md' })).toMatchObject({ code: 'note_not_found' });
  expect(await refusal(neighbours, { path: 'raw/rejected/2026-11-01-ocean.md' })).toMatchObject({
    code: expect.stringMatching(/note_not_found|path_not_allowed/),
  });
});

it('lists at most a hundred links of each direction and counts all', async () => {
  const names = Array.from({ length: 130 }, (_, at) => `N${at}`);
  const { run } = await openTestBrain({
    'Hub.md': names.map((name) => `[[${name}]]`).join(' '),
    ...Object.fromEntries(names.map((name) => [`${name}.md`, `A ${name}. [[Hub]]`])),
  });
  const answer = await run(neighbours, { path: 'Hub.md' });
  expect(answer).toMatchObject({ links_here: 130, linked: 130 });
  expect(answer.neighbours).toHaveLength(100);
});

it('tells the links of a note as the note itself does, whatever links to what', async () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D');
  const links = fc.dictionary(name, fc.array(name, { maxLength: 4 }), { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(links, async (drawn) => {
      const files = Object.fromEntries(
        Object.entries(drawn).map(([from, to]) => [`${from}.md`, to.map((at) => `[[${at}]]`).join(' ')]),
      );
      const { run } = await openTestBrain(files);
      for (const path of Object.keys(files)) {
        const { outgoing, backlinks } = await run(getNote, { path });
        const { neighbours: found } = await run(neighbours, { path });
        const others = (paths: readonly string[]) => paths.filter((at) => at !== path).sort();
        const told = (is: 'linked' | 'links_here') =>
          found.flatMap((one) => (one[is] ? [one.path] : [])).sort();
        expect(told('linked')).toEqual(others(outgoing));
        expect(told('links_here')).toEqual(others(backlinks));
      }
    }),
    { numRuns: 60 },
  );
});
