import * as fc from 'fast-check';
import { editRoot } from '../../../src/core/notes/root';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { indexWings } from '../../../src/core/wings/operations';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { historyPath } from '../../../src/core/storage/history';
import { type Sha, sha256 } from '../../../src/core/base/hash';
import { BrainError } from '../../../src/core/base/errors';
import { perform } from '../../../src/core/operation/operation';
import { vaultPath, zoneOf } from '../../../src/core/vocabulary/paths';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const proposer = callerWith(['read', 'propose']);
const address = { wing: 'lab', hall: 'facts' } as const;
const PATH = 'wiki/lab/facts/mtu.md';

async function proposed() {
  const opened = await openTestBrain();
  const sent = { ...address, slug: 'mtu', content: '# MTU\n\n1420.\n' };
  const { path, content_hash: hash } = await opened.run(writeNote, sent, proposer);
  return { ...opened, path, hash };
}

/** Takes away all that says what the service has done; the history stays. */
function forgetLog(state: { files: Map<string, string> }): void {
  for (const path of [...state.files.keys()]) if (path.startsWith('past/')) state.files.delete(path);
}

describe('what a person has rejected', () => {
  it.each(['with', 'without'])(
    'is refused by its hash as by its path, %s the log of changes',
    async (log) => {
      const { run, refusal, state, path, hash } = await proposed();
      const { rejected_path: rejected } = await run(rejectNote, { path }, person);
      if (log === 'without') forgetLog(state);
      const byPath = await refusal(getNote, { path: rejected });
      expect(byPath.code).toBe('path_not_allowed');
      expect(await refusal(getNote, { hash })).toMatchObject({ code: byPath.code, details: { hash } });
      expect(await refusal(history, { hash })).toMatchObject({ code: byPath.code });
    },
  );

  it('is refused in each version that led to it, also after it was promoted, and one that was moved by hand', async () => {
    const { run, refusal, files, vault, path, hash } = await proposed();
    const promoted = await run(promoteNote, { path, ...address }, person);
    const back = await run(unpromoteNote, { path: promoted.path }, person);
    const queued = sha256(files.get(back.path) ?? '');
    await run(rejectNote, { path: back.path }, person);
    for (const each of [hash, promoted.content_hash, queued])
      expect(await refusal(getNote, { hash: each })).toMatchObject({ code: 'path_not_allowed' });

    const other = await run(writeNote, { ...address, content: 'Another thought.' }, proposer);
    const moved = await run(promoteNote, { path: other.path, ...address }, person);
    const again = await run(unpromoteNote, { path: moved.path }, person);
    vault.outside('raw/rejected/by-hand.md', files.get(again.path) ?? '');
    vault.outside(again.path, null);
    for (const each of [other.content_hash, moved.content_hash])
      expect(await refusal(getNote, { hash: each })).toMatchObject({ code: 'path_not_allowed' });
  });

  it('is refused in its earlier versions also when a hand has written into it, or moved it, in between', async () => {
    const { run, refusal, files, vault, path, hash } = await proposed();
    const promoted = await run(promoteNote, { path, ...address }, person);
    await run(updateNote, { path: PATH, content: 'Updated.', reason: 'r' });
    vault.outside(PATH, `${files.get(PATH)}\nBy hand.\n`);
    const back = await run(unpromoteNote, { path: PATH }, person);
    await run(rejectNote, { path: back.path }, person);
    for (const each of [hash, promoted.content_hash])
      expect(await refusal(getNote, { hash: each })).toMatchObject({ code: 'path_not_allowed' });

    const clipped = 'See [[raw/z]].';
    vault.outside('raw/y.md', clipped);
    vault.outside('raw/z.md', 'z');
    await run(promoteNote, { path: 'raw/z.md', ...address, slug: 'z' }, person);
    expect(files.get('raw/y.md')).toBe('See [[wiki/lab/facts/z|raw/z]].');
    vault.outside('raw/y.md', 'By hand.');
    await run(rejectNote, { path: 'raw/y.md' }, person);
    expect(await refusal(getNote, { hash: sha256(clipped) })).toMatchObject({ code: 'path_not_allowed' });
  });

  it('does not take the version of a reviewed note with it that said the same', async () => {
    const { run, files, vault, path, hash } = await proposed();
    await run(promoteNote, { path, ...address }, person);
    vault.outside('raw/again.md', '# MTU\n\n1420.\n');
    await run(rejectNote, { path: 'raw/again.md' }, person);
    expect(await run(getNote, { hash })).toMatchObject({ status: 'raw' });
    // Also when the reviewed one says something else by now.
    vault.outside(PATH, `${files.get(PATH)}\nBy hand.\n`);
    expect(await run(getNote, { hash })).toMatchObject({ status: 'raw' });
  });

  it('can be read again when it is back in the queue, as unreviewed', async () => {
    const { run, path, hash } = await proposed();
    const { rejected_path: rejected } = await run(rejectNote, { path, reason: 'no' }, person);
    await run(restoreNote, { path: rejected }, person);
    expect(await run(getNote, { hash })).toMatchObject({ path, status: 'raw' });
    const { content_hash: promoted } = await run(promoteNote, { path, ...address }, person);
    expect(await run(getNote, { hash })).toMatchObject({ status: 'raw' });
    expect(await run(getNote, { hash: promoted })).toMatchObject({ status: 'wiki' });
  });

  it('is refused when its front matter could not bear the marks of the rejection', async () => {
    const text = '---\n<%* tp %>\n---\nFaulty.\n';
    const { run, refusal } = await openTestBrain({ 'raw/x.md': text });
    await run(rejectNote, { path: 'raw/x.md' }, person);
    expect(await refusal(getNote, { hash: sha256(text) })).toMatchObject({ code: 'path_not_allowed' });
  });
});

