import { backfillRefs } from '../../../src/core/ingest/backfill-refs';
import { MAX_FILE_BYTES } from '../../../src/core/documents/ports';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { tooLarge } from '../../../src/core/ports/ports';
import { agent, openTestBrain } from '../../support/test-brain';

const OTHER = 'inbox/processed/2026-11-01/other.pdf';
const REPORT = 'inbox/processed/2026-11-02/report.pdf';
const note = (text: string) => `---\nsource_hash: ${sha256(text)}\n---\n`;
const FILES = {
  [OTHER]: 'Other bytes.',
  [REPORT]: 'The report.',
  'wiki/net/facts/a.md': note('The report.'),
  'wiki/net/facts/b.md': note('Nobody has these.'),
};
const LINK = `[[${REPORT}|report.pdf]]`;

type World = Awaited<ReturnType<typeof openTestBrain>>;

/** Lets a question about one file fail, as a disk or its rights may have it. */
function refuse({ vault }: World, call: 'stat' | 'readBytes', path: string, error: Error): void {
  const { stat, readBytes } = vault;
  if (call === 'stat') vault.stat = (at) => (at === path ? Promise.reject(error) : stat(at));
  else vault.readBytes = (at, max) => (at === path ? Promise.reject(error) : readBytes(at, max));
}

/** The warnings that were logged, with their paths. */
function warnings({ brain }: World): unknown[] {
  const { log } = brain;
  return 'lines' in log && Array.isArray(log.lines)
    ? log.lines.map(({ event, fields }: { event: string; fields: { path?: string } }) => [event, fields.path])
    : [];
}

describe('an original that cannot be read', () => {
  it.each<[string, 'stat' | 'readBytes', Error]>([
    ['looked at', 'stat', new Error('EACCES: /home/me/secret')],
    ['read', 'readBytes', new Error('EIO: /home/me/secret')],
    ['read, as it has grown meanwhile', 'readBytes', tooLarge(OTHER, MAX_FILE_BYTES)],
  ])('is passed over with a warning when it cannot be %s', async (_, call, error) => {
    for (const dry_run of [true, false]) {
      const world = await openTestBrain(FILES);
      refuse(world, call, OTHER, error);
      const answer = await world.run(backfillRefs, { dry_run });
      expect(answer).toMatchObject({ scanned: 2, updated: 1, unresolved: 1, errors: [] });
      expect(answer.changes).toEqual([
        { path: 'wiki/net/facts/a.md', added: [LINK], evidence: ['source_hash'] },
      ]);
      expect(warnings(world)).toEqual([['backfill.original', OTHER]]);
    }
  });

  it('keeps no other note from its source when the ledger names it', async () => {
    const world = await openTestBrain({
      ...FILES,
      'wiki/net/facts/c.md': '---\nurl: https://e.org/c\n---\n',
    });
    const entry = { v: 1, ts: '2026-11-01T00:00:00Z', source: 'https://e.org/r', original: REPORT };
    const line = { ...entry, extraction: 'none', source_hash: sha256('The report.'), pages: [] };
    world.state.files.set('ledger.otherone.jsonl', `${JSON.stringify(line)}\n`);
    refuse(world, 'stat', REPORT, new Error('EACCES'));
    const { changes } = await world.run(backfillRefs, {});
    expect(changes.map(({ added }) => added)).toEqual([['https://e.org/r'], ['https://e.org/c']]);
  });

  it.each(['stat', 'readBytes'] as const)(
    'keeps no other note from its source as a kept text: %s',
    async (call) => {
      const text = 'The whole talk.';
      const kept = `inbox/processed/2026-11-02/talk-${sha256(text).slice(0, 8)}.txt`;
      const files = { ...FILES, [kept]: text, 'wiki/net/facts/0.md': note(text) };
      const world = await openTestBrain(files);
      refuse(world, call, kept, new Error('EACCES'));
      const answer = await world.run(backfillRefs, {});
      expect(answer).toMatchObject({ updated: 1, unresolved: 2, errors: [] });
    },
  );
});

describe('originals that are read to find one by its hash', () => {
  it('are not read again by the next call, dry or not, until they change', async () => {
    const { run, vault, clock } = await openTestBrain(FILES);
    clock.advance(10_000);
    const read = jest.spyOn(vault, 'readBytes');
    await run(backfillRefs, { dry_run: true });
    expect(read.mock.calls.map(([path]) => path).sort()).toEqual([OTHER, REPORT]);
    read.mockClear();
    await run(backfillRefs, {});
    await run(backfillRefs, { dry_run: true });
    expect(read).not.toHaveBeenCalled();
    vault.outside(OTHER, 'Nobody has these.');
    clock.advance(10_000);
    const { changes } = await run(backfillRefs, {});
    expect(changes).toMatchObject([{ path: 'wiki/net/facts/b.md', evidence: ['source_hash'] }]);
    expect(read.mock.calls.map(([path]) => path)).toEqual([OTHER]);
  });

  it('are read again when they were changed so lately that their times may not tell', async () => {
    const { run, files } = await openTestBrain(FILES);
    expect((await run(backfillRefs, { dry_run: true })).updated).toBe(1);
    files.set(REPORT, 'Ther eport.');
    expect((await run(backfillRefs, {})).changes).toEqual([]);
  });

  it('count in the progress before the notes do', async () => {
    const { brain } = await openTestBrain(FILES);
    const seen: string[] = [];
    const progress = ({ done, total }: { done: number; total: number }) => seen.push(`${done}/${total}`);
    await backfillRefs.run(brain, {}, agent, { progress });
    expect(seen).toEqual(['0/4', '1/4', '2/4', '3/4']);
  });

  it('are hashed in steps, so that a large one does not hold the thread', async () => {
    const { brain, vault } = await openTestBrain(FILES);
    vault.outsideBytes(OTHER, new Uint8Array(8 << 20));
    vault.readBytes = async (at) =>
      at === vaultPath(OTHER) ? new Uint8Array(8 << 20) : new TextEncoder().encode('The report.');
    const pieces = jest.spyOn(brain.pace, 'run');
    await backfillRefs.run(brain, { dry_run: true }, agent);
    expect(pieces.mock.calls.length).toBeGreaterThan(100);
  });
});
