import { utf8ToBytes } from '@noble/hashes/utils.js';
import { BrainError } from '../../../src/core/base/errors';
import { followJob, ingestDropped } from '../../../src/core/ingest/operations';
import { MAX_FILE_BYTES } from '../../../src/core/documents/ports';
import { refusalOf } from '../../support/refusal';
import { openTestBrain } from '../../support/test-brain';

const BYTES = utf8ToBytes('# The well\n\nIt is 30 m deep.\n');
const KEPT = 'inbox/processed/2026-11-20/the well.md.txt';
const RAW = 'raw/2026-11-20-the-well.md';

it('keeps the file, makes pages of it, and links these to it', async () => {
  const world = await openTestBrain();
  const answer = await world.run(ingestDropped, { name: 'the well.md', bytes: BYTES });
  expect(answer).toMatchObject({ file: 'the well.md', original: KEPT, converted: false });
  expect(world.files.get(KEPT)).toBe('# The well\n\nIt is 30 m deep.\n');
  expect(world.files.get(RAW)).toContain(`sources: ["[[${KEPT}|the well.md]]"]`);
  expect(world.files.get(RAW)).toContain('source_type: external\n');
  const again = await world.run(ingestDropped, { name: 'another name.md', bytes: BYTES });
  expect(again).toMatchObject({ extraction: 'unchanged', original: KEPT });
  expect([...world.files.keys()].sort()).toEqual([KEPT, RAW]);
});

it('goes on in the background when it is asked to', async () => {
  const world = await openTestBrain();
  const begun = await world.run(ingestDropped, { name: 'the well.md', bytes: BYTES, background: true });
  if (!('job' in begun)) throw new Error('There is no job.');
  let now = await world.run(followJob, { id: begun.job });
  for (let turn = 0; turn < 200 && 'job' in now; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    now = await world.run(followJob, { id: begun.job });
  }
  expect(now).toMatchObject({ counts: { written: 1 } });
});

it.each([
  ['a kind that nobody knows', 'thing.xyz', BYTES, 'unsupported_type'],
  ['a kind that only a converter reads', 'letter.docx', BYTES, 'unsupported_type'],
  ['an empty file', 'empty.md', new Uint8Array(), 'empty_content'],
  ['a file without a name', ' ', BYTES, 'missing_field'],
  ['a file that is too large', 'large.txt', new Uint8Array(MAX_FILE_BYTES + 1), 'too_large'],
])('refuses %s, and keeps nothing', async (_, name, bytes, code) => {
  const world = await openTestBrain();
  expect(await refusalOf(world.run(ingestDropped, { name, bytes }))).toMatchObject({ code });
  expect([...world.files.keys()]).toEqual([]);
});

it('cannot be asked for with anything but bytes', async () => {
  const world = await openTestBrain();
  await expect(world.run(ingestDropped, { name: 'a.md', bytes: 'text' })).rejects.toBeInstanceOf(BrainError);
});