describe('an older version', () => {
  it.each(['with', 'without'])(
    'of the queue stays unreviewed when its note is promoted, %s the log',
    async (log) => {
      const { run, state, path, hash } = await proposed();
      await run(promoteNote, { path, ...address }, person);
      if (log === 'without') forgetLog(state);
      const answer = await run(getNote, { hash });
      expect(answer).toMatchObject({
        path: `.brain/history/${hash.slice(0, 2)}/${hash}.md`,
        status: 'raw',
        ...address,
      });
      expect(await run(history, { hash })).toMatchObject({ status: 'raw' });
    },
  );

  it('that was overwritten, or whose note is gone, is of the place where it stood', async () => {
    const { run, vault } = await openTestBrain();
    const first = await run(writeNote, { ...address, slug: 'mtu', content: 'one' });
    const second = await run(writeNote, { ...address, slug: 'mtu', content: 'two', overwrite: true });
    await run(updateNote, { path: PATH, content: 'three', reason: 'r' });
    const legacy = await run(writeNote, { filename: 'x', content: 'one' });
    await run(updateNote, { path: 'knowledge/x.md', content: 'two', reason: 'r' });
    expect(await run(getNote, { hash: first.content_hash })).toMatchObject({ status: 'wiki' });
    expect(await run(getNote, { hash: second.content_hash })).toMatchObject({ path: PATH, status: 'wiki' });
    vault.outside(PATH, null);
    vault.outside('knowledge/x.md', null);
    for (const hash of [first.content_hash, second.content_hash])
      expect(await run(getNote, { hash })).toMatchObject({ status: 'wiki' });
    expect(await run(getNote, { hash: legacy.content_hash })).toMatchObject({ status: 'knowledge' });
  });

  it.each([
    ['promoted_at: 2026-01-01T00:00:00Z\nwing: a\nhall: facts', 'wiki'],
    ['updated_at: 2026-01-01T00:00:00Z', 'knowledge'],
    ['wing: a\nhall: facts', 'raw'],
  ])('of which nothing is known is what it says of itself: %j', async (block, status) => {
    const { run, state } = await openTestBrain();
    const text = `---\n${block}\n---\nx`;
    state.files.set(historyPath(sha256(text)), text);
    expect(await run(getNote, { hash: sha256(text) })).toMatchObject({ status });
  });
});

