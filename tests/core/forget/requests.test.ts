import { askToForget } from '../../../src/core/forget/ask';
import { forget } from '../../../src/core/forget/forget';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { replaceNote } from '../../../src/core/review/replace';
import { setRule } from '../../../src/core/rules/operations';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const NOTE = 'wiki/lab/facts/quokka.md';
const FILES = {
  [NOTE]: '---\norigin: mcp\nwritten_by: intern\n---\n# Quokka\n\nXylograph words.\n',
  'wiki/lab/facts/other.md': '---\norigin: mcp\nwritten_by: intern\n---\n# Other\n\nWords.\n',
};
const agent = callerWith(['read', 'propose'], 'intern');

function asking({ run }: TestBrain) {
  return run(askToForget, { path: NOTE, reason: 'It is about [[a person]] who asked' }, agent);
}

it('waits in the queue with the text of the note, and keeps no word of it', async () => {
  const brain = await openTestBrain(FILES);
  const { path, target } = await asking(brain);
  expect(target).toBe(NOTE);
  expect(brain.files.get(path)).not.toMatch(/xylograph/i);
  const { pending } = await brain.run(listPending, {});
  expect(pending).toMatchObject([
    {
      path,
      kind: 'forget',
      written_by: 'intern',
      target: { path: NOTE, title: 'Quokka', text: FILES[NOTE] },
    },
  ]);
});

it('is decided by forgetting the note, which takes the request with it', async () => {
  const brain = await openTestBrain(FILES);
  const { path } = await asking(brain);
  const { plan } = await brain.run(forget, { path: NOTE, dry_run: true }, person);
  await brain.run(forget, { path: NOTE, reason: 'Asked for', plan }, person);
  expect(brain.files.has(path)).toBe(false);
  expect(JSON.stringify([...brain.state.files, ...brain.files])).not.toMatch(/quokka/i);
});

it('is rejected as any other, and the note stays', async () => {
  const brain = await openTestBrain(FILES);
  const { path } = await asking(brain);
  await brain.run(rejectNote, { path, reason: 'It stays' }, person);
  expect(brain.files.has(NOTE)).toBe(true);
  expect(await brain.run(listPending, {})).toMatchObject({ pending: [] });
});

it('is taken by no promotion, no replacement and no rule', async () => {
  const brain = await openTestBrain(FILES);
  const { path } = await asking(brain);
  const place = { wing: 'lab', hall: 'facts', slug: 'x' };
  expect(await brain.refusal(promoteNote, { path, ...place }, person)).toMatchObject({
    code: 'not_in_queue',
  });
  const replaces = { path, replaces: 'wiki/lab/facts/other.md', reason: 'x' };
  expect(await brain.refusal(replaceNote, replaces, person)).toMatchObject({ code: 'not_in_queue' });
  const rule = { name: 'all', by: 'intern', dry_run: true };
  expect(await brain.run(setRule, rule, person)).toMatchObject({ ready: [] });
  expect(brain.files.has(path)).toBe(true);
});

it('refuses what names no note, and changes nothing', async () => {
  const brain = await openTestBrain(FILES);
  for (const [path, code] of [
    ['wiki/lab/facts/none.md', 'note_not_found'],
    ['../etc/passwd', 'path_not_allowed'],
  ])
    expect(await brain.refusal(askToForget, { path, reason: 'x' }, agent)).toMatchObject({ code });
  expect(await brain.refusal(askToForget, { path: NOTE, reason: ' ' }, agent)).toMatchObject({
    code: 'invalid_field',
  });
  expect(await brain.refusal(askToForget, { path: NOTE, reason: 'x' }, callerWith(['read']))).toMatchObject({
    code: 'forbidden_scope',
  });
});
