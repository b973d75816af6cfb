import { ingestInbox, retryQuarantined } from '../../../src/core/inbox/operations';
import { perform } from '../../../src/core/operation/operation';
import { type InboxWorld, inboxWorld } from '../../support/inbox-world';
import { agent } from '../../support/test-brain';

const SCAN = 'inbox/quarantine/2026-11-20/scan.txt';
/** Longer than a file has to stand still. */
const STILL = 2500;

let world: InboxWorld;
afterEach(() => world.stop());

describe('a dry run', () => {
  it.each(['on', 'off'] as const)(
    'says how many files of an inbox, watched: %s, would be taken, and takes none',
    async (watch) => {
      world = inboxWorld({ 'inbox/a.txt': 'Alpha.\n', 'inbox/b.txt': 'Beta.\n' });
      await world.start(watch);
      expect(await perform(world.brain, ingestInbox, { dry_run: true }, agent)).toEqual({ queued: 2 });
      await world.pass(2 * STILL);
      expect(world.paths('inbox')).toEqual(['inbox/a.txt', 'inbox/b.txt']);
      expect(await perform(world.brain, ingestInbox, {}, agent)).toEqual({ queued: 2 });
    },
  );

  it('says where a file of the quarantine would be put, and leaves it and its note', async () => {
    world = inboxWorld({ [SCAN]: 'Scanned.\n', [`${SCAN}.error.json`]: '{"file":"inbox/sub/scan.txt"}' });
    world.drop('inbox/sub/scan.txt', 'Another.\n');
    await world.start('off');
    const before = new Map(world.vault.files);
    const asked = { path: SCAN, dry_run: true };
    const answer = { path: SCAN, restored_path: 'inbox/sub/scan-2.txt' };
    expect(await perform(world.brain, retryQuarantined, asked, agent)).toEqual(answer);
    await world.pass(2 * STILL);
    expect(world.vault.files).toEqual(before);
    expect(await perform(world.brain, retryQuarantined, { path: SCAN }, agent)).toEqual(answer);
    const gone = perform(
      world.brain,
      retryQuarantined,
      { ...asked, path: 'inbox/quarantine/none.txt' },
      agent,
    );
    await expect(gone).rejects.toMatchObject({ code: 'source_missing' });
  });
});