it('whatever was decided: nothing unreviewed passes for reviewed, and nothing rejected is read', async () => {
  const hands = ['write by hand', 'reject by hand'] as const;
  const acts = ['promote', 'reject', 'restore', 'unpromote', 'update', 'overwrite', ...hands] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...acts), { maxLength: 12 }), async (decisions) => {
      const { run, files, vault, state, brain } = await openTestBrain();
      const sent = { ...address, slug: 'mtu' };
      let { path } = await run(writeNote, { ...sent, content: 'Text 0.' }, proposer);
      /** Where each text of the note stood last. */
      const stood = new Map<Sha, string>();
      const note = () => stood.set(sha256(files.get(path) ?? ''), zoneOf(path));
      note();
      let isByHand = false;
      for (const [index, act] of decisions.entries()) {
        const before = path;
        const zone = zoneOf(path);
        const content = `Text ${index + 1}.`;
        if (act === 'promote' && zone === 'raw')
          path = (await run(promoteNote, { path, ...sent }, person)).path;
        if (act === 'reject' && zone === 'raw')
          path = (await run(rejectNote, { path }, person)).rejected_path;
        if (act === 'restore' && zone === 'rejected') path = (await run(restoreNote, { path }, person)).path;
        if (act === 'unpromote' && zone === 'wiki' && /^promoted_at:/m.test(files.get(path) ?? ''))
          path = (await run(unpromoteNote, { path }, person)).path;
        if (act === 'update' && zone === 'wiki') await run(updateNote, { path, content, reason: 'r' });
        if (act === 'overwrite' && zone === 'wiki')
          await run(writeNote, { ...sent, content, overwrite: true });
        const text = files.get(path) ?? '';
        if (act === 'write by hand' && zone !== 'rejected')
          vault.outside(path, `${text}\nBy hand ${index}.\n`);
        // Nothing tells what became of a note that a hand has both rewritten and moved.
        if (act === 'reject by hand' && zone !== 'rejected' && !isByHand) {
          vault.outside(path, null);
          path = vaultPath('raw/rejected/by-hand.md');
          vault.outside(path, text);
        }
        isByHand = act === 'write by hand' ? zone !== 'rejected' || isByHand : isByHand && path === before;
        note();
      }
      const now = zoneOf(path);
      for (const [hash, zone] of stood) {
        const read = perform(brain, getNote, { hash }, agent).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof BrainError ? error.code : error),
        );
        // What a hand has overwritten is nowhere.
        if ((await read) === 'note_not_found') expect(state.files.has(historyPath(hash))).toBe(false);
        else if (now === 'rejected') expect(await read).toBe('path_not_allowed');
        // What the present text supersedes is as reviewed as that is.
        else if (zone === 'wiki') expect([now, 'wiki']).toContain(await read);
        else expect(await read).toBe('raw');
      }
    }),
    { numRuns: 150 },
  );
});

describe('the hash that a read answers reads the same note back', () => {
  it('of the root note and its former versions', async () => {
    const root = '# Guide\n\nAsk first.\n';
    const { run, state } = await openTestBrain({ 'AGENTS.md': root });
    let now = await run(getNote, { path: 'AGENTS.md' });
    expect(now).toMatchObject({ status: 'root', history: 0 });
    expect(await run(getNote, { hash: now.content_hash })).toEqual(now);
    for (const content of ['# Second\n', '# Third\n'])
      await run(editRoot, {
        content,
        reason: 'r',
        expected_hash: (now = await run(getNote, { path: 'AGENTS.md' })).content_hash,
      });
    now = await run(getNote, { path: 'AGENTS.md' });
    expect(now).toMatchObject({ history: 2 });
    const { versions } = { versions: [], ...(await run(history, { path: 'AGENTS.md' })) };
    expect(versions).toHaveLength(3);
    for (const [index, { hash }] of versions.entries()) {
      expect(await run(getNote, { hash })).toMatchObject({
        path: 'AGENTS.md',
        status: 'root',
        history: 2 - index,
      });
      expect(await run(history, { hash })).toMatchObject({ path: 'AGENTS.md', hash });
    }
    const read = jest.spyOn(state, 'read');
    await run(getNote, { path: 'AGENTS.md' });
    expect(read.mock.calls.flat().filter((path) => path.startsWith('history/'))).toEqual([]);
  });

  it('of the map of a wing', async () => {
    const { run } = await openTestBrain({ [PATH]: 'x' });
    await run(indexWings);
    const map = await run(getNote, { path: 'wiki/lab/_index.md' });
    expect(await run(getNote, { hash: map.content_hash })).toEqual(map);
  });
});

it.each([{ path: PATH }, { wing: 'lab', hall: 'facts', slug: 'mtu' }, { wing: 'lab' }])(
  'refuses a hash beside %j',
  async (target) => {
    const { refusal } = await openTestBrain({ [PATH]: 'x', 'wiki/lab/facts/b.md': 'y' });
    const answer = await refusal(getNote, { ...target, hash: sha256('y') });
    expect(answer).toMatchObject({ code: 'invalid_field', message: expect.stringContaining('"hash"') });
  },
);

it.each(['hall: decisions\n', ''])('takes the hall from the folders, as a query does: %j', async (hall) => {
  const path = 'wiki/net/facts/sub/x.md';
  const { run } = await openTestBrain({ [path]: `---\nwing: other\n${hall}---\nx` });
  expect(await run(getNote, { path })).toMatchObject({ wing: 'net', hall: 'facts' });
});
