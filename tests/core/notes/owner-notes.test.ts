import { sha256 } from '../../../src/core/base/hash';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { completePath } from '../../../src/core/notes/targets';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { unpromoteNote } from '../../../src/core/review/return';
import { queryNotes } from '../../../src/core/search/query';
import { undoWriter } from '../../../src/core/undo/undo';
import { openTestBrain, person, type TestBrain } from '../../support/test-brain';

const PLAN = 'Projects/Greenhouse plan.md';
const FILES = {
  [PLAN]: '---\ntags: garden\n---\nThe greenhouse needs a drip line. See [[Watering]].\n',
  'Projects/Watering.md': '# Watering\n\nTwice a week in summer.\n',
  'Projects/_index.md': 'Projects of the year\n',
  'Private/diary.md': 'The greenhouse is a secret.\n',
  'Pictures/drip line.png': 'PNG',
  'Boards/Board.canvas': '{}',
  'Secret/x.png': 'PNG',
  'wiki/garden/facts/drip-line.md': '---\nwing: garden\nhall: facts\n---\nA drip line saves water.\n',
};

describe('the notes of the owner', () => {
  const open = (settings = {}) => openTestBrain(FILES, { exclude: ['Private'], ...settings });

  it('are found, with their status, and without a wing', async () => {
    const { run } = await open();
    const { results } = await run(queryNotes, { query: 'greenhouse' });
    expect(results).toEqual([expect.objectContaining({ path: PLAN, status: 'vault' })]);
    expect(results[0]).not.toHaveProperty('wing');
    expect((await run(queryNotes, { query: 'drip line', status: 'vault' })).results).toHaveLength(1);
    expect((await run(queryNotes, { query: 'drip line', status: 'wiki' })).results).toHaveLength(1);
    expect((await run(queryNotes, { query: 'projects year' })).results[0]?.path).toBe('Projects/_index.md');
  });

  it('are read with their neighbours', async () => {
    const { run } = await open();
    expect(await run(getNote, { path: PLAN })).toMatchObject({
      status: 'vault',
      outgoing: ['Projects/Watering.md'],
      frontmatter: { tags: 'garden' },
    });
    expect((await run(getNote, { path: 'Projects/Watering' })).backlinks).toEqual([PLAN]);
    const { content_hash: hash } = await run(getNote, { path: PLAN });
    expect(await run(getNote, { hash })).toMatchObject({ path: PLAN, status: 'vault' });
    expect(await run(history, { path: PLAN })).toMatchObject({ versions: [{ hash }] });
    expect((await run(completePath, { typed: 'proj' })).paths).toEqual([
      PLAN,
      'Projects/Watering.md',
      'Projects/_index.md',
    ]);
  });

  it('are unknown where the owner leaves them out, also to the gate', async () => {
    const { run, refusal } = await open();
    expect(await refusal(getNote, { path: 'Private/diary.md' })).toMatchObject({ code: 'path_not_allowed' });
    expect((await run(queryNotes, { query: 'secret' })).searched).toBe(4);
    const written = await run(writeNote, {
      wing: 'garden',
      hall: 'facts',
      slug: 'links',
      content: 'See [[Private/diary]], [[diary]], [[Watering]] and ![[Pictures/drip line.png]].',
    });
    expect(written.unlinked).toEqual(['Private/diary', 'diary']);
    expect(
      written.refs.filter(({ resolved }) => resolved !== undefined).map(({ resolved }) => resolved),
    ).toEqual(['Projects/Watering.md', 'Pictures/drip line.png']);
    expect((await run(getNote, { path: 'Projects/Watering.md' })).backlinks).toEqual([
      PLAN,
      'wiki/garden/facts/links.md',
    ]);
  });

  it('and attachments are linked by name, as the app writes such links', async () => {
    const { run } = await open({ exclude: ['Private', 'Secret'] });
    const written = await run(writeNote, {
      ...{ wing: 'garden', hall: 'facts', slug: 'pictures' },
      content:
        '![[drip line.png]] ![[Drip Line.png]] [[Board.canvas]] ![a](Pictures/drip%20line.png) ![[none.png]] ![[Secret/x.png]] ![[x.png]]',
    });
    expect((await run(getNote, { path: written.path })).body.trim()).toBe(
      '![[Pictures/drip line.png]] ![[Pictures/drip line.png]] [[Boards/Board.canvas|Board.canvas]] ![[Pictures/drip line.png|a]] none.png Secret/x.png x.png',
    );
  });

  it('are left alone entirely when only the service’s folders are read', async () => {
    const { run, refusal } = await open({ readScope: 'brain' });
    expect(await run(queryNotes, { query: 'greenhouse' })).toMatchObject({ count: 0, searched: 1 });
    expect(await refusal(getNote, { path: PLAN })).toMatchObject({ code: 'path_not_allowed' });
  });

  it('are addressed as written when the owner has a folder "brain"', async () => {
    const { run } = await openTestBrain({
      'brain/plan.md': 'A plan in my folder.',
      'brain/wiki/a.md': 'Not of the wiki.',
      'brain/wiki/garden/facts/soil.md': 'Mine.',
      'wiki/garden/facts/soil.md': 'Dry.',
      'wiki/garden/facts/rain.md': 'Wet.',
      'brain/AGENTS.md': 'Mine as well.',
      'AGENTS.md': 'The guide.',
    });
    for (const path of [
      'brain/plan.md',
      'brain/wiki/a.md',
      'brain/wiki/garden/facts/soil',
      'brain/AGENTS.md',
    ])
      expect(await run(getNote, { path })).toMatchObject({ status: 'vault' });
    expect(await run(getNote, { path: 'brain/wiki/garden/facts/rain.md' })).toMatchObject({
      path: 'wiki/garden/facts/rain.md',
    });
    const { results } = await run(queryNotes, { query: 'mine', under: 'brain/wiki/' });
    expect(results.map(({ path }) => path)).toEqual(['brain/wiki/garden/facts/soil.md']);
  });

  it('do not include the guide of agents, whatever its name', async () => {
    const { run, files } = await openTestBrain({ 'CLAUDE.md': 'The guide of agents.', 'Diary.md': 'Mine.' });
    expect(await run(getNote, { path: 'CLAUDE.md' })).toMatchObject({ status: 'root' });
    expect(await run(queryNotes, { query: 'guide' })).toMatchObject({ count: 0, searched: 1 });
    expect(files.size).toBe(2);
  });

  it('are changed by no operation', async () => {
    const { run, refusal, files } = await open();
    const before = { ...Object.fromEntries(files) };
    const { content_hash } = await run(getNote, { path: PLAN });
    const update = { path: PLAN, content: 'Mine now', reason: 'why', expected_hash: content_hash };
    expect(await refusal(updateNote, update)).toMatchObject({
      code: 'not_ours',
      message: `${PLAN} is a note of the owner, which only the owner changes. Write a note of your own that links to it.`,
    });
    expect(await refusal(promoteNote, { path: PLAN, wing: 'garden', hall: 'facts' })).toMatchObject({
      code: 'not_in_queue',
    });
    expect(await refusal(rejectNote, { path: PLAN, reason: 'no' })).toMatchObject({ code: 'not_in_queue' });
    expect(Object.fromEntries(files)).toEqual(before);
  });

  it('are not overwritten under a name that folds to theirs', async () => {
    const { refusal } = await openTestBrain({ 'Wiki/Garden/Facts/Soil.md': 'Mine.' });
    const write = { wing: 'garden', hall: 'facts', slug: 'soil', content: 'Dry.', overwrite: true };
    for (const dry_run of [false, true])
      expect(await refusal(writeNote, { ...write, dry_run })).toMatchObject({ code: 'not_ours' });
  });

  it('are not taken back with what a writer did, whatever they say of themselves', async () => {
    const { run, files, vault } = await open();
    const { path } = await run(writeNote, {
      wing: 'garden',
      hall: 'facts',
      slug: 'mine',
      content: 'By a token',
    });
    const text = files.get(path) ?? '';
    vault.outside('Projects/Kept.md', text);
    const scope = { by: 'laptop', since: '2000-01-01' };
    const undone = await run(undoWriter, { ...scope, dry_run: true });
    expect(undone.items.map((item) => item.path)).toEqual([path]);
    await run(undoWriter, { ...scope, plan: undone.plan });
    expect(files.get('Projects/Kept.md')).toBe(text);
    expect(files.has(path)).toBe(false);
  });
});

