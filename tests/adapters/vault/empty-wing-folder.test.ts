import { openNodeState } from '../../../src/adapters/files/state-folder';
import { settleConfig } from '../../../src/core/config/config';
import { writeNote } from '../../../src/core/notes/write';
import type { Brain } from '../../../src/core/operation/context';
import { perform } from '../../../src/core/operation/operation';
import { alone, type StateStore, type VaultStore } from '../../../src/core/ports/ports';
import { openBrain } from '../../../src/core/vault/open';
import { diskImage } from '../../support/disk-image';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { withVault } from '../../support/node-vault-subject';
import { imageOf, withDiskApp, withMemoryApp } from '../../support/obsidian-subject';
import { silentLog } from '../../support/silent-log';
import { agent, NOW } from '../../support/test-brain';

/** What stands in the vault: files with their texts, and folders with a trailing slash. */
type Image = () => Promise<Record<string, string>>;
type WithHost = (
  files: Record<string, string>,
  work: (brain: Brain, image: Image) => Promise<void>,
) => Promise<void>;

async function withBrain(
  { vault, state }: { readonly vault: VaultStore; readonly state: StateStore },
  work: (brain: Brain) => Promise<void>,
): Promise<void> {
  const ports = {
    vault,
    state,
    clock: fixedClock(NOW),
    log: silentLog(),
    documents: fakeDocuments(),
    servers: alone,
  };
  const opened = await openBrain(ports, settleConfig({}, {}), {
    device: 'test',
    version: '0.0.0-test',
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  try {
    await opened.loaded;
    await work(opened.brain);
  } finally {
    await opened.close();
  }
}

const onDisk: WithHost = (files, work) =>
  withVault(files, async ({ vault, root }) => {
    const state = await openNodeState(root, { device: 'test' });
    try {
      await withBrain({ vault, state }, (brain) => work(brain, () => diskImage(root)));
    } finally {
      await state.close();
    }
  });

const inApp =
  (caseInsensitive: boolean): WithHost =>
  (files, work) =>
    withMemoryApp(
      files,
      (stores) => withBrain(stores, (brain) => work(brain, () => imageOf(stores.host.storage))),
      { caseInsensitive },
    );

const inAppOnDisk: WithHost = (files, work) =>
  withDiskApp(files, (stores) =>
    withBrain(stores, (brain) => work(brain, () => imageOf(stores.host.storage))),
  );

describe.each<[string, WithHost]>([
  ['the disk', onDisk],
  ['the app', inApp(false)],
  ['the app on a disk', inAppOnDisk],
  ['the app where the disk knows no case', inApp(true)],
])('on %s', (_, withHost) => {
  it.each([
    ['home-lab', 'Home_Lab', []],
    ['net-work', 'Net Work', ['facts/']],
    ['Homelab', 'HomeLab', []],
    ['größe', 'Größe', ['facts/']],
  ])('%s is written into the folder that a person has made: %s', (wing, folder, below) =>
    withHost(
      Object.fromEntries(['', ...below].map((each) => [`wiki/${folder}/${each}`, ''])),
      async (brain, image) => {
        const note = { wing, hall: 'facts', slug: 'n', content: 'text' };
        const path = `wiki/${folder}/facts/n.md`;
        expect(await perform(brain, writeNote, { ...note, dry_run: true }, agent)).toMatchObject({ path });
        expect(await perform(brain, writeNote, note, agent)).toMatchObject({ path, wing: folder });
        const wiki = Object.keys(await image()).filter((at) => at.startsWith('wiki/'));
        expect(wiki.sort()).toEqual(
          ['wiki/', `wiki/${folder}/`, `wiki/${folder}/_index.md`, `wiki/${folder}/facts/`, path].sort(),
        );
      },
    ),
  );
});
