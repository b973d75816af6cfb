import fc from 'fast-check';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { undoWriter } from '../../../src/core/undo/undo';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const PLAN = 'Projects/Greenhouse plan.md';
const ADOPTED = 'wiki/garden/decisions/Greenhouse plan.md';
const TEXT =
  '\uFEFF---\r\ntags: [garden]   # mine\r\nrating:  5\r\n---\r\nA drip line. See [[Watering]] and [[nowhere]].\r\n';
const FILES = {
  [PLAN]: TEXT,
  'Projects/Watering.md':
    'From [[Projects/Greenhouse plan|the plan]], [[Greenhouse plan]] and [p](Greenhouse%20plan.md).\n',
  'wiki/garden/facts/soil.md': 'Dry, see [[Projects/Greenhouse plan]].\n',
};
const PLACE = { wing: 'garden', hall: 'decisions' } as const;

describe('adopt', () => {
  it('moves a note of the owner into the wiki, and links to it follow', async () => {
    const { run, files, state } = await openTestBrain(FILES);
    const adopted = await run(adoptNote, { path: PLAN, ...PLACE }, person);
    expect(adopted).toMatchObject({ path: ADOPTED, from: PLAN, slug: 'Greenhouse plan', relinked: 2 });
    expect(files.has(PLAN)).toBe(false);
    expect(files.get(ADOPTED)).not.toMatch(/written_by|origin/);
    expect(await run(getNote, { path: ADOPTED })).toMatchObject({
      status: 'wiki',
      wing: 'garden',
      hall: 'decisions',
      frontmatter: { rating: '5', promoted_by: 'human:me' },
      backlinks: ['Projects/Watering.md', 'wiki/garden/facts/soil.md'],
    });
    expect(files.get('Projects/Watering.md')).toBe(
      'From [[wiki/garden/decisions/Greenhouse plan|the plan]], [[Greenhouse plan]] and [p](../wiki/garden/decisions/Greenhouse%20plan.md).\n',
    );
    expect([...state.files.keys()].filter((path) => path.startsWith('history/')).length).toBeGreaterThan(0);
  });

  it('takes another name, whose links follow as well', async () => {
    const { run, files } = await openTestBrain(FILES);
    await run(adoptNote, { path: 'Projects/Greenhouse plan', ...PLACE, slug: 'greenhouse' }, person);
    expect(files.get('Projects/Watering.md')).toContain(
      '[[wiki/garden/decisions/greenhouse|the plan]], [[greenhouse|Greenhouse plan]]',
    );
  });

  it('is given back byte for byte', async () => {
    const { run, files } = await openTestBrain(FILES);
    await run(adoptNote, { path: PLAN, ...PLACE }, person);
    expect(await run(unpromoteNote, { path: ADOPTED }, person)).toEqual({ path: PLAN, from: ADOPTED });
    expect(files.get(PLAN)).toBe(TEXT);
    expect(files.has(ADOPTED)).toBe(false);
    expect((await run(getNote, { path: PLAN })).backlinks).toEqual([
      'Projects/Watering.md',
      'wiki/garden/facts/soil.md',
    ]);
  });

  it('gets back the ending of its name as it was written', async () => {
    const { run, files } = await openTestBrain({ 'Own/UPPER.MD': TEXT });
    const { path } = await run(adoptNote, { path: 'Own/UPPER.MD', ...PLACE }, person);
    expect(path).toMatch(/\/UPPER\.md$/);
    expect(await run(unpromoteNote, { path }, person)).toEqual({ path: 'Own/UPPER.MD', from: path });
    expect(files.get('Own/UPPER.MD')).toBe(TEXT);
  });

  it('is given back byte for byte whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 60, unit: 'binary' }),
        fc.constantFrom('', '---\na: b\n---\n', '\uFEFF'),
        async (body, start) => {
          const text = `${start}${body.replace(/[\uD800-\uDFFF]/g, '')}`;
          const { run, files } = await openTestBrain({ [PLAN]: text });
          const adopted = await run(adoptNote, { path: PLAN, ...PLACE }, person).catch(() => null);
          if (adopted !== null) await run(unpromoteNote, { path: ADOPTED }, person);
          expect(files.get(PLAN)).toBe(text);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is given back with what it says now when it was changed since, and a free name', async () => {
    const { run, files, vault } = await openTestBrain(FILES);
    await run(adoptNote, { path: PLAN, ...PLACE }, person);
    await run(updateNote, { path: ADOPTED, content: 'Two drip lines.', reason: 'measured' });
    vault.outside(PLAN, 'Another one.');
    const back = await run(unpromoteNote, { path: ADOPTED }, person);
    expect(back).toMatchObject({
      path: 'Projects/Greenhouse plan-2.md',
      warnings: [expect.stringContaining('changed since')],
    });
    const text = files.get(back.path) ?? '';
    expect(text).toContain('Two drip lines.');
    expect(text).toContain('rating:  5');
    expect(text).not.toMatch(/promoted|supersede|wing|written_by|origin/);
    expect(files.get(PLAN)).toBe('Another one.');
  });

  it('has the owner’s own values of the service’s keys again when it goes back changed', async () => {
    const own = ['wing: "my house"  # mine', 'created_at: 2019-05-01', 'tunnels:', '  - "[[a]]"', '  - b'];
    const { run, files } = await openTestBrain({ [PLAN]: ['---', ...own, '---', 'Old.', ''].join('\n') });
    await run(adoptNote, { path: PLAN, ...PLACE }, person);
    expect(files.get(ADOPTED)).toContain('wing: garden');
    await run(updateNote, { path: ADOPTED, content: 'New.', reason: 'measured' });
    await run(unpromoteNote, { path: ADOPTED }, person);
    const text = files.get(PLAN) ?? '';
    expect(own.filter((line) => !text.includes(`${line}\n`))).toEqual([]);
    expect(text).not.toMatch(/garden|hall|promoted|supersede|Old/);
  });

  it('is given back by an undo of what its writer did', async () => {
    const { run, files } = await openTestBrain(FILES);
    const rogue = { ...callerWith(['read', 'review'], 'rogue'), owner: true };
    await run(adoptNote, { path: PLAN, ...PLACE }, rogue);
    const scope = { by: 'rogue', since: '2000-01-01' };
    const { plan, items } = await run(undoWriter, { ...scope, dry_run: true });
    expect(items).toMatchObject([{ action: 'unpromote', path: ADOPTED, to: PLAN }]);
    await run(undoWriter, { ...scope, plan });
    expect(files.get(PLAN)).toBe(TEXT);
  });

  it('leaves a locked note to its owner, and a link in one as well', async () => {
    const locked = { [PLAN]: `---\nlocked: yes\n---\nA drip line.\n` };
    const { run, refusal, files } = await openTestBrain({ ...FILES, ...locked });
    expect(await refusal(adoptNote, { path: PLAN, ...PLACE })).toMatchObject({ code: 'locked' });
    await run(adoptNote, { path: PLAN, ...PLACE }, person);
    expect(await refusal(unpromoteNote, { path: ADOPTED })).toMatchObject({ code: 'locked' });
    await run(unpromoteNote, { path: ADOPTED }, person);
    expect(files.get(PLAN)).toBe(locked[PLAN]);

    const linking = `---\nlocked: true\n---\nSee [[Projects/Greenhouse plan]].\n`;
    for (const [caller, relinked] of [
      [agent, 2],
      [person, 3],
    ] as const) {
      const other = await openTestBrain({ ...FILES, 'Diary.md': linking });
      const adopted = await other.run(adoptNote, { path: PLAN, ...PLACE }, caller);
      const kept = 'Diary.md is locked by its owner; its link to the moved note was left as it is.';
      expect([adopted.relinked, adopted.warnings.includes(kept)]).toEqual([relinked, caller === agent]);
      expect(other.files.get('Diary.md') === linking).toBe(caller === agent);
    }
  });

  it.each([
    ['raw/idea.md', 'path_not_allowed'],
    ['wiki/garden/facts/soil.md', 'path_not_allowed'],
    ['AGENTS.md', 'path_not_allowed'],
    ['Private/diary.md', 'path_not_allowed'],
    ['.obsidian/app.json', 'path_not_allowed'],
    ['../x.md', 'path_not_allowed'],
    ['Projects/none.md', 'source_missing'],
  ])('refuses %s: %s', async (path, code) => {
    const more = { 'raw/idea.md': 'x', 'AGENTS.md': 'x', 'Private/diary.md': 'x' };
    const { refusal, files } = await openTestBrain({ ...FILES, ...more }, { exclude: ['Private'] });
    const before = new Map(files);
    expect(await refusal(adoptNote, { path, ...PLACE }, person)).toMatchObject({ code });
    expect(files).toEqual(before);
  });

  it('refuses a note that changed, and a name that is taken', async () => {
    const { refusal, files } = await openTestBrain({ ...FILES, [ADOPTED]: 'there' });
    const stale = { path: PLAN, ...PLACE, expected_hash: '0'.repeat(64) };
    expect(await refusal(adoptNote, stale, person)).toMatchObject({ code: 'hash_mismatch' });
    expect(await refusal(adoptNote, { path: PLAN, ...PLACE }, person)).toMatchObject({
      code: 'destination_exists',
    });
    expect(files.get(PLAN)).toBe(TEXT);
  });
});

it('leaves links in the owner’s notes to the queue alone when a token promotes, and lets them follow a person', async () => {
  const files = { 'raw/idea.md': 'An idea.', 'Diary.md': 'See [[raw/idea]].' };
  const place = { path: 'raw/idea.md', wing: 'garden', hall: 'facts' } as const;
  const byToken = await openTestBrain(files);
  expect(await byToken.run(promoteNote, place, callerWith())).toMatchObject({
    relinked: 0,
    warnings: ['Diary.md is a note of the owner; its link to the moved note was left as it is.'],
  });
  expect(byToken.files.get('Diary.md')).toBe('See [[raw/idea]].');
  const byPerson = await openTestBrain(files);
  expect(await byPerson.run(promoteNote, place, person)).toMatchObject({ relinked: 1 });
  expect(byPerson.files.get('Diary.md')).toBe('See [[wiki/garden/facts/idea|raw/idea]].');
});