describe('the former texts of a note of the owner', () => {
  const IDEA = { path: 'raw/idea.md', wing: 'garden', hall: 'facts' } as const;
  const LINKING = { 'Private/diary.md': 'A secret. See [[raw/idea]].\n', 'raw/idea.md': 'An idea.\n' };

  /** Opens the vault again, with other settings, with the files and the state as they are. */
  async function again({ files, state }: TestBrain, settings: Parameters<typeof openTestBrain>[1]) {
    const opened = await openTestBrain(Object.fromEntries(files), settings);
    for (const [path, text] of state.files) opened.state.files.set(path, text);
    return opened;
  }

  it.each([{ exclude: ['Private'] }, { readScope: 'brain' as const }])(
    'are as unknown by their hash as any other with %j',
    async (settings) => {
      const first = await openTestBrain(LINKING);
      await first.run(promoteNote, IDEA, person);
      const hash = sha256(LINKING['Private/diary.md']);
      expect(await first.run(history, { hash })).toMatchObject({ status: 'vault' });
      const { refusal } = await again(first, settings);
      for (const op of [history, getNote]) {
        const [one, none] = [await refusal(op, { hash }), await refusal(op, { hash: sha256('no') })];
        expect([one.code, one.message]).toEqual([none.code, none.message]);
      }
    },
  );

  it('are unknown by their hash when it was adopted, changed, given back, and is left out now', async () => {
    const first = await openTestBrain({ 'Private/diary.md': 'A secret.\n' });
    const { path } = await first.run(
      adoptNote,
      { path: 'Private/diary.md', wing: 'garden', hall: 'facts' },
      person,
    );
    const adopted = sha256(first.files.get(path) ?? '');
    await first.run(updateNote, { path, content: 'Another secret.', reason: 'more' });
    const updated = sha256(first.files.get(path) ?? '');
    expect(await first.run(history, { hash: adopted })).toMatchObject({ path });
    await first.run(unpromoteNote, { path }, person);
    const second = await again(first, { exclude: ['Private'] });
    for (const hash of [sha256('A secret.\n'), adopted, updated])
      expect((await second.refusal(history, { hash })).code).toBe('note_not_found');
  });
});
