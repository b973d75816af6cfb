import { forget } from '../../../src/core/forget/forget';
import { writeNote } from '../../../src/core/notes/write';
import { listDecisions } from '../../../src/core/review/decisions';
import { moveNote } from '../../../src/core/review/move';
import { rejectNote } from '../../../src/core/review/reject';
import { undoWriter } from '../../../src/core/undo/undo';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const PLACE = { wing: 'lab', hall: 'facts' };
const mover = { ...person, name: 'mover' };

async function forgotten({ run }: TestBrain, path: string): Promise<void> {
  const { plan } = await run(forget, { path, dry_run: true, reason: 'gone' }, person);
  await run(forget, { path, plan, reason: 'gone' }, person);
}

/** A note, and another one with a link to it. */
async function linked() {
  const opened = await openTestBrain();
  const { run } = opened;
  const { path } = await run(writeNote, { ...PLACE, slug: 'quokka', content: '# Quokka\n\nOne.' }, agent);
  const content = `# Other\n\nSee [[${path}|her]].`;
  const { path: other } = await run(writeNote, { ...PLACE, slug: 'other', content }, agent);
  return { opened, path, other };
}

describe('after a note was forgotten', () => {
  it('nothing that was decided about it is told of a note that links to it', async () => {
    const { opened, path, other } = await linked();
    const { run } = opened;
    const { path: moved } = await run(moveNote, { path, hall: 'decisions' }, mover);
    await forgotten(opened, moved);
    const { decisions, total } = await run(listDecisions, {}, person);
    expect([decisions, total]).toEqual([[], 0]);
    const plan = await run(undoWriter, { by: 'human:mover', since: '1d', dry_run: true }, person);
    expect(plan.items).toEqual([]);
    expect(opened.files.get(other)).not.toContain('quokka');
  });

  it('no undo takes back that links to it became text', async () => {
    const { opened, path, other } = await linked();
    await forgotten(opened, path);
    const plan = await opened.run(undoWriter, { by: 'human:me', since: '1d', dry_run: true }, person);
    expect(plan.items).toEqual([]);
    expect(opened.files.get(other)).toContain('See her.');
  });

  it('the reason of a decision about it is gone', async () => {
    const opened = await openTestBrain({ 'raw/2026-11-01-diary.md': '# Diary\n\nWords.\n' });
    const { rejected_path: path } = await opened.run(
      rejectNote,
      { path: 'raw/2026-11-01-diary.md', reason: 'Tells of her xylograph' },
      person,
    );
    await forgotten(opened, path);
    for (const [file, text] of opened.state.files)
      expect([file, text]).not.toEqual([file, expect.stringContaining('xylograph')]);
  });
});

it('what was prepared of a document goes, on a server of several too', async () => {
  const { brain, state, files, run } = await openTestBrain({
    'raw/2026-11-01-quokka.md': `---\norigin: mcp\nwritten_by: eve via passthrough\nextracted_by: passthrough\nsource_hash: "${'a'.repeat(64)}"\n---\n# Quokka\n\nWords.\n`,
  });
  const prepared = `local.elsewhere/prepared/2026-11-20/${'a'.repeat(64)}.json`;
  state.files.set(prepared, '{"pages":[{"content":"xylograph"}],"by":"llm"}');
  Object.defineProperty(brain.servers, 'store', { value: 'database' });
  const ask = { path: 'raw/2026-11-01-quokka.md', reason: 'gone' };
  const { plan } = await run(forget, { ...ask, dry_run: true }, person);
  await run(forget, { ...ask, plan }, person);
  expect([files.size, state.files.has(prepared)]).toEqual([0, false]);
});

it("is for every person who reviews, and for no other token but the owner's", async () => {
  const { opened, path } = await linked();
  const ask = { path, dry_run: true };
  const ada = { ...person, name: 'ada', scopes: new Set(['read', 'review'] as const) };
  expect(await opened.run(forget, ask, ada)).toMatchObject({ file: 'removed' });
  const blind = { ...ada, scopes: new Set(['review'] as const) };
  expect((await opened.refusal(forget, ask, blind)).code).toBe('forbidden_scope');
  expect((await opened.refusal(forget, ask, callerWith())).code).toBe('forbidden_scope');
});
