import { finishForgetting, forget } from '../../../src/core/forget/forget';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { perform } from '../../../src/core/operation/operation';
import { listDecisions } from '../../../src/core/review/decisions';
import { promoteNote } from '../../../src/core/review/promote';
import { snoozeNote } from '../../../src/core/review/snooze';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const writer = callerWith(['read', 'write'], 'intern');
const WORDS = /xylograph|quokka/i;
/** What makes the gate change the text, so that it is kept as it was sent. */
const EMBED = '![[https://e.org/quokka.png]]';

/** The files of the service and the notes whose names or texts have the words of the note. */
function filesNaming({ files, state }: Pick<TestBrain, 'files' | 'state'>): string[] {
  const blobs = [...state.blobs].map(
    ([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')] as const,
  );
  return [...files, ...state.files, ...blobs].flatMap(([path, text]) =>
    WORDS.test(`${path}\n${text}`) ? [path] : [],
  );
}

/** Lives the life of a note on a device: queued, put off, promoted, changed with a key. Resolves with its path. */
async function live({ brain, run }: TestBrain): Promise<string> {
  const text = `# Quokka plan\n\nFirst xylograph words. ${EMBED}\n`;
  const { path: queued } = await run(capture, { text, wing: 'lab' }, writer);
  await run(snoozeNote, { path: queued }, person);
  const decided = { path: queued, wing: 'lab', hall: 'facts', slug: 'quokka-plan' };
  const { path } = await run(promoteNote, decided, person);
  const { content_hash: hash } = await run(getNote, { path });
  const update = { path, content: '# Quokka plan\n\nMore xylograph.\n', expected_hash: hash, reason: 'more' };
  await perform(brain, updateNote, update, writer, { key: 'k-1' });
  return path;
}

async function forgetOn({ run }: TestBrain, path: string): Promise<void> {
  const { plan } = await run(forget, { path, dry_run: true }, person);
  await run(forget, { path, reason: 'Asked for', plan }, person);
}

/** A line of a log as earlier versions wrote it. */
function oldLine(path: string, after: string): string {
  return `${JSON.stringify({ ts: '2026-11-19T10:00:00Z', op: 'write', notes: [[path, null, after]] })}\n`;
}

it('removes it from the files of another device when that one starts', async () => {
  const there = await openTestBrain({}, {}, undefined, { device: 'desktop' });
  const path = await live(there);
  const { content_hash: hash } = await there.run(getNote, { path });
  const { state, vault } = there;
  state.files.set('changes/2026-11.desktop.jsonl', oldLine(path, hash));
  state.files.set('origins/desktop.jsonl', `${JSON.stringify({ path, from: 'raw/2026-11-19-quokka.md' })}\n`);
  state.files.set(
    'undo/0011223344556677.json',
    JSON.stringify({ v: 1, notes: [{ path, before: hash, after: hash }] }),
  );
  await there.close();
  const here = await openTestBrain({}, {}, undefined, { on: { state, vault } });
  await forgetOn(here, path);
  // The words are nowhere, and what names it is in the other device's own files alone, which no answer shows.
  expect(filesNaming(here).every((file) => file.includes('desktop'))).toBe(true);
  expect(filesNaming(here)).toContain('changes/2026-11.desktop.jsonl');
  expect(await here.run(listDecisions, {})).toMatchObject({ decisions: [] });
  await here.close();
  const again = await openTestBrain({}, {}, undefined, { on: { state, vault }, device: 'desktop' });
  await finishForgetting(again.brain);
  expect(filesNaming(again)).toEqual([]);
  await again.close();
  expect(filesNaming(again)).toEqual([]);
});

it('tells a repeated call with a key that it was made, and gives no answer', async () => {
  const brain = await openTestBrain();
  const path = await live(brain);
  const { content_hash: hash } = await brain.run(getNote, { path });
  const update = { path, content: '# Quokka plan\n\nLast xylograph.\n', expected_hash: hash, reason: 'last' };
  await perform(brain.brain, updateNote, update, writer, { key: 'k-2' });
  await forgetOn(brain, path);
  const repeated = perform(brain.brain, updateNote, update, writer, { key: 'k-2' });
  await expect(repeated).rejects.toMatchObject({ code: 'key_reused', details: { made: true, notes: [] } });
  expect(filesNaming(brain)).toEqual([]);
});
