import { promoteNote } from '../../../src/core/review/promote';
import { listPending } from '../../../src/core/review/pending';
import { unpromoteNote } from '../../../src/core/review/return';
import { updateNote } from '../../../src/core/notes/update';
import { callerWith, openTestBrain, person } from '../../support/test-brain';

const raw = 'raw/2026-11-01-dns.md';
const path = 'wiki/net/facts/dns.md';
const PLACE = 'wing: net\nhall: facts\ncreated_at: 2026-10-30T00:00:00Z\n';
const note = (keys: string, body = '# DNS\n\nUnbound answers.\n') => `---\n${keys}---\n${body}`;

/** Promotes the note, does something to it, and takes the promotion back. */
async function backAgain(
  text: string,
  between?: (opened: Awaited<ReturnType<typeof openTestBrain>>) => Promise<unknown>,
  caller = callerWith(),
) {
  const opened = await openTestBrain({ [raw]: text });
  await opened.run(promoteNote, { path: raw, wing: 'net', hall: 'facts' }, caller);
  await between?.(opened);
  await opened.run(unpromoteNote, { path });
  return { opened, text: opened.files.get(raw) };
}

describe('the stamps of a promotion that is taken back', () => {
  it.each([
    ['no stamps', PLACE],
    ['stamps of its own', `${PLACE}origin: mcp\nwritten_by: intern (claude-code 2.1)\n`],
    ['a writer alone', `${PLACE}written_by: laptop\n`],
    ['stamps that a promotion by the same writer would give', `${PLACE}origin: http\nwritten_by: laptop\n`],
    ['a source', `${PLACE}source: https://example.com/a\n`],
    ['a source type', `${PLACE}source_type: internal\n`],
    ['keys of a person', `# mine\n${PLACE}tags:\n- a\n- b\n`],
  ])('leave a note that had %s byte for byte as it was', async (_, keys) => {
    for (const caller of [callerWith(), person]) {
      expect((await backAgain(note(keys), undefined, caller)).text).toBe(note(keys));
    }
  });

  it('do not name a writer in the queue', async () => {
    const { opened } = await backAgain(note(''));
    const [pending] = (await opened.run(listPending)).pending;
    expect(pending).toMatchObject({ path: raw });
    expect(pending).not.toHaveProperty('written_by');
  });

  it('keep the stamps of whoever has updated the note since, and what the update says', async () => {
    const { text } = await backAgain(note(PLACE), ({ run }) =>
      run(updateNote, { path, content: '# DNS\n\nKnot answers.\n', reason: 'Replaced' }),
    );
    expect(text).toMatch(/\norigin: http\nwritten_by: laptop\n/);
    expect(text).toMatch('Knot answers.');
    expect(text).not.toMatch(/promoted_|source_type/);
  });

  it('keep what a hand has written since, and go all the same', async () => {
    const { text } = await backAgain(note(PLACE), async ({ files }) => {
      const promoted = files.get(path) ?? '';
      files.set(path, promoted.replace('\npromoted_at', '\nmood: good\npromoted_at').concat('More.\n'));
    });
    expect(text).toBe(note(`${PLACE}mood: good\n`, '# DNS\n\nUnbound answers.\nMore.\n'));
  });

  it('keep a writer whom a hand has named since', async () => {
    const { text } = await backAgain(note(PLACE), async ({ files }) => {
      files.set(path, (files.get(path) ?? '').replace('written_by: laptop', 'written_by: Ada'));
    });
    expect(text).toMatch(/\norigin: http\nwritten_by: Ada\n/);
  });

  it('stay when nothing tells what the note was before', async () => {
    const { text } = await backAgain(note(PLACE), async ({ state }) => {
      for (const file of await state.list('past')) await state.write(file, '');
      // An earlier version kept the name in a log of its own.
      await state.write('origins/otherone.jsonl', `${JSON.stringify({ path, from: raw })}\n`);
    });
    expect(text).toMatch('written_by: laptop');
    expect(text).not.toMatch('promoted_');
  });
});
