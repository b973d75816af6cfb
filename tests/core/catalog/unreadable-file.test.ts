import { getNote } from '../../../src/core/notes/get';
import { status } from '../../../src/core/status/status';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { queryNotes } from '../../../src/core/search/query';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain } from '../../support/test-brain';

const LOST = vaultPath('wiki/net/facts/lost.md');
const NEW = 'new words\n';

/** A vault with a note that was changed to `NEW` and cannot be read, as of a cloud that is offline. */
async function openWithLost() {
  const opened = await openTestBrain({ [LOST]: 'old words\n', 'wiki/net/facts/mtu.md': 'MTU\n' });
  const { vault } = opened;
  const read = vault.read.bind(vault);
  let tries = 0;
  vault.read = (path) => {
    if (path !== LOST) return read(path);
    tries += 1;
    return Promise.reject(new Error('ETIMEDOUT'));
  };
  vault.outside(LOST, NEW);
  return {
    ...opened,
    tries: () => tries,
    mend: () => {
      vault.read = read;
    },
    find: async (query: string) => (await opened.run(queryNotes, { query })).results.map(({ path }) => path),
  };
}

it('has one call wait for a file that cannot be read, not every one', async () => {
  const { run, find, tries } = await openWithLost();
  for (let n = 0; n < 5; n += 1) expect(await find('MTU')).toEqual(['wiki/net/facts/mtu.md']);
  await run(writeNote, { wing: 'net', hall: 'facts', filename: 'dns', content: 'DNS\n' });
  expect(tries()).toBe(1);
  const { checks, index } = await run(status);
  expect(index.waiting).toBe(1);
  expect(checks.find(({ name }) => name === 'unreadable files')).toMatchObject({
    state: 'warning',
    message: `One note cannot be read and so not be found: ${LOST}.`,
  });
  expect(tries()).toBe(1);
});

it('finds such a file when it can be read again, at the first call after a while', async () => {
  const { run, find, clock, mend } = await openWithLost();
  expect(await find('old')).toEqual([LOST]);
  mend();
  expect(await find('new')).toEqual([]);
  clock.advance(5_000);
  expect(await find('new')).toEqual([LOST]);
  expect((await run(status)).index.waiting).toBe(0);
});

it('reads and edits the very note at once, whatever rests', async () => {
  const { run, find, mend } = await openWithLost();
  expect(await find('new')).toEqual([]);
  mend();
  const note = await run(getNote, { path: LOST });
  expect(note.body).toBe(NEW);
  await run(updateNote, {
    path: LOST,
    content: 'newest words\n',
    expected_hash: note.content_hash,
    reason: 'newer',
  });
  expect(await find('newest')).toEqual([LOST]);
  expect((await run(status)).index.waiting).toBe(0);
});
